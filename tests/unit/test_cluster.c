#include "check.h"
#include "cluster/cluster.h"

static struct job job_with(int state, const char *partitions, const char *reason)
{
	return (struct job){.id = 1,
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

static const struct job_usage *find(const struct jobs_section *section, enum entity_kind kind,
				    const char *name)
{
	return map_find(&section->entities[kind], text_of(name));
}

static void test_several_partitions(void)
{
	check_row("a pending job of two partitions counts in both, once in the cluster");
	struct jobs_section *section = jobs_section_new(NULL, NULL, 0);
	struct job job = job_with(JOB_PENDING, "cpu,gpu", "Priority");
	jobs_section_add(section, &job, 0);
	CHECK_NUMBER(find(section, ENTITY_PARTITION, "cpu")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(find(section, ENTITY_PARTITION, "gpu")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(find(section, ENTITY_CLUSTER, "")->jobs[JOB_PENDING], 1);
	CHECK_NUMBER(find(section, ENTITY_CLUSTER, "")->cpus[PHASE_PENDING], 2);
	CHECK_NUMBER(find(section, ENTITY_CLUSTER, "")->memory[PHASE_PENDING], 200 * 1048576.0);
	jobs_section_free(section);
}

static void test_arrays(void)
{
	check_row("an array's unsplit rest counts by task, resources too");
	struct jobs_section *section = jobs_section_new(NULL, NULL, 0);
	struct job job = job_with(JOB_PENDING, "cpu", "JobArrayTaskLimit");
	job.array_job_id = 1;
	job.array_task_id = NUMBER_UNSET;
	job.array_tasks = TEXT("1-100%2");
	job.tres_requested = TEXT("cpu=4,mem=1G,node=2,gres/gpu=2");
	jobs_section_add(section, &job, 0);
	const struct job_usage *cluster = find(section, ENTITY_CLUSTER, "");
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 100);
	CHECK_NUMBER(cluster->pending[REASON_LIMIT], 100);
	CHECK_NUMBER(cluster->cpus[PHASE_PENDING], 400);
	CHECK_NUMBER(cluster->nodes[PHASE_PENDING], 200);
	CHECK_NUMBER(cluster->memory[PHASE_PENDING], 100 * 0x1p30);
	const struct gres_count *gpu = map_find(&cluster->gres, TEXT("gpu:"));
	CHECK(gpu && gpu->count[PHASE_PENDING] == 200);
	CHECK_NUMBER(section->records, 1);
	CHECK_NUMBER(section->jobs, 100);
	jobs_section_free(section);
}

static void test_cut_arrays(void)
{
	check_row("a cut task list is added when its tasks are counted");
	struct jobs_section *section = jobs_section_new(NULL, NULL, 0);
	struct job job = job_with(JOB_PENDING, "cpu", "Priority");
	job.array_tasks = TEXT("1,3,5,...%3");
	job.array_task_id = NUMBER_UNSET;
	jobs_section_add(section, &job, 0);
	jobs_section_add(section, &job, 0);
	const struct job_usage *cluster = find(section, ENTITY_CLUSTER, "");
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 0);
	CHECK_NUMBER(section->cut_count, 2);
	jobs_section_settle(section, 99, 0);
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 99);
	CHECK_NUMBER(section->undercounted, 0);
	jobs_section_settle(section, 0, 0); /* nobody could tell */
	CHECK_NUMBER(cluster->jobs[JOB_PENDING], 99 + 3);
	CHECK_NUMBER(section->undercounted, 1);
	CHECK_NUMBER(jobs_section_cut_tasks(section, 1), 99);
	CHECK_NUMBER(jobs_section_cut_tasks(section, 2), 0);
	CHECK_NUMBER(jobs_section_cut_tasks(NULL, 1), 0);
	check_row("tasks that were split from an array are counted apart while they are pending");
	job.array_tasks = TEXT("");
	job.array_job_id = 94;
	job.array_task_id = 17;
	jobs_section_add(section, &job, 0);
	job.state = JOB_RUNNING;
	job.array_task_id = 18;
	jobs_section_add(section, &job, 0);
	CHECK_NUMBER(jobs_section_split_pending(section, 94), 1);
	CHECK_NUMBER(jobs_section_split_pending(section, 95), 0);
	jobs_section_free(section);
}

static void test_job_gres(void)
{
	check_row("typed and untyped GRES are apart: untyped is the rest");
	struct jobs_section *section = jobs_section_new(NULL, NULL, 0);
	struct job job = job_with(JOB_RUNNING, "gpu", "None");
	job.tres_allocated =
		TEXT("cpu=8,mem=62.50G,node=1,gres/gpu=6,gres/gpu:a100=2,gres/gpu:h100=3");
	jobs_section_add(section, &job, 0);
	const struct job_usage *cluster = find(section, ENTITY_CLUSTER, "");
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
	job.tres_allocated = TEXT("cpu=8,gres/gpu=2,gres/gpu:a100=2");
	jobs_section_add(section, &job, 0);
	const struct gres_count *untyped = map_find(&cluster->gres, TEXT("gpu:"));
	CHECK_NUMBER(untyped->count[PHASE_RUNNING], 1);
	jobs_section_free(section);
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
	struct jobs_section *first = jobs_section_new(NULL, NULL, 0);
	struct job job = job_with(JOB_PENDING, "cpu,gone", "Resources");
	job.flags = UINT64_C(1) << JOB_FLAG_REQUEUED;
	jobs_section_add(first, &job, 0);

	struct jobs_section *second = jobs_section_new(first, &partitions, day - 1);
	CHECK(find(second, ENTITY_PARTITION, "empty"));
	CHECK(!find(second, ENTITY_PARTITION, "gone"));
	CHECK(find(second, ENTITY_ACCOUNT, "physics"));
	CHECK(find(second, ENTITY_QOS, "normal"));
	const struct job_usage *cpu = find(second, ENTITY_PARTITION, "cpu");
	CHECK(cpu && cpu->jobs[JOB_PENDING] == 0);
	CHECK(cpu && cpu->flags_seen == UINT64_C(1) << JOB_FLAG_REQUEUED);
	CHECK(cpu && map_find(&cpu->reasons, TEXT("Resources")));
	CHECK_NUMBER(second->entities[ENTITY_USER].count, 1);

	struct jobs_section *third = jobs_section_new(second, &partitions, day + 1);
	CHECK_NUMBER(third->entities[ENTITY_USER].count, 0); /* 24 hours without a job */
	jobs_section_free(first);
	jobs_section_free(second);
	jobs_section_free(third);
	map_done(&partitions);
	arena_done(&arena);
}

static void test_users(void)
{
	check_row("users by account, and by number where Slurm has no name");
	struct jobs_section *section = jobs_section_new(NULL, NULL, 0);
	struct job job = job_with(JOB_RUNNING, "cpu", "None");
	jobs_section_add(section, &job, 0);
	job.account = TEXT("bio");
	jobs_section_add(section, &job, 0);
	job.user = TEXT("");
	job.user_id = 4711;
	jobs_section_add(section, &job, 0);
	const struct map *users = &section->entities[ENTITY_USER];
	CHECK_NUMBER(users->count, 3);
	const struct job_usage *last = users->entries[2].value;
	CHECK_STRING(last->label[0].bytes, "4711");
	CHECK_STRING(last->label[1].bytes, "bio");
	jobs_section_free(section);
}

static void test_oldest_and_largest(void)
{
	check_row("oldest and largest");
	struct jobs_section *section = jobs_section_new(NULL, NULL, 0);
	struct job job = job_with(JOB_PENDING, "cpu", "Priority");
	job.nodes = 4;
	job.submit_time = 2000;
	jobs_section_add(section, &job, 0);
	job.submit_time = 1500;
	job.nodes = 2;
	jobs_section_add(section, &job, 0);
	job.reason = TEXT("JobHeldUser");
	job.submit_time = 10;
	job.nodes = 99;
	jobs_section_add(section, &job, 0);
	const struct job_usage *cpu = find(section, ENTITY_PARTITION, "cpu");
	CHECK_NUMBER(cpu->oldest_pending[REASON_STARTABLE], 1500);
	CHECK_NUMBER(cpu->oldest_pending[REASON_HELD], 10);
	CHECK_NUMBER(cpu->oldest_pending[REASON_LIMIT], 0);
	CHECK_NUMBER(cpu->max_startable_nodes, 4);
	jobs_section_free(section);
}

static void test_nodes(void)
{
	static const struct {
		const char *name;
		int state;
		uint64_t flags;
		uint64_t allocated, idle, other;
	} rows[] = {
		{"mixed", NODE_MIXED, 0, 3, 5, 0},
		{"draining", NODE_MIXED, 1 << NODE_FLAG_DRAIN, 3, 0, 5},
		{"down with a job", NODE_DOWN, 0, 3, 0, 5},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct nodes_section *section = nodes_section_new(NULL, NULL);
		struct node node = {.name = TEXT("n"),
				    .state = rows[i].state,
				    .flags = rows[i].flags,
				    .partitions = TEXT("cpu,debug"),
				    .cpus = 8,
				    .allocated_cpus = 3,
				    .memory = 1000,
				    .allocated_memory = 400,
				    .gres = TEXT("gpu:a100:2(S:0),gpu:a100:2(S:1),shard:8"),
				    .gres_used = TEXT("gpu:a100:3(IDX:0-2),shard:0(0/8)")};
		check_row(rows[i].name);
		nodes_section_add(section, &node);
		CHECK_NUMBER(section->cluster.cpus[SHARE_ALLOCATED], rows[i].allocated);
		CHECK_NUMBER(section->cluster.cpus[SHARE_IDLE], rows[i].idle);
		CHECK_NUMBER(section->cluster.cpus[SHARE_OTHER], rows[i].other);
		const struct node_usage *debug = map_find(&section->partitions, TEXT("debug"));
		CHECK_NUMBER(debug->nodes[rows[i].state], 1);
		const struct gres_count *gpu = map_find(&section->cluster.gres, TEXT("gpu:a100"));
		CHECK_NUMBER(gpu->count[SHARE_ALLOCATED], 3);
		CHECK_NUMBER(gpu->count[SHARE_IDLE] + gpu->count[SHARE_OTHER], 1);
		nodes_section_free(section);
	}
}

static void test_running_sums(void)
{
	struct scheduler_section section;
	scheduler_section_init(&section);
	struct diag diag = {.reset_time = 100, .cycles = 10, .cycle_sum_us = 1000,
			    .backfill_cycles = NUMBER_UNSET, .backfill_sum_us = NUMBER_UNSET,
			    .backfill_mean_us = NUMBER_UNSET, .backfill_jobs = 7};
	check_row("sums across diag's resets");
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_CYCLES), 10);
	diag.cycles = 25;
	scheduler_section_set(&section, &diag);
	diag.cycles = 3;
	diag.reset_time = 200; /* midnight */
	diag.cycle_sum_us = NUMBER_UNSET;
	diag.cycle_mean_us = 50;
	diag.backfill_jobs = 9; /* goes on */
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_CYCLES), 28);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_CYCLE_US), 1150);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_BACKFILL_JOBS), 9);
	diag.reset_time = 300; /* a restart */
	diag.backfill_jobs = 2;
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_BACKFILL_JOBS), 11);
	CHECK(scheduler_section_sum(&section, SUM_BACKFILL_CYCLES) == NUMBER_UNSET);
	scheduler_section_done(&section);
}

int main(void)
{
	test_several_partitions();
	test_arrays();
	test_cut_arrays();
	test_job_gres();
	test_seen_stays();
	test_users();
	test_oldest_and_largest();
	test_nodes();
	test_running_sums();
	return check_done();
}
