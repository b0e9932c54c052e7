/* The tables of the file, from which all SQL is made, and how an older file becomes one of today. */
#pragma once

#include "store/db.h"
#include "store/store.h"

#include "base/buf.h"

enum column_type { COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT };

struct column {
	const char *name;
	size_t offset; /* of the member in the row's struct: int64_t or uint64_t, double, struct text */
	enum column_type type;
	int since; /* the version that brought it */
};

struct table {
	const char *name;
	const struct column *columns; /* those of the key first; the table is as old as the first of them */
	size_t count, keys;
};

struct schema {
	int version; /* counts from 1; PRAGMA user_version */
	const struct table *tables;
	size_t count;
	const char *const *steps; /* by version: what else is to be done to reach it; NULL: nothing */
};

/* All rows of a table are structs of this type. */
enum { TABLE_COUNTER, TABLE_RUN, TABLE_MARK, TABLE_ABOUT, TABLE_ENDED, TABLE_JOB, TABLE_OUTAGE, TABLES };

struct mark_row {
	struct text name;
	int64_t value;
};

struct about_row { /* of the file; only "cluster" */
	struct text name, value;
};

/* A row of whichever table. */
union store_row {
	struct store_counter counter;
	struct store_run run;
	struct mark_row mark;
	struct about_row about;
	struct store_ended ended;
	struct store_job job;
	struct store_outage outage;
};

extern const struct schema store_schema;

enum { SCHEMA_APPLICATION_ID = 0x73637065 }; /* "scpe"; PRAGMA application_id: the file is ours */

/* Brings a file of version `from` (0: empty) to the schema's, in one transaction. */
bool schema_migrate(const struct schema *schema, struct db *db, int from);

/* The SQL text is appended. */
void schema_insert(const struct table *table, struct buf *sql); /* or replaces; binds all columns */
void schema_delete(const struct table *table, struct buf *sql); /* binds the key's columns */
void schema_select(const struct table *table, struct buf *sql); /* all columns of all rows */

/* From and to a row's struct. */
void schema_bind(const struct table *table, size_t columns, struct sqlite3_stmt *to, const void *row);
void schema_read(const struct table *table, struct sqlite3_stmt *from, void *row);
