#include "store/file.h"

#include "base/clock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* The WAL is written back when it has this many pages of 4 KiB, which is 16 MiB, and is then cut to that size. That costs
 * two more fsyncs, so it should be rare; and a WAL without a limit would keep the size of the largest transaction. */
#define CHECKPOINT_PAGES "4096"
#define JOURNAL_BYTES "16777216"
#define CACHE_KIB "8192" /* bounds our memory: a transaction that changes more writes to the WAL before its commit */

/* Takes SQLite's lock for as long as the file is open, and finds out whose file it is before anything is changed. A newer
 * slurmscope's file is left alone: an upgrade may have been taken back for a moment. */
static enum fault identify(struct file *file, int *ret_version, struct error *err)
{
	struct db *db = file->db;
	db_pragma(db, "locking_mode", "EXCLUSIVE", "exclusive");
	db_run(db, "BEGIN EXCLUSIVE; COMMIT");
	int64_t application = db_number(db, "PRAGMA application_id");
	int64_t version = db_number(db, "PRAGMA user_version");
	int64_t tables = db_number(db, "SELECT count(*) FROM sqlite_master");
	if (!db_is_fine(db))
		return file_fault(file, err);
	bool is_empty = application == 0 && version == 0 && tables == 0;
	if (!is_empty && application != SCHEMA_APPLICATION_ID) {
		error_set(err, "%s: this is another program's database", file->path);
		return FAULT_FOREIGN;
	}
	if (version > store_schema.version) {
		error_set(err, "%s: a newer slurmscope made it (file version %d; this one knows up to %d)", file->path,
			  (int)version, store_schema.version);
		return FAULT_PASSING;
	}
	if (version < 0) {
		error_set(err, "%s: no slurmscope has made file version %d", file->path, (int)version);
		return FAULT_DAMAGED;
	}
	*ret_version = (int)version;
	return FAULT_NONE;
}

/* With the exclusive lock a WAL keeps its index in our memory, so there is no -shm file. A rollback journal stays where it
 * is, too: a commit ends when zeros are written over its header. FULL: a commit survives power loss. */
static void set_up(struct db *db, bool no_wal)
{
	db_run(db, "PRAGMA temp_store = MEMORY"); /* the sandbox allows writes beside the file only */
	db_check(db);
	db_pragma(db, "journal_mode", no_wal ? "DELETE" : "WAL", no_wal ? "delete" : "wal");
	db_pragma(db, "journal_size_limit", JOURNAL_BYTES, JOURNAL_BYTES);
	db_pragma(db, "wal_autocheckpoint", CHECKPOINT_PAGES, CHECKPOINT_PAGES);
	db_run(db, "PRAGMA synchronous = FULL; PRAGMA cache_size = -" CACHE_KIB);
}

static void prepare(struct file *file)
{
	for (int i = 0; i < TABLES; i++) {
		struct buf insert = BUF_INIT, delete = BUF_INIT;
		schema_insert(&store_schema.tables[i], &insert);
		schema_delete(&store_schema.tables[i], &delete);
		file->insert[i] = db_prepare(file->db, insert.bytes);
		file->delete[i] = db_prepare(file->db, delete.bytes);
		buf_done(&insert);
		buf_done(&delete);
	}
}

static void read_about(struct file *file)
{
	struct sqlite3_stmt *select = db_prepare(file->db, "SELECT name, value FROM about");
	while (select && db_step(file->db, select)) {
		struct text name = db_text(select, 0);
		if (text_equal(name, TEXT("cluster")))
			buf_add_text(&file->cluster, db_text(select, 1));
		else if (text_equal(name, TEXT("names")))
			buf_add_text(&file->names, db_text(select, 1));
	}
}

static enum fault check_names(const struct file *file, struct error *err)
{
	if (text_equal(buf_text(&file->names), text_of(file->wanted_names)))
		return FAULT_NONE;
	error_set(err, "%s: its names are %s", file->path,
		  !file->names.len	? "not hashed"
		  : *file->wanted_names ? "hashed with another key, or others of them"
					: "hashed");
	return FAULT_NAMES;
}

/* Is the file whole, and was it made by a slurmscope that is not newer than this one? Does not change it. */
static enum fault examine_copy(char *path, const char *names, struct error *err)
{
	int version = 0;
	struct file copy = {.path = path, .db = db_open(path), .wanted_names = names};
	enum fault fault = identify(&copy, &version, err);
	if (fault == FAULT_NONE) {
		db_check(copy.db);
		if (version)
			read_about(&copy);
		fault = file_fault(&copy, err);
	}
	if (fault == FAULT_NONE && version == 0) {
		error_set(err, "%s: is empty", path);
		fault = FAULT_DAMAGED;
	}
	if (fault == FAULT_NONE)
		fault = check_names(&copy, err);
	db_close(copy.db, true);
	buf_done(&copy.names);
	buf_done(&copy.cluster);
	return fault;
}

/* Puts PATH.copy in the file's place if it was written later and is whole. Needs the lease: then nobody has the file open.
 * The copy is renamed, never written into the file, beside which a crash may have left a journal. */
static void adopt_copy(const char *path, const char *names, struct copy *ret_copy)
{
	char name[PATH_MAX + 8];
	struct error why, where;
	snprintf(name, sizeof name, "%s.copy", path);
	*ret_copy = (struct copy){0};
	if (!path_is_newer(name, path))
		return;
	enum fault fault = examine_copy(name, names, &why);
	if (fault == FAULT_NONE) {
		bool is_taken = path_replace(path, name, &ret_copy->story);
		ret_copy->what = is_taken ? STORE_COPY_TAKEN : STORE_COPY_REFUSED;
		return;
	}
	if (fault == FAULT_NAMES)
		path_remove(name, &where);
	else
		path_set_aside(name, "unusable", clock_now_s(), &where);
	error_set(&ret_copy->story, "%.300s; %.200s", why.text, where.text);
	ret_copy->what = STORE_COPY_REFUSED;
}

enum fault file_open(struct file *file, const char *path, const char *names, bool no_wal, struct copy *ret_copy,
		     struct error *err)
{
	int version = 0;
	*file = (struct file){.path = path_make(path, err), .wanted_names = names, .lease = -1};
	if (!file->path)
		return FAULT_PASSING;
	enum lease lease = lease_take(file->path, &file->lease, err);
	file->is_elsewhere = lease == LEASE_OTHERS;
	if (lease != LEASE_OURS)
		return FAULT_PASSING;
	if (ret_copy)
		adopt_copy(file->path, names, ret_copy);
	file->id = path_file_id(file->path);
	file->db = db_open(file->path);
	enum fault fault = identify(file, &version, err);
	if (fault != FAULT_NONE)
		return fault;
	file->is_new = version == 0;
	path_restrict(file->path);
	set_up(file->db, no_wal || path_is_network(file->path));
	schema_migrate(&store_schema, file->db, version);
	prepare(file);
	read_about(file);
	fault = file_fault(file, err);
	return fault == FAULT_NONE && !file->is_new ? check_names(file, err) : fault;
}

enum fault file_fault(const struct file *file, struct error *err)
{
	if (db_is_fine(file->db))
		return FAULT_NONE;
	error_set(err, "%s: %s", file->path, db_why(file->db));
	return db_is_damaged(file->db) ? FAULT_DAMAGED : FAULT_PASSING;
}

bool file_is_there(const struct file *file)
{
	struct file_id now = path_file_id(file->path);
	return now.device == file->id.device && now.inode == file->id.inode;
}

void file_close(struct file *file, bool checkpoint)
{
	db_close(file->db, checkpoint);
	buf_done(&file->names);
	buf_done(&file->cluster);
	free(file->path);
	lease_release(file->lease); /* last: another process may take the file from now on */
	*file = (struct file){.lease = -1};
}

/* A copy beside it goes, too: nobody took it, and it may have names as they were before. */
static void remove_names(const char *path, struct error *ret_story)
{
	char name[PATH_MAX + 8];
	struct error its;
	snprintf(name, sizeof name, "%s.copy", path);
	bool has_copy = path_file_id(name).inode != 0;
	path_remove(path, ret_story);
	path_remove(name, &its);
	struct error own = *ret_story;
	if (has_copy)
		error_set(ret_story, "%.200s; a copy was beside it; %.200s", own.text, its.text);
}

bool file_dispose(struct file *file, enum fault fault, struct error *err)
{
	bool is_set_aside = false;
	char *path = file->path;
	file->path = NULL;
	file_close(file, fault == FAULT_FOREIGN); /* a damaged file stays as it was found, for people to examine it */
	struct error where, what = *err;
	if (fault == FAULT_NAMES) {
		remove_names(path, &where);
		error_set(err, "%.200s; %.300s", what.text, where.text);
	} else if (fault == FAULT_DAMAGED || fault == FAULT_FOREIGN) {
		const char *label = fault == FAULT_DAMAGED ? "damaged" : "foreign";
		is_set_aside = path_set_aside(path, label, clock_now_s(), &where);
		error_set(err, "%.300s; %.200s", what.text, where.text);
	}
	free(path);
	return is_set_aside;
}
