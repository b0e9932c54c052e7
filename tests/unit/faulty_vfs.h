/* A file system for SQLite that fails: at the n-th change (write, sync, truncate, delete) of any file, as the
 * fault says. It stands on the real one and remembers what was not synced yet, so that power can fail. */
#pragma once

#include "base/buf.h"
#include "base/memory.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

enum fault_kind {
	FAULT_NEVER,
	FAULT_DEATH, /* the n-th change and all after it do not happen: kill -9 */
	FAULT_TORN_DEATH, /* but half of the n-th, if it is a write, does */
	FAULT_POWER, /* and nothing that was not synced is left */
	FAULT_POWER_SOME, /* and of what was not synced any part is left */
	FAULT_ONCE, /* an I/O error, after which all is well */
	FAULT_FULL, /* no file grows from then on */
	FAULT_UNREAD, /* the n-th read fails, as of a medium that cannot be read; after that all is well */
};

struct change {
	sqlite3_int64 offset;
	char *bytes; /* NULL: truncated to `offset` */
	size_t len;
};

/* What a file holds after power failed, and what might be there as well. */
struct medium {
	char *path;
	struct buf synced;
	struct change *changes;
	size_t count, capacity;
	struct medium *next;
};

struct faulty_file {
	sqlite3_file base;
	struct medium *medium;
	sqlite3_file *real; /* behind this struct */
};

static struct {
	sqlite3_vfs vfs, *real;
	enum fault_kind kind;
	int fault_at, change_count, read_count, last_errno;
	unsigned seed;
	struct medium *media;
} faulty;

static struct medium *faulty_medium(const char *path)
{
	for (struct medium *medium = faulty.media; medium; medium = medium->next)
		if (strcmp(medium->path, path) == 0)
			return medium;
	struct medium *medium = NEW(struct medium);
	*medium = (struct medium){.path = strdup(path), .next = faulty.media};
	return faulty.media = medium;
}

static void medium_change(struct buf *to, const struct change *change)
{
	size_t end = (size_t)change->offset + change->len;
	if (!change->bytes && to->len > end)
		to->len = end;
	while (to->len < end) /* a hole reads as zeros */
		buf_add_char(to, '\0');
	if (change->bytes)
		memcpy(to->bytes + change->offset, change->bytes, change->len);
}

static void medium_forget(struct medium *medium)
{
	for (size_t i = 0; i < medium->count; i++)
		free(medium->changes[i].bytes);
	medium->count = 0;
}

static void medium_sync(struct medium *medium)
{
	for (size_t i = 0; i < medium->count; i++)
		medium_change(&medium->synced, &medium->changes[i]);
	medium_forget(medium);
}

static void medium_note(struct medium *medium, sqlite3_int64 offset, const void *bytes, size_t len)
{
	if (faulty.kind != FAULT_POWER && faulty.kind != FAULT_POWER_SOME)
		return;
	GROW(medium->changes, medium->count, medium->capacity);
	medium->changes[medium->count++] = (struct change){offset, bytes ? memory_copy(bytes, len) : NULL, len};
}

/* Whether the change about to be made fails. */
static bool faulty_strikes(void)
{
	int number = ++faulty.change_count;
	if (faulty.kind == FAULT_NEVER || faulty.kind == FAULT_FULL || faulty.kind == FAULT_UNREAD)
		return false;
	return faulty.kind == FAULT_ONCE ? number == faulty.fault_at : number >= faulty.fault_at;
}

static bool faulty_is_dead(void)
{
	return faulty.kind != FAULT_NEVER && faulty.kind != FAULT_ONCE && faulty.kind != FAULT_FULL &&
	       faulty.kind != FAULT_UNREAD && faulty.change_count >= faulty.fault_at;
}

#define REAL(file) (((struct faulty_file *)(file))->real)
#define MEDIUM(file) (((struct faulty_file *)(file))->medium)

static int faulty_close(sqlite3_file *file)
{
	return REAL(file)->pMethods->xClose(REAL(file));
}

static int faulty_read(sqlite3_file *file, void *to, int len, sqlite3_int64 offset)
{
	if (++faulty.read_count != faulty.fault_at || faulty.kind != FAULT_UNREAD)
		return REAL(file)->pMethods->xRead(REAL(file), to, len, offset);
	faulty.last_errno = EIO;
	return SQLITE_IOERR_CORRUPTFS;
}

static int faulty_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 offset)
{
	sqlite3_int64 size;
	bool strikes = faulty_strikes();
	if (faulty.kind == FAULT_FULL && faulty.change_count >= faulty.fault_at &&
	    REAL(file)->pMethods->xFileSize(REAL(file), &size) == SQLITE_OK && offset + len > size)
		return SQLITE_FULL;
	if (strikes && (faulty.kind != FAULT_TORN_DEATH || faulty.change_count != faulty.fault_at))
		return SQLITE_IOERR_WRITE;
	len = strikes ? len / 2 : len;
	medium_note(MEDIUM(file), offset, bytes, (size_t)len);
	int code = REAL(file)->pMethods->xWrite(REAL(file), bytes, len, offset);
	return strikes ? SQLITE_IOERR_WRITE : code;
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	if (faulty_strikes())
		return SQLITE_IOERR_TRUNCATE;
	medium_note(MEDIUM(file), size, NULL, 0);
	return REAL(file)->pMethods->xTruncate(REAL(file), size);
}

static int faulty_sync(sqlite3_file *file, int flags)
{
	(void)flags;
	if (faulty_strikes())
		return SQLITE_IOERR_FSYNC;
	medium_sync(MEDIUM(file));
	return SQLITE_OK;
}

static int faulty_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int faulty_lock(sqlite3_file *file, int lock)
{
	return REAL(file)->pMethods->xLock(REAL(file), lock);
}

static int faulty_unlock(sqlite3_file *file, int lock)
{
	return REAL(file)->pMethods->xUnlock(REAL(file), lock);
}

static int faulty_check_lock(sqlite3_file *file, int *ret_is_reserved)
{
	return REAL(file)->pMethods->xCheckReservedLock(REAL(file), ret_is_reserved);
}

static int faulty_control(sqlite3_file *file, int what, void *argument)
{
	if (what != SQLITE_FCNTL_LAST_ERRNO || faulty.kind != FAULT_UNREAD)
		return REAL(file)->pMethods->xFileControl(REAL(file), what, argument);
	*(int *)argument = faulty.last_errno;
	return SQLITE_OK;
}

static int faulty_sector(sqlite3_file *file)
{
	return REAL(file)->pMethods->xSectorSize(REAL(file));
}

static int faulty_traits(sqlite3_file *file)
{
	return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

/* Version 1: without shared memory, so that a WAL works only if nobody else can have the file. */
static const sqlite3_io_methods faulty_methods = {
	1,
	faulty_close,
	faulty_read,
	faulty_write,
	faulty_truncate,
	faulty_sync,
	faulty_size,
	faulty_lock,
	faulty_unlock,
	faulty_check_lock,
	faulty_control,
	faulty_sector,
	faulty_traits,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
};

static int faulty_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *ret_flags)
{
	(void)vfs;
	struct faulty_file *opened = (struct faulty_file *)file;
	opened->real = (sqlite3_file *)(opened + 1);
	if (faulty_is_dead() && (flags & SQLITE_OPEN_CREATE)) /* it would make an empty file */
		return SQLITE_CANTOPEN;
	int code = faulty.real->xOpen(faulty.real, path, opened->real, flags, ret_flags);
	opened->medium = faulty_medium(path ? path : "");
	opened->base.pMethods = code == SQLITE_OK ? &faulty_methods : NULL;
	return code;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
	(void)vfs;
	if (faulty_strikes())
		return SQLITE_IOERR_DELETE;
	struct medium *medium = faulty_medium(path);
	medium_forget(medium);
	medium->synced.len = 0;
	return faulty.real->xDelete(faulty.real, path, sync);
}

/* All databases are opened on it from now on. */
static inline void faulty_install(void)
{
	faulty.real = sqlite3_vfs_find(NULL);
	faulty.vfs = *faulty.real;
	faulty.vfs.zName = "faulty";
	faulty.vfs.szOsFile = (int)sizeof(struct faulty_file) + faulty.real->szOsFile;
	faulty.vfs.xOpen = faulty_open;
	faulty.vfs.xDelete = faulty_delete;
	sqlite3_vfs_register(&faulty.vfs, 1);
}

/* From here on; files that are there are taken as empty, so there should be none. */
static inline void faulty_start(enum fault_kind kind, int fault_at)
{
	for (struct medium *next; faulty.media; faulty.media = next) {
		next = faulty.media->next;
		medium_forget(faulty.media);
		buf_done(&faulty.media->synced);
		free(faulty.media->changes);
		free(faulty.media->path);
		free(faulty.media);
	}
	faulty.kind = kind;
	faulty.fault_at = fault_at;
	faulty.read_count = faulty.last_errno = 0;
	faulty.change_count = 0;
	faulty.seed = (unsigned)fault_at;
}

/* The process is gone and the machine up again: files are what their media held. No fault any more. */
static inline void faulty_restart(void)
{
	bool lost_power = faulty.kind == FAULT_POWER || faulty.kind == FAULT_POWER_SOME;
	for (struct medium *medium = faulty.media; lost_power && medium; medium = medium->next) {
		if (access(medium->path, F_OK) != 0)
			continue;
		for (size_t i = 0; i < medium->count; i++)
			if (faulty.kind == FAULT_POWER_SOME && rand_r(&faulty.seed) % 2)
				medium_change(&medium->synced, &medium->changes[i]);
		FILE *file = fopen(medium->path, "w");
		if (medium->synced.len)
			fwrite(medium->synced.bytes, 1, medium->synced.len, file);
		fclose(file);
	}
	faulty_start(FAULT_NEVER, 0);
}
