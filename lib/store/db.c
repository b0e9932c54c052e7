#include "store/db.h"

#include "base/memory.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct db {
	sqlite3 *handle;
	bool has_failed, is_damaged;
	struct error why;
};

/* Could the medium not be read? SQLite then says that the file is damaged (its SQLITE_IOERR_CORRUPTFS becomes
 * SQLITE_CORRUPT). The next reading may succeed, so what the file has must not be given up. */
static bool is_unreadable(sqlite3 *handle)
{
	sqlite3_file *journal = NULL;
	int of_file = 0, of_journal = 0;
	sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &of_file);
	sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
	if (journal && journal->pMethods)
		journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &of_journal);
	return of_file == EIO || of_file == ENXIO || of_journal == EIO || of_journal == ENXIO;
}

static void fail(struct db *db, int code)
{
	if (db->has_failed)
		return;
	db->has_failed = true;
	int kind = code & 0xff;
	bool is_unread = kind == SQLITE_CORRUPT && is_unreadable(db->handle);
	db->is_damaged = !is_unread && (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB ||
					kind == SQLITE_ERROR); /* our SQL is right: the tables are not ours any more */
	if (is_unread)
		error_set(&db->why, "cannot be read: input or output error");
	else if (kind == SQLITE_BUSY)
		error_set(&db->why, "another process uses it");
	else
		error_set(&db->why, "%s (SQLite %d)", sqlite3_errmsg(db->handle), code);
}

/* The file may be somebody else's work, as FILE.copy of another machine is. A view in a table's place could compute without
 * end, and a trigger could write (https://sqlite.org/security.html). */
static void distrust(sqlite3 *handle)
{
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

struct db *db_open(const char *path)
{
	struct db *db = NEW(struct db);
	int code = sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (db->handle) { /* without memory there is none */
		sqlite3_extended_result_codes(db->handle, 1);
		distrust(db->handle);
	}
	if (code != SQLITE_OK)
		fail(db, code);
	else if (sqlite3_db_readonly(db->handle, "main") == 1) { /* what SQLite falls back to */
		db->has_failed = true;
		error_set(&db->why, "is read-only");
	}
	return db;
}

void db_close(struct db *db, bool checkpoint)
{
	if (!db)
		return;
	sqlite3_stmt *statement;
	while (db->handle && (statement = sqlite3_next_stmt(db->handle, NULL)))
		sqlite3_finalize(statement);
	if (db->handle && !checkpoint)
		sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(db->handle);
	free(db);
}

bool db_is_fine(const struct db *db)
{
	return !db->has_failed;
}

bool db_is_damaged(const struct db *db)
{
	return db->is_damaged;
}

const char *db_why(const struct db *db)
{
	return db->why.text;
}

bool db_run(struct db *db, const char *sql)
{
	if (db->has_failed)
		return false;
	int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
	if (code != SQLITE_OK)
		fail(db, code);
	return code == SQLITE_OK;
}

bool db_pragma(struct db *db, const char *name, const char *value, const char *want)
{
	char sql[128];
	snprintf(sql, sizeof sql, "PRAGMA %s = %s", name, value);
	sqlite3_stmt *statement = db_prepare(db, sql);
	if (!statement)
		return false;
	if (!db_step(db, statement) || strcasecmp(db_text(statement, 0).bytes, want) != 0)
		if (!db->has_failed) {
			db->has_failed = true;
			error_set(&db->why, "SQLite refuses %s = %s", name, value);
		}
	sqlite3_finalize(statement);
	return !db->has_failed;
}

/* The check takes a page that it could not get for damage: "Page 2: unable to get the page. error code=7" (SQLite 3.40,
 * btree.c). Without memory that says nothing of the file. */
static bool lacked_memory(const char *finding)
{
	static const char code[] = "error code=";
	const char *found = strstr(finding, code);
	return found && (strtol(found + strlen(code), NULL, 10) & 0xff) == SQLITE_NOMEM;
}

bool db_check(struct db *db)
{
	sqlite3_stmt *statement = db_prepare(db, "PRAGMA quick_check(1)");
	if (statement && db_step(db, statement) && !text_equal(db_text(statement, 0), TEXT("ok"))) {
		const char *finding = db_text(statement, 0).bytes;
		db->has_failed = true;
		db->is_damaged = !is_unreadable(db->handle) && !lacked_memory(finding);
		error_set(&db->why, "%s: %s", db->is_damaged ? "damaged" : "cannot be read", finding);
	}
	sqlite3_finalize(statement);
	return !db->has_failed;
}

int64_t db_number(struct db *db, const char *sql)
{
	sqlite3_stmt *statement = db_prepare(db, sql);
	int64_t number = statement && db_step(db, statement) ? db_integer(statement, 0) : 0;
	sqlite3_finalize(statement);
	return number;
}

sqlite3_stmt *db_prepare(struct db *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	if (db->has_failed)
		return NULL;
	int code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
	if (code != SQLITE_OK)
		fail(db, code);
	return statement;
}

void db_bind_integer(sqlite3_stmt *statement, int column, int64_t value)
{
	sqlite3_bind_int64(statement, column + 1, value);
}

void db_bind_real(sqlite3_stmt *statement, int column, double value)
{
	sqlite3_bind_double(statement, column + 1, value);
}

void db_bind_text(sqlite3_stmt *statement, int column, struct text value)
{
	const char *bytes = value.len ? value.bytes : ""; /* NULL would be SQL's */
	sqlite3_bind_text64(statement, column + 1, bytes, value.len, SQLITE_STATIC, SQLITE_UTF8);
}

bool db_step(struct db *db, sqlite3_stmt *statement)
{
	int code = db->has_failed ? SQLITE_DONE : sqlite3_step(statement);
	if (code == SQLITE_ROW)
		return true;
	if (code != SQLITE_DONE)
		fail(db, code);
	sqlite3_reset(statement);
	return false;
}

int64_t db_integer(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_int64(statement, column);
}

double db_real(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_double(statement, column);
}

struct text db_text(sqlite3_stmt *statement, int column)
{
	const char *bytes = (const char *)sqlite3_column_text(statement, column);
	return (struct text){bytes ? bytes : "", (size_t)sqlite3_column_bytes(statement, column)};
}
