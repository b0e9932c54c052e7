/* The job table in the state file. A start finds what was there, changes and all, no younger than it is. Whatever
 * somebody wrote into the file does no harm. */
#include "base/clock.h"
#include "check.h"
#include "jobs/job_totals_same.h"
#include "jobs/jobs_check.h"
#include "poll/job_keeper.h"
#include "poll/stored_row.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/test-job-keeper-XXXXXX", path[64];

/* A process: what it knows, and its hold on the file. */
struct life {
	struct cluster cluster;
	struct job_rounds rounds;
	struct job_keeper keeper;
	struct store *store;
	uint64_t random;
};

static void ignore_counter(const struct store_counter *counter, void *context)
{
	(void)counter, (void)context;
}

static void ignore_run(const struct store_run *run, void *context)
{
	(void)run, (void)context;
}

static void take_mark(struct text name, int64_t value, void *context)
{
	job_keeper_take_mark(context, name, value);
}

static void take_job(const struct store_job *job, void *context)
{
	job_keeper_take(context, job);
}

static struct life *life_begin(void)
{
	static const struct store_visitor visitor = {ignore_counter, ignore_run, take_mark, take_job, NULL, NULL};
	struct error err = {""};
	struct life *life = calloc(1, sizeof *life);
	life->random = 7;
	cluster_init(&life->cluster);
	job_rounds_init(&life->rounds, life->cluster.job_table, 1, 1000000);
	job_keeper_init(&life->keeper, &life->cluster, &life->rounds);
	life->store = store_new(path, "");
	if (store_load(life->store, &visitor, &life->keeper, &err) != STORE_LOADED)
		job_keeper_forget(&life->keeper);
	CHECK_STRING(err.text, "");
	return life;
}

static void life_end(struct life *life)
{
	store_free(life->store);
	job_keeper_done(&life->keeper);
	job_rounds_done(&life->rounds);
	cluster_done(&life->cluster);
	free(life);
}

static uint64_t below(struct life *life, uint64_t limit)
{
	life->random = life->random * 6364136223846793005u + 1442695040888963407u;
	return (life->random >> 33) % limit;
}

static void write_rows(struct life *life, bool is_safe)
{
	struct error err = {""};
	int64_t now = clock_now_s();
	life->keeper.facts = (struct kept_facts){.as_of = now, .seen_at = now, .has_details = true};
	enum store_wants wants = store_begin(life->store, &err);
	CHECK(wants != STORE_WANTS_NOTHING);
	job_keeper_write(&life->keeper, life->store, wants == STORE_WANTS_ALL);
	if (is_safe) {
		CHECK(store_commit(life->store, &err));
	} else { /* as if the disk had failed: the process goes on with the file as it was */
		store_free(life->store);
		struct life *other = life_begin();
		life->store = other->store;
		other->store = NULL;
		life_end(other);
	}
	job_keeper_note(&life->keeper, is_safe);
}

#define PICK(life, list) text_of((list)[below((life), sizeof(list) / sizeof *(list))])

static struct job random_job(struct life *life, uint64_t id)
{
	static const char *const users[] = {"ann", "bob", "o'neill\n\"", "\xc3\xa9", ""},
				 *const partitions[] = {"cpu", "gpu", "cpu,gpu", ""},
				 *const reasons[] = {"Priority", "Resources", "JobHeldUser", "\xe2\x82\xac", ""},
				 *const tasks[] = {"1-10", "0-99%5", "1,3,...", "4"},
				 *const tres[] = {"cpu=4,mem=1G,node=2,billing=4", "cpu=2,gres/gpu:a100=1", ""},
				 *const reservations[] = {"", "maint"};
	struct names *flags = &life->cluster.vocabulary.job_flags;
	struct job job = {.id = id,
			  .array_task_id = NUMBER_UNSET,
			  .user = PICK(life, users),
			  .user_id = 1000,
			  .account = PICK(life, users),
			  .partitions = PICK(life, partitions),
			  .qos = PICK(life, partitions),
			  .state = (int)below(life, life->cluster.vocabulary.job_states.count),
			  .flags = below(life, 3) ? 0 : below(life, UINT64_C(1) << flags->count),
			  .reason = PICK(life, reasons),
			  .submit_time = 1700000000 + below(life, 40),
			  .start_time = below(life, 4) ? 1700000000 + below(life, 40) : NUMBER_UNSET,
			  .time_limit = below(life, 4) ? below(life, 5000) : NUMBER_INFINITE,
			  .eligible_time = below(life, 99),
			  .end_time = below(life, 99),
			  .suspend_time = below(life, 99),
			  .ran_before = below(life, 99),
			  .exit_code = below(life, 3),
			  .exit_signal = NUMBER_UNSET,
			  .cpus = below(life, 9),
			  .nodes = below(life, 5),
			  .memory_per_node = below(life, 99),
			  .memory_per_cpu = NUMBER_UNSET,
			  .nodes_max = below(life, 3),
			  .cpus_per_node = below(life, 9),
			  .gres_per_node = TEXT("gres/gpu:a100:2"),
			  .tres_requested = PICK(life, tres),
			  .tres_allocated = PICK(life, tres),
			  .reservation = PICK(life, reservations),
			  .node_list = PICK(life, users),
			  .is_lent = !below(life, 5)};
	uint64_t kind = below(life, 8);
	if (kind < 2) {
		job.array_job_id = id;
		job.array_tasks = PICK(life, tasks);
	} else if (kind < 4) {
		job.array_job_id = 1 + below(life, 5);
		job.array_task_id = below(life, 10);
	}
	return job;
}

static void change_something(struct life *life)
{
	struct job_table *table = life->cluster.job_table;
	uint64_t id = 1 + below(life, 300), kind = below(life, 10);
	if (kind < 4) {
		struct job job = random_job(life, id);
		CHECK(job_table_put(table, &job, 1700000000));
	} else if (kind < 6) {
		job_table_set_state(table, id, (int)below(life, JOB_STATES), below(life, 4), 1700000000);
	} else if (kind < 8) {
		job_table_set_tasks(table, id, below(life, 50));
		id_map_set(&life->rounds.tails, (uint32_t)id, (uint32_t)below(life, 50));
		job_table_set_state(table, id, (int)below(life, JOB_STATES), 1, 1700000000);
	} else {
		job_table_remove(table, id);
		id_map_set(&life->rounds.tails, (uint32_t)id, 0);
	}
}

/* The rows, by ID, as they are stored; their times are no younger than these. */
static void check_same_rows(const struct life *life, const struct life *next)
{
	const struct job_table *table = life->cluster.job_table, *found = next->keeper.found;
	struct error err = {""};
	CHECK_NUMBER(found->positions.count, table->positions.count);
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		const struct job_row *other = job_row_is_used(row) ? job_table_row(found, row->id) : NULL;
		if (!job_row_is_used(row))
			continue;
		CHECK(other != NULL);
		if (!other)
			continue;
		struct job_row same = *other;
		same.group = row->group; /* numbers of pools, compared by the totals */
		same.reason = row->reason;
		same.tres = row->tres;
		same.reservation = row->reservation;
		same.node_list = row->node_list;
		same.node_need = row->node_need;
		CHECK(job_row_equal(row, &same));
		CHECK(other->details_time <= row->details_time && other->seen_time <= row->seen_time);
		CHECK(text_equal(text_pool_get(&table->pools.texts, row->node_list),
				 text_pool_get(&found->pools.texts, other->node_list)));
		CHECK(text_equal(text_pool_get(&table->pools.texts, row->node_need),
				 text_pool_get(&found->pools.texts, other->node_need)));
		CHECK_NUMBER(id_map_find(&next->keeper.tails, row->id), id_map_find(&life->rounds.tails, row->id));
	}
	CHECK(job_totals_same(job_table_settle(next->keeper.found, NULL),
			      job_table_settle(life->cluster.job_table, NULL), &err));
	CHECK(jobs_check(found, &err));
	CHECK_STRING(err.text, "");
}

/* However it changed, and whether or not writing failed in between: a start finds all. */
static void test_lives(void)
{
	check_row("what a start finds is what was written last");
	unlink(path);
	struct life *life = life_begin();
	CHECK(life->keeper.found == NULL);
	names_learn(&life->cluster.vocabulary.job_states, TEXT("state_of_tomorrow"));
	names_learn(&life->cluster.vocabulary.job_flags, TEXT("flag_of_tomorrow"));
	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < 60; k++)
			change_something(life);
		write_rows(life, i % 7 != 6);
		if (i % 7 == 6)
			continue;
		store_free(life->store);
		struct life *next = life_begin();
		check_same_rows(life, next);
		CHECK_NUMBER(next->keeper.dropped, 0);
		CHECK(next->keeper.found_facts.has_details && !next->keeper.found_facts.are_listed);
		life->store = next->store;
		next->store = NULL;
		life_end(next);
	}
	life_end(life);
}

/* Numbers of names that a process learns are its own. */
static void test_names(void)
{
	check_row("names are what they were, whatever their numbers");
	unlink(path);
	struct life *life = life_begin();
	struct names *states = &life->cluster.vocabulary.job_states, *flags = &life->cluster.vocabulary.job_flags;
	names_learn(states, TEXT("one"));
	int state = names_learn(states, TEXT("two"));
	int flag = names_learn(flags, TEXT("three"));
	struct job job = random_job(life, 1);
	job.state = state;
	job.flags = UINT64_C(1) << flag | UINT64_C(1) << JOB_FLAG_STOPPED;
	CHECK(job_table_put(life->cluster.job_table, &job, 1));
	write_rows(life, true);
	life_end(life);
	life = life_begin();
	struct job_view view;
	CHECK(life->keeper.found && job_table_find(life->keeper.found, 1, &view));
	const struct vocabulary *vocabulary = &life->cluster.vocabulary;
	CHECK_STRING(vocabulary->job_states.name[view.state], "two");
	CHECK_NUMBER(vocabulary->job_states.count, JOB_STATES + 1);
	CHECK_NUMBER(view.flags >> JOB_FLAG_STOPPED & 1, 1);
	CHECK_NUMBER(view.flags >> names_find(&vocabulary->job_flags, TEXT("three")) & 1, 1);
	life_end(life);
}

/* What the visitor would bring, without a file. */
static void tell(struct life *life, int64_t as_of, int64_t seen_at)
{
	job_keeper_forget(&life->keeper);
	job_keeper_take_mark(&life->keeper, TEXT("jobs_as_of"), as_of);
	job_keeper_take_mark(&life->keeper, TEXT("jobs_seen_at"), seen_at);
}

static struct store_job job_of(uint64_t id)
{
	return (struct store_job){.id = id,
				  .array_task_id = -1,
				  .tail = -1,
				  .state = TEXT("running"),
				  .bits = ROW_HAS_DETAILS,
				  .tasks = 1,
				  .tasks_listed = 1,
				  .cpus = 4,
				  .nodes = 1,
				  .memory = 1000,
				  .submit_time = 1700000000,
				  .start_time = 1700000001,
				  .time_limit = 3600,
				  .details_time = 1700000002,
				  .seen_time = 1700000003,
				  .user = TEXT("alice"),
				  .account = TEXT("physics"),
				  .partitions = TEXT("batch"),
				  .qos = TEXT("normal")};
}

static void test_ages(void)
{
	int64_t now = clock_now_s();
	const struct {
		const char *name;
		int64_t as_of, seen_at;
		bool is_of_use;
	} rows[] = {
		{"just now", now, now, true},
		{"almost an hour", now, now - 3590, true},
		{"an hour and more", now, now - 3610, false},
		{"by a clock that is a little ahead", now, now + 50, true},
		{"in a time that has not come", now, now + 70, false},
		{"slurmctld's clock is elsewhere", 1000, now, true},
		{"never", 0, now, false},
		{"nobody knows when", now, 0, false},
		{"before all times", -5, now, false},
		{"after all times", INT64_MAX, now, false},
		{"both", INT64_MAX, INT64_MAX, false},
		{"neither", INT64_MIN, INT64_MIN, false},
	};
	struct life *life = life_begin();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		tell(life, rows[i].as_of, rows[i].seen_at);
		struct store_job job = job_of(1);
		job_keeper_take(&life->keeper, &job);
		CHECK((life->keeper.found != NULL) == rows[i].is_of_use);
		CHECK_NUMBER(life->keeper.dropped, !rows[i].is_of_use);
		CHECK_NUMBER(life->keeper.doubted.count, 0);
	}
	check_row("no row is younger than all of them");
	tell(life, 1700000000, now);
	struct store_job job = job_of(1);
	job.details_time = job.seen_time = 4000000000;
	job_keeper_take(&life->keeper, &job);
	struct job_view view = {0};
	CHECK(job_table_find(life->keeper.found, 1, &view));
	CHECK_NUMBER(view.details_time, 1700000000);
	CHECK_NUMBER(view.seen_time, 1700000000);
	life_end(life);
}

static char long_text[(1 << 20) + 2];

/* One row is right, the other is not: it is dropped, and its ID asked for if it may be one. */
static void test_nonsense(void)
{
	static const struct {
		const char *name;
		size_t offset;
		uint64_t value;
	} numbers[] = {
		{"a state of so many tasks", offsetof(struct store_job, tasks), UINT64_C(1) << 60},
		{"no task at all", offsetof(struct store_job, tasks), 0},
		{"a list of none", offsetof(struct store_job, tasks_listed), 0},
		{"a list of so many", offsetof(struct store_job, tasks_listed), UINT64_C(1) << 32},
		{"CPUs below none", offsetof(struct store_job, cpus), UINT64_MAX},
		{"more memory than there is", offsetof(struct store_job, memory), UINT64_C(1) << 63},
		{"nodes", offsetof(struct store_job, nodes), UINT64_C(1) << 40},
		{"another array", offsetof(struct store_job, array_job_id), UINT64_C(1) << 32},
		{"a task", offsetof(struct store_job, array_task_id), UINT64_C(1) << 32},
		{"a task below none", offsetof(struct store_job, array_task_id), UINT64_MAX - 1},
		{"a tail", offsetof(struct store_job, tail), UINT32_MAX},
		{"bits", offsetof(struct store_job, bits), 256},
		{"an exit", offsetof(struct store_job, exit), 4},
		{"a submission", offsetof(struct store_job, submit_time), UINT64_C(1) << 33},
		{"a start", offsetof(struct store_job, start_time), UINT64_C(1) << 33},
		{"a limit", offsetof(struct store_job, time_limit), UINT64_C(1) << 62},
		{"an end", offsetof(struct store_job, end_time), UINT64_MAX},
		{"eligible", offsetof(struct store_job, eligible_time), UINT64_MAX},
		{"suspended", offsetof(struct store_job, suspend_time), UINT64_MAX},
		{"ran before", offsetof(struct store_job, ran_before), UINT64_MAX},
		{"details", offsetof(struct store_job, details_time), UINT64_MAX},
		{"seen", offsetof(struct store_job, seen_time), UINT64_MAX},
	};
	static const char *const states[] = {"", "\xff", "run ning", "running\n",
					     "a_name_of_which_there_is_nothing_in_slurm,nor_ever_was"};
	struct life *life = life_begin();
	memset(long_text, 'x', sizeof long_text - 1);
	const struct {
		size_t offset;
		const char *value;
	} texts[] = {{offsetof(struct store_job, node_list), long_text},
		     {offsetof(struct store_job, user), "\xff\xfe"},
		     {offsetof(struct store_job, reason), "half a \xe2\x82"},
		     {offsetof(struct store_job, qos), "a surrogate \xed\xa0\x80"}};
	const size_t number_count = sizeof numbers / sizeof *numbers, state_count = sizeof states / sizeof *states;
	for (size_t i = 0; i < number_count + state_count + sizeof texts / sizeof *texts; i++) {
		struct store_job right = job_of(1), wrong = job_of(2);
		struct error err = {""};
		check_row(i < number_count ? numbers[i].name : i < number_count + state_count ? "a state" : "a text");
		if (i < number_count)
			memcpy((char *)&wrong + numbers[i].offset, &numbers[i].value, sizeof numbers[i].value);
		else if (i < number_count + state_count)
			wrong.state = text_of(states[i - number_count]);
		else
			*(struct text *)((char *)&wrong + texts[i - number_count - state_count].offset) =
				text_of(texts[i - number_count - state_count].value);
		tell(life, clock_now_s(), clock_now_s());
		job_keeper_take(&life->keeper, &right);
		job_keeper_take(&life->keeper, &wrong);
		CHECK_NUMBER(life->keeper.dropped, 1);
		CHECK_NUMBER(life->keeper.doubted.count, 1);
		CHECK_NUMBER(id_map_find(&life->keeper.doubted, 2), 1);
		CHECK_NUMBER(job_table_counts(life->keeper.found).jobs, 1);
		CHECK(jobs_check(life->keeper.found, &err));
	}
	life_end(life);
}

static void test_ids(void)
{
	static const uint64_t ids[] = {0, UINT32_MAX, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, UINT64_MAX};
	struct life *life = life_begin();
	struct error err = {""};
	check_row("what is no id of a job is not asked for either");
	tell(life, clock_now_s(), clock_now_s());
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct store_job job = job_of(ids[i]);
		job_keeper_take(&life->keeper, &job);
		CHECK_NUMBER(life->keeper.dropped, i + 1);
	}
	CHECK_NUMBER(life->keeper.doubted.count, 0);
	check_row("one id is one job");
	struct store_job job = job_of(1);
	job_keeper_take(&life->keeper, &job);
	job.user = TEXT("mallory");
	job_keeper_take(&life->keeper, &job);
	CHECK_NUMBER(job_table_counts(life->keeper.found).jobs, 1);
	CHECK(map_find(&life->keeper.found->totals->entities[ENTITY_USER], TEXT("mallory")) == NULL);
	check_row("a task that was split is one job");
	job = job_of(3);
	job.array_job_id = 2;
	job.array_task_id = 1;
	job.tasks = 4000000;
	job_keeper_take(&life->keeper, &job);
	CHECK_NUMBER(job_table_counts(life->keeper.found).jobs, 1);
	check_row("without details nothing but the state counts");
	job = job_of(4);
	job.bits = 0;
	job.user = TEXT("mallory");
	job_keeper_take(&life->keeper, &job);
	CHECK_NUMBER(job_table_counts(life->keeper.found).jobs_without_details, 1);
	CHECK(map_find(&life->keeper.found->totals->entities[ENTITY_USER], TEXT("mallory")) == NULL);
	struct job_view view = {0};
	CHECK(job_table_find(life->keeper.found, 4, &view) && view.details_wanted);
	check_row("flags that are none are left out");
	job = job_of(5);
	job.flags = TEXT("stopped,\xff,,no flag,completing");
	job_keeper_take(&life->keeper, &job);
	CHECK(job_table_find(life->keeper.found, 5, &view));
	CHECK_NUMBER(view.flags, 1 << JOB_FLAG_STOPPED | 1 << JOB_FLAG_COMPLETING);
	CHECK(jobs_check(life->keeper.found, &err));
	CHECK_STRING(err.text, "");
	life_end(life);
}

/* The file keeps rows that nobody verified as they were; rows of no use go with the first write. */
static void test_unverified(void)
{
	struct error err = {""};
	check_row("rows that nobody has verified are not written");
	unlink(path);
	struct life *life = life_begin();
	struct job job = random_job(life, 1), other = random_job(life, 2);
	CHECK(job_table_put(life->cluster.job_table, &job, 1) && job_table_put(life->cluster.job_table, &other, 1));
	write_rows(life, true);
	job_table_remove(life->cluster.job_table, 1);
	life->keeper.facts.as_of = 0;
	CHECK(store_begin(life->store, &err) == STORE_WANTS_CHANGES);
	job_keeper_write(&life->keeper, life->store, false);
	CHECK(store_commit(life->store, &err));
	job_keeper_note(&life->keeper, true);
	store_free(life->store);
	struct life *next = life_begin();
	CHECK(next->keeper.found);
	CHECK_NUMBER(next->keeper.found->positions.count, 2);
	life->store = next->store;
	next->store = NULL;
	life_end(next);
	check_row("when they are, what is gone goes");
	write_rows(life, true);
	life_end(life);
	next = life_begin();
	CHECK_NUMBER(next->keeper.found->positions.count, 1);
	check_row("a process that took nothing from the file replaces what it has");
	CHECK(job_table_put(next->cluster.job_table, &job, 1));
	write_rows(next, true);
	life_end(next);
	next = life_begin();
	struct job_view view;
	CHECK_NUMBER(next->keeper.found->positions.count, 1);
	CHECK(job_table_find(next->keeper.found, 1, &view));
	life_end(next);
}

static void test_a_file_that_is_gone(void)
{
	check_row("all rows are written to the one that takes its place");
	unlink(path);
	struct life *life = life_begin();
	struct job job = random_job(life, 1);
	CHECK(job_table_put(life->cluster.job_table, &job, 1));
	write_rows(life, true);
	CHECK(unlink(path) == 0);
	write_rows(life, true);
	store_free(life->store);
	struct life *next = life_begin();
	CHECK(next->keeper.found);
	check_same_rows(life, next);
	check_row("what is forgotten is");
	struct store_job wrong = job_of(3);
	wrong.tasks = 0;
	job_keeper_take(&next->keeper, &wrong);
	CHECK(next->keeper.doubted.count && next->keeper.dropped && next->keeper.found_facts.as_of);
	job_keeper_forget(&next->keeper);
	CHECK(!next->keeper.found && !next->keeper.doubted.count && !next->keeper.tails.count);
	CHECK(!next->keeper.dropped && !next->keeper.found_facts.as_of);
	life->store = NULL;
	life_end(life);
	life_end(next);
}

int main(void)
{
	CHECK(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/state", folder);
	test_lives();
	test_names();
	test_ages();
	test_nonsense();
	test_ids();
	test_unverified();
	test_a_file_that_is_gone();
	char command[80];
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(system(command) == 0);
	return check_done();
}
