/* Rounds, details and searches against a slurmctld whose jobs come, split, start, end and go. Whatever happened, after a
 * round the table holds what slurmctld has. */
#pragma once

#include "check.h"
#include "controller_model.h"
#include "discovery/job_rounds.h"
#include "jobs/jobs_check.h"

struct world {
	struct controller_model model;
	struct job_table *table;
	struct job_rounds rounds;
	struct job_details details;
	size_t records_max; /* no more jobs are submitted while there are as many */
	int fail_one_in; /* 0: no answer breaks off */
	bool is_busy; /* jobs come and go between the requests of a round */
	size_t dearest_job; /* records that one job/{id} brought */
	uint64_t dearest_answer; /* rows that one request of jobs/state brought */
	bool has_slurmdbd; /* searches may ask it which IDs are leaders' */
	bool lacks_diag; /* diag fails */
	size_t records; /* that rounds asked job/{id} for */
	size_t dearest_lookup; /* runs that it reported at once */
};

static inline void world_start(struct world *world, uint64_t seed, uint64_t first_id, uint64_t last_id)
{
	*world = (struct world){
		.records_max = RECORDS_MAX / 2,
		.model = {
			.first_id = first_id, .last_id = last_id, .next_id = first_id, .now = 1000000, .random = seed}};
	world->table = job_table_new();
	job_rounds_init(&world->rounds, world->table, first_id, last_id);
	job_details_init(&world->details, world->table);
}

static inline void world_end(struct world *world)
{
	job_rounds_done(&world->rounds);
	job_details_done(&world->details);
	job_table_free(world->table);
}

/* Single jobs, no arrays. */
static inline void submit_jobs(struct world *world, int count)
{
	for (int i = 0; i < count; i++)
		model_submit(&world->model, 0, 0);
}

static inline void take_row(void *context, const struct job_task *task)
{
	job_rounds_take(context, task);
}

static inline void answer(struct world *world, struct buf *query)
{
	struct text text = buf_text(query);
	if (text.len) /* without the question mark */
		text = (struct text){text.bytes + 1, text.len - 1};
	uint64_t before = world->model.rows;
	model_states(&world->model, text, take_row, &world->rounds);
	uint64_t rows = world->model.rows - before;
	world->dearest_answer = rows > world->dearest_answer ? rows : world->dearest_answer;
	if (world->fail_one_in && !model_below(&world->model, (uint64_t)world->fail_one_in))
		job_rounds_forget(&world->rounds);
	else
		job_rounds_apply(&world->rounds, (int64_t)world->model.now);
	buf_clear(query);
}

static inline void live_a_little(struct world *world)
{
	struct controller_model *model = &world->model;
	model->now += 5 + model_below(model, 30);
	for (uint64_t events = model_below(model, 12); events; events--) {
		uint64_t kind = model_below(model, 10);
		struct record *record = model->count ? &model->records[model_below(model, model->count)] : NULL;
		if (!record || (kind < 3 && model->count < world->records_max))
			model_submit(model, 0, kind == 0 ? 1 + model_below(model, 40) : 0);
		else if (kind < 7 && record->state == JOB_PENDING && model->count < 2 * world->records_max - 1)
			model_start(model, record);
		else if (kind < 9 && record->state == JOB_RUNNING) {
			record->state = model_below(model, 2) ? JOB_COMPLETED : JOB_FAILED;
			record->ended = model->now;
		} else if (record->state == JOB_FAILED) { /* requeued */
			record->state = JOB_PENDING;
			record->submit_time = model->now;
			record->restarts++;
		} else if (record->is_rest && !model_below(model, 4)) { /* what had not begun is cancelled */
			record->state = JOB_CANCELLED;
			record->ended = model->now;
		}
	}
	for (size_t i = model->count; i-- > 0;)
		if (model->records[i].state > JOB_SUSPENDED && model->now > model->records[i].ended + 300)
			model_forget(model, i);
}

static inline void take_job(void *context, const struct job *job)
{
	struct world *world = context;
	job_details_take(&world->details, job, (int64_t)world->model.now);
	job_rounds_note_job(&world->rounds, job);
}

static inline void ask_record(struct world *world, uint64_t id)
{
	size_t brought = model_job(&world->model, id, take_job, world);
	world->dearest_job = brought > world->dearest_job ? brought : world->dearest_job;
	world->records++;
	job_rounds_settle_record(&world->rounds);
}

/* The next request of the open round, as the poller asks. False: the round is over. */
static inline bool states_request(struct world *world, uint64_t rows_max)
{
	struct buf query = BUF_INIT;
	const struct controller_model *model = &world->model;
	if (job_rounds_await_count(&world->rounds))
		job_rounds_note_submitted(&world->rounds, world->lacks_diag ? NUMBER_UNSET : model->submitted,
					  world->lacks_diag ? NUMBER_UNSET : model->started);
	uint64_t record = job_rounds_next_record(&world->rounds);
	bool is_request = record || job_rounds_ask(&world->rounds, rows_max, &query);
	if (record)
		ask_record(world, record);
	else if (is_request)
		answer(world, &query);
	buf_done(&query);
	return is_request;
}

static inline void states_round(struct world *world, uint64_t rows_max)
{
	int requests = 0;
	job_rounds_begin(&world->rounds);
	while (world->rounds.is_open && states_request(world, rows_max)) {
		CHECK(++requests < 100000);
		if (world->is_busy && !model_below(&world->model, 3))
			live_a_little(world);
	}
}

static inline void ask_job(struct world *world, uint64_t id)
{
	char name[JOB_NAME_BYTES];
	bool is_sluid = job_details_name(&world->details, id, name);
	size_t brought = model_named(&world->model, id, is_sluid, take_job, world);
	if (!brought && is_sluid)
		job_details_forget_sluid(&world->details, id);
	else if (!brought)
		job_details_note_unknown(&world->details, id);
	if (brought > world->dearest_job)
		world->dearest_job = brought;
}

static inline size_t details_round(struct world *world, enum job_queue queue)
{
	size_t requests = 0;
	job_details_begin(&world->details, queue);
	for (uint64_t id; (id = job_details_next(&world->details, queue)); requests++)
		ask_job(world, id);
	return requests;
}

/* The turns of arrays; how many there were. */
static inline size_t arrays_round(struct world *world)
{
	struct buf query = BUF_INIT;
	size_t turns = 0;
	job_details_begin(&world->details, JOB_QUEUE_ARRAYS);
	for (uint64_t id; (id = job_details_next(&world->details, JOB_QUEUE_ARRAYS)); turns++) {
		if (job_details_records(&world->details, id)) {
			ask_job(world, id);
			continue;
		}
		job_rounds_ask_array(&world->rounds, id, &query);
		answer(world, &query);
	}
	buf_done(&query);
	return turns;
}

static inline uint64_t count_live(const struct controller_model *model)
{
	uint64_t live = 0;
	for (size_t i = 0; i < model->count; i++)
		if (model->records[i].state == JOB_PENDING || model->records[i].state == JOB_RUNNING)
			live += model->records[i].last - model->records[i].first + 1;
	return live;
}

/* Asks slurmdbd if the search wants to. A leader's ID brings all tasks, also when its own record is gone. */
static inline bool look_up(struct world *world)
{
	enum { AT_ONCE = 300 };
	uint64_t ids[AT_ONCE];
	size_t runs = 0, count = !world->has_slurmdbd
					 ? 0
					 : job_search_ids_to_look_up(&world->rounds.search, world->table, ids, AT_ONCE);
	for (size_t i = 0; i < count; i++)
		for (size_t r = 0; r < world->model.count; r++) {
			const struct record *record = &world->model.records[r];
			const struct job run = {.id = record->id, .array_job_id = record->array};
			if (record->id != ids[i] && record->array != ids[i])
				continue;
			job_search_note_run(&world->rounds.search, &run);
			runs++;
		}
	world->dearest_lookup = runs > world->dearest_lookup ? runs : world->dearest_lookup;
	return count;
}

/* As the poller does: a search while diag counts jobs that nobody knows. Returns the requests. */
static inline int search_by(struct world *world, uint64_t rows_max)
{
	struct buf query = BUF_INIT;
	int requests = 0;
	job_search_begin(&world->rounds.search, &world->rounds.frontiers, world->table);
	for (bool is_open = true; is_open; requests++) {
		uint64_t sample = job_rounds_take_sample(&world->rounds);
		if (sample) {
			size_t brought = model_job(&world->model, sample, take_job, world);
			world->dearest_job = brought > world->dearest_job ? brought : world->dearest_job;
			CHECK(world->rounds.search.is_open); /* what it finds does not end it */
		} else if (look_up(world)) {
			CHECK(world->rounds.search.is_open);
		} else if ((sample = job_rounds_next_search_record(&world->rounds))) {
			ask_record(world, sample);
		} else if ((is_open = job_rounds_ask_search(&world->rounds, rows_max, &query))) {
			answer(world, &query);
		}
	}
	buf_done(&query);
	return requests - 1;
}

static inline int search(struct world *world)
{
	return search_by(world, 1000);
}

static inline bool note_count(struct world *world)
{
	return job_rounds_note_count(&world->rounds, count_live(&world->model));
}

/* Everything in the model is in the table and nothing else. */
static inline void check_same(struct world *world)
{
	struct job_counts counts = job_table_counts(world->table);
	struct job_view view;
	struct error err;
	CHECK_NUMBER(counts.rows, world->model.count);
	CHECK_NUMBER(counts.pending + counts.running, count_live(&world->model));
	for (size_t i = 0; i < world->model.count; i++) {
		const struct record *record = &world->model.records[i];
		bool is_known = job_table_find(world->table, record->id, &view);
		CHECK(is_known);
		if (!is_known)
			continue;
		CHECK_NUMBER(view.state, record->state);
		CHECK_NUMBER(view.tasks, record->last - record->first + 1);
	}
	job_table_settle(world->table, NULL);
	CHECK(jobs_check(world->table, &err));
}

/* As after a start: everything is found and has its details. */
static inline void find_all(struct world *world)
{
	note_count(world);
	search(world);
	states_round(world, 1000);
	details_round(world, JOB_QUEUE_WANTED);
}
