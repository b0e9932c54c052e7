/* A small Slurm with a slurmdbd. All that will happen is drawn beforehand, as a list of runs. From it follow what
 * slurmctld shows at a time, what slurmdbd reports, and what must have been counted at the end. */
#pragma once

#include "events/job_events.h"
#include "model/hostlist.h"

#include <stdio.h>
#include <stdlib.h>

enum { BIRTH = 100000, RUNS_MAX = 1000, RECORDS_MAX = 1000, CHAIN_MAX = 4, AWAY_S = 200, GAP_MAX_S = 40 };

/* What is drawn of a life. */
struct model_kind {
	const char *name;
	bool by_slurmdbd;
	int64_t min_job_age_s;
	bool requeues;
	bool unseen_requeues; /* only such ones: the next run begins within seconds */
	bool cuts_lists; /* of arrays' tasks */
	bool lists; /* the exporter reads lists of all jobs, not states */
	int64_t downtime_max_s;
	bool may_lose;
	bool takes_over; /* slurmdbd, some time */
};

struct model_run {
	uint32_t raw_id;
	struct run_key key;
	uint64_t tasks;
	int64_t eligible, start, end; /* start 0: it was cancelled while it waited */
	int64_t suspended, resumed; /* 0: never */
	int64_t told; /* slurmdbd has it from then on */
	int state;
	struct text ended; /* what slurmdbd calls its end */
	const char *user, *account, *asked, *partition, *qos;
	uint64_t cpus, memory, nodes, gpus, time_limit;
	char tres[80], node_list[16];
	enum { SUBMITTED_UNSEEN, SUBMITTED_AS_ASKED, SUBMITTED_AS_RUN } submitted, submitted_stored;
};

static uint64_t billing_of(const struct model_run *run)
{
	return 3 * run->cpus + 9 * run->gpus;
}

enum record_kind { RECORD_JOB, RECORD_REST };

struct model_record {
	enum record_kind kind;
	uint32_t id, array_id; /* array_id 0: none */
	size_t runs[CHAIN_MAX], run_count; /* of a rest: the one of those that were cancelled unsplit, or none */
	int64_t from, gone; /* slurmctld shows it from.. until */
	int64_t epilog_s;
	int64_t split[16]; /* of a rest: when its tasks leave it */
	size_t task_count;
};

struct model {
	const struct model_kind *kind;
	uint64_t random;
	struct model_run runs[RUNS_MAX];
	struct model_record records[RECORDS_MAX];
	size_t run_count, record_count;
	uint32_t next_id;
	int64_t over; /* all has happened */
};

static inline uint64_t below(struct model *model, uint64_t limit)
{
	model->random = model->random * 6364136223846793005u + 1442695040888963407u;
	return (model->random >> 33) % limit;
}

static inline int64_t between(struct model *model, int64_t low, int64_t high)
{
	return low + (int64_t)below(model, (uint64_t)(high - low + 1));
}

#define PICK(model, list) ((list)[below((model), sizeof(list) / sizeof *(list))])

/* Drawing */

static inline void draw_request(struct model *model, struct model_run *run, bool is_array)
{
	static const char *const users[] = {"ann", "bob", "cai"}, *const accounts[] = {"bio", "geo"},
				 *const partitions[] = {"cpu", "gpu"}, *const qos[] = {"normal", "high"};
	run->user = PICK(model, users);
	run->account = PICK(model, accounts);
	run->asked = run->partition = PICK(model, partitions);
	if (!is_array && !below(model, 5))
		run->asked = "cpu,gpu";
	run->qos = PICK(model, qos);
	run->cpus = 1 + below(model, 8);
	run->nodes = below(model, 4) ? 1 : 2;
	run->memory = (1 + below(model, 64)) << 20;
	run->gpus = below(model, 3) ? 0 : 2 + below(model, 3);
	run->time_limit = 60 * (1 + below(model, 10));
	int len = snprintf(run->tres, sizeof run->tres, "cpu=%d,mem=%dM,node=%d,billing=%d", (int)run->cpus,
			   (int)(run->memory >> 20), (int)run->nodes, (int)billing_of(run));
	if (run->gpus) /* one of them without a type */
		snprintf(run->tres + len, sizeof run->tres - (size_t)len, ",gres/gpu=%d,gres/gpu:a100=%d",
			 (int)run->gpus, (int)run->gpus - 1);
	int node = 1 + (int)below(model, 5);
	snprintf(run->node_list, sizeof run->node_list, run->nodes == 1 ? "cn%d" : "cn[%d-%d]", node, node + 1);
}

static inline void draw_end(struct model *model, struct model_run *run, bool is_requeued)
{
	static const struct {
		int state;
		const char *name;
	} ends[] = {{JOB_COMPLETED, "completed"}, {JOB_COMPLETED, "completed"},
		    {JOB_FAILED, "failed"},	  {JOB_FAILED, "failed"},
		    {JOB_TIMEOUT, "timeout"},	  {JOB_CANCELLED, "cancelled"},
		    {JOB_NODE_FAIL, "node_fail"}, {JOB_OUT_OF_MEMORY, "out_of_memory"}};
	size_t pick = below(model, sizeof ends / sizeof *ends);
	run->state = run->start ? ends[pick].state : JOB_CANCELLED;
	run->ended = run->start ? text_of(ends[pick].name) : TEXT("cancelled");
	if (is_requeued)
		run->ended = below(model, 2) ? TEXT("requeued") : TEXT("node_fail");
}

static inline void draw_suspension(struct model *model, struct model_run *run)
{
	int64_t long_enough_to_be_seen = GAP_MAX_S + 20;
	int64_t suspended = between(model, run->start + 1, run->start + 100);
	if (suspended >= run->end || below(model, 4))
		return;
	if (suspended < BIRTH) /* of which nobody knows if it ends before it is seen */
		return;
	run->suspended = suspended;
	run->resumed = run->suspended + long_enough_to_be_seen + (int64_t)below(model, 200);
	run->end += run->resumed - run->suspended;
}

/* A run that was submitted then; it starts so much later. */
static inline void draw_times(struct model *model, struct model_run *run, int64_t waits, bool starts)
{
	int64_t length = below(model, 3) ? between(model, 0, 400) : between(model, 0, 5);
	int64_t submit = run->key.submit_time;
	run->eligible = submit + (int64_t)below(model, (uint64_t)waits + 1);
	run->start = starts ? submit + waits : 0;
	run->end = submit + waits + (starts ? length : 0);
	if (starts && !model->kind->unseen_requeues)
		draw_suspension(model, run);
}

static inline struct model_record *add_record(struct model *model, enum record_kind kind, uint32_t id, int64_t from)
{
	struct model_record *record = &model->records[model->record_count++];
	*record = (struct model_record){.kind = kind, .id = id, .from = from, .epilog_s = (int64_t)below(model, 20)};
	return record;
}

static inline struct model_run *add_run(struct model *model, struct model_record *record)
{
	struct model_run *run = &model->runs[model->run_count];
	record->runs[record->run_count++] = model->run_count++;
	*run = (struct model_run){.raw_id = record->id, .tasks = 1};
	run->key = (struct run_key){record->id, RUN_NO_TASK, record->from};
	return run;
}

/* The record's first run was drawn: those that follow when it is requeued. */
static inline void draw_chain(struct model *model, struct model_record *record)
{
	bool is_fast = model->kind->unseen_requeues;
	struct model_run *run = &model->runs[record->runs[0]];
	while (model->kind->requeues && run->start && record->run_count < CHAIN_MAX && !below(model, 4) &&
	       (!is_fast || record->run_count < 2)) {
		draw_end(model, run, true);
		struct model_run *next = add_run(model, record);
		struct run_key key = run->key;
		uint32_t raw_id = next->raw_id;
		key.submit_time = run->end + 1 + (is_fast ? 0 : record->epilog_s);
		*next = *run;
		next->suspended = next->resumed = 0;
		next->raw_id = raw_id;
		next->key = key;
		draw_times(model, next, is_fast ? 1 : between(model, GAP_MAX_S + 20, 200), true);
		if (is_fast)
			next->end += 600; /* what was counted too much of the first is made good in it */
		run = next;
	}
	draw_end(model, run, false);
	record->gone = run->end + record->epilog_s + model->kind->min_job_age_s;
	if (record->gone > model->over)
		model->over = record->gone;
}

/* An ID that is used again has been away so long that this was seen. */
static inline uint32_t draw_id(struct model *model, int64_t now)
{
	const struct model_record *old = &model->records[below(model, model->record_count + 1)];
	bool is_free = old < model->records + model->record_count && !old->array_id;
	for (size_t i = 0; is_free && i < model->record_count; i++)
		is_free = model->records[i].id != old->id || model->records[i].gone + 2 * GAP_MAX_S < now;
	return is_free && !below(model, 4) ? old->id : model->next_id++;
}

static inline void draw_job(struct model *model, int64_t submit)
{
	struct model_record *record = add_record(model, RECORD_JOB, draw_id(model, submit), submit);
	struct model_run *run = add_run(model, record);
	draw_request(model, run, false);
	draw_times(model, run, between(model, 0, below(model, 2) ? 100 : 3), below(model, 8) > 0);
	draw_chain(model, record);
}

static inline void draw_task(struct model *model, const struct model_run *like, uint32_t id, uint32_t task,
			     int64_t split)
{
	struct model_record *record = add_record(model, RECORD_JOB, id, split);
	struct model_run *run = add_run(model, record);
	*run = *like;
	run->raw_id = id;
	run->tasks = 1;
	run->key.task = task;
	record->array_id = like->key.id;
	draw_times(model, run, split - run->key.submit_time, below(model, 6) > 0);
	draw_chain(model, record);
}

/* Tasks leave the rest one by one; those that are in it when it is cancelled end with it. The last that leaves it takes
 * its ID. */
static inline void draw_array(struct model *model, int64_t submit)
{
	struct model_record *rest = add_record(model, RECORD_REST, model->next_id++, submit);
	bool is_cancelled = !below(model, 3);
	int64_t cancelled = submit + (int64_t)below(model, 200);
	size_t last = 0, left = 0;
	rest->array_id = rest->id;
	rest->task_count = 1 + below(model, 12);
	struct model_run like = {.key = {rest->id, RUN_NO_TASK, submit}, .raw_id = rest->id};
	draw_request(model, &like, true);
	for (size_t i = 0; i < rest->task_count; i++) {
		rest->split[i] = submit + (int64_t)below(model, below(model, 2) ? 200 : 10);
		left += is_cancelled && rest->split[i] >= cancelled;
		last = rest->split[i] >= rest->split[last] ? i : last;
	}
	for (size_t i = 0; i < rest->task_count; i++) {
		bool is_split = !is_cancelled || rest->split[i] < cancelled;
		if (!is_split)
			rest->split[i] = INT64_MAX;
		else
			draw_task(model, &like, i == last && !left ? rest->id : model->next_id++, (uint32_t)i,
				  rest->split[i]);
	}
	rest->gone = rest->split[last];
	if (!left)
		return;
	struct model_run *run = add_run(model, rest);
	*run = like;
	run->tasks = left;
	run->eligible = submit;
	run->end = cancelled;
	draw_end(model, run, false);
	rest->gone = cancelled + rest->epilog_s + model->kind->min_job_age_s;
	model->over = rest->gone > model->over ? rest->gone : model->over;
}

static inline int by_end(const void *left, const void *right)
{
	const struct model_run *a = *(struct model_run *const *)left, *b = *(struct model_run *const *)right;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* slurmctld hands them over one after the other: some seconds later, now and then minutes, and when slurmdbd is away,
 * when it is back. */
static inline void draw_telling(struct model *model)
{
	static struct model_run *runs[RUNS_MAX];
	int64_t away = BIRTH + (int64_t)below(model, 2000), told = 0;
	for (size_t i = 0; i < model->run_count; i++)
		runs[i] = &model->runs[i];
	qsort(runs, model->run_count, sizeof *runs, by_end);
	for (size_t i = 0; i < model->run_count; i++) {
		int64_t at = runs[i]->end + (int64_t)below(model, below(model, 20) ? 5 : 100);
		if (!model->kind->unseen_requeues && at >= away && at < away + AWAY_S)
			at = away + AWAY_S;
		told = runs[i]->told = at > told ? at : told;
	}
	model->over = told > model->over ? told : model->over;
}

static inline void model_draw(struct model *model, const struct model_kind *kind, uint64_t seed, size_t jobs)
{
	memset(model, 0, sizeof *model);
	model->kind = kind;
	model->random = seed;
	model->next_id = 1;
	int64_t submit = BIRTH - (kind->may_lose ? 0 : 300);
	for (size_t i = 0; i < jobs; i++) {
		submit += (int64_t)below(model, 3 * 1500 / jobs);
		if (below(model, 6))
			draw_job(model, submit);
		else
			draw_array(model, submit);
	}
	draw_telling(model);
}

/* What slurmctld shows */

static inline bool is_shown(const struct model_record *record, int64_t now)
{
	return record->from <= now && now < record->gone;
}

static inline const struct model_record *record_of(const struct model *model, uint64_t id, int64_t now)
{
	for (size_t i = 0; i < model->record_count; i++)
		if (model->records[i].id == id && is_shown(&model->records[i], now))
			return &model->records[i];
	return NULL;
}

static inline uint64_t tasks_left(const struct model_record *rest, int64_t now)
{
	uint64_t left = 0;
	for (size_t i = 0; i < rest->task_count; i++)
		left += rest->split[i] > now;
	return left;
}

static inline const struct model_run *run_of(const struct model *model, const struct model_record *record, int64_t now)
{
	size_t at = 0;
	while (at + 1 < record->run_count && model->runs[record->runs[at + 1]].key.submit_time <= now)
		at++;
	return record->run_count ? &model->runs[record->runs[at]] : NULL;
}

static inline bool is_last_run(const struct model *model, const struct model_record *record,
			       const struct model_run *run)
{
	return run == &model->runs[record->runs[record->run_count - 1]];
}

static inline int state_of(const struct model *model, const struct model_record *record, int64_t now,
			   uint64_t *ret_flags)
{
	const struct model_run *run = run_of(model, record, now);
	*ret_flags = 0;
	if (!run || (now < run->end && (!run->start || now < run->start)))
		return JOB_PENDING;
	if (now < run->end)
		return run->suspended && now >= run->suspended && now < run->resumed ? JOB_SUSPENDED : JOB_RUNNING;
	if (!is_last_run(model, record, run) || now < run->end + record->epilog_s)
		*ret_flags = UINT64_C(1) << JOB_FLAG_COMPLETING;
	return is_last_run(model, record, run) ? run->state : JOB_PENDING;
}

/* "0,3,7", or cut behind two of them. */
static inline void list_tasks(const struct model *model, const struct model_record *rest, int64_t now, char list[64])
{
	size_t len = 0, listed = 0;
	for (size_t i = 0; i < rest->task_count; i++) {
		if (rest->split[i] <= now)
			continue;
		bool is_cut = model->kind->cuts_lists && listed++ == 2;
		len += (size_t)snprintf(list + len, 64 - len, is_cut ? "%s..." : "%s%d", len ? "," : "", (int)i);
		if (is_cut)
			return;
	}
}

enum { FORECAST_ERROR_S = 20 };

static inline void show_run(struct job *job, const struct model_run *run, int64_t now)
{
	bool has_started = run->start && run->start <= now;
	bool held = has_started && job->state != JOB_PENDING;
	job->start_time = (uint64_t)(has_started ? run->start : run->start + FORECAST_ERROR_S);
	job->partitions = text_of(has_started ? run->partition : run->asked);
	job->tres_requested = TEXT("cpu=1,mem=1M,node=1");
	job->tres_allocated = held ? text_of(run->tres) : TEXT("");
	job->node_list = held ? text_of(run->node_list) : TEXT("");
	if (run->suspended && run->suspended <= now && held) {
		job->suspend_time = (uint64_t)(now < run->resumed ? run->suspended : run->resumed);
		job->ran_before = (uint64_t)(run->suspended - run->start);
	}
	if (now >= run->end && job->state != JOB_PENDING) {
		job->end_time = (uint64_t)run->end;
		job->exit_code = run->start ? run->state != JOB_COMPLETED : NUMBER_UNSET;
		job->start_time = (uint64_t)(run->start ? run->start : run->end);
	}
}

/* The record with its details; `list` is for an array's tasks. */
static inline struct job job_of(const struct model *model, const struct model_record *record, int64_t now,
				char list[64])
{
	const struct model_run *run = run_of(model, record, now), *first = run;
	for (size_t i = 0; !first && i < model->run_count; i++)
		if (model->runs[i].key.id == record->id && model->runs[i].key.submit_time == record->from)
			first = &model->runs[i]; /* a task of the array */
	struct job job = {.id = record->id,
			  .array_job_id = record->array_id,
			  .array_task_id = NUMBER_UNSET,
			  .user = text_of(first->user),
			  .account = text_of(first->account),
			  .qos = text_of(first->qos),
			  .partitions = text_of(first->asked),
			  .submit_time = (uint64_t)first->key.submit_time,
			  .eligible_time = (uint64_t)first->eligible,
			  .exit_code = NUMBER_UNSET,
			  .exit_signal = NUMBER_UNSET,
			  .time_limit = first->time_limit,
			  .cpus = NUMBER_UNSET,
			  .nodes = NUMBER_UNSET,
			  .memory_per_node = NUMBER_UNSET,
			  .memory_per_cpu = NUMBER_UNSET};
	job.state = state_of(model, record, now, &job.flags);
	if (run)
		show_run(&job, run, now);
	if (record->kind == RECORD_REST) {
		list_tasks(model, record, now, list);
		job.array_tasks = text_of(list);
	} else if (record->array_id) {
		job.array_task_id = run->key.task;
	}
	return job;
}

/* What slurmdbd tells */

static inline int64_t ran_until(const struct model_run *run, int64_t from, int64_t until)
{
	int64_t begin = run->start > from ? run->start : from, end = run->end < until ? run->end : until;
	int64_t pause = run->suspended > begin ? run->suspended : begin;
	int64_t resumed = run->resumed < end ? run->resumed : end;
	if (!run->start || end <= begin)
		return 0;
	return end - begin - (run->suspended && resumed > pause ? resumed - pause : 0);
}

static inline enum job_exit exit_of(const struct model_run *run)
{
	if (text_equal(run->ended, TEXT("completed")))
		return JOB_EXIT_ZERO;
	bool has_failed = text_equal(run->ended, TEXT("failed")) || text_equal(run->ended, TEXT("out_of_memory"));
	return has_failed ? JOB_EXIT_NONZERO : JOB_EXIT_UNKNOWN;
}

static inline struct job_end end_of(const struct model_run *run)
{
	return (struct job_end){
		.raw_id = run->raw_id,
		.key = run->key,
		.tasks = run->tasks,
		.owner = {text_of(run->account), text_of(run->user), text_of(run->start ? run->partition : run->asked),
			  text_of(run->qos)},
		.state = run->ended,
		.eligible_time = run->eligible,
		.start_time = run->start,
		.end_time = run->end,
		.run_seconds = ran_until(run, 0, INT64_MAX),
		.time_limit = run->time_limit,
		.cpus = run->cpus,
		.memory = run->memory,
		.nodes = run->nodes,
		.tres = text_of(run->tres),
		.node_list = run->start ? text_of(run->node_list) : TEXT(""),
		.exit = exit_of(run),
	};
}
