/* The state file by its path: what is done to it and its companions (WAL, journal) without SQLite. */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* Makes an empty file of mode 0600 that survives power loss, unless there is one. Returns its path without
 * symbolic links, for free(); NULL: it cannot be made, or is no regular file. */
char *path_make(const char *path, struct error *err);

/* Would path_make and writing work? As far as one can find out without changing anything. */
bool path_check(const char *path, struct error *err);

/* May the file hold something? True, too, if we have no right to look. */
bool path_may_have_content(const char *path);

/* The folder of the file and its companions without symbolic links, or the nearest above it that is there; for free().
 * NULL: not even that. */
char *path_folder(const char *path);

/* Which file is there: any two numbers that differ when it was replaced; 0 and 0 if there is none. */
struct file_id {
	uint64_t device, inode;
};
struct file_id path_file_id(const char *path);

void path_restrict(const char *path); /* to mode 0600, if we may */

/* Whether the path is on a network file system; by its f_type (statfs(2)) for tests. What cannot be asked
 * or is FUSE's, which may be anything, counts as one. */
bool path_is_network(const char *path);
bool path_type_is_network(uint64_t file_system);

/* Renames the file and its companions to PATH.<label>-<now>, or the first second after that is free. On success *err
 * says the new name, for the log. */
bool path_set_aside(const char *path, const char *label, int64_t now, struct error *err);

/* Removes the file and its companions. *ret_story says so, or why it cannot. */
void path_remove(const char *path, struct error *ret_story);

/* Whether a file was written later than the other one; true if the other is missing or empty. */
bool path_is_newer(const char *path, const char *than);

/* Renames another file of the folder to PATH. Removes the companions of the file that was there, because SQLite would
 * take an old journal for the new file's. After an interruption at any point it can run again. */
bool path_replace(const char *path, const char *other, struct error *err);

uint64_t path_bytes(const char *path); /* with its companions; 0 if it is not there */
