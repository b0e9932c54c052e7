/* What the store's tests put into it, and what is in it, as text. */
#pragma once

#include "base/buf.h"
#include "store/store.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void dump_text(struct buf *to, struct text text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.bytes[i])
			buf_add_char(to, text.bytes[i]);
		else
			buf_add_string(to, "\\0");
	buf_add_char(to, '|');
}

static void dump_counter(const struct store_counter *counter, void *dump)
{
	dump_text(dump, counter->kind);
	dump_text(dump, counter->name);
	dump_text(dump, counter->what);
	dump_text(dump, counter->detail);
	buf_printf(dump, "%.17g\n", counter->value);
}

static void dump_run(const struct store_run *run, void *dump)
{
	buf_printf(dump, "%" PRIu64 "_%" PRId64 "@%" PRId64 " %" PRIu64 " %" PRIx64 " %" PRIu64, run->id, run->task,
		   run->submit_time, run->raw_id, run->bits, run->tasks);
	buf_printf(dump, " %" PRId64 "-%" PRId64 " %" PRId64, run->began, run->end_time, run->counted);
	buf_printf(dump, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " ", run->cpus,
		   run->memory, (uint64_t)run->ran_before, (uint64_t)run->gone_since, run->size_since, run->forecast);
	const struct text texts[] = {run->tres, run->user, run->account, run->partitions, run->qos};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		dump_text(dump, texts[i]);
	buf_add_char(dump, '\n');
}

static void dump_mark(struct text name, int64_t value, void *dump)
{
	dump_text(dump, name);
	buf_printf(dump, "%" PRId64 "\n", value);
}

static void dump_job(const struct store_job *job, void *dump)
{
	const uint64_t numbers[] = {job->array_job_id,	job->bits,	 job->tasks,	    job->tasks_listed,
				    job->cpus,		job->memory,	 job->nodes,	    job->submit_time,
				    job->start_time,	job->time_limit, job->exit,	    job->ran_before,
				    job->eligible_time, job->end_time,	 job->suspend_time, job->details_time,
				    job->seen_time};
	const struct text texts[] = {job->state,       job->flags,     job->reason,   job->tres,
				     job->reservation, job->node_list, job->account,  job->user,
				     job->partitions,  job->qos,       job->node_need};
	buf_printf(dump, "job %" PRIu64 " %" PRId64 " %" PRId64, job->id, job->array_task_id, job->tail);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		buf_printf(dump, " %" PRIu64, numbers[i]);
	buf_add_char(dump, ' ');
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		dump_text(dump, texts[i]);
	buf_add_char(dump, '\n');
}

static void dump_ended(const struct store_ended *ended, void *dump)
{
	const uint64_t numbers[] = {ended->array_job_id, ended->submit_time, ended->eligible_time, ended->start_time,
				    ended->end_time,	 ended->run_seconds, ended->time_limit,	   ended->cpus,
				    ended->memory,	 ended->nodes,	     ended->exit_code,	   ended->exit_signal,
				    ended->peak_memory,	 ended->energy};
	const struct text texts[] = {ended->state,   ended->name, ended->sluid,	     ended->failed_node, ended->tres,
				     ended->account, ended->user, ended->partitions, ended->qos};
	buf_printf(dump, "ended %" PRIu64 " %" PRId64 " %g", ended->raw_id, ended->array_task_id,
		   ended->used_cpu_seconds);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		buf_printf(dump, " %" PRIu64, numbers[i]);
	buf_add_char(dump, ' ');
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		dump_text(dump, texts[i]);
	buf_add_char(dump, '\n');
}

static void dump_outage(const struct store_outage *outage, void *dump)
{
	const struct text texts[] = {outage->node, outage->kind, outage->worst, outage->cause};
	buf_printf(dump, "outage %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ", outage->began,
		   outage->since, outage->cpus, outage->memory, outage->gpus);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		dump_text(dump, texts[i]);
	buf_add_char(dump, '\n');
}

static const struct store_visitor dump_visitor = {dump_counter, dump_run, dump_mark, dump_job, dump_ended, dump_outage};

/* Appends all rows, one a line. */
static inline enum store_found load_dump(struct store *store, struct buf *dump, struct error *err)
{
	return store_load(store, &dump_visitor, dump, err);
}

static inline void put_counter(struct store *store, const char *name, const char *detail, double value)
{
	store_put_counter(store, &(struct store_counter){TEXT("partition"), text_of(name), TEXT("jobs_ended"),
							 text_of(detail), value});
}

static inline struct store_run run_of(uint64_t id, int64_t task)
{
	return (struct store_run){.id = id,
				  .task = task,
				  .submit_time = 1700000000,
				  .raw_id = id + 7,
				  .bits = 5,
				  .began = 1700000100,
				  .counted = 100,
				  .cpus = id % 64,
				  .memory = UINT64_C(4) << 30,
				  .ran_before = 7,
				  .size_since = 1700000150,
				  .forecast = 1700000160,
				  .tres = TEXT("cpu=4,mem=4G,node=1,billing=4,gres/gpu=1"),
				  .user = TEXT("alice"),
				  .account = TEXT("physics"),
				  .partitions = TEXT("batch"),
				  .qos = TEXT("normal")};
}

static inline struct store_job job_of(uint64_t id)
{
	return (struct store_job){.id = id,
				  .array_job_id = id - 3,
				  .array_task_id = 3,
				  .tail = -1,
				  .state = TEXT("running"),
				  .flags = TEXT("configuring,stopped"),
				  .bits = 1,
				  .tasks = 1,
				  .tasks_listed = 2,
				  .cpus = id % 64,
				  .memory = UINT64_C(4) << 30,
				  .nodes = 4,
				  .submit_time = 1700000000,
				  .start_time = 1700000001,
				  .time_limit = UINT64_MAX,
				  .eligible_time = 1700000002,
				  .end_time = 1700000003,
				  .suspend_time = 1700000004,
				  .ran_before = 5,
				  .details_time = 1700000006,
				  .seen_time = 1700000007,
				  .exit = 2,
				  .reason = TEXT("None"),
				  .tres = TEXT("cpu=4,mem=4G,node=1,billing=4,gres/gpu=1"),
				  .reservation = TEXT("maint"),
				  .node_list = TEXT("cn[01-04]"),
				  .node_need = TEXT("cpu=4,mem=4096M,gres/gpu=1"),
				  .account = TEXT("physics"),
				  .user = TEXT("alice"),
				  .partitions = TEXT("batch"),
				  .qos = TEXT("normal")};
}

/* The whole state of a file, opened for that; *ret_found may be NULL. For free(). */
static inline char *dump_of(const char *path, enum store_found *ret_found)
{
	struct buf dump = BUF_INIT;
	struct error err;
	struct store *store = store_new(path, "");
	enum store_found found = load_dump(store, &dump, &err);
	if (ret_found)
		*ret_found = found;
	store_free(store);
	buf_add_string(&dump, ""); /* never NULL */
	return dump.bytes;
}

/* A store whose rows nobody wants to see. */
static inline struct store *load_store(const char *path, const char *cluster, enum store_found want)
{
	struct buf dump = BUF_INIT;
	struct error err = {""};
	struct store *store = store_new(path, cluster);
	check_row(path);
	CHECK_NUMBER(load_dump(store, &dump, &err), want);
	CHECK((want == STORE_UNUSABLE || want == STORE_SET_ASIDE) == (err.text[0] != '\0'));
	buf_done(&dump);
	return store;
}

/* Commits one mark, with everything else left as it is, or gone if the store wants all. */
static inline void save_mark(struct store *store, const char *name, int64_t value, enum store_wants want)
{
	struct error err = {""};
	CHECK_NUMBER(store_begin(store, &err), want);
	store_put_mark(store, name, value);
	CHECK(store_commit(store, &err));
}

static inline void check_dump(const char *path, const char *want)
{
	char *dump = dump_of(path, NULL);
	CHECK_STRING(dump, want);
	free(dump);
}
