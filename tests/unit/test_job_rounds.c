/* Rounds of states and details find what lives, and forget what has gone. */
#include "jobs/each_job.h"
#include "rounds_world.h"

static uint64_t count_rows(const struct world *world)
{
	uint64_t rows = 0;
	for (size_t i = 0; i < world->model.count; i++)
		rows += world->model.records[i].last - world->model.records[i].first + 1;
	return rows;
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

/* A round brings each row once, and looks at few IDs besides. */
static void test_round_is_cheap(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("each row comes once");
	world_start(world, 7, 1, 1000000);
	uint64_t array = model_submit(&world->model, 0, 200);
	submit_jobs(world, 50);
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

static bool waits_for(const struct world *world, uint64_t id, const char *reason)
{
	return text_equal(job_table_reason(world->table, id), text_of(reason));
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
	CHECK_NUMBER(job_rounds_work(&world->rounds), 1 + JOB_WINDOW_MIN); /* without the tasks of the rest */
	details_round(world, JOB_QUEUE_WANTED);
	check_same(world);
	check_row("the first record of many is asked for in turns of its own");
	for (int i = 0; i < 1500; i++)
		model_start(&world->model, model_find(&world->model, array));
	states_round(world, 1000);
	world->dearest_job = 0;
	details_round(world, JOB_QUEUE_WANTED);
	CHECK_NUMBER(world->dearest_job, 1);
	world->model.rows = 0;
	CHECK_NUMBER(arrays_round(world), 1);
	CHECK_NUMBER(world->dearest_job, 1 + 1 + 1500);
	CHECK_NUMBER(world->model.rows, 0);
	check_same(world);
	check_row("if it has too many, the rest loses the tasks that start");
	world->details.records_max = 1200;
	world->model.now += 15;
	for (int i = 0; i < 10; i++)
		model_start(&world->model, model_find(&world->model, array));
	states_round(world, 1000);
	details_round(world, JOB_QUEUE_WANTED);
	CHECK_NUMBER(arrays_round(world), 0);
	check_same(world);
	check_row("and nothing tells why it waits");
	CHECK_NUMBER(world->details.untold, 50000 - 1511);
	CHECK(!waits_for(world, array, "Unknown")); /* but its last reason counts for two minutes */
	world->model.now += 121;
	states_round(world, 1000);
	arrays_round(world);
	CHECK(waits_for(world, array, "Unknown"));
	check_same(world);
	check_row("until it has few");
	world->details.records_max = JOB_ARRAY_RECORDS_DEAR;
	CHECK_NUMBER(arrays_round(world), 1);
	CHECK_NUMBER(world->details.untold, 0);
	CHECK(!waits_for(world, array, "Unknown"));
	check_row("it is gone when it is gone");
	model_forget(&world->model, (size_t)(model_find(&world->model, array) - world->model.records));
	for (int i = 0; i < 3; i++)
		arrays_round(world);
	check_same(world);
	world_end(world);
	free(world);
}

/* A rest of few enough tasks is listed where its first record would bring too much. */
static void test_listed_rests(void)
{
	struct world *world = calloc(1, sizeof *world);
	enum { TASKS = 15000, STARTED = 1500 };
	check_row("jobs/state counts it");
	world_start(world, 8, 1, 1000000);
	world->details.records_max = 1200;
	uint64_t array = model_submit(&world->model, 0, TASKS);
	for (int i = 0; i < STARTED; i++)
		model_start(&world->model, model_find(&world->model, array));
	find_all(world);
	world->model.rows = world->dearest_job = 0;
	CHECK_NUMBER(arrays_round(world), 1);
	CHECK_NUMBER(world->model.rows, TASKS - STARTED);
	CHECK_NUMBER(world->dearest_job, 0);
	check_same(world);
	check_row("and is gone when it is gone");
	model_forget(&world->model, (size_t)(model_find(&world->model, array) - world->model.records));
	arrays_round(world);
	arrays_round(world);
	check_same(world);
	world_end(world);
	free(world);
}

/* 26.05: an array's first record is asked for by its SLUID, however many others there are. */
static void test_sluids(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("its SLUID brings the first record alone");
	world_start(world, 8, 1, 1000000);
	world->details.takes_sluids = true;
	uint64_t array = model_submit(&world->model, 0, 50000);
	find_all(world);
	for (int i = 0; i < 2000; i++) {
		model_start(&world->model, model_find(&world->model, array));
		if (i == 200) {
			states_round(world, 1000);
			details_round(world, JOB_QUEUE_WANTED);
		}
	}
	states_round(world, 1000);
	world->dearest_job = 0;
	CHECK_NUMBER(details_round(world, JOB_QUEUE_WANTED), 1 + 2000 - 201);
	CHECK_NUMBER(world->dearest_job, 1);
	CHECK_NUMBER(arrays_round(world), 0);
	check_same(world);
	check_row("so its reason is renewed as any other's");
	CHECK_NUMBER(details_round(world, JOB_QUEUE_REASONS), 1);
	CHECK_NUMBER(world->dearest_job, 1);
	check_row("it is kept as long as the record is there");
	uint64_t other = model_submit(&world->model, 0, 5);
	states_round(world, 1000);
	details_round(world, JOB_QUEUE_WANTED);
	CHECK_NUMBER(world->details.sluid_count, 2);
	model_forget(&world->model, (size_t)(model_find(&world->model, other) - world->model.records));
	states_round(world, 1000);
	states_round(world, 1000);
	job_details_begin(&world->details, JOB_QUEUE_ROTATION);
	CHECK_NUMBER(world->details.sluid_count, 1);
	char name[JOB_NAME_BYTES];
	CHECK(job_details_name(&world->details, array, name));
	CHECK_STRING(name, "s1");
	check_row("a slurmrestd that refuses SLUIDs is not asked by them again");
	job_details_forget_sluid(&world->details, array);
	arrays_round(world);
	CHECK_NUMBER(world->dearest_job, 1 + 2000);
	CHECK(world->details.refuses_sluids);
	CHECK_NUMBER(details_round(world, JOB_QUEUE_REASONS), 0);
	check_row("it is gone when it is gone");
	model_forget(&world->model, (size_t)(model_find(&world->model, array) - world->model.records));
	for (int i = 0; i < 3; i++) {
		details_round(world, JOB_QUEUE_WANTED);
		arrays_round(world);
	}
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
		submit_jobs(world, OTHERS);
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
	CHECK(waits_for(world, array, "Unknown"));
	check_same(world);
	world_end(world);
	check_row("what one holds that is a task itself is not known");
	world_start(world, 9, 1, 1000000);
	array = model_submit(&world->model, 0, 1500);
	for (int i = 0; i < 1500; i++)
		model_start(&world->model, model_find(&world->model, array));
	find_all(world);
	struct each_job each = {.sets[STAGE_HOLDING].max = 5000};
	each_job_choose(&each, world->table, NULL);
	CHECK(job_table_find(world->table, array, &view) && view.has_details && !view.is_unsplit);
	CHECK_NUMBER(each.sets[STAGE_HOLDING].count, 1499);
	check_row("until its turn comes");
	CHECK_NUMBER(arrays_round(world), 1);
	each_job_choose(&each, world->table, NULL);
	CHECK_NUMBER(each.sets[STAGE_HOLDING].count, 1500);
	each_job_done(&each);
	check_same(world);
	world_end(world);
	free(world);
}

/* With just as many records as its ID may bring, the first one is asked for itself. */
static void test_the_most_records(void)
{
	enum { ARRAY = 7, LAST = ARRAY + JOB_ARRAY_RECORDS_MAX };
	struct job_table *table = job_table_new();
	struct job_details details;
	struct job_view view;
	job_details_init(&details, table);
	CHECK(job_table_set_state(table, ARRAY, JOB_RUNNING, 0, 1000));
	for (uint64_t id = ARRAY + 1; id <= LAST + 1; id++) {
		bool is_too_many = id > LAST;
		const struct job job = {.id = id,
					.array_job_id = ARRAY,
					.array_task_id = id - ARRAY,
					.state = JOB_RUNNING,
					.submit_time = 1,
					.partitions = TEXT("cpu")};
		job_details_take(&details, &job, 1000);
		if (id < LAST)
			continue;
		check_row(is_too_many ? "one more" : "the most records");
		CHECK(job_table_find(table, ARRAY, &view));
		CHECK_NUMBER(view.has_details, is_too_many);
		CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_WANTED), !is_too_many);
		CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_WANTED), is_too_many ? 0 : ARRAY);
	}
	check_row("any record without details may be the array's");
	for (uint64_t id = LAST + 2; id < LAST + 102; id++)
		CHECK(job_table_set_state(table, id, JOB_RUNNING, 0, 1000));
	CHECK_NUMBER(job_details_records(&details, ARRAY), JOB_ARRAY_RECORDS_MAX + 2 + 100);
	job_details_done(&details);
	job_table_free(table);
}

/* A rest's list that Slurm cut does not show that a task left it. A start in the second of the listing may be either side. */
static void test_a_task_leaves_a_rest_that_was_listed(void)
{
	enum { ARRAY = 7, LISTED = 1000, TASKS = 5000 };
	static const struct {
		const char *what;
		uint64_t start;
		int state;
		uint64_t left;
	} rows[] = {
		{"it was running then", LISTED - 1, JOB_RUNNING, TASKS},
		{"it starts in that second", LISTED, JOB_RUNNING, TASKS - 1},
		{"it starts later", LISTED + 1, JOB_RUNNING, TASKS - 1},
		{"it waits, and has a forecast", LISTED + 1, JOB_PENDING, TASKS},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job_table *table = job_table_new();
		struct job_details details;
		struct job_view view;
		struct job job = {.id = ARRAY,
				  .array_job_id = ARRAY,
				  .array_task_id = NUMBER_UNSET,
				  .array_tasks = TEXT("1-4999,..."),
				  .state = JOB_PENDING,
				  .submit_time = 1,
				  .partitions = TEXT("cpu")};
		check_row(rows[i].what);
		job_details_init(&details, table);
		job_details_take(&details, &job, LISTED);
		CHECK(job_table_set_tasks(table, ARRAY, TASKS));
		for (int again = 0; again < 2; again++) { /* it left once */
			job.id = ARRAY + 1;
			job.array_task_id = 3;
			job.array_tasks = TEXT("");
			job.state = rows[i].state;
			job.start_time = rows[i].start;
			job_details_take(&details, &job, LISTED + 5);
			CHECK(job_table_find(table, ARRAY, &view));
			CHECK_NUMBER(view.tasks, rows[i].left);
		}
		job_details_done(&details);
		job_table_free(table);
	}
}

/* slurmrestd takes 81 kB of URL (SLURMRESTD.md, "Connections"), some are left for what stands before them. */
static void test_urls_are_bounded(void)
{
	struct world *world = calloc(1, sizeof *world);
	struct buf query = BUF_INIT;
	check_row("however many rows a request may bring");
	world_start(world, 15, 60000000, 67000000);
	submit_jobs(world, 3990);
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
	submit_jobs(world, JOBS);
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
		CHECK(world->rounds.is_open);
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
			arrays_round(world);
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

/* Totals wait for jobs that are new, not for those that changed. */
static void test_who_lacks_details(void)
{
	struct world *world = calloc(1, sizeof *world);
	uint64_t ids[5];
	enum { NEW = 5, CHANGED = 60 };
	check_row("new jobs lack details, others that changed do not");
	world_start(world, 13, 1, 1000000);
	submit_jobs(world, CHANGED);
	find_all(world);
	CHECK(!job_details_are_lacking(&world->details));
	for (int i = 0; i < CHANGED; i++)
		model_start(&world->model, &world->model.records[i]);
	submit_jobs(world, NEW);
	states_round(world, 1000);
	CHECK_NUMBER(job_details_begin(&world->details, JOB_QUEUE_WANTED), NEW + CHANGED);
	for (int i = 0; i < NEW; i++) {
		CHECK(job_details_are_lacking(&world->details));
		model_job(&world->model, job_details_next(&world->details, JOB_QUEUE_WANTED), take_job, world);
	}
	CHECK(!job_details_are_lacking(&world->details));
	CHECK_NUMBER(job_details_left(&world->details, JOB_QUEUE_WANTED), CHANGED);
	check_row("so do those that slurmdbd did not tell of");
	submit_jobs(world, NEW);
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
		check_row("what was doubted is not asked for again");
		job_rounds_begin(&world->rounds);
		for (size_t i = 0; i < world->rounds.round.count; i++)
			CHECK(job_table_find(world->table, world->rounds.round.items[i].id, &(struct job_view){0}));
		world_end(world);
		free(world);
	}
	check_row(NULL);
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
	arrays_round(world);
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
	test_listed_rests();
	test_sluids();
	test_first_records();
	test_borrowed_details();
	test_the_most_records();
	test_a_task_leaves_a_rest_that_was_listed();
	test_urls_are_bounded();
	test_rounds_are_not_disturbed();
	test_who_lacks_details();
	test_resume();
	test_tasks_count_once();
	test_lists_leave_nothing_behind();
	test_private();
	return check_done();
}
