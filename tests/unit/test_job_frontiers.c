/* Where slurmctld gives IDs next: no job is passed over, and rounds stay small. */
#include "rounds_world.h"

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
		job_frontiers_reach(&frontiers, clusters[i] + 102);
		CHECK_NUMBER(frontiers.count, 1);
		CHECK_NUMBER(job_frontiers_top_of(&frontiers, job_origin(clusters[i])), clusters[i] + 103);
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
		submit_jobs(world, 20);
		find_all(world);
		job_rounds_begin(&world->rounds);
		job_search_begin(&world->rounds.search, &world->rounds.frontiers, world->table);
		world->rounds.search.expected = 1000; /* it goes on */
		for (int request = 0; request < 10; request++) {
			if (!(rows[i].is_search ? job_rounds_ask_search(&world->rounds, 1000, &query)
						: job_rounds_ask(&world->rounds, 1000, &query)))
				break;
			answer(world, &query);
			submit_jobs(world, (request < 3) * 3);
		}
		states_round(world, 1000);
		check_same(world);
		buf_done(&query);
		world_end(world);
		free(world);
	}
}

/* How far from a frontier an ID is of another one, and which end of what Slurm gave is the frontier's. */
static void test_how_far_a_frontier_goes(void)
{
	enum { NEXT = 50000, GAP = 10000 };
	static const struct {
		const char *name;
		uint64_t id;
		bool is_another;
		uint64_t top; /* of all, once told of; else the frontier stays */
	} rows[] = {
		{"the next one", NEXT, false, NEXT + 1},
		{"the last that is near enough", NEXT + GAP, false, NEXT + GAP + 1},
		{"one more", NEXT + GAP + 1, true, NEXT + GAP + 2},
		{"the last one given", NEXT - 1, false, NEXT},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int is_told = 0; is_told < 2; is_told++) {
			struct job_frontiers frontiers = {.first_id = 1, .last_id = 1000000};
			check_row(rows[i].name);
			job_frontiers_advance(&frontiers, NEXT - 1);
			if (is_told && rows[i].id < NEXT)
				continue; /* only rounds look there */
			for (int again = 0; again < 2; again++) {
				(is_told ? job_frontiers_reach : job_frontiers_advance)(&frontiers, rows[i].id);
				CHECK_NUMBER(frontiers.count, 1 + rows[i].is_another);
				CHECK_NUMBER(job_frontiers_top(&frontiers), rows[i].top);
			}
			CHECK_NUMBER(frontiers.items[0].next, is_told || rows[i].is_another ? NEXT : rows[i].top);
			if (!is_told || rows[i].is_another)
				continue;
			check_row("and the one after it");
			job_frontiers_reach(&frontiers, rows[i].top);
			CHECK_NUMBER(job_frontiers_top(&frontiers), rows[i].top + 1);
		}
	check_row("below");
	struct job_frontiers frontiers = {.first_id = 1, .last_id = 1000000};
	job_frontiers_advance(&frontiers, NEXT - 1);
	job_frontiers_advance(&frontiers, NEXT - GAP);
	CHECK_NUMBER(frontiers.count, 1);
	job_frontiers_advance(&frontiers, NEXT - GAP - 1);
	CHECK_NUMBER(frontiers.count, 2);
}

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
	struct job_frontiers *frontiers = &world->rounds.frontiers;
	job_frontiers_advance(frontiers, UINT64_C(1) << 26 | 50);
	frontiers->items[0].passed_from -= 40; /* over IDs in use */
	job_frontiers_note_free(frontiers, UINT64_C(2) << 26 | 20);
	CHECK_NUMBER(job_frontiers_top_of(frontiers, 1), UINT64_C(1) << 26 | 51);
	job_frontiers_note_free(frontiers, UINT64_C(1) << 26 | 20);
	CHECK_NUMBER(job_frontiers_top_of(frontiers, 1), UINT64_C(1) << 26 | 20);
	job_rounds_note_id(&world->rounds, UINT64_C(1) << 26 | 70, 1000);
	job_rounds_note_id(&world->rounds, UINT64_C(2) << 26 | 80, 500);
	CHECK_NUMBER(job_frontiers_top_of(&world->rounds.frontiers, 1), UINT64_C(1) << 26 | 71);
	CHECK_NUMBER(job_frontiers_top_of(&world->rounds.frontiers, 2), UINT64_C(2) << 26 | 81);
	job_rounds_note_id(&world->rounds, UINT64_C(2) << 26 | 90000, 400);
	CHECK_NUMBER(job_frontiers_top_of(&world->rounds.frontiers, 2), UINT64_C(2) << 26 | 81);
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

static void test_frontiers_are_bounded(void)
{
	struct world *world = calloc(1, sizeof *world);
	struct buf query = BUF_INIT;
	size_t most = 0;
	check_row("where many jobs are new, ever more ids are asked for, but not without end");
	world_start(world, 18, 1, 1000000);
	model_submit(&world->model, 0, 0);
	find_all(world);
	submit_jobs(world, 3900);
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

/* The same in a round: arrays that were submitted since the last one. */
static void test_new_neighbours(void)
{
	enum { ARRAYS = 5 };
	/* On a real 26.05 a round met 12 new jobs and then five new arrays of 20,000 tasks. It asked for all of them at
	 * once, and waited for two minutes without success. */
	static const struct {
		const char *name;
		uint64_t seed, tasks, singles, rows_max;
		int before; /* jobs that an earlier round found */
	} rows[] = {
		{"five arrays are new", 20, 300, 0, 50, 0},
		{"five large arrays are new, behind a few new jobs", 24, 8000, 12, 500, 0},
		{"a round after one that found many jobs is as careful", 24, 8000, 12, 500, 100},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct world *world = calloc(1, sizeof *world);
		check_row(rows[row].name);
		world_start(world, rows[row].seed, 1, 1000000);
		model_submit(&world->model, 0, 0);
		find_all(world);
		submit_jobs(world, rows[row].before);
		states_round(world, rows[row].rows_max);
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

/* Before a round asks for IDs that nobody knows, diag says how many tasks were submitted and started. On a real 26.05 five
 * arrays of 20,000 split tasks came in one answer, which took slurmrestd 33 s. On a real 24.11 one array of 200,000 that
 * waited took slurmrestd 165 s, and slurmscope never had the answer. */
static void test_what_diag_counts(void)
{
	enum { SINGLES = 300, TASKS = 20000, LARGE = 200000, ROWS_MAX = 500 };
	static const struct {
		const char *name;
		int gone; /* IDs of jobs that have gone; then these, in this order: */
		uint64_t singles, arrays, tasks;
		int started; /* tasks of an array that is known */
		uint64_t others;
		uint64_t array_size; /* MaxArraySize; 0: nobody told it */
		bool lacks_diag, are_jobs_counted; /* diag fails in the round; before, it counted those that wait */
		uint64_t requests_max, records_max; /* of them by job/{id} */
	} rows[] = {
		{.name = "few jobs are new, and they come in large batches", .singles = SINGLES, .requests_max = 20},
		{.name = "arrays are new behind them",
		 .singles = SINGLES,
		 .arrays = 5,
		 .tasks = TASKS,
		 .requests_max = 400,
		 .records_max = 340},
		{.name = "one large array that waits",
		 .arrays = 1,
		 .tasks = LARGE,
		 .requests_max = 20,
		 .records_max = 16},
		{.name = "single jobs around it",
		 .singles = 100,
		 .arrays = 1,
		 .tasks = LARGE,
		 .others = 1000,
		 .requests_max = 180,
		 .records_max = 140},
		{.name = "single jobs after it, while others start",
		 .arrays = 1,
		 .tasks = LARGE,
		 .started = 1500,
		 .others = 500,
		 .requests_max = 60,
		 .records_max = 30},
		{.name = "it is behind jobs that have gone",
		 .gone = 20,
		 .arrays = 1,
		 .tasks = LARGE,
		 .others = 50,
		 .requests_max = 60,
		 .records_max = 40},
		{.name = "many single jobs", .singles = 3000, .requests_max = 40},
		{.name = "arrays are as large as MaxArraySize allows",
		 .singles = SINGLES,
		 .arrays = 30,
		 .tasks = 1000,
		 .others = 50,
		 .array_size = 1001,
		 .requests_max = 160},
		{.name = "and nobody knows MaxArraySize",
		 .arrays = 30,
		 .tasks = 1000,
		 .others = 50,
		 .requests_max = 60,
		 .records_max = 40},
		{.name = "diag does not answer",
		 .singles = SINGLES,
		 .arrays = 5,
		 .tasks = TASKS,
		 .array_size = TASKS + 1,
		 .lacks_diag = true,
		 .requests_max = SINGLES + 30},
		{.name = "diag does not answer, and only small arrays",
		 .singles = SINGLES,
		 .array_size = 1001,
		 .lacks_diag = true,
		 .requests_max = 110},
		{.name = "but it counted those that wait",
		 .arrays = 1,
		 .tasks = LARGE,
		 .others = 50,
		 .lacks_diag = true,
		 .are_jobs_counted = true,
		 .requests_max = 60,
		 .records_max = 20},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct world *world = calloc(1, sizeof *world);
		uint64_t requests = 0;
		check_row(rows[row].name);
		world_start(world, 25, 1, 1000000);
		world->rounds.search.array_size = rows[row].array_size ? rows[row].array_size : 1001;
		world->rounds.search.is_size_told = rows[row].array_size;
		uint64_t known = model_submit(&world->model, 0, 2000);
		find_all(world);
		states_round(world, ROWS_MAX);
		world->lacks_diag = rows[row].lacks_diag;
		world->dearest_answer = world->records = 0;
		for (int i = 0; i < rows[row].gone; i++)
			model_take_id(&world->model);
		submit_jobs(world, (int)rows[row].singles);
		for (uint64_t i = 0; i < rows[row].arrays; i++)
			model_submit(&world->model, 0, rows[row].tasks);
		for (int i = 0; i < rows[row].started; i++)
			model_start(&world->model, model_find(&world->model, known));
		submit_jobs(world, (int)rows[row].others);
		if (rows[row].are_jobs_counted)
			note_count(world);
		job_rounds_begin(&world->rounds);
		for (; world->rounds.is_open && states_request(world, ROWS_MAX); requests++)
			;
		CHECK(world->dearest_answer <= TASKS + ROWS_MAX);
		CHECK(requests <= rows[row].requests_max);
		CHECK(world->records <= rows[row].records_max);
		for (int i = 0; i < 2; i++) { /* few jobs may be left for the next round */
			states_round(world, ROWS_MAX);
			details_round(world, JOB_QUEUE_WANTED);
		}
		CHECK(world->dearest_answer <= TASKS + ROWS_MAX);
		check_same(world);
		world_end(world);
		free(world);
	}
}

/* A large array comes after more IDs without jobs than the window has. Rounds that look further, as jobs are missing, do not
 * ask for all of its tasks. A search finds it. */
static void test_a_large_array_behind_a_gap(void)
{
	enum { GAP = 1000, TASKS = 200000 };
	struct world *world = calloc(1, sizeof *world);
	check_row("a large array behind a gap");
	world_start(world, 27, 1, 1000000);
	submit_jobs(world, 10);
	find_all(world);
	states_round(world, 500);
	for (int i = 0; i < GAP; i++)
		model_take_id(&world->model);
	model_submit(&world->model, 0, TASKS);
	world->dearest_answer = 0;
	states_round(world, 500);
	CHECK_NUMBER(world->rounds.submissions.submitted.known, 10); /* no round has met the others */
	CHECK(note_count(world));
	states_round(world, 500);
	search(world);
	states_round(world, 500);
	CHECK(world->dearest_answer < 500);
	check_same(world);
	world_end(world);
	free(world);
}

/* slurmrestd breaks off each answer for IDs that nobody knows: what is known is up to date all the same. */
static void test_frontier_fails(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("known jobs have requests of their own");
	world_start(world, 26, 1, 1000000);
	submit_jobs(world, 10);
	find_all(world);
	model_start(&world->model, &world->model.records[3]);
	submit_jobs(world, 1);
	job_rounds_begin(&world->rounds);
	CHECK(!job_rounds_leave_frontiers(&world->rounds));
	job_rounds_note_submitted(&world->rounds, 10, 0); /* it may count jobs that are submitted meanwhile */
	CHECK(!job_rounds_await_count(&world->rounds));
	CHECK(states_request(world, 500));
	CHECK_NUMBER(job_table_counts(world->table).running, 1);
	CHECK(job_rounds_await_count(&world->rounds));
	world->fail_one_in = 1;
	CHECK(states_request(world, 500));
	CHECK(world->rounds.is_open);
	CHECK(job_rounds_leave_frontiers(&world->rounds));
	CHECK(!world->rounds.is_open);
	check_row("the next round has the others, and knows that it must be careful");
	world->fail_one_in = 0;
	CHECK_NUMBER(world->rounds.submissions.submitted.known, 10);
	states_round(world, 500);
	CHECK_NUMBER(world->rounds.submissions.submitted.known, 11);
	check_same(world);
	check_row("diag's numbers are wanted anew when they are too old");
	job_rounds_begin(&world->rounds);
	CHECK(states_request(world, 500) && states_request(world, 500));
	CHECK(!job_rounds_await_count(&world->rounds));
	job_rounds_doubt_count(&world->rounds);
	CHECK(job_rounds_await_count(&world->rounds));
	world_end(world);
	free(world);
}

static void count(struct job_submissions *submissions, uint64_t submitted)
{
	job_submissions_count(submissions, submitted, 7);
}

static void test_submissions(void)
{
	struct job_submissions submissions;
	check_row("no round was complete, so nobody knows what is missing");
	job_submissions_init(&submissions);
	job_submissions_begin(&submissions);
	count(&submissions, 1000);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), NUMBER_UNSET);
	job_submissions_end(&submissions);
	check_row("what diag had counted before the frontiers is known when the round has ended");
	job_submissions_begin(&submissions);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), NUMBER_UNSET); /* until diag answers */
	count(&submissions, 1250);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), 250);
	count(&submissions, 1250); /* nothing was submitted since */
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), 250);
	submissions.found += 100;
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), 150);
	check_row("Slurm has given so many IDs");
	CHECK_NUMBER(job_submissions_excess(&submissions, 140), 10);
	CHECK_NUMBER(job_submissions_excess(&submissions, 160), 0);
	check_row("some of them to tasks of arrays, which come again with their array's first record");
	job_submissions_count(&submissions, 1250, 12);
	CHECK_NUMBER(job_submissions_excess(&submissions, 140), 20);
	job_submissions_count(&submissions, 1250, 7);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), NUMBER_UNSET); /* diag began again from 0 */
	job_submissions_end(&submissions);
	check_row("some were submitted since diag answered");
	job_submissions_begin(&submissions);
	count(&submissions, 1300);
	submissions.found += 200;
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), 0);
	count(&submissions, 1350);
	job_submissions_end(&submissions);
	job_submissions_begin(&submissions);
	count(&submissions, 1400);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), 100);
	check_row("diag began again from 0, and has passed the old number");
	count(&submissions, 20);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), NUMBER_UNSET);
	count(&submissions, 1450);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), NUMBER_UNSET);
	check_row("diag does not tell: the next round knows nothing of it");
	job_submissions_end(&submissions);
	job_submissions_begin(&submissions);
	count(&submissions, NUMBER_UNSET);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), NUMBER_UNSET);
	CHECK(submissions.is_fresh);
	job_submissions_end(&submissions);
	job_submissions_begin(&submissions);
	count(&submissions, 1500);
	CHECK_NUMBER(job_submissions_excess(&submissions, 0), NUMBER_UNSET);
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
		submit_jobs(world, 3000);
		find_all(world);
		submit_jobs(world, rows[row].before);
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

int main(void)
{
	test_ids_begin_anew();
	test_freed_ids();
	test_jobs_between_requests();
	test_requeued_jobs_are_no_frontier();
	test_how_far_a_frontier_goes();
	test_federation();
	test_frontiers_are_bounded();
	test_new_neighbours();
	test_submissions();
	test_what_diag_counts();
	test_a_large_array_behind_a_gap();
	test_frontier_fails();
	test_told_ids_skip_nobody();
	return check_done();
}
