/* Rounds, frontiers, searches and details against a slurmctld whose jobs come, split, start, end and go. Whatever
 * happened, after a round the table holds what slurmctld has. */
#include "check.h"
#include "controller_model.h"
#include "discovery/job_rounds.h"
#include "jobs/each_job.h"
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
};

static void world_start(struct world *world, uint64_t seed, uint64_t first_id, uint64_t last_id)
{
	*world = (struct world){
		.records_max = RECORDS_MAX / 2,
		.model = {
			.first_id = first_id, .last_id = last_id, .next_id = first_id, .now = 1000000, .random = seed}};
	world->table = job_table_new();
	job_rounds_init(&world->rounds, world->table, first_id, last_id);
	job_details_init(&world->details, world->table);
}

static void world_end(struct world *world)
{
	job_rounds_done(&world->rounds);
	job_details_done(&world->details);
	job_table_free(world->table);
}

static void take_row(void *context, const struct job_task *task)
{
	job_rounds_take(context, task);
}

static void answer(struct world *world, struct buf *query)
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

static void live_a_little(struct world *world);

static void states_round(struct world *world, uint64_t rows_max)
{
	struct buf query = BUF_INIT;
	int requests = 0;
	job_rounds_begin(&world->rounds);
	while (job_rounds_ask(&world->rounds, rows_max, &query)) {
		answer(world, &query);
		CHECK(++requests < 100000);
		if (world->is_busy && !model_below(&world->model, 3))
			live_a_little(world);
	}
	buf_done(&query);
}

static void take_job(void *context, const struct job *job)
{
	struct world *world = context;
	job_details_take(&world->details, job, (int64_t)world->model.now);
	job_rounds_note_job(&world->rounds, job);
}

static size_t details_round(struct world *world, enum job_queue queue)
{
	size_t requests = 0;
	job_details_begin(&world->details, queue);
	for (uint64_t id; (id = job_details_next(&world->details, queue)); requests++) {
		size_t brought = model_job(&world->model, id, take_job, world);
		if (!brought)
			job_details_note_unknown(&world->details, id);
		if (brought > world->dearest_job)
			world->dearest_job = brought;
	}
	return requests;
}

static uint64_t count_live(const struct controller_model *model)
{
	uint64_t live = 0;
	for (size_t i = 0; i < model->count; i++)
		if (model->records[i].state == JOB_PENDING || model->records[i].state == JOB_RUNNING)
			live += model->records[i].last - model->records[i].first + 1;
	return live;
}

/* As the poller does: a search while diag counts jobs that nobody knows. Returns the requests. */
static int search_by(struct world *world, uint64_t rows_max)
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
		} else if ((is_open = job_rounds_ask_search(&world->rounds, rows_max, &query))) {
			answer(world, &query);
		}
	}
	buf_done(&query);
	return requests - 1;
}

static int search(struct world *world)
{
	return search_by(world, 1000);
}

static bool note_count(struct world *world)
{
	return job_rounds_note_count(&world->rounds, count_live(&world->model));
}

static uint64_t count_rows(const struct world *world)
{
	uint64_t rows = 0;
	for (size_t i = 0; i < world->model.count; i++)
		rows += world->model.records[i].last - world->model.records[i].first + 1;
	return rows;
}

/* Everything in the model is in the table and nothing else. */
static void check_same(struct world *world)
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

static void live_a_little(struct world *world)
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

/* With few IDs they begin again and again, among jobs that still have theirs. On a busy cluster jobs come and go between
 * the requests of a round; the next round finds those that it missed. */
static void test_lives(void)
{
	for (uint64_t seed = 1; seed <= 18; seed++) {
		struct world *world = calloc(1, sizeof *world);
		bool are_few = seed % 3 == 1, is_busy = seed % 3 == 2;
		char name[64];
		snprintf(name, sizeof name, "life %" PRIu64 "%s%s", seed, are_few ? " with few IDs" : "",
			 is_busy ? " between requests" : "");
		check_row(name);
		world_start(world, seed, 1, are_few ? 700 : 1000000);
		world->records_max = are_few ? 300 : is_busy ? 300 : world->records_max;
		model_submit(&world->model, 0, 0);
		note_count(world);
		search(world);
		for (int step = 0; step < (is_busy ? 60 : 150); step++) {
			live_a_little(world);
			world->fail_one_in = step % 3 ? 0 : 4;
			world->is_busy = is_busy;
			states_round(world, 1 + model_below(&world->model, 60));
			details_round(world, JOB_QUEUE_WANTED);
			world->is_busy = false;
			world->fail_one_in = 0;
			if (step % 3 == 0 || is_busy)
				states_round(world, 1000);
			check_same(world);
		}
		details_round(world, JOB_QUEUE_WANTED);
		CHECK_NUMBER(job_table_counts(world->table).rows_without_details, 0);
		world_end(world);
		free(world);
	}
}

/* As after a start: everything is found and has its details. */
static void find_all(struct world *world)
{
	note_count(world);
	search(world);
	states_round(world, 1000);
	details_round(world, JOB_QUEUE_WANTED);
}

/* A round brings each row once, and looks at few IDs besides. */
static void test_round_is_cheap(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("each row comes once");
	world_start(world, 7, 1, 1000000);
	uint64_t array = model_submit(&world->model, 0, 200);
	for (int i = 0; i < 50; i++)
		model_submit(&world->model, 0, 0);
	for (int i = 0; i < 100; i++)
		model_start(&world->model, model_find(&world->model, array));
	find_all(world);
	check_same(world);
	world->model.rows = 0;
	states_round(world, 1000);
	CHECK_NUMBER(world->model.rows, 250);
	check_row("no details are asked for that nothing happened to");
	CHECK_NUMBER(details_round(world, JOB_QUEUE_WANTED), 0);
	check_row("the last task of an array has the array's id");
	while (model_find(&world->model, array)->is_rest)
		model_start(&world->model, model_find(&world->model, array));
	states_round(world, 1000);
	details_round(world, JOB_QUEUE_WANTED);
	world->model.rows = 0;
	states_round(world, 1000);
	CHECK_NUMBER(world->model.rows, 250);
	check_same(world);
	world_end(world);
	free(world);
}

static void list_arrays(struct world *world)
{
	struct buf query = BUF_INIT;
	job_details_begin(&world->details, JOB_QUEUE_ARRAYS);
	for (uint64_t id; (id = job_details_next(&world->details, JOB_QUEUE_ARRAYS));) {
		job_rounds_ask_array(&world->rounds, id, &query);
		answer(world, &query);
	}
	buf_done(&query);
}

static void test_large_arrays(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("a large rest is counted by job/{id}, not listed");
	world_start(world, 8, 1, 1000000);
	uint64_t array = model_submit(&world->model, 0, 50000);
	note_count(world);
	search(world);
	details_round(world, JOB_QUEUE_WANTED);
	model_start(&world->model, model_find(&world->model, array));
	world->model.rows = 0;
	world->model.now += 15;
	states_round(world, 1000);
	CHECK_NUMBER(world->model.rows, 1); /* the task that started */
	details_round(world, JOB_QUEUE_WANTED);
	check_same(world);
	check_row("an array of many records is never asked for by its first one");
	for (int i = 0; i < 1500; i++)
		model_start(&world->model, model_find(&world->model, array));
	states_round(world, 1000);
	world->dearest_job = 0;
	details_round(world, JOB_QUEUE_WANTED);
	CHECK_NUMBER(world->dearest_job, 1);
	check_row("then its rest is listed in turns of its own");
	CHECK_NUMBER(job_details_begin(&world->details, JOB_QUEUE_ARRAYS), 1);
	CHECK_NUMBER(job_details_peek(&world->details, JOB_QUEUE_ARRAYS), array);
	world->model.rows = 0;
	list_arrays(world);
	CHECK_NUMBER(world->model.rows, 50000 - 1 - 1500);
	check_same(world);
	check_row("and it is gone when it is gone");
	model_forget(&world->model, (size_t)(model_find(&world->model, array) - world->model.records));
	list_arrays(world);
	list_arrays(world);
	check_same(world);
	world_end(world);
	free(world);
}

/* Before any details are known: the first records of arrays are found by what they bring, and then asked for alone. */
static void test_first_records(void)
{
	struct world *world = calloc(1, sizeof *world);
	enum { ARRAYS = 3, TASKS = 700, OTHERS = 50 };
	check_row("arrays are not asked for twice");
	world_start(world, 11, 1, 1000000);
	for (int i = 0; i < ARRAYS; i++) {
		uint64_t array = model_submit(&world->model, 0, TASKS);
		for (int task = 1; task < TASKS - (i == 1 ? 20 : 0); task++) /* one has an unsplit rest */
			model_start(&world->model, model_find(&world->model, array));
		model_start(&world->model, model_find(&world->model, array));
		for (int job = 0; job < OTHERS; job++)
			model_submit(&world->model, 0, 0);
	}
	note_count(world);
	search(world);
	CHECK(world->dearest_answer < 2 * TASKS); /* never two arrays at once */
	states_round(world, 1000);
	for (int i = 0; i < 5; i++) {
		world->model.rows = 0;
		states_round(world, 1000);
		CHECK_NUMBER(world->model.rows, ARRAYS * (TASKS + OTHERS));
	}
	check_same(world);
	world_end(world);
	free(world);
}

/* The first record of an array with many is never read itself: it gets another's details. */
static void test_borrowed_details(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("the first of many gets another task's details");
	world_start(world, 9, 1, 1000000);
	uint64_t array = model_submit(&world->model, 0, 1500);
	for (int i = 0; i < 1400; i++)
		model_start(&world->model, model_find(&world->model, array));
	find_all(world);
	struct job_view view;
	CHECK_NUMBER(world->dearest_job, 1);
	CHECK(job_table_find(world->table, array, &view) && view.has_details && view.is_unsplit);
	check_same(world);
	world_end(world);
	check_row("what one holds that is a task itself is not known");
	world_start(world, 9, 1, 1000000);
	array = model_submit(&world->model, 0, 1500);
	for (int i = 0; i < 1500; i++)
		model_start(&world->model, model_find(&world->model, array));
	find_all(world);
	struct each_job each = {.max = 5000};
	each_job_choose(&each, world->table, NULL);
	CHECK(job_table_find(world->table, array, &view) && view.has_details && !view.is_unsplit);
	CHECK_NUMBER(each.count, 1499);
	each_job_done(&each);
	check_same(world);
	world_end(world);
	free(world);
}

/* slurmrestd takes 81 kB of URL (SLURMRESTD.md, "Connections"), some are left for what stands before them. */
static void test_urls_are_bounded(void)
{
	struct world *world = calloc(1, sizeof *world);
	struct buf query = BUF_INIT;
	check_row("however many rows a request may bring");
	world_start(world, 15, 60000000, 67000000);
	for (int i = 0; i < 3990; i++)
		model_submit(&world->model, 0, 0);
	find_all(world);
	job_rounds_begin(&world->rounds);
	int requests = 0;
	for (; job_rounds_ask(&world->rounds, UINT64_MAX, &query) && requests < 100; requests++) {
		CHECK(query.len < 61000);
		answer(world, &query);
	}
	CHECK(requests > 1 && requests < 10);
	check_same(world);
	buf_done(&query);
	world_end(world);
	free(world);
}

static void test_search(void)
{
	static const struct {
		const char *name;
		uint64_t first_id, last_id, jump; /* IDs that were used meanwhile */
		uint64_t chosen; /* an ID that an operator chose; 0: none */
		int requests_max;
	} rows[] = {
		{"after a night away", 1, 67043328, 30000, 0, 40},
		{"an operator's id", 1, 67043328, 0, 400000, 500},
		{"a federation's id", 1, 67043328, 20, (UINT64_C(3) << 26) + 77, -1},
		{"the ids begin anew", 100, 5000, 4930, 0, 20},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *world = calloc(1, sizeof *world);
		check_row(rows[i].name);
		world_start(world, i + 1, rows[i].first_id, rows[i].last_id);
		for (int job = 0; job < 20; job++)
			model_submit(&world->model, 0, 0);
		find_all(world);
		check_same(world);
		for (uint64_t id = 0; id < rows[i].jump; id++)
			model_take_id(&world->model);
		world->model.now += 3600;
		for (int job = 0; job < 20; job++)
			model_submit(&world->model, 0, 0);
		if (rows[i].chosen)
			model_submit(&world->model, rows[i].chosen, 0);
		states_round(world, 1000);
		if (rows[i].requests_max < 0) { /* no search looks that far; a list of all does */
			struct buf all = BUF_INIT;
			job_rounds_ask_whole(&world->rounds);
			answer(world, &all);
			buf_done(&all);
		} else {
			for (int count = 0; count < 3; count++)
				note_count(world);
			CHECK(search(world) <= rows[i].requests_max);
		}
		check_same(world);
		check_row("and then its followers are found at once");
		for (int job = 0; job < 3; job++)
			model_submit(&world->model, 0, 0);
		if (rows[i].chosen)
			model_submit(&world->model, rows[i].chosen + 1, 0);
		states_round(world, 1000);
		check_same(world);
		world_end(world);
		free(world);
	}
}

/* Up to the last ID that Slurm gives, then from the first on; in the part of a cluster of a federation, too. */
static void test_ids_begin_anew(void)
{
	static const uint64_t clusters[] = {0, UINT64_C(3) << 26};
	check_row("which ids are asked for where they begin anew");
	for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
		struct job_frontiers frontiers = {.first_id = 100, .last_id = 200};
		struct job_table *table = job_table_new();
		struct buf query = BUF_INIT;
		job_frontiers_advance(&frontiers, clusters[i] + 197);
		frontiers.items[0].at_once = 10;
		CHECK_NUMBER(job_frontiers_ask(&frontiers, table, 10, &query), 10);
		CHECK_NUMBER(frontiers.probes.count, 10);
		for (size_t probe = 0; probe < frontiers.probes.count; probe++)
			CHECK_NUMBER(frontiers.probes.ids[probe], clusters[i] + (probe < 3 ? 198 : 100 - 3) + probe);
		buf_done(&query);
		job_frontiers_done(&frontiers);
		job_table_free(table);
	}
}

/* Where IDs have begun again, jobs that have ended may still have the next ones. While Slurm gives none, these become
 * free one after the other, and Slurm gives the first free one next. */
static void test_freed_ids(void)
{
	static const struct {
		const char *name;
		uint64_t freed[3]; /* in this order, by one round each */
		uint64_t given; /* the next ID then */
	} rows[] = {
		{"the first one", {1}, 1},
		{"one among them", {7}, 7},
		{"one before another one", {7, 3}, 3},
		{"one behind another one", {3, 7}, 3},
		{"the last one before they begin again", {2000, 2}, 2000},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *world = calloc(1, sizeof *world);
		check_row(rows[i].name);
		world_start(world, 1, 1, 2000);
		for (uint64_t id = 1; id <= 12; id++)
			model_submit(&world->model, id, 0);
		for (uint64_t id = 1998; id <= 2000; id++)
			model_submit(&world->model, id, 0);
		find_all(world);
		world->model.next_id = 1999;
		job_frontiers_done(&world->rounds.frontiers);
		world->rounds.frontiers = (struct job_frontiers){.first_id = 1, .last_id = 2000};
		job_frontiers_advance(&world->rounds.frontiers, 1998);
		states_round(world, 1000);
		for (size_t step = 0; step < 3 && rows[i].freed[step]; step++) {
			model_forget(&world->model,
				     (size_t)(model_find(&world->model, rows[i].freed[step]) - world->model.records));
			states_round(world, 1000);
		}
		CHECK_NUMBER(model_submit(&world->model, 0, 0), rows[i].given);
		states_round(world, 1000);
		check_same(world);
		model_submit(&world->model, 0, 0);
		states_round(world, 1000);
		check_same(world);
		CHECK_NUMBER(world->rounds.frontiers.count, 1);
		world_end(world);
		free(world);
	}
}

/* A round first asks for the next ID alone. Jobs that come before its next request have that ID, and others. */
static void test_jobs_between_requests(void)
{
	static const struct {
		const char *name;
		uint64_t last_id, next_id;
		bool is_search;
	} rows[] = {
		{"of a round", 1000000, 1, false},
		{"of a round, where IDs begin again", 1000, 980, false},
		{"of a search", 1000000, 1, true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *world = calloc(1, sizeof *world);
		struct buf query = BUF_INIT;
		check_row(rows[i].name);
		world_start(world, 1, 1, rows[i].last_id);
		world->model.next_id = rows[i].next_id;
		for (int job = 0; job < 20; job++)
			model_submit(&world->model, 0, 0);
		find_all(world);
		job_rounds_begin(&world->rounds);
		job_search_begin(&world->rounds.search, &world->rounds.frontiers, world->table);
		world->rounds.search.expected = 1000; /* it goes on */
		for (int request = 0; request < 10; request++) {
			if (!(rows[i].is_search ? job_rounds_ask_search(&world->rounds, 1000, &query)
						: job_rounds_ask(&world->rounds, 1000, &query)))
				break;
			answer(world, &query);
			for (int job = 0; job < (request < 3) * 3; job++)
				model_submit(&world->model, 0, 0);
		}
		states_round(world, 1000);
		check_same(world);
		buf_done(&query);
		world_end(world);
		free(world);
	}
}

/* Between any two requests of a round one of a search and an array's turn: it goes on where it was. */
/* Each cluster of a federation gives IDs of its own, and jobs of all of them may wait here. */
static void test_federation(void)
{
	enum { CLUSTERS = 63, JOBS = 3 };
	struct world *world = calloc(1, sizeof *world);
	uint64_t next[CLUSTERS];
	check_row("new jobs of all clusters of a federation are found by the next round");
	world_start(world, 21, 1, 1000000);
	world->model.last_id = UINT64_MAX;
	for (uint64_t i = 0; i < CLUSTERS; i++)
		next[i] = (i + 1) << 26 | (1000 + i);
	for (int round = 0; round < JOBS; round++) {
		for (size_t i = 0; i < CLUSTERS; i++) {
			world->model.next_id = next[i];
			model_submit(&world->model, 0, 0);
			next[i] = world->model.next_id;
		}
		if (round == 0) {
			struct buf all = BUF_INIT;
			job_rounds_ask_whole(&world->rounds);
			answer(world, &all);
			buf_done(&all);
		}
		states_round(world, 1000);
		check_same(world);
		details_round(world, JOB_QUEUE_WANTED);
	}
	check_row("one that chooses its ids does not push out the others");
	for (uint64_t i = 1; i < 100; i++)
		job_frontiers_advance(&world->rounds.frontiers, UINT64_C(7) << 26 | i * 100000);
	CHECK_NUMBER(world->rounds.frontiers.count, CLUSTERS - 1 + JOB_FRONTIERS_EACH_MAX);
	world->model.next_id = next[0];
	model_submit(&world->model, 0, 0);
	states_round(world, 1000);
	check_same(world);
	world_end(world);
	check_row("what others tell of one cluster's ids counts, however young other clusters' jobs are");
	world_start(world, 23, 1, 1000000);
	job_rounds_note_id(&world->rounds, UINT64_C(1) << 26 | 70, 1000);
	job_rounds_note_id(&world->rounds, UINT64_C(2) << 26 | 80, 500);
	CHECK_NUMBER(job_frontiers_top_of(&world->rounds.frontiers, 1), UINT64_C(1) << 26 | 71);
	CHECK_NUMBER(job_frontiers_top_of(&world->rounds.frontiers, 2), UINT64_C(2) << 26 | 81);
	job_rounds_note_id(&world->rounds, UINT64_C(2) << 26 | 90000, 400);
	CHECK_NUMBER(job_frontiers_top_of(&world->rounds.frontiers, 2), UINT64_C(2) << 26 | 81);
	world_end(world);
	free(world);
}

static void test_search_of_a_federation(void)
{
	enum { CLUSTERS = 3, JOBS = 40 };
	struct world *world = calloc(1, sizeof *world);
	check_row("a search looks around each cluster's ids, not through all between them");
	world_start(world, 22, 1, 1000000);
	world->model.last_id = UINT64_MAX;
	for (uint64_t i = 0; i < CLUSTERS; i++) {
		world->model.next_id = (i + 1) << 26 | 5000;
		for (int job = 0; job < JOBS; job++)
			model_submit(&world->model, 0, 0);
		job_frontiers_advance(&world->rounds.frontiers, (i + 1) << 26 | 5200);
	}
	note_count(world);
	CHECK(search(world) < 20000);
	check_same(world);
	world_end(world);
	free(world);
}

static void test_rounds_are_not_disturbed(void)
{
	struct world *world = calloc(1, sizeof *world);
	struct buf query = BUF_INIT;
	enum { JOBS = 300, ROWS = 50, TASKS = 5000, STARTED = 1500 };
	check_row("a round goes on beside a search and an array's turns");
	world_start(world, 12, 1, 1000000);
	uint64_t array = model_submit(&world->model, 0, TASKS);
	for (int i = 0; i < STARTED; i++)
		model_start(&world->model, model_find(&world->model, array));
	for (int i = 0; i < JOBS; i++)
		model_submit(&world->model, 0, 0);
	find_all(world);
	states_round(world, 1000);
	CHECK_NUMBER(job_details_begin(&world->details, JOB_QUEUE_ARRAYS), 1);
	for (uint64_t id = 900000; id < 900020; id++) /* an operator's, far away */
		model_submit(&world->model, id, 0);
	uint64_t last = model_submit(&world->model, 0, 0);
	note_count(world);
	job_search_begin(&world->rounds.search, &world->rounds.frontiers, world->table);
	job_rounds_begin(&world->rounds);
	int requests = 0, failed = 0;
	uint64_t rows = 0, asked;
	while ((asked = job_rounds_ask(&world->rounds, ROWS, &query)) && requests < 100) {
		uint64_t before = world->model.rows;
		world->fail_one_in = requests % 7 == 3 && !failed ? 1 : 0;
		failed += world->fail_one_in;
		answer(world, &query);
		rows += world->fail_one_in ? 0 : world->model.rows - before;
		requests++;
		world->fail_one_in = 0;
		if (job_rounds_ask_search(&world->rounds, 20, &query))
			answer(world, &query);
		if (requests % 5 == 0)
			list_arrays(world);
		CHECK(world->rounds.is_open);
	}
	CHECK(failed);
	CHECK(requests > (JOBS + STARTED) / ROWS && requests < (JOBS + STARTED) / ROWS + 6);
	CHECK_NUMBER(rows, JOBS + STARTED); /* the youngest is found by the search */
	CHECK(job_table_find(world->table, last, &(struct job_view){0}));
	search(world);
	check_same(world);
	check_row("and is asked above the frontier after a failure there");
	last = model_submit(&world->model, 0, 0);
	for (int i = 0; i < 2; i++) {
		job_rounds_begin(&world->rounds);
		while ((asked = job_rounds_ask(&world->rounds, ROWS, &query))) {
			world->fail_one_in = !i && world->rounds.round.asked == world->rounds.round.count;
			answer(world, &query);
			if (world->fail_one_in)
				break; /* as the poller does: it begins again */
		}
		buf_clear(&query);
		world->fail_one_in = 0;
	}
	buf_done(&query);
	CHECK(job_table_find(world->table, last, &(struct job_view){0}));
	world_end(world);
	free(world);
}

/* Which moves the submit time, but not the ID. */
static void test_requeued_jobs_are_no_frontier(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("old jobs that are requeued do not push out where new ones appear");
	world_start(world, 14, 1, 1000000);
	for (int i = 0; i < 60; i++) {
		model_submit(&world->model, 0, 0);
		for (int id = 0; id < 12000; id++)
			model_take_id(&world->model);
	}
	uint64_t newest = model_submit(&world->model, 0, 0);
	struct buf all = BUF_INIT;
	job_rounds_ask_whole(&world->rounds);
	answer(world, &all);
	buf_done(&all);
	details_round(world, JOB_QUEUE_WANTED);
	uint64_t top = job_frontiers_top(&world->rounds.frontiers);
	CHECK(top > newest);
	for (uint64_t i = 0; i < 8; i++) {
		const struct job requeued = {.id = world->model.records[i].id,
					     .submit_time = world->model.now + 100 + i,
					     .restarts = 1 + i % 2};
		job_rounds_note_job(&world->rounds, &requeued);
	}
	CHECK_NUMBER(job_frontiers_top(&world->rounds.frontiers), top);
	model_submit(&world->model, 0, 0);
	states_round(world, 1000);
	check_same(world);
	world_end(world);
	free(world);
}

/* Totals wait for jobs that are new, not for those that changed. */
static void test_who_lacks_details(void)
{
	struct world *world = calloc(1, sizeof *world);
	uint64_t ids[5];
	enum { NEW = 5, CHANGED = 60 };
	check_row("new jobs lack details, others that changed do not");
	world_start(world, 13, 1, 1000000);
	for (int i = 0; i < CHANGED; i++)
		model_submit(&world->model, 0, 0);
	find_all(world);
	CHECK(!job_details_are_lacking(&world->details));
	for (int i = 0; i < CHANGED; i++)
		model_start(&world->model, &world->model.records[i]);
	for (int i = 0; i < NEW; i++)
		model_submit(&world->model, 0, 0);
	states_round(world, 1000);
	CHECK_NUMBER(job_details_begin(&world->details, JOB_QUEUE_WANTED), NEW + CHANGED);
	for (int i = 0; i < NEW; i++) {
		CHECK(job_details_are_lacking(&world->details));
		model_job(&world->model, job_details_next(&world->details, JOB_QUEUE_WANTED), take_job, world);
	}
	CHECK(!job_details_are_lacking(&world->details));
	CHECK_NUMBER(job_details_left(&world->details, JOB_QUEUE_WANTED), CHANGED);
	check_row("so do those that slurmdbd did not tell of");
	for (int i = 0; i < NEW; i++)
		model_submit(&world->model, 0, 0);
	states_round(world, 1000);
	job_details_begin(&world->details, JOB_QUEUE_WANTED);
	CHECK_NUMBER(job_details_next_unseen(&world->details, ids, NEW), NEW);
	job_details_note_recorded(&world->details, ids, NEW);
	CHECK(job_details_are_lacking(&world->details));
	details_round(world, JOB_QUEUE_WANTED);
	CHECK(!job_details_are_lacking(&world->details));
	world_end(world);
	free(world);
}

static void test_count(void)
{
	struct world *world = calloc(1, sizeof *world);
	world_start(world, 1, 1, 1000);
	check_row("a count is believed when it misses jobs three times");
	for (int job = 0; job < 10; job++)
		model_submit(&world->model, 0, 0);
	note_count(world);
	search(world);
	CHECK(!note_count(world));
	CHECK_NUMBER(job_search_coverage(&world->rounds.search, world->table), 1);
	model_submit(&world->model, 900, 0);
	CHECK(!note_count(world));
	CHECK_NUMBER(job_search_coverage(&world->rounds.search, world->table), 10.0 / 11);
	CHECK(!note_count(world));
	CHECK(note_count(world));
	check_row("or when most are missing");
	for (int job = 0; job < 30; job++)
		model_submit(&world->model, 500 + (uint64_t)job * 10, 0);
	world->rounds.search.misses = 0;
	CHECK(note_count(world));
	world_end(world);
	free(world);
}

/* A thousandth of the jobs comes or goes while diag's count is on its way. But what stays missing is missing. */
static void test_few_missing(void)
{
	struct world *world = calloc(1, sizeof *world);
	world_start(world, 1, 1, 67043328);
	world->model.next_id = 5000000;
	for (int job = 0; job < 3000; job++)
		model_submit(&world->model, 0, 0);
	job_frontiers_advance(&world->rounds.frontiers, world->model.next_id - 1);
	find_all(world);
	check_same(world);
	check_row("one of 3,000 is searched for when 20 counts in a row miss it");
	model_submit(&world->model, 4950000, 0);
	for (int count = 1; count < 20; count++)
		CHECK(!note_count(world));
	CHECK(note_count(world));
	CHECK(search(world) < 200);
	check_same(world);
	CHECK(!job_search_has_failed(&world->rounds.search, world->table));
	check_row("not so where another one is, time and again");
	for (int count = 1; count < 60; count++) {
		size_t which = model_below(&world->model, 3000);
		struct record record = world->model.records[which];
		bool is_gone = count % 20 == 0;
		if (is_gone)
			model_forget(&world->model, which);
		CHECK(!job_rounds_note_count(&world->rounds, count_live(&world->model) + !is_gone));
		if (is_gone)
			model_add(&world->model, record);
	}
	check_row("nor where more were known shortly before");
	for (int count = 1; count < 60; count++) {
		uint64_t known = count_live(&world->model);
		model_forget(&world->model, model_below(&world->model, 1000));
		states_round(world, 1000);
		CHECK(!job_rounds_note_count(&world->rounds, known));
	}
	check_row("a search for few looks near the frontier");
	job_rounds_note_count(&world->rounds, count_live(&world->model) + 1);
	world->model.rows = 0;
	CHECK(search(world) < 200);
	CHECK(job_search_has_failed(&world->rounds.search, world->table));
	world_end(world);
	free(world);
}

/* Of IDs whose jobs are gone there may be more than a round looks at. */
static void test_gap(void)
{
	struct world *world = calloc(1, sizeof *world);
	world_start(world, 1, 1, 100000);
	for (int job = 0; job < 20; job++)
		model_submit(&world->model, 0, 0);
	find_all(world);
	for (int id = 0; id < 900; id++)
		model_take_id(&world->model);
	model_submit(&world->model, 0, 0);
	check_row("a round does not look past them");
	states_round(world, 1000);
	CHECK_NUMBER(job_table_counts(world->table).rows, 20);
	check_row("but the one after diag has missed a job, without a search");
	CHECK(!note_count(world));
	states_round(world, 1000);
	check_same(world);
	check_row("and then the rounds are small again");
	CHECK(!note_count(world));
	job_rounds_begin(&world->rounds);
	CHECK_NUMBER(job_frontiers_work(&world->rounds.frontiers, true), JOB_WINDOW_MIN);
	world_end(world);
	free(world);
}

/* As after a restart: the rows are there, and what was known besides is not but for what is handed over. */
static void restart(struct world *world, uint64_t lost)
{
	struct id_map tails = world->rounds.tails, doubted = {0};
	world->rounds.tails = (struct id_map){0};
	job_rounds_done(&world->rounds);
	job_details_done(&world->details);
	job_rounds_init(&world->rounds, world->table, world->model.first_id, world->model.last_id);
	job_details_init(&world->details, world->table);
	CHECK(job_table_remove(world->table, lost));
	id_map_set(&doubted, (uint32_t)lost, 1);
	id_map_set(&doubted, (uint32_t)world->model.last_id, 1); /* there is no such job */
	job_rounds_resume(&world->rounds, &tails, &doubted);
	CHECK(!tails.slots && !doubted.slots);
}

static void test_resume(void)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		char row[32];
		snprintf(row, sizeof row, "seed %" PRIu64, seed);
		check_row(row);
		struct world *world = calloc(1, sizeof *world);
		world_start(world, seed, 1, seed % 2 ? 1000000 : 2500); /* where IDs begin again */
		for (int i = 0; i < 200; i++)
			live_a_little(world);
		find_all(world);
		details_round(world, JOB_QUEUE_ROTATION);
		states_round(world, 1000);
		restart(world, world->model.records[model_below(&world->model, world->model.count)].id);
		for (int i = 0; i < 30; i++)
			live_a_little(world);
		for (int i = 0; i < 700; i++)
			model_take_id(&world->model); /* of jobs that have come and gone */
		uint64_t newest = model_submit(&world->model, 0, 0), rows = world->model.rows,
			 known = count_rows(world);
		job_rounds_note_id(&world->rounds, newest, world->model.now); /* slurmdbd, or conf */
		job_rounds_note_last(&world->rounds, newest);
		states_round(world, 1000);
		check_same(world);
		CHECK(world->model.rows - rows < 3 * known + 300);
		job_rounds_verified(&world->rounds);
		check_row("what was told before counts when it is told again");
		job_rounds_note_id(&world->rounds, newest + 50, world->model.now);
		CHECK(seed % 2 == 0 || job_frontiers_top(&world->rounds.frontiers) == newest + 51);
		world_end(world);
		free(world);
	}
	check_row(NULL);
}

static void test_frontiers_are_bounded(void)
{
	struct world *world = calloc(1, sizeof *world);
	struct buf query = BUF_INIT;
	size_t most = 0;
	check_row("where many jobs are new, ever more ids are asked for, but not without end");
	world_start(world, 18, 1, 1000000);
	model_submit(&world->model, 0, 0);
	find_all(world);
	for (int i = 0; i < 3900; i++)
		model_submit(&world->model, 0, 0);
	job_rounds_begin(&world->rounds);
	while (job_rounds_ask(&world->rounds, UINT64_MAX, &query)) {
		most = world->rounds.frontiers.probes.count > most ? world->rounds.frontiers.probes.count : most;
		answer(world, &query);
	}
	CHECK_NUMBER(most, 1024);
	check_same(world);
	buf_done(&query);
	world_end(world);
	free(world);
}

/* A task comes twice if its ID was asked for in two ways. */
static void test_tasks_count_once(void)
{
	struct job_answer answer = {.count = 0};
	struct job_table *table = job_table_new();
	struct id_map tails = {0};
	struct job_view view;
	check_row("tasks count once");
	for (const char *name = "7_17_27_27_37_3"; *name; name += 3)
		job_answer_take(&answer, &(struct job_task){.id = 7, .name = {name, 3}, .state = JOB_PENDING});
	job_answer_apply(&answer, table, NULL, &tails, 1000);
	CHECK(job_table_find(table, 7, &view) && view.tasks == 3);
	free(answer.rows);
	id_map_done(&tails);
	job_table_free(table);
}

static void test_lists_leave_nothing_behind(void)
{
	struct world *world = calloc(1, sizeof *world);
	struct buf all = BUF_INIT;
	check_row("of an array that is on no list any more nothing is remembered");
	world_start(world, 17, 1, 1000000);
	uint64_t array = model_submit(&world->model, 0, 5000);
	for (int i = 0; i < 1500; i++)
		model_start(&world->model, model_find(&world->model, array));
	find_all(world);
	list_arrays(world);
	CHECK(world->rounds.tails.count);
	model_forget(&world->model, (size_t)(model_find(&world->model, array) - world->model.records));
	job_rounds_ask_whole(&world->rounds);
	answer(world, &all);
	check_same(world);
	CHECK_NUMBER(world->rounds.tails.count, 0);
	buf_done(&all);
	world_end(world);
	free(world);
}

static void test_search_reaches_the_first_id(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("the lowest id of all is searched, too");
	world_start(world, 16, 100, 1000000);
	for (int id = 0; id < 500; id++)
		model_take_id(&world->model);
	for (int i = 0; i < 5; i++)
		model_submit(&world->model, 0, 0);
	find_all(world);
	model_submit(&world->model, 100, 0);
	note_count(world);
	search(world);
	check_same(world);
	world_end(world);
	free(world);
}

/* Five leaders in one request took slurmrestd more than two minutes (SLURMRESTD.md, "Several leaders"). So no answer may
 * have more rows than one array and one usual answer. */
static void test_neighbouring_leaders(void)
{
	enum { ARRAYS = 5, TASKS = 300, SINGLES = 400, ROWS_MAX = 50 };
	static const struct {
		const char *name;
		int split; /* tasks of each array */
		bool is_in_turn; /* the arrays' tasks split in turn, not one array after the other */
		bool is_frontier_known;
	} rows[] = {
		{"leaders are neighbours, and all their tasks are split", TASKS, false, true},
		{"and their tasks' ids are mixed", TASKS, true, true},
		{"half of the tasks are split", TASKS / 2, false, true},
		{"nothing is known, and they are the first jobs of all", TASKS, false, false},
		{"nothing is known, and nothing is split", 0, false, false},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct world *world = calloc(1, sizeof *world);
		uint64_t leaders[ARRAYS];
		check_row(rows[row].name);
		world_start(world, 19, 1, 1000000);
		for (int i = 0; i < ARRAYS; i++)
			leaders[i] = model_submit(&world->model, 0, TASKS);
		for (int i = 0; i < ARRAYS * rows[row].split; i++) {
			int array = rows[row].is_in_turn ? i % ARRAYS : i / rows[row].split;
			model_start(&world->model, model_find(&world->model, leaders[array]));
		}
		for (int i = 0; i < SINGLES; i++)
			model_submit(&world->model, 0, 0);
		if (rows[row].is_frontier_known)
			job_frontiers_advance(&world->rounds.frontiers, world->model.next_id - 1);
		CHECK(note_count(world));
		search_by(world, ROWS_MAX);
		CHECK(world->dearest_answer <= TASKS + ROWS_MAX);
		CHECK(world->dearest_job <= 1);
		check_same(world);
		check_row("and the round after it");
		world->dearest_answer = 0;
		states_round(world, ROWS_MAX);
		CHECK(world->dearest_answer <= TASKS + ROWS_MAX);
		check_same(world);
		world_end(world);
		free(world);
	}
}

/* A leader that may bring more than 25,000 rows is not asked for at all. */
static void test_huge_arrays(void)
{
	enum { ARRAYS = 5, SPLIT = 300, TASKS = 30000, ROWS_MAX = 50 };
	struct world *world = calloc(1, sizeof *world);
	check_row("the tasks of huge arrays are found by their own ids");
	world_start(world, 21, 1, 1000000);
	for (int i = 0; i < ARRAYS; i++)
		model_submit(&world->model, 0, TASKS);
	for (uint64_t id = 1; id <= ARRAYS; id++) {
		model_find(&world->model, id)->first = TASKS - SPLIT;
		for (int i = 0; i < SPLIT; i++)
			model_start(&world->model, model_find(&world->model, id));
	}
	job_frontiers_advance(&world->rounds.frontiers, world->model.next_id - 1);
	CHECK(note_count(world));
	search_by(world, ROWS_MAX);
	CHECK(world->dearest_answer <= 2 * ROWS_MAX);
	CHECK(world->dearest_job <= 1);
	CHECK_NUMBER(job_table_counts(world->table).rows, ARRAYS * (SPLIT - 1));
	world_end(world);
	free(world);
}

/* Where IDs begin again at the first one, a leader has a higher ID than its tasks. */
static void test_samples_are_no_leaders(void)
{
	struct job_leaders leaders = {.sample = 0};
	struct job_answer answer = {.count = 0};
	struct job_table *table = job_table_new();
	struct id_map tails = {0}, asked = {0};
	check_row("a leader is no sample: job/{id} would bring the whole array");
	id_map_set(&asked, 900, 1);
	job_answer_take(&answer, &(struct job_task){.id = 101, .name = TEXT("101_2"), .state = JOB_RUNNING});
	job_answer_take(&answer, &(struct job_task){.id = 900, .name = TEXT("900_3"), .state = JOB_RUNNING});
	job_answer_take(&answer, &(struct job_task){.id = 100, .name = TEXT("100_1"), .state = JOB_RUNNING});
	job_answer_apply(&answer, table, &asked, &tails, 1000);
	job_leaders_sample(&leaders, &answer, &tails, table);
	CHECK_NUMBER(job_leaders_take_sample(&leaders), 101);
	CHECK_NUMBER(job_leaders_take_sample(&leaders), 0);
	CHECK_NUMBER(leaders.largest_task, 3);
	free(answer.rows);
	job_leaders_done(&leaders);
	id_map_done(&tails);
	id_map_done(&asked);
	job_table_free(table);
}

/* The same in a round: arrays that were submitted since the last one. */
static void test_new_neighbours(void)
{
	enum { ARRAYS = 5 };
	/* On a real 26.05 a round met 12 new jobs and then five new arrays of 20,000 tasks. It asked for all of them at
	 * once, and waited for two minutes without success. */
	static const struct {
		const char *name;
		uint64_t seed, tasks, singles, rows_max;
	} rows[] = {
		{"five arrays are new", 20, 300, 0, 50},
		{"five large arrays are new, behind a few new jobs", 24, 8000, 12, 500},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct world *world = calloc(1, sizeof *world);
		check_row(rows[row].name);
		world_start(world, rows[row].seed, 1, 1000000);
		model_submit(&world->model, 0, 0);
		find_all(world);
		world->dearest_answer = 0;
		for (uint64_t i = 0; i < rows[row].singles; i++)
			model_submit(&world->model, 0, 0);
		for (int i = 0; i < ARRAYS; i++)
			model_submit(&world->model, 0, rows[row].tasks);
		states_round(world, rows[row].rows_max);
		CHECK(world->dearest_answer <= rows[row].tasks + rows[row].rows_max);
		check_same(world);
		world_end(world);
		free(world);
	}
}

/* Requests have grown when a search meets unsplit arrays that are neighbours. 100,000 rows of five took 40 s. */
static void test_neighbours_behind_singles(void)
{
	enum { ARRAYS = 5, TASKS = 8000, SINGLES = 300, ROWS_MAX = 500 };
	static const struct {
		const char *name;
		uint64_t array_size; /* that is configured */
		bool is_first_seen; /* an array's size is seen before its neighbours are met */
	} rows[] = {
		{"unsplit arrays behind many single jobs", TASKS + 1, false},
		{"arrays larger than configured, after one of them was met", 1001, true},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct world *world = calloc(1, sizeof *world);
		check_row(rows[row].name);
		world_start(world, 23, 1, 1000000);
		world->rounds.search.array_size = rows[row].array_size;
		for (int i = 0; i < ARRAYS; i++)
			model_submit(&world->model, 0, TASKS);
		for (int i = 0; i < SINGLES; i++)
			model_submit(&world->model, 0, 0);
		if (rows[row].is_first_seen)
			model_submit(&world->model, 0, TASKS);
		job_frontiers_advance(&world->rounds.frontiers, world->model.next_id - 1);
		CHECK(note_count(world));
		search_by(world, ROWS_MAX);
		CHECK(world->dearest_answer <= JOB_ROWS_SAFE);
		check_same(world);
		world_end(world);
		free(world);
	}
}

/* slurmdbd tells of a job that has ended before a round has seen those that were submitted with it. */
static void test_told_ids_skip_nobody(void)
{
	static const struct {
		const char *name;
		int before, gone; /* jobs below the one that slurmdbd reports: alive, and gone already */
	} rows[] = {
		{"jobs that came between are found", 5, 0},
		{"behind more ids without jobs than a window has", 0, 900},
		{"or among them", 2, 3000},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct world *world = calloc(1, sizeof *world);
		check_row(rows[row].name);
		world_start(world, 24, 1, 1000000);
		for (int i = 0; i < 3000; i++)
			model_submit(&world->model, 0, 0);
		find_all(world);
		for (int i = 0; i < rows[row].before; i++)
			model_submit(&world->model, 0, 0);
		for (int i = 0; i < rows[row].gone; i++)
			model_take_id(&world->model);
		uint64_t told = model_take_id(&world->model);
		model_submit(&world->model, 0, 0);
		job_rounds_note_id(&world->rounds, told, world->model.now + 1);
		CHECK_NUMBER(job_frontiers_top(&world->rounds.frontiers), told + 1);
		states_round(world, 500);
		check_same(world);
		check_row("and rounds are small again");
		job_rounds_begin(&world->rounds);
		CHECK_NUMBER(job_frontiers_work(&world->rounds.frontiers, true), JOB_WINDOW_MIN);
		CHECK_NUMBER(world->rounds.frontiers.count, 1);
		world_end(world);
		free(world);
	}
}

/* Beside a large array the others are less than what counts as missed. */
static void test_few_beside_many(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("a search does not end among jobs");
	world_start(world, 25, 1, 1000000);
	for (int i = 0; i < 40; i++)
		model_submit(&world->model, 0, 0);
	model_submit(&world->model, 0, 60000);
	for (int i = 0; i < 40; i++)
		model_submit(&world->model, 0, 0);
	job_frontiers_advance(&world->rounds.frontiers, world->model.next_id - 1);
	CHECK(note_count(world));
	search_by(world, 500);
	check_same(world);
	world_end(world);
	free(world);
}

/* IDs may be far above the first one. A search from there on asked 54,000 times without success, in 20 minutes. */
static void test_blind_search(void)
{
	struct world *world = calloc(1, sizeof *world);
	struct buf query = BUF_INIT;
	check_row("a search that is blind ends when a frontier is learnt");
	world_start(world, 22, 1, 67043328);
	world->model.next_id = 20000000;
	for (int i = 0; i < 100; i++)
		model_submit(&world->model, 0, 0);
	note_count(world);
	job_search_begin(&world->rounds.search, &world->rounds.frontiers, world->table);
	for (int i = 0; i < 3 && job_rounds_ask_search(&world->rounds, 1000, &query); i++)
		answer(world, &query);
	job_rounds_note_id(&world->rounds, 20000050, 1000000);
	CHECK(!world->rounds.search.is_open);
	CHECK(search(world) < 600); /* a million IDs above it come first, 2,000 a request */
	check_same(world);
	check_row("an older id tells nothing");
	uint64_t top = job_frontiers_top(&world->rounds.frontiers);
	job_rounds_note_id(&world->rounds, 50, 999999);
	CHECK_NUMBER(job_frontiers_top(&world->rounds.frontiers), top);
	CHECK_NUMBER(world->rounds.frontiers.count, 1);
	buf_done(&query);
	world_end(world);
	free(world);
}

/* PrivateData: jobs/state shows the job, job/{id} does not. */
static void test_private(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("a job that is not shown stays known, and is not asked for all the time");
	world_start(world, 1, 1, 1000);
	uint64_t id = model_submit(&world->model, 0, 0);
	note_count(world);
	search(world);
	CHECK_NUMBER(job_details_begin(&world->details, JOB_QUEUE_WANTED), 1);
	CHECK_NUMBER(job_details_next(&world->details, JOB_QUEUE_WANTED), id);
	job_details_note_unknown(&world->details, id);
	CHECK_NUMBER(job_table_counts(world->table).jobs_without_details, 1);
	CHECK_NUMBER(job_details_begin(&world->details, JOB_QUEUE_WANTED), 0);
	job_details_begin(&world->details, JOB_QUEUE_ROTATION);
	CHECK_NUMBER(job_details_begin(&world->details, JOB_QUEUE_WANTED), 1);
	world_end(world);
	free(world);
}

int main(void)
{
	test_lives();
	test_round_is_cheap();
	test_large_arrays();
	test_first_records();
	test_borrowed_details();
	test_urls_are_bounded();
	test_search();
	test_ids_begin_anew();
	test_freed_ids();
	test_jobs_between_requests();
	test_rounds_are_not_disturbed();
	test_who_lacks_details();
	test_requeued_jobs_are_no_frontier();
	test_federation();
	test_search_of_a_federation();
	test_count();
	test_few_missing();
	test_gap();
	test_resume();
	test_frontiers_are_bounded();
	test_tasks_count_once();
	test_lists_leave_nothing_behind();
	test_search_reaches_the_first_id();
	test_neighbouring_leaders();
	test_blind_search();
	test_huge_arrays();
	test_samples_are_no_leaders();
	test_new_neighbours();
	test_few_beside_many();
	test_told_ids_skip_nobody();
	test_neighbours_behind_singles();
	test_private();
	return check_done();
}
