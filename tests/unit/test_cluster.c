#include "check.h"
#include "cluster/cluster.h"
#include "model/rpc.h"

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
		CHECK_NUMBER(section->cluster.cpus[CAPACITY_ALLOCATED], rows[i].allocated);
		CHECK_NUMBER(section->cluster.cpus[CAPACITY_IDLE], rows[i].idle);
		CHECK_NUMBER(section->cluster.cpus[CAPACITY_OTHER], rows[i].other);
		const struct node_usage *debug = map_find(&section->partitions, TEXT("debug"));
		CHECK_NUMBER(debug->nodes[rows[i].state], 1);
		const struct gres_count *gpu = map_find(&section->cluster.gres, TEXT("gpu:a100"));
		CHECK_NUMBER(gpu->count[CAPACITY_ALLOCATED], 3);
		CHECK_NUMBER(gpu->count[CAPACITY_IDLE] + gpu->count[CAPACITY_OTHER], 1);
		nodes_section_free(section);
	}
}

/* slurmctld may have given more than there is, and may not say how much there is. */
static void test_odd_nodes(void)
{
	struct nodes_section *section = nodes_section_new(NULL, NULL);
	struct node node = {.name = TEXT("n"),
			    .state = NODE_ALLOCATED,
			    .cpus = 4,
			    .allocated_cpus = 8,
			    .memory = NUMBER_UNSET,
			    .allocated_memory = 400};
	check_row("more is allocated than there is");
	nodes_section_add(section, &node);
	CHECK_NUMBER(section->cluster.cpus[CAPACITY_ALLOCATED], 8);
	CHECK_NUMBER(section->cluster.cpus[CAPACITY_IDLE], 0);
	CHECK_NUMBER(section->cluster.memory[CAPACITY_ALLOCATED], 400);
	CHECK_NUMBER(section->cluster.memory[CAPACITY_IDLE], 0);
	nodes_section_free(section);
}

static void test_flags_of_all_nodes(void)
{
	const uint64_t drained = UINT64_C(1) << NODE_FLAG_DRAINED;
	struct nodes_section *section = nodes_section_new(NULL, NULL);
	check_row("flags that some nodes have; DRAIN would be drained once more");
	nodes_section_add(section, &(struct node){.name = TEXT("a"), .flags = drained | 1 << NODE_FLAG_DRAIN});
	nodes_section_add(section, &(struct node){.name = TEXT("b"), .flags = 1 << NODE_FLAG_MAINT});
	nodes_section_add(section, &(struct node){.name = TEXT("c")});
	CHECK_NUMBER(section->cluster.flags_seen, drained | 1 << NODE_FLAG_MAINT);
	CHECK_NUMBER(section->cluster.flagged[NODE_FLAG_DRAINED], 1);
	CHECK_NUMBER(section->cluster.flagged[NODE_FLAG_DRAIN], 0);
	CHECK_NUMBER(section->cluster.flagged[NODE_FLAG_MAINT], 1);
	nodes_section_free(section);
}

static void test_rosters_do_not_grow(void)
{
	struct roster roster;
	check_row("a roster that is chosen again and again does not grow");
	roster_init(&roster);
	for (int i = 0; i < 10000; i++) {
		roster_offer(&roster, TEXT("alice"), (struct roster_use){1, 1});
		roster_offer(&roster, TEXT("bob"), (struct roster_use){2, 1});
		roster_choose(&roster, 1);
	}
	CHECK(roster_shows(&roster, TEXT("bob")) && !roster_shows(&roster, TEXT("alice")));
	CHECK(roster.shown_arena.bytes + roster.offers_arena.bytes < 100000);
	roster_done(&roster);
}

/* Of all that was offered of one the most counts, whatever comes later. */
static void test_who_has_most(void)
{
	static const struct {
		const char *name;
		struct {
			const char *key;
			struct roster_use use;
		} offers[3];
		const char *want;
	} rows[] = {
		{"CPUs", {{"a", {.cpus = 5}}, {"a", {0}}, {"b", {.cpus = 3}}}, "a"},
		{"ties", {{"a", {.ties = 5}}, {"a", {0}}, {"b", {.ties = 3}}}, "a"},
		{"CPUs before ties", {{"a", {.ties = 5}}, {"c", {0}}, {"b", {.cpus = 1}}}, "b"},
		{"low words that are alike",
		 {{"a", {.cpus = UINT64_C(1) << 32}}, {"b", {.cpus = UINT64_C(1) << 33}}, {"c", {0}}},
		 "b"},
		{"differences of 32 bits", {{"a", {.ties = 1}}, {"b", {.ties = UINT64_C(3) << 30}}, {"c", {0}}}, "b"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct roster roster;
		check_row(rows[i].name);
		roster_init(&roster);
		for (int n = 0; n < 3; n++)
			roster_offer(&roster, text_of(rows[i].offers[n].key), rows[i].offers[n].use);
		roster_choose(&roster, 1);
		for (int n = 0; n < 3; n++)
			CHECK(roster_shows(&roster, text_of(rows[i].offers[n].key)) ==
			      (strcmp(rows[i].offers[n].key, rows[i].want) == 0));
		roster_done(&roster);
	}
}

static void test_running_sums(void)
{
	struct scheduler_section section;
	scheduler_section_init(&section);
	struct diag diag = {.reset_time = 100,
			    .cycles = 10,
			    .cycle_sum_us = 1000,
			    .backfill_cycles = NUMBER_UNSET,
			    .backfill_sum_us = NUMBER_UNSET,
			    .backfill_mean_us = NUMBER_UNSET,
			    .backfill_jobs = 7};
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
	diag.cycle_mean_us = 49; /* of the same cycles: the mean is rounded */
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_CYCLE_US), 1150);
	diag.reset_time = 300; /* a restart */
	diag.backfill_jobs = 2;
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_BACKFILL_JOBS), 11);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_CYCLES), 25 + 3 + 3);
	CHECK(scheduler_section_sum(&section, SUM_BACKFILL_CYCLES) == NUMBER_UNSET);
	scheduler_section_done(&section);
}

/* Statistics where each number is `n`. */
static struct diag diag_of(uint64_t reset_time, uint64_t n)
{
	struct diag diag = {.reset_time = reset_time,
			    .cycles = n,
			    .cycle_sum_us = n,
			    .depth_sum = n,
			    .backfill_cycles = n,
			    .backfill_sum_us = n,
			    .backfill_depth_sum = n,
			    .backfill_depth_tried_sum = n,
			    .backfill_queue_length_sum = n,
			    .backfill_table_size_sum = n,
			    .backfill_jobs = n,
			    .backfill_het_jobs = n};
	for (int i = 0; i < EXITS; i++)
		diag.exits[i] = n;
	for (int i = 0; i < BACKFILL_EXITS; i++)
		diag.backfill_exits[i] = n;
	return diag;
}

/* New statistics that have counted more since: no sum takes them for the old ones. */
static void test_each_sum(void)
{
	const struct diag before = diag_of(100000, 10), after = diag_of(200000, 25);
	struct scheduler_section section;
	scheduler_section_init(&section);
	scheduler_section_set(&section, &before);
	scheduler_section_set(&section, &after);
	for (int sum = 0; sum < SUMS; sum++) {
		char name[16];
		snprintf(name, sizeof name, "sum %d", sum);
		check_row(name);
		CHECK_NUMBER(scheduler_section_sum(&section, (enum sum)sum), 35);
	}
	scheduler_section_done(&section);
}

/* Of what there is of an RPC: all of it begins again, also where only the count has fallen. */
static void test_each_sum_of_an_rpc(void)
{
	const struct rpc before = {.name = TEXT("REQUEST_PING"), .count = 10, .time_us = 100, .dropped = 5};
	const struct rpc fell = {.name = TEXT("REQUEST_PING"), .count = 3, .time_us = 200, .dropped = 7};
	const struct rpc grew = {.name = TEXT("REQUEST_PING"), .count = 30, .time_us = 200, .dropped = 7};
	for (int is_reset = 0; is_reset < 2; is_reset++) {
		const struct list first = {&before, 1}, second = {is_reset ? &grew : &fell, 1};
		struct rpc_sums sums;
		check_row(is_reset ? "a reset" : "the count fell");
		rpc_sums_init(&sums);
		rpc_sums_set(&sums, &first, false);
		rpc_sums_set(&sums, &second, is_reset);
		const struct rpc_sum *sum = map_find(&sums.rows, before.name);
		CHECK_NUMBER(running_sum_total(&sum->count), is_reset ? 40 : 13);
		CHECK_NUMBER(running_sum_total(&sum->time_us), 300);
		CHECK_NUMBER(running_sum_total(&sum->dropped), 12);
		rpc_sums_done(&sums);
	}
}

enum { DAY_S = 86400, NOON = 20000 * DAY_S + DAY_S / 2, MIDNIGHT = 20001 * DAY_S };

/* What there is of two types and a user, and of jobs of backfill, when diag says that its sums began at `reset_time`. */
static void set_rpcs(struct scheduler_section *section, uint64_t reset_time, uint64_t pings, uint64_t kills,
		     uint64_t jobs)
{
	const struct rpc types[] = {{.name = TEXT("REQUEST_PING"), .count = pings, .time_us = 10 * pings},
				    {.name = TEXT("REQUEST_KILL_JOB"), .count = kills, .time_us = 10 * kills}};
	const struct rpc user = {.name = TEXT("alice"), .count = pings, .time_us = 10 * pings};
	const struct diag diag = {.reset_time = reset_time,
				  .rpcs_by_type = {types, kills ? 2 : 1},
				  .rpcs_by_user = {&user, 1},
				  .backfill_jobs = jobs,
				  .backfill_het_jobs = jobs};
	scheduler_section_set(section, &diag);
}

static uint64_t rpcs_of(const struct rpc_sums *sums, const char *name)
{
	const struct rpc_sum *sum = map_find(&sums->rows, text_of(name));
	CHECK(sum && running_sum_total(&sum->time_us) == 10 * running_sum_total(&sum->count));
	return sum ? running_sum_total(&sum->count) : 0;
}

static void test_rpcs_across_resets(void)
{
	static const struct {
		const char *name;
		uint64_t reset_time, pings, kills, jobs;
		uint64_t want_pings, want_kills, want_jobs;
	} rows[] = {
		{"the same statistics", NOON, 25, 25, 25, 25, 25, 25},
		{"the same, but the jobs of backfill fell", NOON, 25, 25, 3, 25, 25, 13},
		{"new ones that have counted more since", NOON + 3600, 25, 25, 25, 35, 35, 35},
		{"new ones without a type", NOON + 3600, 25, 0, 25, 35, 10, 35},
		{"midnight passed: those of RPCs go on", MIDNIGHT + 2, 25, 25, 25, 25, 25, 25},
		{"so they do if one has not grown", MIDNIGHT + 2, 25, 10, 25, 25, 10, 25},
		{"midnight passed, but one fell", MIDNIGHT + 2, 25, 3, 25, 35, 13, 35},
		{"midnight passed, but the jobs of backfill fell", MIDNIGHT + 2, 25, 25, 3, 35, 35, 13},
		{"slurmctld is just starting, and tells no time", 0, 25, 25, 25, 35, 35, 35},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scheduler_section section;
		check_row(rows[i].name);
		scheduler_section_init(&section);
		set_rpcs(&section, NOON, 10, 10, 10);
		set_rpcs(&section, rows[i].reset_time, rows[i].pings, rows[i].kills, rows[i].jobs);
		CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "REQUEST_PING"), rows[i].want_pings);
		CHECK_NUMBER(rpcs_of(&section.rpcs_by_user, "alice"), rows[i].want_pings);
		CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "REQUEST_KILL_JOB"), rows[i].want_kills);
		CHECK_NUMBER(scheduler_section_sum(&section, SUM_BACKFILL_JOBS), rows[i].want_jobs);
		if (rows[i].reset_time != NOON) /* midnight resets it */
			CHECK_NUMBER(scheduler_section_sum(&section, SUM_BACKFILL_HET_JOBS), 10 + rows[i].jobs);
		scheduler_section_done(&section);
	}
	struct scheduler_section section;
	check_row("a type that comes back after a reset with more than it had, and a time that comes later");
	scheduler_section_init(&section);
	set_rpcs(&section, NOON, 10, 10, 10);
	set_rpcs(&section, 0, 1, 0, 1);
	set_rpcs(&section, NOON + 3600, 2, 20, 2);
	CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "REQUEST_PING"), 12);
	CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "REQUEST_KILL_JOB"), 30);
	CHECK_NUMBER(scheduler_section_sum(&section, SUM_BACKFILL_JOBS), 12);
	scheduler_section_done(&section);
}

static void test_slurmdbds_rpcs_across_resets(void)
{
	struct rpc rpc = {.name = TEXT("DBD_STEP_START"), .count = 10, .time_us = 100};
	struct dbd_diag diag = {.start_time = MIDNIGHT, .rpcs_by_type = {&rpc, 1}, .rpcs_by_user = {&rpc, 1}};
	struct accounting_section section;
	check_row("a slurmdbd that began anew at midnight, and has counted more since");
	accounting_section_init(&section);
	accounting_section_set(&section, &diag);
	rpc.count = 25;
	rpc.time_us = 250;
	accounting_section_set(&section, &diag);
	CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "DBD_STEP_START"), 25);
	diag.start_time += DAY_S;
	accounting_section_set(&section, &diag);
	CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "DBD_STEP_START"), 50);
	CHECK_NUMBER(rpcs_of(&section.rpcs_by_user, "DBD_STEP_START"), 50);
	const uint64_t starts[] = {NUMBER_UNSET, diag.start_time, NUMBER_UNSET, diag.start_time};
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) { /* one that is not told for a while */
		diag.start_time = starts[i];
		accounting_section_set(&section, &diag);
		CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "DBD_STEP_START"), 50);
	}
	accounting_section_done(&section);
}

static uint64_t pending_of(const struct scheduler_section *section, const char *name)
{
	const uint64_t *count = map_find(&section->pending_rpcs, text_of(name));
	return count ? *count : NUMBER_UNSET;
}

static void test_pending_rpcs(void)
{
	static const struct rpc both[] = {{.name = TEXT("REQUEST_PING"), .count = 3},
					  {.name = TEXT("REQUEST_KILL_JOB"), .count = 2}};
	struct scheduler_section section;
	struct diag diag = {.reset_time = 100, .pending_rpcs = {both, 2}};
	scheduler_section_init(&section);
	check_row("a type that waits no more stays, at zero");
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(pending_of(&section, "REQUEST_PING"), 3);
	CHECK_NUMBER(pending_of(&section, "REQUEST_KILL_JOB"), 2);
	diag.pending_rpcs.count = 1;
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(pending_of(&section, "REQUEST_PING"), 3);
	CHECK_NUMBER(pending_of(&section, "REQUEST_KILL_JOB"), 0);
	diag.pending_rpcs.count = 0;
	scheduler_section_set(&section, &diag);
	CHECK_NUMBER(pending_of(&section, "REQUEST_PING"), 0);
	scheduler_section_done(&section);
}

/* One name more than there is room for: it is left out, the others go on. */
static void test_many_rpcs(void)
{
	enum { NAMES = RPC_ROWS_MAX + 1 };
	static char names[NAMES][16];
	static struct rpc rpcs[NAMES];
	struct diag diag = {.reset_time = 100, .rpcs_by_user = {rpcs, NAMES}, .pending_rpcs = {rpcs, NAMES}};
	struct scheduler_section section;
	scheduler_section_init(&section);
	check_row("more names than there is room for");
	for (uint64_t round = 1; round <= 2; round++) {
		for (size_t i = 0; i < NAMES; i++) {
			snprintf(names[i], sizeof names[i], "user%zu", i);
			rpcs[i] = (struct rpc){.name = text_of(names[i]), .count = round * (i + 1)};
		}
		scheduler_section_set(&section, &diag);
		CHECK_NUMBER(section.rpcs_by_user.rows.count, RPC_ROWS_MAX);
		CHECK_NUMBER(section.pending_rpcs.count, RPC_ROWS_MAX);
		CHECK(map_find(&section.rpcs_by_user.rows, text_of(names[NAMES - 1])) == NULL);
		for (size_t i = 0; i < RPC_ROWS_MAX; i++) {
			const struct rpc_sum *sum = map_find(&section.rpcs_by_user.rows, text_of(names[i]));
			CHECK_NUMBER(sum ? running_sum_total(&sum->count) : 0, round * (i + 1));
			CHECK_NUMBER(pending_of(&section, names[i]), round * (i + 1));
		}
		CHECK(pending_of(&section, names[NAMES - 1]) == NUMBER_UNSET);
	}
	scheduler_section_done(&section);
}

/* The list always has the same rows, so nothing is counted after the first time. */
static void test_rpcs_of_one_name(void)
{
	const struct rpc users[] = {{.name = TEXT("nobody"), .user_id = 99, .count = 1000, .time_us = 10000},
				    {.name = TEXT("alice"), .user_id = 1, .count = 3, .time_us = 30},
				    {.name = TEXT("nobody"), .user_id = 65534, .count = 10, .time_us = 100}};
	const struct diag diag = {
		.reset_time = NOON, .rpcs_by_type = {users, 3}, .rpcs_by_user = {users, 3}, .pending_rpcs = {users, 3}};
	struct scheduler_section section;
	check_row("rows of one name count together, at each poll and over midnight");
	scheduler_section_init(&section);
	for (uint64_t poll = 0; poll < 4; poll++) {
		struct diag now = diag;
		now.reset_time += poll > 1 ? 43200 : 0; /* of what goes on past midnight nothing is reset */
		scheduler_section_set(&section, &now);
		CHECK_NUMBER(rpcs_of(&section.rpcs_by_user, "nobody"), 1010);
		CHECK_NUMBER(rpcs_of(&section.rpcs_by_type, "nobody"), 1010);
		CHECK_NUMBER(rpcs_of(&section.rpcs_by_user, "alice"), 3);
		CHECK_NUMBER(pending_of(&section, "nobody"), 1010);
	}
	scheduler_section_done(&section);
}

int main(void)
{
	test_nodes();
	test_odd_nodes();
	test_flags_of_all_nodes();
	test_rosters_do_not_grow();
	test_who_has_most();
	test_running_sums();
	test_each_sum();
	test_each_sum_of_an_rpc();
	test_rpcs_across_resets();
	test_slurmdbds_rpcs_across_resets();
	test_pending_rpcs();
	test_many_rpcs();
	test_rpcs_of_one_name();
	return check_done();
}
