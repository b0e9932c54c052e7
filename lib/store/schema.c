#include "store/schema.h"

#include "store/store.h"

#define ROWS(array) array, sizeof(array) / sizeof *(array)

/* A member of another type does not compile. */
#define COLUMN_TYPE(record, member)                                                                                    \
	_Generic(((record *)0)->member, int64_t                                                                        \
		 : COLUMN_INTEGER, uint64_t                                                                            \
		 : COLUMN_INTEGER, double                                                                              \
		 : COLUMN_REAL, struct text                                                                            \
		 : COLUMN_TEXT)
#define COLUMN(record, member, since)                                                                                  \
	{                                                                                                              \
#member, offsetof(record, member), COLUMN_TYPE(record, member), since                                  \
	}

static const struct column counter_columns[] = {
	COLUMN(struct store_counter, kind, 1),	COLUMN(struct store_counter, name, 1),
	COLUMN(struct store_counter, what, 1),	COLUMN(struct store_counter, detail, 1),
	COLUMN(struct store_counter, value, 1),
};

static const struct column run_columns[] = {
	COLUMN(struct store_run, id, 1),	   COLUMN(struct store_run, task, 1),
	COLUMN(struct store_run, submit_time, 1),  COLUMN(struct store_run, raw_id, 1),
	COLUMN(struct store_run, bits, 1),	   COLUMN(struct store_run, tasks, 1),
	COLUMN(struct store_run, cpus, 1),	   COLUMN(struct store_run, memory, 1),
	COLUMN(struct store_run, began, 1),	   COLUMN(struct store_run, ran_before, 1),
	COLUMN(struct store_run, counted, 1),	   COLUMN(struct store_run, end_time, 1),
	COLUMN(struct store_run, gone_since, 1),   COLUMN(struct store_run, tres, 1),
	COLUMN(struct store_run, account, 1),	   COLUMN(struct store_run, user, 1),
	COLUMN(struct store_run, partitions, 1),   COLUMN(struct store_run, qos, 1),
	COLUMN(struct store_run, size_since, 2),   COLUMN(struct store_run, forecast, 4),
	COLUMN(struct store_run, group_values, 5),
};

static const struct column mark_columns[] = {
	COLUMN(struct mark_row, name, 1),
	COLUMN(struct mark_row, value, 1),
};

static const struct column about_columns[] = {
	COLUMN(struct about_row, name, 1),
	COLUMN(struct about_row, value, 1),
};

static const struct column job_columns[] = {
	COLUMN(struct store_job, id, 3),
	COLUMN(struct store_job, array_job_id, 3),
	COLUMN(struct store_job, array_task_id, 3),
	COLUMN(struct store_job, tail, 3),
	COLUMN(struct store_job, state, 3),
	COLUMN(struct store_job, flags, 3),
	COLUMN(struct store_job, bits, 3),
	COLUMN(struct store_job, tasks, 3),
	COLUMN(struct store_job, tasks_listed, 3),
	COLUMN(struct store_job, cpus, 3),
	COLUMN(struct store_job, memory, 3),
	COLUMN(struct store_job, nodes, 3),
	COLUMN(struct store_job, submit_time, 3),
	COLUMN(struct store_job, start_time, 3),
	COLUMN(struct store_job, time_limit, 3),
	COLUMN(struct store_job, eligible_time, 3),
	COLUMN(struct store_job, end_time, 3),
	COLUMN(struct store_job, suspend_time, 3),
	COLUMN(struct store_job, ran_before, 3),
	COLUMN(struct store_job, details_time, 3),
	COLUMN(struct store_job, seen_time, 3),
	COLUMN(struct store_job, exit, 3),
	COLUMN(struct store_job, reason, 3),
	COLUMN(struct store_job, tres, 3),
	COLUMN(struct store_job, reservation, 3),
	COLUMN(struct store_job, node_list, 3),
	COLUMN(struct store_job, account, 3),
	COLUMN(struct store_job, user, 3),
	COLUMN(struct store_job, partitions, 3),
	COLUMN(struct store_job, qos, 3),
	COLUMN(struct store_job, group_values, 5),
	COLUMN(struct store_job, node_need, 7),
};

static const struct column ended_columns[] = {
	COLUMN(struct store_ended, raw_id, 4),
	COLUMN(struct store_ended, array_job_id, 4),
	COLUMN(struct store_ended, array_task_id, 4),
	COLUMN(struct store_ended, submit_time, 4),
	COLUMN(struct store_ended, eligible_time, 4),
	COLUMN(struct store_ended, start_time, 4),
	COLUMN(struct store_ended, end_time, 4),
	COLUMN(struct store_ended, run_seconds, 4),
	COLUMN(struct store_ended, time_limit, 4),
	COLUMN(struct store_ended, cpus, 4),
	COLUMN(struct store_ended, memory, 4),
	COLUMN(struct store_ended, nodes, 4),
	COLUMN(struct store_ended, exit_code, 4),
	COLUMN(struct store_ended, exit_signal, 4),
	COLUMN(struct store_ended, peak_memory, 4),
	COLUMN(struct store_ended, energy, 4),
	COLUMN(struct store_ended, used_cpu_seconds, 4),
	COLUMN(struct store_ended, state, 4),
	COLUMN(struct store_ended, name, 4),
	COLUMN(struct store_ended, sluid, 4),
	COLUMN(struct store_ended, failed_node, 4),
	COLUMN(struct store_ended, tres, 4),
	COLUMN(struct store_ended, account, 4),
	COLUMN(struct store_ended, user, 4),
	COLUMN(struct store_ended, partitions, 4),
	COLUMN(struct store_ended, qos, 4),
};

static const struct column outage_columns[] = {
	COLUMN(struct store_outage, node, 6),  COLUMN(struct store_outage, began, 6),
	COLUMN(struct store_outage, since, 6), COLUMN(struct store_outage, kind, 6),
	COLUMN(struct store_outage, worst, 6), COLUMN(struct store_outage, cause, 6),
	COLUMN(struct store_outage, cpus, 6),  COLUMN(struct store_outage, memory, 6),
	COLUMN(struct store_outage, gpus, 6),
};

static const struct table tables[TABLES] = {
	[TABLE_COUNTER] = {"counter", ROWS(counter_columns), 4}, [TABLE_RUN] = {"run", ROWS(run_columns), 3},
	[TABLE_MARK] = {"mark", ROWS(mark_columns), 1},		 [TABLE_ABOUT] = {"about", ROWS(about_columns), 1},
	[TABLE_ENDED] = {"ended", ROWS(ended_columns), 1},	 [TABLE_JOB] = {"job", ROWS(job_columns), 1},
	[TABLE_OUTAGE] = {"outage", ROWS(outage_columns), 1},
};

/* A new column or table needs a new version here and nothing more; what else changes is a step. */
enum { VERSION = 7 };
static const char *const steps[VERSION + 1] = {
	[2] = "UPDATE run SET size_since = coalesce((SELECT value FROM mark WHERE name = 'looked_until'), 0) WHERE began",
};

const struct schema store_schema = {VERSION, tables, TABLES, steps};

/* "a", "b"; each followed by `suffix`. Quoted: some are SQL's words. */
static void add_names(const struct table *table, size_t count, const char *suffix, const char *between, struct buf *sql)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(sql, "%s\"%s\"%s", i ? between : "", table->columns[i].name, suffix);
}

static void add_definition(const struct column *column, struct buf *sql)
{
	static const char *const types[] = {
		[COLUMN_INTEGER] = "INTEGER NOT NULL DEFAULT 0",
		[COLUMN_REAL] = "REAL NOT NULL DEFAULT 0",
		[COLUMN_TEXT] = "TEXT NOT NULL DEFAULT ''",
	};
	buf_printf(sql, "\"%s\" %s", column->name, types[column->type]);
}

static void add_create(const struct table *table, struct buf *sql)
{
	buf_printf(sql, "CREATE TABLE \"%s\" (", table->name);
	for (size_t i = 0; i < table->count; i++)
		if (table->columns[i].since == table->columns[0].since) {
			add_definition(&table->columns[i], sql);
			buf_add_string(sql, ", ");
		}
	buf_add_string(sql, "PRIMARY KEY (");
	add_names(table, table->keys, "", ", ", sql);
	buf_add_string(sql, ")) WITHOUT ROWID;\n");
}

static void add_columns(const struct table *table, int version, struct buf *sql)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->columns[i].since == version) {
			buf_printf(sql, "ALTER TABLE \"%s\" ADD COLUMN ", table->name);
			add_definition(&table->columns[i], sql);
			buf_add_string(sql, ";\n");
		}
}

bool schema_migrate(const struct schema *schema, struct db *db, int from)
{
	struct buf sql = BUF_INIT;
	buf_printf(&sql, "BEGIN IMMEDIATE;\nPRAGMA application_id = %d;\n", SCHEMA_APPLICATION_ID);
	for (int version = from + 1; version <= schema->version; version++) {
		for (size_t i = 0; i < schema->count; i++)
			if (schema->tables[i].columns[0].since == version)
				add_create(&schema->tables[i], &sql);
			else
				add_columns(&schema->tables[i], version, &sql);
		if (schema->steps[version])
			buf_printf(&sql, "%s;\n", schema->steps[version]);
	}
	buf_printf(&sql, "PRAGMA user_version = %d;\nCOMMIT", schema->version);
	bool is_fine = from == schema->version || db_run(db, sql.bytes);
	buf_done(&sql);
	return is_fine;
}

void schema_insert(const struct table *table, struct buf *sql)
{
	buf_printf(sql, "INSERT OR REPLACE INTO \"%s\" (", table->name);
	add_names(table, table->count, "", ", ", sql);
	buf_add_string(sql, ") VALUES (");
	for (size_t i = 0; i < table->count; i++)
		buf_add_string(sql, i ? ", ?" : "?");
	buf_add_char(sql, ')');
}

void schema_delete(const struct table *table, struct buf *sql)
{
	buf_printf(sql, "DELETE FROM \"%s\" WHERE ", table->name);
	add_names(table, table->keys, " = ?", " AND ", sql);
}

void schema_select(const struct table *table, struct buf *sql)
{
	buf_add_string(sql, "SELECT ");
	add_names(table, table->count, "", ", ", sql);
	buf_printf(sql, " FROM \"%s\"", table->name);
}

void schema_bind(const struct table *table, size_t columns, struct sqlite3_stmt *to, const void *row)
{
	for (size_t i = 0; i < columns; i++) {
		const void *member = (const char *)row + table->columns[i].offset;
		switch (table->columns[i].type) {
		case COLUMN_INTEGER:
			db_bind_integer(to, (int)i, *(const int64_t *)member);
			break;
		case COLUMN_REAL:
			db_bind_real(to, (int)i, *(const double *)member);
			break;
		case COLUMN_TEXT:
			db_bind_text(to, (int)i, *(const struct text *)member);
			break;
		}
	}
}

void schema_read(const struct table *table, struct sqlite3_stmt *from, void *row)
{
	for (size_t i = 0; i < table->count; i++) {
		void *member = (char *)row + table->columns[i].offset;
		switch (table->columns[i].type) {
		case COLUMN_INTEGER:
			*(int64_t *)member = db_integer(from, (int)i);
			break;
		case COLUMN_REAL:
			*(double *)member = db_real(from, (int)i);
			break;
		case COLUMN_TEXT:
			*(struct text *)member = db_text(from, (int)i);
			break;
		}
	}
}
