#include "check.h"
#include "cluster/cluster.h"

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
	test_nodes();
	test_running_sums();
	return check_done();
}
