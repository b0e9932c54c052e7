/* The files of a web configuration: the one that --web.config.file names, and those that it names. Reading them is one thing
 * (web_watch.h), making something of them another (web_config.h): they may be matters of two processes. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <sys/types.h>
#include <time.h>

enum { WEB_FILES_MAX = 5, WEB_FILE_BYTES_MAX = 1024 * 1024 };

/* In place of a path: the certificates that the system trusts. */
#define WEB_SYSTEM_TRUST ""

/* What was read, and which version of the file that was. */
struct web_file {
	char *path; /* owned, as are the others */
	char *error; /* why it could not be read; NULL: it was */
	struct buf bytes; /* one more than WEB_FILE_BYTES_MAX of a file that is too large */
	dev_t device; /* all 0: there is none */
	ino_t inode;
	off_t size;
	struct timespec changed;
};

struct web_files {
	struct web_file files[WEB_FILES_MAX]; /* first the configuration; those that it names, if it can be read */
	unsigned count;
};

/* What cannot be read has an error. */
void web_files_read(const char *path, struct web_files *ret_files);

/* Is any of them another one by now? */
bool web_files_changed(const struct web_files *files);

/* The file that the configuration calls so; NULL: it was not read. */
const struct web_file *web_files_find(const struct web_files *files, const char *name);

/* Bytes for another process, to an empty buffer; and the files of such bytes. False: they are none. */
void web_files_write(const struct web_files *files, struct buf *to);
bool web_files_parse(struct text bytes, struct web_files *ret_files);

void web_files_wipe(struct web_files *files); /* what was read; the versions stay known */
void web_files_done(struct web_files *files);
