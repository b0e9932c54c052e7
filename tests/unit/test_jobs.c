/* The job table, a case per rule. After each step its totals are held against a recount. */
#include "check.h"
#include "entities/label.h"
#include "jobs/job_batch.h"
#include "jobs/jobs_check.h"
#include "jobs/reserved.h"
#include "model/reservation.h"

static struct job job_with(uint64_t id, int state, const char *partitions, const char *reason)
{
	return (struct job){.id = id,
			    .array_task_id = NUMBER_UNSET,
			    .state = state,
			    .user = TEXT("alice"),
			    .account = TEXT("physics"),
			    .partitions = text_of(partitions),
			    .qos = TEXT("normal"),
			    .reason = text_of(reason),
			    .submit_time = 1000,
			    .cpus = 2,
			    .nodes = 1,
			    .memory_per_node = NUMBER_UNSET,
			    .memory_per_cpu = UINT64_C(100) << 20};
}

static const struct job_usage *find(const struct job_table *table, enum entity_kind kind, const char *name)
{
	return map_find(&table->totals->entities[kind], text_of(name));
}

static const struct job_usage *settled_among(struct job_table *table, const struct map *partitions)
{
	struct error err = {""};
	job_table_settle(table, partitions);
	CHECK(jobs_check(table, &err));
	CHECK_STRING(err.text, "");
	return job_totals_cluster(table->totals);
}

static const struct job_usage *settled(struct job_table *table)
{
	return settled_among(table, NULL);
}

static struct job_view view_of(const struct job_table *table, uint64_t id)
{
	struct job_view view = {0};
	CHECK(job_table_find(table, id, &view));
	return view;
}

static void test_several_partitions(void)
{
	check_row("a pending job of two partitions counts in both, once in the cluster, also if it names one twice");
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_PENDING, "cpu,gpu,cpu", "Priority");
	job.qos = TEXT("low,high,low,low");
	CHECK(job_table_put(table, &job, 0));
	const struct job_usage *cluster = settled(table);
	CHECK_NUMBER(find(table, ENTITY_PARTITION, "cpu")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(find(table, ENTITY_PARTITION, "gpu")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(find(table, ENTITY_QOS, "low")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(find(table, ENTITY_QOS, "high")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(cluster->cpus[PHASE_PENDING], 2);
	CHECK_NUMBER(cluster->memory[PHASE_PENDING], 200 * 1048576.0);
	check_row("once it runs it is in one");
	job.partitions = TEXT("gpu");
	job.state = JOB_RUNNING;
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK_NUMBER(find(table, ENTITY_PARTITION, "cpu")->jobs[JOB_PENDING], 0);
	CHECK_NUMBER(find(table, ENTITY_PARTITION, "gpu")->jobs[JOB_PENDING], 0);
	CHECK_NUMBER(find(table, ENTITY_PARTITION, "gpu")->jobs[JOB_RUNNING], 1);
	job_table_free(table);
}

static struct job array_of(uint64_t id, const char *tasks)
{
	struct job job = job_with(id, JOB_PENDING, "cpu", "JobArrayTaskLimit");
	job.array_job_id = id;
	job.array_tasks = text_of(tasks);
	job.tres_requested = TEXT("cpu=4,mem=1G,node=2,gres/gpu=2");
	return job;
}

static void test_arrays(void)
{
	check_row("an array's unsplit rest counts by task, resources too");
	struct job_table *table = job_table_new();
	struct job job = array_of(1, "1-100%2");
	CHECK(job_table_put(table, &job, 0));
	const struct job_usage *cluster = settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 100);
	CHECK_NUMBER(cluster->pending[REASON_LIMIT], 100);
	CHECK_NUMBER(cluster->cpus[PHASE_PENDING], 400);
	CHECK_NUMBER(cluster->nodes[PHASE_PENDING], 200);
	CHECK_NUMBER(cluster->memory[PHASE_PENDING], 100 * 0x1p30);
	const struct gres_count *gpu = map_find(&cluster->gres, TEXT("gpu:"));
	CHECK(gpu && gpu->count[PHASE_PENDING] == 200);
	CHECK_NUMBER(table->totals->records, 1);
	CHECK_NUMBER(table->totals->jobs, 100);
	CHECK(view_of(table, 1).is_unsplit);
	check_row("a task is split off: a row of its own, and one task less");
	CHECK(job_table_set_tasks(table, 1, 99));
	job.id = 2;
	job.array_task_id = 1;
	job.array_tasks = TEXT("");
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 100);
	CHECK_NUMBER(cluster->cpus[PHASE_PENDING], 400);
	CHECK_NUMBER(table->totals->records, 2);
	CHECK(!view_of(table, 2).is_unsplit);
	CHECK(!job_table_set_tasks(table, 2, 5));
	CHECK(!job_table_set_tasks(table, 3, 5));
	check_row("the leader goes before its tasks");
	CHECK(job_table_remove(table, 1));
	CHECK(!job_table_remove(table, 1));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(cluster->cpus[PHASE_PENDING], 4);
	job_table_free(table);
}

static void test_cut_arrays(void)
{
	check_row("a cut task list counts as many as can be seen");
	struct job_table *table = job_table_new();
	struct job job = array_of(1, "1,3,5,...%3");
	CHECK(job_table_put(table, &job, 0));
	const struct job_usage *cluster = settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 3);
	CHECK_NUMBER(table->totals->undercounted, 1);
	CHECK(view_of(table, 1).is_cut && !view_of(table, 1).is_counted);
	check_row("until its tasks are counted; that stays when its details come again");
	CHECK(job_table_set_tasks(table, 1, 99));
	settled(table);
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 99);
	CHECK_NUMBER(table->totals->undercounted, 0);
	CHECK_NUMBER(view_of(table, 1).tasks_listed, 3);
	check_row("not if more can be seen, or if it was submitted again");
	job.array_tasks = TEXT("1-200,...");
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 200);
	CHECK_NUMBER(table->totals->undercounted, 1);
	CHECK(job_table_set_tasks(table, 1, 300));
	job.submit_time++;
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 200);
	check_row("nobody can tell any more");
	CHECK(job_table_set_tasks(table, 1, 250));
	CHECK(job_table_set_tasks(table, 1, 0));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 200);
	CHECK_NUMBER(table->totals->undercounted, 1);
	check_row("counted before its details came");
	CHECK(job_table_set_state(table, 2, JOB_PENDING, 0, 0));
	CHECK(job_table_set_tasks(table, 2, 1000));
	CHECK(view_of(table, 2).is_unsplit);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 1200);
	job = array_of(2, "0-9,...");
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 1200);
	job_table_free(table);
}

static void test_split_pending(void)
{
	check_row("tasks that were split from an array are counted apart while they are pending");
	struct job_table *table = job_table_new();
	for (uint64_t id = 100; id < 103; id++) {
		struct job job = job_with(id, JOB_PENDING, "cpu", "Priority");
		job.array_job_id = 94;
		job.array_task_id = id - 100;
		CHECK(job_table_put(table, &job, 0));
	}
	CHECK_NUMBER(job_table_split_pending(table, 94), 3);
	CHECK_NUMBER(job_table_split_pending(table, 95), 0);
	CHECK(job_table_set_state(table, 100, JOB_RUNNING, 0, 0));
	CHECK(job_table_remove(table, 101));
	settled(table);
	CHECK_NUMBER(job_table_split_pending(table, 94), 1);
	CHECK(job_table_remove(table, 102));
	CHECK_NUMBER(job_table_split_pending(table, 94), 0);
	CHECK_NUMBER(table->split_pending.count, 0);
	job_table_free(table);
}

static void test_job_gres(void)
{
	check_row("typed and untyped GRES are apart: untyped is the rest");
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_RUNNING, "gpu", "None");
	job.tres_allocated = TEXT("cpu=8,mem=62.50G,node=1,gres/gpu=6,gres/gpu:a100=2,gres/gpu:h100=3");
	CHECK(job_table_put(table, &job, 0));
	const struct job_usage *cluster = settled(table);
	static const struct {
		const char *key;
		uint64_t want;
	} rows[] = {{"gpu:", 1}, {"gpu:a100", 2}, {"gpu:h100", 3}};
	for (size_t i = 0; i < 3; i++) {
		const struct gres_count *gres = map_find(&cluster->gres, text_of(rows[i].key));
		CHECK(gres && gres->count[PHASE_RUNNING] == rows[i].want);
	}
	CHECK_NUMBER(cluster->cpus[PHASE_RUNNING], 8);
	CHECK_NUMBER(cluster->memory[PHASE_RUNNING], 64000 * 1048576.0);
	job.id = 2;
	job.tres_allocated = TEXT("cpu=8,gres/gpu=2,gres/gpu:a100=2");
	CHECK(job_table_put(table, &job, 0));
	const struct gres_count *untyped = map_find(&cluster->gres, TEXT("gpu:"));
	CHECK_NUMBER(untyped->count[PHASE_RUNNING], 1);
	CHECK(job_table_remove(table, 1));
	settled(table);
	CHECK_NUMBER(untyped->count[PHASE_RUNNING], 0);
	check_row("where Slurm does not select by memory a job holds none, though it asked for 100 MiB a CPU");
	CHECK_NUMBER(cluster->cpus[PHASE_RUNNING], 8);
	CHECK_NUMBER(cluster->memory[PHASE_RUNNING], 0);
	job_table_free(table);
}

static void test_state_changes(void)
{
	check_row("a job starts before its details say so: it holds what it asked for");
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_PENDING, "gpu", "Resources");
	job.tres_requested = TEXT("cpu=4,mem=1G,node=1,gres/gpu=2");
	CHECK(job_table_put(table, &job, 100));
	CHECK(!view_of(table, 1).details_wanted);
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 1 << JOB_FLAG_CONFIGURING, 110));
	const struct job_usage *cluster = settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 0);
	CHECK_NUMBER(cluster->jobs[JOB_RUNNING], 1);
	CHECK_NUMBER(cluster->flagged[JOB_FLAG_CONFIGURING], 1);
	CHECK_NUMBER(cluster->pending[REASON_STARTABLE], 0);
	CHECK_NUMBER(cluster->cpus[PHASE_PENDING], 0);
	CHECK_NUMBER(cluster->cpus[PHASE_RUNNING], 4);
	CHECK_NUMBER(cluster->oldest_pending[REASON_STARTABLE], 0);
	const struct gres_count *gpu = map_find(&cluster->gres, TEXT("gpu:"));
	CHECK(gpu && gpu->count[PHASE_RUNNING] == 2 && gpu->count[PHASE_PENDING] == 0);
	struct job_view view = view_of(table, 1);
	CHECK(view.details_wanted && view.has_details);
	CHECK_NUMBER(view.details_time, 100);
	CHECK_NUMBER(view.seen_time, 110);
	check_row("only another state makes details wanted");
	job.state = JOB_RUNNING;
	job.tres_allocated = TEXT("cpu=8,mem=1G,node=1,gres/gpu=2");
	CHECK(job_table_put(table, &job, 120));
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 0, 130));
	settled(table);
	CHECK_NUMBER(cluster->cpus[PHASE_RUNNING], 8);
	CHECK_NUMBER(cluster->flagged[JOB_FLAG_CONFIGURING], 0);
	CHECK(cluster->flags_seen == 1 << JOB_FLAG_CONFIGURING);
	CHECK(!view_of(table, 1).details_wanted);
	check_row("or that its nodes have booted: it starts when they have");
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 1 << JOB_FLAG_CONFIGURING, 131));
	CHECK(!view_of(table, 1).details_wanted);
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 1 << JOB_FLAG_CONFIGURING | 1 << JOB_FLAG_RESIZING, 132));
	CHECK(!view_of(table, 1).details_wanted);
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 1 << JOB_FLAG_RESIZING, 133));
	CHECK(view_of(table, 1).details_wanted);
	CHECK(job_table_put(table, &job, 134));
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 1 << JOB_FLAG_RESIZING, 135));
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 0, 136));
	CHECK(!view_of(table, 1).details_wanted);
	check_row("ended, it holds nothing");
	CHECK(job_table_set_state(table, 1, JOB_COMPLETED, 0, 140));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_COMPLETED], 1);
	CHECK_NUMBER(cluster->cpus[PHASE_RUNNING], 0);
	check_row("requeued: the same id, submitted later");
	job.state = JOB_PENDING;
	job.submit_time = 2000;
	CHECK(job_table_put(table, &job, 150));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(cluster->jobs[JOB_COMPLETED], 0);
	CHECK_NUMBER(cluster->oldest_pending[REASON_STARTABLE], 2000);
	CHECK_NUMBER(table->totals->records, 1);
	job_table_free(table);
}

static void test_without_details(void)
{
	check_row("an id without details is in the cluster's states only");
	struct job_table *table = job_table_new();
	CHECK(job_table_set_state(table, 7, JOB_PENDING, 1 << JOB_FLAG_REQUEUED, 10));
	const struct job_usage *cluster = settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(cluster->flags_seen, 0);
	CHECK_NUMBER(cluster->pending[REASON_STARTABLE], 0);
	CHECK_NUMBER(cluster->reasons.count, 0);
	CHECK_NUMBER(table->totals->records, 1);
	CHECK_NUMBER(table->totals->jobs_without_details, 1);
	struct job_view view = view_of(table, 7);
	CHECK(!view.has_details && view.details_wanted);
	CHECK_NUMBER(view.array_task_id, NUMBER_UNSET);
	CHECK_NUMBER(view.details_time, 0);
	CHECK(job_table_set_tasks(table, 7, 50));
	struct job_counts counts = job_table_counts(table);
	CHECK_NUMBER(counts.rows, 1);
	CHECK_NUMBER(counts.rows_without_details, 1);
	CHECK_NUMBER(counts.jobs_without_details, 50);
	CHECK_NUMBER(counts.pending, 50);
	CHECK(job_table_set_state(table, 7, JOB_RUNNING, 0, 20));
	settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_RUNNING], 50);
	check_row("until they come");
	struct job job = job_with(7, JOB_RUNNING, "cpu", "None");
	CHECK(job_table_put(table, &job, 30));
	settled(table);
	counts = job_table_counts(table);
	CHECK_NUMBER(counts.rows_without_details + counts.jobs_without_details, 0);
	CHECK_NUMBER(counts.running, 1);
	CHECK_NUMBER(cluster->cpus[PHASE_RUNNING], 2);
	job_table_free(table);
}

static void test_seen_stays(void)
{
	check_row("what was seen stays at zero");
	const int64_t day = 24 * 3600;
	struct arena arena = ARENA_INIT;
	struct map partitions;
	map_init(&partitions, &arena, 1);
	map_add(&partitions, TEXT("cpu"));
	map_add(&partitions, TEXT("empty"));
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_PENDING, "cpu,gone", "Resources");
	job.flags = UINT64_C(1) << JOB_FLAG_REQUEUED;
	job.tres_requested = TEXT("cpu=2,gres/gpu=1");
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK(find(table, ENTITY_PARTITION, "gone"));

	job_batch_commit(job_batch_begin(table, day - 1));
	settled_among(table, &partitions);
	CHECK(find(table, ENTITY_PARTITION, "empty"));
	CHECK(!find(table, ENTITY_PARTITION, "gone"));
	CHECK(find(table, ENTITY_ACCOUNT, "physics"));
	CHECK(find(table, ENTITY_QOS, "normal"));
	const struct job_usage *cpu = find(table, ENTITY_PARTITION, "cpu");
	CHECK(cpu && cpu->jobs[JOB_PENDING] == 0);
	CHECK(cpu && cpu->flags_seen == UINT64_C(1) << JOB_FLAG_REQUEUED);
	CHECK(cpu && map_find(&cpu->reasons, TEXT("Resources")));
	CHECK(cpu && map_find(&cpu->gres, TEXT("gpu:")));
	CHECK_NUMBER(table->totals->entities[ENTITY_USER].count, 1);
	CHECK_NUMBER(table->pools.texts.held + table->pools.groups.keys.held, 0);

	job_batch_commit(job_batch_begin(table, day + 1)); /* 24 hours without a job */
	settled_among(table, &partitions);
	CHECK_NUMBER(table->totals->entities[ENTITY_USER].count, 0);
	check_row("what comes again is counted where it was, or anew");
	CHECK(job_table_put(table, &job, day + 2));
	settled_among(table, &partitions);
	CHECK_NUMBER(find(table, ENTITY_PARTITION, "cpu")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(find(table, ENTITY_PARTITION, "gone")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(table->totals->entities[ENTITY_USER].count, 1);
	job_table_free(table);
	map_done(&partitions);
	arena_done(&arena);
}

static void test_a_users_last_job(void)
{
	check_row("24 hours count from when Slurm last knew a job, not from its start");
	const int64_t day = 24 * 3600;
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_RUNNING, "cpu", "None");
	CHECK(job_table_put(table, &job, 0));
	CHECK(job_table_set_state(table, 1, JOB_RUNNING, 0, 3 * day));
	settled(table);
	CHECK_NUMBER(table->totals->entities[ENTITY_USER].count, 1);
	job.id = 3; /* an older one goes after it */
	CHECK(job_table_put(table, &job, 1));
	settled(table);
	CHECK(job_table_remove(table, 1));
	CHECK(job_table_remove(table, 3));
	CHECK(job_table_set_state(table, 2, JOB_PENDING, 0, 4 * day - 1));
	settled(table);
	CHECK_NUMBER(table->totals->entities[ENTITY_USER].count, 1);
	CHECK(job_table_set_state(table, 2, JOB_PENDING, 0, 4 * day));
	settled(table);
	CHECK_NUMBER(table->totals->entities[ENTITY_USER].count, 0);
	job_table_free(table);
}

static void test_users(void)
{
	check_row("users by account");
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_RUNNING, "cpu", "None");
	CHECK(job_table_put(table, &job, 0));
	job.id = 2;
	job.account = TEXT("bio");
	CHECK(job_table_put(table, &job, 0));
	job.id = 3;
	job.user = TEXT("bob");
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	const struct map *users = &table->totals->entities[ENTITY_USER];
	CHECK_NUMBER(users->count, 3);
	const struct job_usage *last = users->entries[2].value;
	CHECK_STRING(last->label[0].bytes, "bob");
	CHECK_STRING(last->label[1].bytes, "bio");
	job_table_free(table);
}

static void test_oldest_and_largest(void)
{
	check_row("oldest and largest");
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_PENDING, "cpu", "Priority");
	job.nodes = 4;
	job.submit_time = 2000;
	CHECK(job_table_put(table, &job, 0));
	job.id = 2;
	job.submit_time = 1500;
	job.nodes = 2;
	CHECK(job_table_put(table, &job, 0));
	job.id = 3;
	job.reason = TEXT("JobHeldUser");
	job.submit_time = 10;
	job.nodes = 99;
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	const struct job_usage *cpu = find(table, ENTITY_PARTITION, "cpu");
	CHECK_NUMBER(cpu->oldest_pending[REASON_STARTABLE], 1500);
	CHECK_NUMBER(cpu->oldest_pending[REASON_HELD], 10);
	CHECK_NUMBER(cpu->oldest_pending[REASON_LIMIT], 0);
	CHECK_NUMBER(cpu->max_startable_nodes, 4);
	check_row("the largest goes, which is not the oldest");
	job = job_with(4, JOB_PENDING, "cpu", "Priority");
	job.nodes = 7;
	job.submit_time = 3000;
	CHECK(job_table_put(table, &job, 0));
	settled(table);
	CHECK_NUMBER(cpu->max_startable_nodes, 7);
	CHECK(job_table_remove(table, 4));
	settled(table);
	CHECK_NUMBER(cpu->max_startable_nodes, 4);
	check_row("the oldest starts, the largest goes");
	CHECK(job_table_set_state(table, 2, JOB_RUNNING, 0, 0));
	settled(table);
	CHECK_NUMBER(cpu->oldest_pending[REASON_STARTABLE], 2000);
	CHECK_NUMBER(cpu->max_startable_nodes, 4);
	CHECK(job_table_remove(table, 1));
	settled(table);
	CHECK_NUMBER(cpu->oldest_pending[REASON_STARTABLE], 0);
	CHECK_NUMBER(cpu->oldest_pending[REASON_HELD], 10);
	CHECK_NUMBER(cpu->max_startable_nodes, 0);
	job_table_free(table);
}

/* How many CPUs each of a, b and other has, of jobs that run in `names` on `nodes`. */
static void check_reserved(const char *names, const char *nodes, int state, const uint64_t want[3])
{
	static const size_t texts[] = {SIZE_MAX};
	char scratch[LABEL_MAX + 1];
	const struct reservation all[] = {
		{.name = TEXT("a"), .node_list = TEXT("n[1-4]"), .start_time = 100, .allocated_cpus = 99},
		{.name = TEXT("b"), .node_list = TEXT("n[4-6]"), .start_time = 100},
		{.name = label_of(TEXT("other"), scratch), .node_list = TEXT("n[1-6]"), .start_time = 101}};
	struct record_list *list = record_list_new(sizeof *all);
	struct job_table *table = job_table_new();
	struct job job = job_with(1, state, "cpu", "None");
	job.reservation = text_of(names);
	job.node_list = text_of(nodes);
	for (; job.id <= 2; job.id++)
		CHECK(job_table_put(table, &job, 100));
	for (size_t i = 0; i < 3; i++)
		record_list_add(list, all[i].name, &all[i], texts);
	for (int again = 0; again < 2; again++) {
		reserved_count(list, table);
		for (size_t i = 0; i < 3; i++)
			CHECK_NUMBER(((const struct reservation *)list->items)[i].allocated_cpus, want[i]);
	}
	job_table_free(table);
	record_list_free(list);
}

static void test_reservations(void)
{
	static const struct {
		const char *names, *nodes;
		uint64_t want[3];
	} rows[] = {
		{"a", "n1", {4, 0, 0}},	      {"a", "x1", {4, 0, 0}}, /* it may have grown since its nodes were read */
		{"other", "n1", {0, 0, 4}},   {"gone", "n1", {0, 0, 0}}, {"", "n1", {0, 0, 0}},
		{"a,b", "n[1-2]", {4, 0, 0}}, {"a,b", "n5", {0, 4, 0}},	 {"gone,b,a", "n6", {0, 4, 0}},
		{"a,b", "n4", {4, 4, 0}}, /* both have it */
		{"a,b", "n[4-5]", {0, 4, 0}}, /* one has both */
		{"b,a", "n[3-5]", {4, 4, 0}}, /* none has all */
		{"other,b", "n4", {0, 4, 0}}, /* the other one has not begun */
		{"a,b", "x1", {4, 4, 0}}, /* none has it */
		{"b,other", "x1", {0, 4, 4}}, {"a,b", "", {4, 4, 0}},
	};
	const uint64_t none[3] = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].names);
		check_reserved(rows[i].names, rows[i].nodes, JOB_RUNNING, rows[i].want);
		check_reserved(rows[i].names, rows[i].nodes, JOB_PENDING, none);
	}
}

static void test_batches(void)
{
	check_row("what a whole list does not have is gone");
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_PENDING, "cpu", "Priority");
	CHECK(job_table_put(table, &job, 100));
	job.id = 2;
	CHECK(job_table_put(table, &job, 100));
	CHECK(job_table_set_state(table, 3, JOB_RUNNING, 0, 100));
	struct job_batch *batch = job_batch_begin(table, 200);
	CHECK(job_batch_put(batch, &job));
	CHECK_NUMBER(batch->count, 0); /* nothing new */
	job.id = 4;
	CHECK(job_batch_put(batch, &job));
	CHECK(job_batch_put(batch, &job)); /* twice */
	CHECK_NUMBER(job_table_counts(table).rows, 3); /* not yet */
	job_batch_commit(batch);
	const struct job_usage *cluster = settled(table);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 2);
	CHECK_NUMBER(cluster->jobs[JOB_RUNNING], 0);
	CHECK_NUMBER(view_of(table, 2).details_time, 200);
	CHECK_NUMBER(view_of(table, 4).seen_time, 200);
	check_row("a list that breaks off changes nothing");
	batch = job_batch_begin(table, 300);
	job.user = TEXT("bob");
	CHECK(job_batch_put(batch, &job));
	job.id = 5;
	CHECK(job_batch_put(batch, &job));
	job_batch_abort(batch);
	settled(table);
	CHECK(!find(table, ENTITY_ACCOUNT, "bob"));
	CHECK_NUMBER(table->totals->entities[ENTITY_USER].count, 1);
	CHECK_NUMBER(view_of(table, 4).seen_time, 200);
	CHECK_NUMBER(job_table_counts(table).rows, 2);
	check_row("an empty list empties");
	job_batch_commit(job_batch_begin(table, 400));
	settled(table);
	CHECK_NUMBER(job_table_counts(table).rows, 0);
	CHECK_NUMBER(table->pools.texts.held + table->pools.groups.keys.held, 0);
	job_table_free(table);
}

/* The IDs whose rows are to be stored, by position; "-7" is gone. */
static void check_unstored(struct job_table *table, const char *want)
{
	struct buf got = BUF_INIT;
	const struct job_unstored *unstored = &table->unstored;
	size_t count = table->position_count;
	for (size_t i = 0; i < unstored->removed_count; i++)
		buf_printf(&got, "-%" PRIu32 " ", unstored->removed[i]);
	for (size_t i = job_unstored_next(unstored, 0, count); i < count; i = job_unstored_next(unstored, i + 1, count))
		if (job_row_is_used(&table->rows[i]))
			buf_printf(&got, "%" PRIu32 " ", table->rows[i].id);
	CHECK_STRING(got.len ? got.bytes : "", want);
	buf_done(&got);
}

static void test_unstored(void)
{
	struct job_table *table = job_table_new();
	struct job job = job_with(1, JOB_PENDING, "cpu", "Priority"), rest = job_with(3, JOB_PENDING, "cpu", "None");
	rest.array_tasks = TEXT("1-9");
	check_row("before all were stored all are to be");
	CHECK(job_table_put(table, &job, 10));
	CHECK(job_table_set_state(table, 2, JOB_RUNNING, 0, 10));
	CHECK(job_table_put(table, &rest, 10));
	CHECK(job_table_remove(table, 2));
	CHECK(job_table_set_state(table, 4, JOB_RUNNING, 0, 10));
	check_unstored(table, "1 4 3 ");
	job_unstored_begin(&table->unstored);
	check_unstored(table, "");
	check_row("what comes again and says the same is not");
	CHECK(job_table_put(table, &job, 20));
	CHECK(job_table_set_state(table, 1, JOB_PENDING, 0, 20));
	CHECK(job_table_set_tasks(table, 3, 0));
	check_unstored(table, "");
	check_row("what changes is, however it changes");
	CHECK(job_table_set_tasks(table, 3, 9));
	check_unstored(table, "3 ");
	CHECK(job_table_set_state(table, 1, JOB_PENDING, 1, 30));
	check_unstored(table, "1 3 ");
	job_unstored_begin(&table->unstored);
	job.flags = 1;
	job.reason = TEXT("Resources");
	CHECK(job_table_put(table, &job, 30));
	check_unstored(table, "1 ");
	check_row("another job at the place of one that is gone");
	CHECK(job_table_remove(table, 1) && job_table_remove(table, 4));
	for (uint64_t id = 100; id < 300; id++)
		CHECK(job_table_set_state(table, id, JOB_RUNNING, 0, 30));
	CHECK(job_table_remove(table, 101));
	job_unstored_begin(&table->unstored);
	CHECK(job_table_set_state(table, 299, JOB_FAILED, 0, 40));
	CHECK(job_table_set_state(table, 163, JOB_FAILED, 0, 40));
	CHECK(job_table_remove(table, 164) && job_table_set_state(table, 164, JOB_FAILED, 0, 40));
	check_unstored(table, "-164 163 164 299 ");
	check_row("when nobody knows what is stored all are to be, and nothing is kept");
	job_unstored_end(&table->unstored);
	CHECK(job_table_remove(table, 299));
	CHECK_NUMBER(table->unstored.removed_count, 0);
	size_t count = 0;
	for (size_t i = 0; i < table->position_count; i++)
		count += job_unstored_next(&table->unstored, i, table->position_count) == i;
	CHECK_NUMBER(count, table->position_count);
	settled(table);
	job_table_free(table);
}

static void test_take(void)
{
	check_row("the rows of another table take the place of a table's own");
	struct job_table *table = job_table_new(), *other = job_table_new();
	struct job job = job_with(1, JOB_PENDING, "cpu", "Priority"), next = job_with(2, JOB_RUNNING, "gpu", "None");
	table->extras.max[STAGE_PENDING] = 10;
	CHECK(job_table_put(table, &job, 10) && job_table_put(other, &next, 20));
	job_extras_put(&table->extras, &job);
	uint64_t changes = table->changes;
	job_table_take(table, other);
	struct job_view view;
	CHECK(!job_table_find(table, 1, &view) && job_table_find(table, 2, &view));
	CHECK(table->changes > changes);
	CHECK_NUMBER(table->extras.max[STAGE_PENDING], 10);
	CHECK(job_extras_find(&table->extras, 1) != NULL);
	CHECK_NUMBER(settled(table)->jobs[JOB_RUNNING], 1);
	CHECK(find(table, ENTITY_PARTITION, "cpu") == NULL);
	job_table_free(table);
}

static void test_ids(void)
{
	check_row("ids that cannot be Slurm's");
	struct job_table *table = job_table_new();
	struct job job = job_with(UINT64_C(1) << 32, JOB_PENDING, "cpu", "Priority");
	CHECK(!job_table_put(table, &job, 0));
	CHECK(!job_table_set_state(table, job.id, JOB_PENDING, 0, 0));
	CHECK(!job_table_remove(table, job.id));
	job.id = 1;
	job.array_job_id = UINT64_C(1) << 40;
	CHECK(!job_table_put(table, &job, 0));
	CHECK_NUMBER(job_table_counts(table).rows, 0);
	settled(table);
	check_row("the highest id, the oldest details");
	uint64_t highest[JOB_ORIGINS];
	job_table_highest_ids(table, highest);
	CHECK_NUMBER(highest[0], 0);
	CHECK_NUMBER(job_table_oldest_details(table), 0);
	job.array_job_id = 0;
	for (uint64_t id = 10; id <= 30; id += 10) {
		job.id = id;
		CHECK(job_table_put(table, &job, (int64_t)id));
	}
	job.id = UINT64_C(5) << 26 | 7; /* of the fifth cluster of a federation */
	CHECK(job_table_put(table, &job, 40));
	job_table_highest_ids(table, highest);
	CHECK_NUMBER(highest[0], 30);
	CHECK_NUMBER(highest[5], job.id);
	CHECK(job_table_remove(table, job.id));
	CHECK(job_table_remove(table, 30));
	job_table_highest_ids(table, highest);
	CHECK_NUMBER(highest[0], 20);
	CHECK_NUMBER(highest[5], 0);
	CHECK_NUMBER(job_table_oldest_details(table), 10);
	CHECK(job_table_set_state(table, 10, JOB_FAILED, 0, 40));
	CHECK_NUMBER(job_table_oldest_details(table), 20);
	check_row("rows by position stay where they are");
	struct job_view view;
	CHECK(job_table_at(table, 1, &view) && view.id == 20);
	CHECK(!job_table_at(table, 2, &view));
	CHECK(job_table_set_state(table, 40, JOB_PENDING, 0, 40));
	CHECK(job_table_at(table, 1, &view) && view.id == 20);
	CHECK(job_table_at(table, 2, &view) && view.id == 40);
	job_table_free(table);
}

int main(void)
{
	test_several_partitions();
	test_arrays();
	test_cut_arrays();
	test_split_pending();
	test_job_gres();
	test_state_changes();
	test_without_details();
	test_seen_stays();
	test_a_users_last_job();
	test_users();
	test_oldest_and_largest();
	test_reservations();
	test_batches();
	test_unstored();
	test_take();
	test_ids();
	return check_done();
}
