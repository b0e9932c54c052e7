#include "poll/job_reader.h"

#include "base/clock.h"
#include "base/memory.h"
#include "discovery/job_runs.h"
#include "poll/section.h"
#include "slurmrest/job_runs_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void job_reader_init(struct job_reader *reader, struct asker *asker, uint64_t first_id, uint64_t last_id)
{
	*reader = (struct job_reader){.asker = asker};
	job_rounds_init(&reader->rounds, asker->cluster->job_table, first_id, last_id);
	job_details_init(&reader->details, asker->cluster->job_table);
}

void job_reader_done(struct job_reader *reader)
{
	job_rounds_done(&reader->rounds);
	job_details_done(&reader->details);
}

/* states */

static void take_state(void *context, const void *record)
{
	job_rounds_take(context, record);
}

bool job_reader_states(struct job_reader *reader, const struct buf *query, struct plan_outcome *outcome)
{
	const struct fetch fetch = {ENDPOINT_JOB_STATES, take_state, &reader->rounds, .query = query->bytes};
	int64_t now = asker_now_s(reader->asker); /* an answer may take long: it is no younger than its request */
	bool is_well = asker_ask(reader->asker, &fetch, outcome) == FETCH_OK;
	reader->last_update = 0;
	if (is_well)
		job_rounds_apply(&reader->rounds, now);
	else
		job_rounds_forget(&reader->rounds);
	return is_well;
}

/* details: of one job, which is a record, or all of an array or het job; or of all jobs */

struct job_copies {
	struct arena arena;
	struct job *items;
	size_t count, capacity;
};

static void take_job(void *context, const void *record)
{
	struct job_copies *copies = context;
	GROW(copies->items, copies->count, copies->capacity);
	copies->items[copies->count++] = job_copy(record, &copies->arena);
}

static void job_copies_done(struct job_copies *copies)
{
	arena_done(&copies->arena);
	free(copies->items);
}

static void apply_copies(struct job_reader *reader, const struct job_copies *copies, int64_t now)
{
	for (size_t i = 0; i < copies->count; i++) {
		job_details_take(&reader->details, &copies->items[i], now);
		job_extras_put(&reader->rounds.table->extras, &copies->items[i]);
		job_rounds_note_job(&reader->rounds, &copies->items[i]);
	}
}

/* What a job holds of each node stays as it is, so one answer is enough. Whether a suspended job still has its GPUs
 * (select/linear takes them away), only a new answer says, where its TRES do not. */
static bool wants_detail(const struct job_table *table, uint64_t id)
{
	struct job_view row;
	const struct job_extra *extra = job_extras_find(&table->extras, (uint32_t)id);
	if (!extra || !job_table_find(table, id, &row))
		return false;
	if (row.state == JOB_SUSPENDED && extra->has_untold_gpus)
		return true;
	return extra->has_row && !extra->is_detailed && job_stage_of(row.state, row.flags) == STAGE_HOLDING &&
	       job_nodes_need_detail(row.nodes);
}

bool job_reader_job(struct job_reader *reader, uint64_t id, struct plan_outcome *outcome)
{
	if (job_origin(id)) { /* slurmrestd refuses these as if it had no such path */
		job_details_note_unknown(&reader->details, id);
		*outcome = (struct plan_outcome){.result = PLAN_OK};
		return true;
	}
	struct job_copies copies = {.count = 0};
	char item[JOB_NAME_BYTES];
	bool is_sluid = job_details_name(&reader->details, id, item);
	struct job_table *table = reader->rounds.table;
	const struct fetch fetch = {ENDPOINT_JOB, take_job, &copies, .item = item,
				    .with_detail = wants_detail(table, id)};
	int64_t now = asker_now_s(reader->asker);
	enum fetch_result result = asker_ask(reader->asker, &fetch, outcome);
	for (size_t i = 0; i < copies.count; i++)
		copies.items[i].is_detailed = fetch.with_detail;
	if (result == FETCH_OK)
		apply_copies(reader, &copies, now);
	if (is_sluid && (!fetch_succeeded(result) || !copies.count))
		job_details_forget_sluid(&reader->details, id); /* the next request is by ID */
	bool is_kept_from_us = result == FETCH_NOT_FOUND || result == FETCH_FORBIDDEN;
	if (!is_sluid && (is_kept_from_us || (result == FETCH_OK && !copies.count)))
		job_details_note_unknown(&reader->details, id);
	if (is_kept_from_us)
		outcome->result = PLAN_OK;
	job_copies_done(&copies);
	return result == FETCH_OK || is_kept_from_us;
}

bool job_reader_details(struct job_reader *reader, struct plan_outcome *outcome)
{
	struct job_copies copies = {.count = 0};
	const struct fetch fetch = {.endpoint = ENDPOINT_JOBS, .take = take_job, .context = &copies};
	int64_t now = asker_now_s(reader->asker);
	bool is_well = asker_ask(reader->asker, &fetch, outcome) == FETCH_OK;
	if (is_well)
		apply_copies(reader, &copies, now);
	reader->last_update = 0;
	job_copies_done(&copies);
	return is_well;
}

/* slurmdbd's records */

static void take_run(void *context, const void *record)
{
	job_runs_take(context, record);
}

/* From when on slurmctld still remembers jobs. Without this limit the ID of an array's first record would bring all
 * tasks that the array ever had. */
static uint64_t remembered_since(int64_t now)
{
	enum { REMEMBERED_S = 600 }; /* MinJobAge is 300 s by default */
	return now > REMEMBERED_S ? (uint64_t)now - REMEMBERED_S : 0;
}

static bool ask_runs(struct job_reader *reader, const uint64_t *ids, size_t count, record_fn *take, void *context,
		     struct plan_outcome *outcome)
{
	struct buf text = BUF_INIT;
	const struct job_runs_query query = {client_version(reader->asker->client), reader->asker->cluster->name,
					     false};
	struct job_runs_name names[ACCOUNTING_IDS_MAX];
	for (size_t i = 0; i < count; i++)
		names[i] = (struct job_runs_name){ids[i], NUMBER_UNSET};
	job_runs_query_names(&query, names, count, remembered_since(asker_now_s(reader->asker)), &text);
	const struct fetch fetch = {ENDPOINT_DBD_JOBS, take, context, .query = text.bytes};
	bool is_well = asker_ask(reader->asker, &fetch, outcome) == FETCH_OK;
	buf_done(&text);
	return is_well;
}

bool job_reader_runs(struct job_reader *reader, const uint64_t *ids, size_t count, struct plan_outcome *outcome)
{
	int64_t now = asker_now_s(reader->asker);
	struct job_runs runs = {.table = reader->asker->cluster->job_table};
	bool is_well = ask_runs(reader, ids, count, take_run, &runs, outcome);
	if (is_well) {
		for (size_t i = 0; i < runs.count; i++)
			job_rounds_note_job(&reader->rounds, &runs.items[i]);
		job_runs_apply(&runs, &reader->details, now);
		job_details_note_recorded(&reader->details, ids, count);
	}
	job_runs_done(&runs);
	return is_well;
}

static void take_looked_up(void *context, const void *record)
{
	job_search_note_run(context, &((const struct job_run *)record)->job);
}

bool job_reader_look_up(struct job_reader *reader, const uint64_t *ids, size_t count, struct plan_outcome *outcome)
{
	return ask_runs(reader, ids, count, take_looked_up, &reader->rounds.search, outcome);
}

static void take_newest(void *context, const void *record)
{
	const struct job *job = &((const struct job_run *)record)->job;
	struct job *newest = context;
	bool is_newer = number_is_known(job->submit_time) && job->submit_time > newest->submit_time;
	if (is_newer)
		*newest = (struct job){.id = job->id,
				       .array_job_id = NUMBER_UNSET,
				       .submit_time = job->submit_time,
				       .restarts = job->restarts};
}

bool job_reader_newest(struct job_reader *reader, uint64_t seconds, struct plan_outcome *outcome)
{
	uint64_t now = (uint64_t)asker_now_s(reader->asker);
	struct job newest = {.submit_time = 0};
	struct buf text = BUF_INIT;
	const struct job_runs_query query = {client_version(reader->asker->client), reader->asker->cluster->name,
					     false};
	job_runs_query_ended(&query, now - seconds, now, false, &text);
	const struct fetch fetch = {
		.endpoint = ENDPOINT_DBD_JOBS, .take = take_newest, .context = &newest, .query = text.bytes};
	bool is_well = asker_ask(reader->asker, &fetch, outcome) == FETCH_OK;
	if (is_well && newest.submit_time)
		job_rounds_note_job(&reader->rounds, &newest);
	buf_done(&text);
	return is_well;
}

/* diag */

void job_reader_count(struct job_reader *reader, struct plan_outcome *outcome)
{
	struct cluster *cluster = reader->asker->cluster;
	struct section_build build = {.cluster = cluster, .now = clock_now_s()};
	const struct fetch fetch = {.endpoint = ENDPOINT_DIAG, .take = section_take(ENDPOINT_DIAG), .context = &build};
	build.built = section_start(ENDPOINT_DIAG, cluster, build.now);
	if (asker_ask(reader->asker, &fetch, outcome) == FETCH_OK) {
		section_commit(ENDPOINT_DIAG, cluster, build.built);
		job_rounds_note_submitted(&reader->rounds, cluster->scheduler.diag.jobs_submitted,
					  cluster->scheduler.diag.jobs_started);
	} else {
		section_discard(ENDPOINT_DIAG, build.built);
		job_rounds_note_submitted(&reader->rounds, NUMBER_UNSET, NUMBER_UNSET);
	}
}

/* the whole list */

struct list_build {
	struct section_build section;
	struct job_rounds *rounds;
};

static void take_listed(void *context, const void *record)
{
	struct list_build *build = context;
	section_take(ENDPOINT_JOBS)(&build->section, record);
	job_rounds_note_job(build->rounds, record);
}

/* Arrays with a cut task list that we ask for, at most; each costs slurmrestd a row for each task. */
enum { CUT_ARRAYS_ASKED_MAX = 100 };

struct task_count {
	uint64_t id, pending;
};

static void count_task(void *context, const void *record)
{
	struct task_count *tasks = context;
	const struct job_task *task = record;
	/* the leader's own rows are the unsplit rest; split tasks have IDs of their own */
	tasks->pending += task->id == tasks->id && task->state == JOB_PENDING;
}

/* Counts the pending tasks of the array's unsplit rest. False: slurmrestd does not report them, so the last number
 * stays, or the listed one. */
static bool count_tasks(struct job_reader *reader, uint64_t id, struct plan_outcome *list)
{
	struct job_table *table = reader->rounds.table;
	struct task_count tasks = {.id = id};
	struct plan_outcome outcome;
	char query[48];
	snprintf(query, sizeof query, "?job_id=%" PRIu64, id);
	const struct fetch fetch = {ENDPOINT_JOB_STATES, count_task, &tasks, .query = query};
	bool is_well = asker_ask(reader->asker, &fetch, &outcome) == FETCH_OK;
	list->seconds += outcome.seconds;
	if (!is_well)
		return false;
	const struct api_version *version = client_version(reader->asker->client);
	uint64_t split = job_table_split_pending(table, id);
	if (version && !version->task_ids_are_raw)
		tasks.pending -= split < tasks.pending ? split : tasks.pending;
	return job_table_set_tasks(table, id, tasks.pending);
}

/* Its cost counts as part of the list's. */
static void count_cut_arrays(struct job_reader *reader, bool counts_arrays, struct plan_outcome *outcome)
{
	const struct job_table *table = reader->rounds.table;
	struct job_view row;
	uint64_t undercounted = 0, asked = 0;
	for (size_t i = 0; i < table->position_count; i++) {
		if (!job_table_at(table, i, &row) || !row.is_cut)
			continue;
		if (counts_arrays && asked++ < CUT_ARRAYS_ASKED_MAX)
			counts_arrays = count_tasks(reader, row.id, outcome);
		undercounted += job_table_at(table, i, &row) && !row.is_counted;
	}
	if (undercounted && !reader->warned_of_cut_arrays)
		log_line(
			LOG_LEVEL_WARN,
			"slurmrestd cuts the task lists of pending arrays, and jobs/state could not count all of "
			"them: numbers of pending jobs are too low. Set SLURM_BITSTR_LEN=0 in slurmrestd's environment",
			NULL);
	reader->warned_of_cut_arrays = undercounted;
}

bool job_reader_list(struct job_reader *reader, bool counts_arrays, struct plan_outcome *outcome)
{
	struct cluster *cluster = reader->asker->cluster;
	int64_t now = asker_now_s(reader->asker);
	struct list_build build = {{cluster, section_start(ENDPOINT_JOBS, cluster, now), now}, &reader->rounds};
	const struct fetch fetch = {ENDPOINT_JOBS, take_listed, &build, .since = reader->last_update};
	enum fetch_result result = asker_ask(reader->asker, &fetch, outcome);
	if (result != FETCH_OK) {
		section_discard(ENDPOINT_JOBS, build.section.built);
		return result == FETCH_UNCHANGED;
	}
	section_commit(ENDPOINT_JOBS, cluster, build.section.built);
	reader->last_update = reader->asker->last_update;
	job_rounds_note_list(&reader->rounds);
	count_cut_arrays(reader, counts_arrays, outcome);
	outcome->cost_records = job_table_counts(cluster->job_table).jobs; /* each task counted, as the planner does */
	return true;
}
