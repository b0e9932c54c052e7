#include "store/store.h"

#include "base/memory.h"
#include "store/file.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct store {
	char *path; /* as given */
	char *cluster, *names;
	bool is_shared;
	unsigned set_aside_count;
	bool was_loaded; /* the caller knows what is in the file */
	bool wants_all; /* the file's rows differ from what the caller believes */
	bool is_in_transaction;
	bool is_elsewhere; /* when it was opened last, another process had it */
	struct file file; /* db is NULL if none is open */
	struct copy copy; /* when it was loaded last */
};

bool store_check(const char *path, struct error *err)
{
	return path_check(path, err);
}

bool store_may_have_content(const struct store *store)
{
	return path_may_have_content(store->path);
}

bool store_is_free(const char *path, struct error *err)
{
	char *real = realpath(path, NULL); /* NULL: there is none yet, so nobody has it */
	bool is_free = !real || lease_is_free(real, err);
	free(real);
	return is_free;
}

bool store_is_elsewhere(const struct store *store)
{
	return store->is_elsewhere;
}

char *store_folder(const char *path)
{
	return path_folder(path);
}

struct store *store_new(const char *path, const char *cluster)
{
	struct store *store = NEW(struct store);
	store->path = memory_copy(path, strlen(path));
	store->cluster = memory_copy(cluster, strlen(cluster));
	store->names = memory_copy("", 0);
	store->file.lease = -1;
	return store;
}

void store_share(struct store *store)
{
	store->is_shared = true;
}

void store_set_names(struct store *store, const char *names)
{
	free(store->names);
	store->names = memory_copy(names, strlen(names));
}

static void give_up(struct store *store, enum fault fault, struct error *err)
{
	store->set_aside_count += file_dispose(&store->file, fault, err);
	store->is_in_transaction = false;
	store->wants_all = true;
}

static enum fault check_cluster(const struct store *store, struct error *err)
{
	const struct buf *its = &store->file.cluster;
	if (!its->len || !*store->cluster || text_equal(buf_text(its), text_of(store->cluster)))
		return FAULT_NONE;
	error_set(err, "%s: holds the state of cluster %s, not of %s", store->path, its->bytes, store->cluster);
	return FAULT_FOREIGN;
}

/* After a fault no file is open, and a bad file is out of the way. Only a load passes `ret_copy`: while we write, no copy
 * of another machine may take the place of what we counted. */
static enum fault open_file(struct store *store, struct copy *ret_copy, struct error *err)
{
	enum fault fault = file_open(&store->file, store->path, store->names, store->is_shared, ret_copy, err);
	store->is_elsewhere = store->file.is_elsewhere;
	if (fault == FAULT_NONE)
		fault = check_cluster(store, err);
	if (fault != FAULT_NONE)
		give_up(store, fault, err);
	return fault;
}

static void visit(struct db *db, const struct store_visitor *visitor, void *context)
{
	for (int i = 0; i < TABLES; i++) {
		union store_row row;
		if ((i == TABLE_JOB && !visitor->job) || (i == TABLE_ENDED && !visitor->ended) ||
		    (i == TABLE_OUTAGE && !visitor->outage))
			continue;
		const struct table *table = &store_schema.tables[i];
		struct buf sql = BUF_INIT;
		schema_select(table, &sql);
		struct sqlite3_stmt *select = db_prepare(db, sql.bytes);
		buf_done(&sql);
		while (select && db_step(db, select)) {
			schema_read(table, select, &row);
			if (i == TABLE_COUNTER)
				visitor->counter(&row.counter, context);
			else if (i == TABLE_RUN)
				visitor->run(&row.run, context);
			else if (i == TABLE_ENDED)
				visitor->ended(&row.ended, context);
			else if (i == TABLE_MARK)
				visitor->mark(row.mark.name, row.mark.value, context);
			else if (i == TABLE_JOB)
				visitor->job(&row.job, context);
			else if (i == TABLE_OUTAGE)
				visitor->outage(&row.outage, context);
		}
	}
}

enum store_found store_load(struct store *store, const struct store_visitor *visitor, void *context, struct error *err)
{
	assert(!store->file.db);
	unsigned set_aside_before = store->set_aside_count;
	store->copy = (struct copy){0};
	enum fault fault = open_file(store, store->is_shared ? &store->copy : NULL, err);
	if (fault == FAULT_NONE && !store->file.is_new) {
		visit(store->file.db, visitor, context);
		fault = file_fault(&store->file, err);
		if (fault != FAULT_NONE)
			give_up(store, fault, err);
	}
	bool is_set_aside = store->set_aside_count > set_aside_before, is_removed = fault == FAULT_NAMES;
	if (is_set_aside || is_removed) {
		struct error story = *err;
		fault = open_file(store, NULL, err);
		error_prefix(err, "%.400s", story.text);
		if (fault == FAULT_NONE)
			*err = story;
	}
	store->was_loaded = fault == FAULT_NONE;
	if (!store->was_loaded)
		return STORE_UNUSABLE;
	store->wants_all = is_set_aside || store->file.is_new;
	return is_set_aside	    ? STORE_SET_ASIDE
	       : is_removed	    ? STORE_REMOVED
	       : store->file.is_new ? STORE_NEW
				    : STORE_LOADED;
}

enum store_copy store_copy(const struct store *store, struct error *ret_story)
{
	*ret_story = store->copy.story;
	return store->copy.what;
}

bool store_claim(struct store *store, const char *cluster, struct error *err)
{
	assert(!store->is_in_transaction);
	free(store->cluster);
	store->cluster = memory_copy(cluster, strlen(cluster));
	enum fault fault = store->file.db ? check_cluster(store, err) : FAULT_NONE;
	if (fault != FAULT_NONE)
		give_up(store, fault, err);
	return fault == FAULT_NONE;
}

void store_want_all(struct store *store)
{
	store->wants_all = true;
}

static void put(struct store *store, int table, const void *row)
{
	assert(store->is_in_transaction);
	struct sqlite3_stmt *insert = store->file.insert[table];
	schema_bind(&store_schema.tables[table], store_schema.tables[table].count, insert, row);
	db_step(store->file.db, insert);
}

static void take_out(struct store *store, int table, const void *row)
{
	assert(store->is_in_transaction);
	struct sqlite3_stmt *delete = store->file.delete[table];
	schema_bind(&store_schema.tables[table], store_schema.tables[table].keys, delete, row);
	db_step(store->file.db, delete);
}

static void begin(struct store *store)
{
	db_run(store->file.db, "BEGIN IMMEDIATE");
	if (store->wants_all)
		db_run(store->file.db, "DELETE FROM counter; DELETE FROM run; DELETE FROM mark; DELETE FROM job; "
				       "DELETE FROM ended; DELETE FROM outage");
	store->is_in_transaction = true;
	if (*store->cluster && !store->file.cluster.len)
		put(store, TABLE_ABOUT, &(struct about_row){TEXT("cluster"), text_of(store->cluster)});
	if (*store->names && !store->file.names.len)
		put(store, TABLE_ABOUT, &(struct about_row){TEXT("names"), text_of(store->names)});
}

enum store_wants store_begin(struct store *store, struct error *err)
{
	assert(!store->is_in_transaction);
	enum fault fault = FAULT_NONE;
	if (!store->was_loaded) {
		error_set(err, "%s: not loaded", store->path);
		return STORE_WANTS_NOTHING;
	}
	if (store->file.db && !file_is_there(&store->file)) {
		file_close(&store->file, false);
		store->wants_all = true;
	}
	if (!store->file.db)
		fault = open_file(store, NULL, err);
	if (fault != FAULT_NONE)
		return STORE_WANTS_NOTHING;
	begin(store);
	fault = file_fault(&store->file, err);
	if (fault != FAULT_NONE) {
		give_up(store, fault, err);
		return STORE_WANTS_NOTHING;
	}
	return store->wants_all ? STORE_WANTS_ALL : STORE_WANTS_CHANGES;
}

void store_put_counter(struct store *store, const struct store_counter *counter)
{
	assert(!isnan(counter->value)); /* SQLite would store NULL */
	put(store, TABLE_COUNTER, counter);
}

void store_remove_counter(struct store *store, const struct store_counter *counter)
{
	take_out(store, TABLE_COUNTER, counter);
}

void store_put_run(struct store *store, const struct store_run *run)
{
	put(store, TABLE_RUN, run);
}

void store_remove_run(struct store *store, const struct store_run *run)
{
	take_out(store, TABLE_RUN, run);
}

void store_put_ended(struct store *store, const struct store_ended *ended)
{
	put(store, TABLE_ENDED, ended);
}

void store_remove_ended(struct store *store, uint64_t raw_id)
{
	take_out(store, TABLE_ENDED, &(struct store_ended){.raw_id = raw_id});
}

void store_put_outage(struct store *store, const struct store_outage *outage)
{
	put(store, TABLE_OUTAGE, outage);
}

void store_remove_outage(struct store *store, struct text node)
{
	take_out(store, TABLE_OUTAGE, &(struct store_outage){.node = node});
}

void store_put_job(struct store *store, const struct store_job *job)
{
	put(store, TABLE_JOB, job);
}

void store_remove_job(struct store *store, uint64_t id)
{
	take_out(store, TABLE_JOB, &(struct store_job){.id = id});
}

void store_remove_jobs(struct store *store)
{
	assert(store->is_in_transaction);
	db_run(store->file.db, "DELETE FROM job");
}

void store_put_mark(struct store *store, const char *name, int64_t value)
{
	put(store, TABLE_MARK, &(struct mark_row){text_of(name), value});
}

bool store_commit(struct store *store, struct error *err)
{
	assert(store->is_in_transaction);
	db_run(store->file.db, "COMMIT");
	enum fault fault = file_fault(&store->file, err);
	if (fault != FAULT_NONE) {
		give_up(store, fault, err);
		return false;
	}
	store->is_in_transaction = false;
	store->wants_all = false;
	if (!store->file.cluster.len)
		buf_add_string(&store->file.cluster, store->cluster);
	if (!store->file.names.len)
		buf_add_string(&store->file.names, store->names);
	return true;
}

unsigned store_set_aside_count(const struct store *store)
{
	return store->set_aside_count;
}

uint64_t store_bytes(const struct store *store)
{
	return path_bytes(store->file.path ? store->file.path : store->path);
}

void store_free(struct store *store)
{
	if (!store)
		return;
	file_close(&store->file, true);
	free(store->path);
	free(store->cluster);
	free(store->names);
	free(store);
}
