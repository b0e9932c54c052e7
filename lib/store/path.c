#include "store/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Without the file itself SQLite ignores and deletes them, so they follow it when it is renamed. */
static const char *const companions[] = {"", "-wal", "-journal", "-shm"};
enum { COMPANIONS = sizeof companions / sizeof *companions };

/* The folder's entries survive power loss as well. */
static bool sync_folder(const char *path)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", path);
	int file = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file < 0)
		return false;
	bool is_synced = fsync(file) == 0 || errno == EINVAL; /* some network file systems cannot */
	close(file);
	return is_synced;
}

/* An existing file must not be opened here: closing it again would drop SQLite's locks (fcntl(2)). */
char *path_make(const char *path, struct error *err)
{
	struct stat status;
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file >= 0)
		close(file);
	if ((file < 0 && errno != EEXIST) || (file >= 0 && !sync_folder(path)) || stat(path, &status) < 0) {
		error_set(err, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(status.st_mode)) {
		error_set(err, "%s: this is not a regular file", path);
		return NULL;
	}
	char *real = realpath(path, NULL);
	if (!real)
		error_set(err, "%s: %s", path, strerror(errno));
	return real;
}

bool path_check(const char *path, struct error *err)
{
	char folder[PATH_MAX];
	struct stat status;
	char *real = realpath(path, NULL); /* NULL: there is no file yet */
	snprintf(folder, sizeof folder, "%s", real ? real : path);
	bool is_file = !real || (stat(real, &status) == 0 && S_ISREG(status.st_mode));
	bool is_writable = !real || access(real, R_OK | W_OK) == 0;
	free(real);
	if (!is_file)
		return error_set(err, "%s: this is not a regular file", path);
	if (!is_writable)
		return error_set(err, "%s: %s", path, strerror(errno));
	const char *name = dirname(folder); /* WAL and journal are made beside the file */
	if (access(name, W_OK | X_OK) < 0)
		return error_set(err, "folder %s: %s", name, strerror(errno));
	return true;
}

bool path_may_have_content(const char *path)
{
	struct stat status;
	if (stat(path, &status) < 0)
		return errno != ENOENT && errno != ENOTDIR;
	return status.st_size > 0;
}

char *path_folder(const char *path)
{
	char *folder, *real = realpath(path, NULL); /* NULL: there is no file yet */
	char name[PATH_MAX], probe[PATH_MAX + 2];
	snprintf(name, sizeof name, "%s", real ? real : path);
	free(real);
	do {
		snprintf(probe, sizeof probe, "%s", name);
		snprintf(name, sizeof name, "%s", dirname(probe));
		snprintf(probe, sizeof probe, "%s/.", name); /* is nothing of a file */
		folder = realpath(probe, NULL);
	} while (!folder && strcmp(name, "/") != 0 && strcmp(name, ".") != 0);
	return folder;
}

struct file_id path_file_id(const char *path)
{
	struct stat status;
	if (stat(path, &status) < 0)
		return (struct file_id){0};
	return (struct file_id){status.st_dev, status.st_ino};
}

void path_restrict(const char *path)
{
	struct stat status;
	if (stat(path, &status) == 0 && (status.st_mode & 07777) != 0600)
		(void)!chmod(path, 0600);
}

bool path_type_is_network(uint64_t file_system)
{
	static const uint64_t network[] = {
		0x6969 /* NFS */,
		0x517b /* SMB */,
		0xff534d42 /* CIFS */,
		0xfe534d42 /* SMB 2 */,
		0x0bd00bd0 /* Lustre */,
		0x47504653 /* GPFS */,
		0x19830326 /* BeeGFS */,
		0x00c36400 /* Ceph */,
		0x5346414f /* AFS, OpenAFS */,
		0x6b414653 /* AFS, Linux' */,
		0x73757245 /* Coda */,
		0x7461636f /* OCFS2 */,
		0x01161970 /* GFS2 */,
		0xaad7aaea /* PanFS */,
		0x01021997 /* 9P */,
		0x65735546 /* FUSE */,
		0x20030528 /* OrangeFS */,
		0x18031977 /* WekaFS */,
	};
	for (size_t i = 0; i < sizeof network / sizeof *network; i++)
		if (network[i] == (file_system & 0xffffffff)) /* f_type is signed in places */
			return true;
	return false;
}

bool path_is_network(const char *path)
{
	struct statfs status;
	return statfs(path, &status) < 0 || path_type_is_network((uint64_t)status.f_type);
}

/* The file itself must be renamed, companions may be missing. */
static bool rename_all(const char *path, const char *aside)
{
	for (size_t i = 0; i < COMPANIONS; i++) {
		char from[PATH_MAX + 16], to[PATH_MAX + 64];
		snprintf(from, sizeof from, "%s%s", path, companions[i]);
		snprintf(to, sizeof to, "%s%s", aside, companions[i]);
		if (rename(from, to) < 0 && (i == 0 || errno != ENOENT))
			return false;
	}
	return true; /* the folder is synced when the next file is made */
}

bool path_set_aside(const char *path, const char *label, int64_t now, struct error *err)
{
	char aside[PATH_MAX + 48];
	struct stat status;
	do
		snprintf(aside, sizeof aside, "%s.%s-%" PRId64, path, label, now++);
	while (lstat(aside, &status) == 0);
	if (!rename_all(path, aside))
		return error_set(err, "slurmscope cannot move %s aside: %s", path, strerror(errno));
	error_set(err, "moved to %s", aside);
	return true;
}

bool path_replace(const char *path, const char *other, struct error *err)
{
	for (size_t i = 1; i < COMPANIONS; i++) {
		char name[PATH_MAX + 16];
		snprintf(name, sizeof name, "%s%s", path, companions[i]);
		if (unlink(name) < 0 && errno != ENOENT)
			return error_set(err, "slurmscope cannot remove %s: %s", name, strerror(errno));
	}
	if (!sync_folder(path) || rename(other, path) < 0 || !sync_folder(path))
		return error_set(err, "slurmscope cannot move %s to %s: %s", other, path, strerror(errno));
	return true;
}

/* The file goes last: what was interrupted begins again. */
void path_remove(const char *path, struct error *ret_story)
{
	error_set(ret_story, "slurmscope removed it");
	for (size_t i = COMPANIONS; i-- > 0;) {
		char name[PATH_MAX + 16];
		snprintf(name, sizeof name, "%s%s", path, companions[i]);
		if (unlink(name) < 0 && errno != ENOENT)
			error_set(ret_story, "slurmscope cannot remove %s: %s", name, strerror(errno));
	}
}

bool path_is_newer(const char *path, const char *than)
{
	struct stat one, other;
	if (stat(path, &one) < 0 || !S_ISREG(one.st_mode))
		return false;
	return stat(than, &other) < 0 || other.st_size == 0 || one.st_mtim.tv_sec > other.st_mtim.tv_sec ||
	       (one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec > other.st_mtim.tv_nsec);
}

uint64_t path_bytes(const char *path)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < COMPANIONS; i++) {
		char name[PATH_MAX + 16];
		struct stat status;
		snprintf(name, sizeof name, "%s%s", path, companions[i]);
		if (stat(name, &status) == 0)
			bytes += (uint64_t)status.st_size;
	}
	return bytes;
}
