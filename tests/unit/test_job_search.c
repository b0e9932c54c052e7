/* The search for jobs that no round finds: no job stays unknown, and no request is dear. */
#include "rounds_world.h"

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
		submit_jobs(world, 20);
		find_all(world);
		check_same(world);
		for (uint64_t id = 0; id < rows[i].jump; id++)
			model_take_id(&world->model);
		world->model.now += 3600;
		submit_jobs(world, 20);
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
		submit_jobs(world, 3);
		if (rows[i].chosen)
			model_submit(&world->model, rows[i].chosen + 1, 0);
		states_round(world, 1000);
		check_same(world);
		world_end(world);
		free(world);
	}
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
		submit_jobs(world, JOBS);
		job_frontiers_advance(&world->rounds.frontiers, (i + 1) << 26 | 5200);
	}
	note_count(world);
	CHECK(search(world) < 20000);
	check_same(world);
	world_end(world);
	free(world);
}

static void test_count(void)
{
	struct world *world = calloc(1, sizeof *world);
	world_start(world, 1, 1, 1000);
	check_row("a count is believed when it misses jobs three times");
	submit_jobs(world, 10);
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
	job_search_forget_counts(&world->rounds.search);
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
	submit_jobs(world, 3000);
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
	submit_jobs(world, 20);
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

static void test_search_reaches_the_first_id(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("the lowest id of all is searched, too");
	world_start(world, 16, 100, 1000000);
	for (int id = 0; id < 500; id++)
		model_take_id(&world->model);
	submit_jobs(world, 5);
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
		submit_jobs(world, SINGLES);
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

/* A search knows nothing of the one before, but what the table holds. */
static void test_leaders_of_two_searches(void)
{
	struct job_leaders leaders = {.sample = 0};
	struct job_table *table = job_table_new();
	struct id_map tails = {0};
	static const struct {
		const char *row, *largest;
		bool is_asked;
	} searches[] = {
		{"a task of the largest array whose leader is asked for", "900_24999", true},
		{"of a larger one", "900_25000", false},
		{"that array is gone", "900_3", true},
	};
	CHECK(job_table_set_state(table, 900, JOB_RUNNING, 0, 1000));
	for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
		struct job_answer answer = {.count = 0};
		check_row(searches[i].row);
		job_leaders_begin(&leaders, table);
		CHECK(!job_leaders_take_sample(&leaders) && !job_leaders_has(&leaders, 100));
		CHECK_NUMBER(job_leaders_next(&leaders, table), 0);
		job_answer_take(&answer, &(struct job_task){.id = 900, .name = text_of(searches[i].largest)});
		job_leaders_sample(&leaders, &answer, &tails, table);
		job_leaders_learn(&leaders, 100);
		CHECK_NUMBER(job_leaders_next(&leaders, table), searches[i].is_asked ? 100 : 0);
		CHECK_NUMBER(leaders.sample, 900); /* which nobody takes */
		free(answer.rows);
	}
	job_leaders_done(&leaders);
	job_table_free(table);
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
		submit_jobs(world, SINGLES);
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

/* With MaxArraySize 100,001 a search asked for one ID at a time, 36 a second: 20,000 of 46,000 single jobs were known
 * after ten minutes. slurmdbd reports which IDs are no leaders. It must not be asked for leaders of split arrays. */
static void test_search_with_slurmdbd(void)
{
	enum { ARRAYS = 5, TASKS = 8000, SPLIT = 200, SINGLES = 2400, ROWS_MAX = 500, LOOKUP_MAX = 300 };
	static const struct {
		const char *name;
		int split; /* tasks of each array */
		bool is_in_turn, is_among_singles; /* the arrays' tasks split in turn; leaders are not neighbours */
		bool has_slurmdbd;
		int requests; /* at most */
	} rows[] = {
		{"without slurmdbd each ID has a request", 0, false, false, false, SINGLES + 20},
		{"single jobs above unsplit arrays", 0, false, false, true, 40},
		{"and above split ones", SPLIT, false, false, true, 60},
		{"and where they split in turn", SPLIT, true, false, true, 60},
		{"leaders among single jobs", SPLIT, true, true, true, 60},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct world *world = calloc(1, sizeof *world);
		uint64_t leaders[ARRAYS];
		check_row(rows[row].name);
		world_start(world, 29, 1, 1000000);
		world->has_slurmdbd = rows[row].has_slurmdbd;
		world->rounds.search.array_size = 20001;
		for (int i = 0; i < ARRAYS; i++) {
			leaders[i] = model_submit(&world->model, 0, TASKS);
			submit_jobs(world, rows[row].is_among_singles ? 100 : 0);
		}
		for (int i = 0; i < ARRAYS * rows[row].split; i++) {
			int array = rows[row].is_in_turn ? i % ARRAYS : i / rows[row].split;
			model_start(&world->model, model_find(&world->model, leaders[array]));
		}
		submit_jobs(world, SINGLES);
		job_frontiers_advance(&world->rounds.frontiers, world->model.next_id - 1);
		CHECK(note_count(world));
		int requests = search_by(world, ROWS_MAX);
		CHECK(requests <= rows[row].requests);
		CHECK(rows[row].has_slurmdbd || requests > SINGLES);
		CHECK(world->dearest_answer <= JOB_ROWS_SAFE);
		CHECK(world->dearest_lookup <= LOOKUP_MAX + ARRAYS);
		check_same(world);
		world_end(world);
		free(world);
	}
}

/* IDs that bring one row come together. None is among them that slurmdbd was not asked for, as it may be a large array. */
static void test_plain_ids(void)
{
	struct job_search search = {.expected = 100000, .array_size = 20001};
	struct job_frontiers frontiers = {.first_id = 1, .last_id = 1000000};
	struct job_table *table = job_table_new();
	struct buf query = BUF_INIT;
	uint64_t ids[300];
	job_frontiers_advance(&frontiers, 5000);
	job_search_begin(&search, &frontiers, table);
	check_row("an ID that slurmdbd does not know is asked for by its record");
	CHECK_NUMBER(job_search_ids_to_look_up(&search, table, ids, 300), 300);
	for (int i = 0; i < 300; i++)
		if (i != 40)
			job_search_note_run(&search, &(struct job){.id = ids[i], .array_job_id = 0});
	CHECK_NUMBER(job_search_next_record(&search, table), ids[40]);
	job_search_note_record(&search, ids[40], false);
	CHECK_NUMBER(job_search_next_record(&search, table), 0);
	check_row("the others come together");
	CHECK_NUMBER(job_search_ask(&search, table, 500, &query), 300);
	CHECK_NUMBER(search.unsure, 0);
	buf_done(&query);
	job_frontiers_done(&frontiers);
	check_row("a federation's are not asked for by their records");
	frontiers = (struct job_frontiers){.first_id = 1, .last_id = 1000000};
	job_frontiers_advance(&frontiers, (UINT64_C(1) << 26) + 5000);
	job_search_begin(&search, &frontiers, table);
	CHECK_NUMBER(job_search_next_record(&search, table), 0);
	CHECK_NUMBER(job_search_ask(&search, table, 500, &query), 1);
	buf_done(&query);
	job_search_done(&search);
	job_frontiers_done(&frontiers);
	job_table_free(table);
}

/* Records of IDs without jobs cost as much as those of jobs, so a search asks for 2,000 at most. */
static void test_records_without_jobs(void)
{
	enum { TASKS = 25000, GONE = 5000 };
	struct world *world = calloc(1, sizeof *world);
	check_row("a large array far below the last job");
	world_start(world, 31, 1, 1000000);
	model_submit(&world->model, 0, TASKS);
	for (int i = 0; i < GONE; i++)
		model_take_id(&world->model);
	submit_jobs(world, 1);
	job_frontiers_advance(&world->rounds.frontiers, world->model.next_id - 1);
	CHECK(note_count(world));
	search_by(world, 500);
	CHECK(world->records >= 2000 && world->records < 2100);
	check_same(world);
	world_end(world);
	free(world);
}

/* slurmdbd may lack records, or fail: what it does not report is asked for one at a time. */
static void test_slurmdbd_knows_nothing(void)
{
	struct job_search search = {.expected = 100000, .array_size = 20000, .is_size_told = true};
	struct job_frontiers frontiers = {.first_id = 1, .last_id = 1000000};
	struct job_table *table = job_table_new();
	struct job_answer answer = {.count = 0};
	struct id_map tails = {0};
	struct buf query = BUF_INIT;
	uint64_t ids[300];
	job_frontiers_advance(&frontiers, 5000);
	job_search_begin(&search, &frontiers, table);
	check_row("nor on the way up");
	job_answer_take(&answer, &(struct job_task){.id = 5001, .name = TEXT("5001"), .state = JOB_RUNNING});
	CHECK_NUMBER(job_search_ask(&search, table, 500, &query), 1);
	job_search_settle(&search, &answer, table, &tails, &frontiers);
	CHECK(search.is_slow);
	CHECK_NUMBER(job_search_ids_to_look_up(&search, table, ids, 300), 0);
	check_row("not before an answer had jobs");
	answer.count = 0;
	search.span = 1; /* downwards */
	search.is_slow = false;
	CHECK_NUMBER(job_search_ids_to_look_up(&search, table, ids, 300), 0);
	CHECK_NUMBER(job_search_ask(&search, table, 500, &query), 1);
	job_answer_take(&answer, &(struct job_task){.id = 5000, .name = TEXT("5000"), .state = JOB_RUNNING});
	job_search_settle(&search, &answer, table, &tails, &frontiers);
	check_row("the next ones, once");
	CHECK_NUMBER(job_search_ids_to_look_up(&search, table, ids, 300), 300);
	CHECK_NUMBER(ids[0], 4999);
	CHECK_NUMBER(ids[299], 4700);
	CHECK_NUMBER(job_search_ids_to_look_up(&search, table, ids, 300), 0);
	check_row("of which one is asked for");
	CHECK_NUMBER(job_search_ask(&search, table, 500, &query), 1);
	job_search_settle(&search, &answer, table, &tails, &frontiers);
	check_row("those that are plain come together, and one that may not be");
	for (uint64_t id = 4900; id < 4998; id++)
		if (id != 4990)
			job_search_note_run(&search, &(struct job){.id = id, .array_job_id = 0});
	job_search_note_run(&search, &(struct job){.id = 4990, .array_job_id = 4990});
	CHECK_NUMBER(job_search_ask(&search, table, 500, &query), 1);
	CHECK(search.is_for_leader);
	CHECK_NUMBER(search.probes.ids[0], 4990);
	job_search_settle(&search, &answer, table, &tails, &frontiers);
	CHECK_NUMBER(job_search_ask(&search, table, 500, &query), 98);
	CHECK_NUMBER(search.probes.ids[0], 4998);
	CHECK_NUMBER(search.probes.ids[97], 4900);
	CHECK_NUMBER(search.unsure, 1);
	free(answer.rows);
	buf_done(&query);
	job_search_done(&search);
	job_frontiers_done(&frontiers);
	job_table_free(table);
}

/* Beside a large array the others are less than what counts as missed. */
static void test_few_beside_many(void)
{
	struct world *world = calloc(1, sizeof *world);
	check_row("a search does not end among jobs");
	world_start(world, 25, 1, 1000000);
	submit_jobs(world, 40);
	model_submit(&world->model, 0, 60000);
	submit_jobs(world, 40);
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
	submit_jobs(world, 100);
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

int main(void)
{
	test_search();
	test_search_of_a_federation();
	test_count();
	test_few_missing();
	test_gap();
	test_search_reaches_the_first_id();
	test_neighbouring_leaders();
	test_blind_search();
	test_huge_arrays();
	test_samples_are_no_leaders();
	test_leaders_of_two_searches();
	test_search_with_slurmdbd();
	test_slurmdbd_knows_nothing();
	test_plain_ids();
	test_records_without_jobs();
	test_few_beside_many();
	test_neighbours_behind_singles();
	return check_done();
}
