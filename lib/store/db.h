/* SQLite behind a few functions; only db.c includes its header. After the first failure all further calls do nothing
 * and report it, so that the caller checks a transaction once, at its end. Of one thread. */
#pragma once

#include "base/error.h"
#include "base/text.h"

struct db;
struct sqlite3_stmt; /* SQLite's own name for a prepared statement */

/* Opens an existing file for writing; to be closed even after a failure. */
struct db *db_open(const char *path);
void db_close(struct db *db, bool checkpoint); /* NULL is fine; without a checkpoint the WAL stays as it is */

bool db_is_fine(const struct db *db);
bool db_is_damaged(const struct db *db); /* the failure was that: the file is at fault, not the disk */
const char *db_why(const struct db *db); /* the failure, in words; borrowed */

/* Each returns whether the database is still fine. */
bool db_run(struct db *db, const char *sql); /* one statement or several, without rows */
bool db_pragma(struct db *db, const char *name, const char *value, const char *want); /* it answers `want` */
bool db_check(struct db *db); /* reads the whole file */

int64_t db_number(struct db *db, const char *sql); /* the first value of the first row; 0 if there is none */

/* Statements die with their database. Columns count from 0 on both sides. */
struct sqlite3_stmt *db_prepare(struct db *db, const char *sql); /* NULL: failed */
void db_bind_integer(struct sqlite3_stmt *statement, int column, int64_t value);
void db_bind_real(struct sqlite3_stmt *statement, int column, double value);
void db_bind_text(struct sqlite3_stmt *statement, int column, struct text value); /* until the next step */
bool db_step(struct db *db, struct sqlite3_stmt *statement); /* true: a row came; else it starts over */
int64_t db_integer(struct sqlite3_stmt *statement, int column);
double db_real(struct sqlite3_stmt *statement, int column);
struct text db_text(struct sqlite3_stmt *statement, int column); /* borrowed until the next step */
