/* Outages of nodes: kinds, causes, and the rules by which they begin, change and end. */
#include "check.h"
#include "events_memory.h"
#include "outages_world.h"

#define FLAG(name) (UINT64_C(1) << NODE_FLAG_##name)

static void test_kinds(void)
{
	static const struct {
		const char *name;
		int state;
		uint64_t flags;
		enum outage_kind want;
		const char *reason;
	} rows[] = {
		{"idle", NODE_IDLE, 0, OUTAGE_NONE, ""},
		{"does not respond", NODE_IDLE, FLAG(NOT_RESPONDING), OUTAGE_NONE, ""},
		{"planned", NODE_IDLE, FLAG(PLANNED), OUTAGE_NONE, ""},
		{"reserved", NODE_IDLE, FLAG(RESERVED), OUTAGE_NONE, ""},
		{"saves power", NODE_IDLE, FLAG(POWERED_DOWN), OUTAGE_NONE, ""},
		{"wakes", NODE_ALLOCATED, FLAG(POWERING_UP), OUTAGE_NONE, ""},
		{"is to come", NODE_FUTURE, FLAG(DRAIN), OUTAGE_NONE, ""},
		{"drained", NODE_IDLE, FLAG(DRAIN), OUTAGE_DRAINED, ""},
		{"draining", NODE_MIXED, FLAG(DRAIN), OUTAGE_DRAINING, ""},
		{"epilog", NODE_IDLE, FLAG(DRAIN) | FLAG(COMPLETING), OUTAGE_DRAINING, ""},
		{"fail", NODE_IDLE, FLAG(FAIL), OUTAGE_DRAINED, ""},
		{"failing", NODE_ALLOCATED, FLAG(FAIL), OUTAGE_DRAINING, ""},
		{"down", NODE_DOWN, 0, OUTAGE_DOWN, ""},
		{"down and drained", NODE_DOWN, FLAG(DRAIN), OUTAGE_DOWN, ""},
		{"scales in", NODE_DOWN, FLAG(POWERING_DOWN), OUTAGE_NONE, ""},
		{"scales in as soon as its jobs end", NODE_MIXED, FLAG(DRAIN) | FLAG(POWER_DRAIN), OUTAGE_NONE,
		 "POWER_DOWN_ASAP"},
		{"then", NODE_IDLE, FLAG(DRAIN) | FLAG(POWER_DOWN), OUTAGE_NONE, "POWER_DOWN_ASAP"},
		{"then", NODE_IDLE, FLAG(DRAIN) | FLAG(POWERING_DOWN), OUTAGE_NONE, "POWER_DOWN_ASAP"},
		{"is off", NODE_DOWN, FLAG(POWERED_DOWN), OUTAGE_NONE, ""},
		{"does not come up", NODE_DOWN, FLAG(POWERED_DOWN), OUTAGE_DOWN, "ResumeTimeout reached"},
		{"broke, and is powered down", NODE_DOWN, FLAG(POWERING_DOWN), OUTAGE_DOWN, "Not responding"},
		{"was drained, and is powered down", NODE_IDLE, FLAG(DRAIN) | FLAG(POWERED_DOWN), OUTAGE_DRAINED,
		 "disk"},
		{"powered up for nothing", NODE_DOWN, FLAG(POWERING_UP), OUTAGE_DOWN, ""},
		{"is on", NODE_IDLE, FLAG(DRAIN), OUTAGE_DRAINED, "POWER_DOWN_ASAP"},
		{"reboots", NODE_DOWN, FLAG(REBOOT_ISSUED), OUTAGE_DOWN, ""},
		{"error", NODE_ERROR, 0, OUTAGE_DOWN, ""},
		{"maintenance", NODE_IDLE, FLAG(MAINT), OUTAGE_MAINTENANCE, ""},
		{"down in maintenance", NODE_DOWN, FLAG(MAINT) | FLAG(DRAIN), OUTAGE_MAINTENANCE, ""},
		{"slurmctld starts", NODE_UNKNOWN, FLAG(DRAIN), OUTAGE_UNKNOWN, ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct node node = {
			.state = rows[i].state, .flags = rows[i].flags, .reason = text_of(rows[i].reason)};
		check_row(rows[i].name);
		CHECK_NUMBER(node_outage(&node), rows[i].want);
	}
}

static void test_causes(void)
{
	static const struct {
		const char *reason;
		uint64_t flags;
		const char *want;
	} rows[] = {
		{"", 0, "none"},
		{"", FLAG(MAINT), "reservation"},
		{"", FLAG(REBOOT_ISSUED), "reboot"},
		{"Not responding", 0, "not_responding"},
		{"Not responding [slurm@2026-01-01T00:00:00]", 0, "not_responding"},
		{"Node unexpectedly rebooted", 0, "unexpected_reboot"},
		{"Kill task failed", 0, "job_failure"},
		{"Kill task failed (JobId=7 StepId=0)", 0, "job_failure"},
		{"Job step not running (JobId=7 StepId=0)", 0, "job_failure"},
		{"Prolog error", 0, "job_failure"},
		{"Prolog/Epilog failure", 0, "job_failure"},
		{"SlurmdSpoolDir is full", 0, "job_failure"},
		{"switch_g_job_postfini failed", 0, "job_failure"},
		{"CoreSpec differ", 0, "registration"},
		{"RestrictedCoresPerGPU=2 but no gpus on node n1", 0, "registration"},
		{"Reported active features (a) are not a superset of currently active changeable features (b)", 0,
		 "registration"},
		{"Could not unpack gres data, Low CPUs", 0, "registration"},
		{"Failed to parse dynamic_conf nodeline", 0, "registration"},
		{"Failed to set topology 'x'", 0, "registration"},
		{"Bad core count", 0, "registration"},
		{"Invalid KNL modes", 0, "registration"},
		{"NO NETWORK ADDRESS FOUND", 0, "registration"},
		{"POWER_DOWN_ASAP", 0, "power"},
		{"reboot timed out", 0, "reboot"},
		{"Low RealMemory (reported:1 < 100.00% of configured:2)", FLAG(INVALID_REG), "registration"},
		{"gres/gpu count reported lower than configured (0 < 4)", 0, "registration"},
		{"something new", FLAG(INVALID_REG), "registration"},
		{"reboot issued", 0, "reboot"},
		{"ResumeTimeout reached", 0, "power"},
		{"the disk of ann", 0, "other"},
		{"NHC: check_fs_mount: /scratch", 0, "file_system"},
		{"NHC: check_hw_ib", 0, "health"},
		{"see NHC: no match, the pattern takes whole reasons", 0, "other"},
		{"Kill task failed on /scratch", 0, "file_system"},
	};
	struct node_causes causes = {.count = 0};
	struct error err;
	CHECK(node_causes_add(&causes, "file_system=.*/scratch.*", &err));
	CHECK(node_causes_add(&causes, "health=NHC:.*", &err));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct node node = {.reason = text_of(rows[i].reason), .flags = rows[i].flags};
		char got[64];
		struct text of_site = node_cause_of_site(&causes, node.reason);
		text_to_string(node_cause(of_site, &node), got, sizeof got);
		check_row(rows[i].reason);
		CHECK_STRING(got, rows[i].want);
	}
	node_causes_done(&causes);
}

static void test_definitions(void)
{
	static const char *const wrong[] = {"",	     "gpu", "=x",   "gpu=",	"GPU=x",
					    "a b=x", "a=(", "a=*b", "a=(b)\\1", "a=.{500}"};
	struct node_causes causes = {.count = 0};
	struct error err;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		check_row(wrong[i]);
		CHECK(!node_causes_add(&causes, wrong[i], &err));
		CHECK_NUMBER(causes.count, 0);
	}
	check_row("too many");
	for (int i = 0; i < NODE_CAUSES_MAX; i++)
		CHECK(node_causes_add(&causes, "gpu=x=y", &err));
	CHECK(!node_causes_add(&causes, "gpu=x", &err));
	const struct node node = {.reason = TEXT("x=y")};
	CHECK(text_equal(node_cause_of_site(&causes, node.reason), TEXT("gpu")));
	node_causes_done(&causes);
}

/* What one node counts, of which `world` says how it is at each look. */
static void check_seconds(const struct world *world, const char *kind, const char *cause, double want)
{
	CHECK_NUMBER(world_count(world, "all", kind, cause, OUTAGE_SECONDS), want);
	CHECK_NUMBER(world_count(world, "", kind, cause, OUTAGE_SECONDS), want);
}

static struct node node_of(int state, uint64_t flags, const char *reason, uint64_t reason_time, uint64_t busy)
{
	return (struct node){.name = TEXT("n1"),
			     .partitions = TEXT("all,gpu"),
			     .state = state,
			     .flags = flags,
			     .cpus = 8,
			     .allocated_cpus = state == NODE_MIXED ? 6 : 0,
			     .memory = 100,
			     .allocated_memory = state == NODE_MIXED ? 60 : 0,
			     .gres = TEXT("gpu:a100:4"),
			     .gres_used = state == NODE_MIXED ? TEXT("gpu:a100:3") : TEXT("gpu:a100:0"),
			     .reason = text_of(reason),
			     .reason_time = reason_time ? reason_time : NUMBER_UNSET,
			     .last_busy_time = busy ? busy : NUMBER_UNSET};
}

static void look(struct world *world, int64_t at, int state, uint64_t flags, const char *reason, uint64_t reason_time,
		 uint64_t busy)
{
	const struct node node = node_of(state, flags, reason, reason_time, busy);
	world_look(world, &node, 1, at);
}

static void test_begins_before(void)
{
	check_row("an outage from before the first look: its seconds count from then on, its duration from its begin");
	struct world world;
	world_init(&world);
	look(&world, 1000, NODE_DOWN, 0, "Not responding", 400, 0);
	check_seconds(&world, "down", "not_responding", 0);
	CHECK_NUMBER(world_open(&world, "n1")->began, 400);
	look(&world, 1060, NODE_DOWN, 0, "Not responding", 400, 0);
	check_seconds(&world, "down", "not_responding", 60);
	look(&world, 1120, NODE_IDLE, 0, "", 0, 1100);
	check_seconds(&world, "down", "not_responding", 100);
	CHECK_NUMBER(world_count(&world, "", "down", "not_responding", OUTAGE_ENDED), 1);
	CHECK_NUMBER(world_sums(&world, "", "down", "not_responding")->durations.sum, 700);
	CHECK_NUMBER(world_sums(&world, "", "down", "not_responding")->durations.buckets[2], 1); /* up to 900 s */
	CHECK(!world_open(&world, "n1"));
	world_done(&world);
}

static void test_drain(void)
{
	check_row("drains with jobs, is empty, is repaired: Slurm's times count, and what no job holds");
	struct world world;
	world_init(&world);
	look(&world, 1000, NODE_MIXED, 0, "", 0, 500);
	look(&world, 1060, NODE_MIXED, FLAG(DRAIN), "disk", 1010, 500);
	check_seconds(&world, "draining", "other", 50);
	CHECK_NUMBER(world_count(&world, "gpu", "draining", "other", OUTAGE_CPU_SECONDS), 2 * 50);
	CHECK_NUMBER(world_count(&world, "gpu", "draining", "other", OUTAGE_GPU_SECONDS), 50);
	CHECK_NUMBER(world_count(&world, "gpu", "draining", "other", OUTAGE_MEMORY_BYTE_SECONDS), 40 * 50);
	look(&world, 1120, NODE_IDLE, FLAG(DRAIN), "disk", 1010, 1080);
	check_seconds(&world, "draining", "other", 70);
	check_seconds(&world, "drained", "other", 40);
	look(&world, 1180, NODE_DOWN, FLAG(DRAIN), "off", 1150, 1080);
	check_seconds(&world, "drained", "other", 70);
	check_seconds(&world, "down", "other", 30);
	look(&world, 1240, NODE_IDLE, 0, "", 0, 1200);
	check_seconds(&world, "down", "other", 50);
	CHECK_NUMBER(world_count(&world, "", "down", "other", OUTAGE_CPU_SECONDS), 8 * 50);
	CHECK_NUMBER(world_count(&world, "", "down", "other", OUTAGE_ENDED), 1);
	CHECK_NUMBER(world_count(&world, "", "drained", "other", OUTAGE_ENDED), 0);
	CHECK_NUMBER(world_sums(&world, "", "down", "other")->durations.sum, 190);
	world_done(&world);
}

static void test_worst(void)
{
	check_row(
		"it was down, and drained when it was up again: the worst kind counts, and all seconds by their kind");
	struct world world;
	world_init(&world);
	look(&world, 1000, NODE_IDLE, 0, "", 0, 500);
	look(&world, 1060, NODE_DOWN, FLAG(DRAIN), "off", 1020, 500);
	look(&world, 1120, NODE_IDLE, FLAG(DRAIN), "off", 1020, 1090); /* slurmd has registered */
	look(&world, 1180, NODE_IDLE, 0, "", 0, 1150);
	check_seconds(&world, "down", "other", 70);
	check_seconds(&world, "drained", "other", 60);
	CHECK_NUMBER(world_count(&world, "gpu", "down", "other", OUTAGE_ENDED), 1);
	CHECK_NUMBER(world_count(&world, "gpu", "drained", "other", OUTAGE_ENDED), 0);
	CHECK_NUMBER(world_sums(&world, "", "down", "other")->durations.sum, 130);
	world_done(&world);
}

static void test_between_looks(void)
{
	struct world world;
	world_init(&world);
	check_row("drained and empty between two looks");
	look(&world, 1000, NODE_MIXED, 0, "", 0, 500);
	look(&world, 1100, NODE_IDLE, FLAG(DRAIN), "disk", 1010, 1040);
	check_seconds(&world, "draining", "other", 30);
	check_seconds(&world, "drained", "other", 60);
	CHECK_NUMBER(world_count(&world, "", "draining", "other", OUTAGE_CPU_SECONDS), 0);
	check_row("back and out again between two looks");
	look(&world, 1200, NODE_DOWN, 0, "Not responding", 1150, 1120);
	check_seconds(&world, "drained", "other", 80);
	check_seconds(&world, "down", "not_responding", 50);
	CHECK_NUMBER(world_count(&world, "all", "drained", "other", OUTAGE_ENDED), 1);
	CHECK_NUMBER(world_sums(&world, "", "drained", "other")->durations.sum, 110);
	CHECK_NUMBER(world_open(&world, "n1")->began, 1150);
	check_row("another reason");
	look(&world, 1300, NODE_DOWN, 0, "Kill task failed", 1210, 1120);
	check_seconds(&world, "down", "not_responding", 60);
	check_seconds(&world, "down", "job_failure", 90);
	CHECK_NUMBER(world_open(&world, "n1")->began, 1150);
	check_row("back with a job: nothing tells when");
	look(&world, 1400, NODE_MIXED, 0, "", 0, 1120);
	check_seconds(&world, "down", "job_failure", 190);
	world_done(&world);
}

/* Between two looks its last job ended, and somebody gave it another reason: which came last does not matter. */
static void test_emptied_and_told(void)
{
	static const struct {
		const char *what;
		uint64_t reason_time, busy;
	} rows[] = {{"emptied, then told", 1040, 1020}, {"told, then emptied", 1010, 1020}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world world;
		world_init(&world);
		check_row(rows[i].what);
		look(&world, 1000, NODE_MIXED, FLAG(DRAIN), "disk", 930, 500);
		look(&world, 1060, NODE_IDLE, FLAG(DRAIN), "Kill task failed", rows[i].reason_time, rows[i].busy);
		check_seconds(&world, "draining", "other", 20);
		check_seconds(&world, "drained", "job_failure", 40);
		CHECK_NUMBER(world_open(&world, "n1")->began, 930);
		CHECK_NUMBER(world_open(&world, "n1")->since, 1020);
		world_done(&world);
	}
}

/* Slurm's times are whole seconds, so one may be that of a look, or of another one. */
static void test_at_the_edge(void)
{
	static const struct {
		const char *what;
		uint64_t reason_time;
		int64_t began;
	} rows[] = {
		{"in the second of the look before", 1000, 1000},
		{"the second before", 999, 1060},
		{"as long after this look as an answer may take", 1360, 1360},
		{"later", 1361, 1060},
	};
	struct world world;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		world_init(&world);
		check_row(rows[i].what);
		look(&world, 1000, NODE_IDLE, 0, "", 0, 500);
		look(&world, 1060, NODE_DOWN, 0, "disk", rows[i].reason_time, 500);
		CHECK_NUMBER(world_open(&world, "n1")->began, rows[i].began);
		world_done(&world);
	}
	world_init(&world);
	check_row("another reason for a node that was emptied in the second of the look: it was not back");
	look(&world, 940, NODE_MIXED, FLAG(DRAIN), "disk", 930, 500);
	look(&world, 1000, NODE_IDLE, FLAG(DRAIN), "disk", 930, 1000);
	look(&world, 1060, NODE_IDLE, FLAG(DRAIN), "memory", 1030, 1000);
	CHECK_NUMBER(world_open(&world, "n1")->began, 930);
	check_row("nor if it may have got the reason before it was busy");
	look(&world, 1120, NODE_IDLE, FLAG(DRAIN), "fan", 1090, 1090);
	CHECK_NUMBER(world_open(&world, "n1")->began, 930);
	check_row("nor one whose last job ended before it got another reason");
	look(&world, 1180, NODE_MIXED, FLAG(DRAIN), "fan", 1090, 1090);
	look(&world, 1240, NODE_IDLE, FLAG(DRAIN), "disk", 1220, 1200);
	CHECK_NUMBER(world_open(&world, "n1")->began, 930);
	CHECK_NUMBER(world_count(&world, "", "drained", "other", OUTAGE_ENDED), 0);
	check_row("back in the second in which it went");
	look(&world, 1300, NODE_IDLE, 0, "", 0, 1290);
	look(&world, 1360, NODE_DOWN, 0, "disk", 1360, 1290);
	look(&world, 1420, NODE_IDLE, 0, "", 0, 1360);
	CHECK_NUMBER(world_count(&world, "", "down", "other", OUTAGE_ENDED), 1);
	CHECK_NUMBER(world_sums(&world, "", "down", "other")->durations.buckets[0], 1);
	check_seconds(&world, "down", "other", 0);
	world_done(&world);
}

static void test_not_known(void)
{
	struct world world;
	world_init(&world);
	look(&world, 1000, NODE_DOWN, 0, "disk", 900, 0);
	check_row("slurmctld starts: the node is as it was");
	look(&world, 1010, NODE_UNKNOWN, 0, "disk", 900, 0);
	look(&world, 1020, NODE_DOWN, 0, "disk", 900, 0);
	check_seconds(&world, "down", "other", 20);
	CHECK_NUMBER(world_count(&world, "", "down", "other", OUTAGE_ENDED), 0);
	check_row("the clock was set back");
	look(&world, 1005, NODE_DOWN, 0, "disk", 900, 0);
	check_seconds(&world, "down", "other", 20);
	check_row("Slurm forgets the node: no return");
	world_look(&world, NULL, 0, 1100);
	check_seconds(&world, "down", "other", 20);
	CHECK_NUMBER(world_count(&world, "", "down", "other", OUTAGE_ENDED), 0);
	CHECK_NUMBER(world.events->outages.open.count, 0);
	check_row("maintenance, which nothing in the record dates");
	look(&world, 1200, NODE_IDLE, 0, "", 0, 0);
	look(&world, 1260, NODE_IDLE, FLAG(MAINT), "", 0, 1250);
	look(&world, 1320, NODE_IDLE, 0, "", 0, 1310);
	check_seconds(&world, "maintenance", "reservation", 60);
	check_row("times from the future");
	look(&world, 1380, NODE_IDLE, FLAG(DRAIN), "x", 4000000000, 4000000001);
	look(&world, 1390, NODE_IDLE, FLAG(DRAIN), "x", 4000000000, 4000000001);
	check_seconds(&world, "drained", "other", 10);
	world_done(&world);
}

static void test_many_causes(void)
{
	check_row("reloads bring more causes than are kept");
	struct world world;
	struct error err;
	world_init(&world);
	for (int i = 0; i < OUTAGE_CAUSES_MAX + 40; i++) {
		char definition[32];
		node_causes_done(&world.causes);
		snprintf(definition, sizeof definition, "cause_%d=.*", i);
		CHECK(node_causes_add(&world.causes, definition, &err));
		look(&world, 1000 + i, NODE_DOWN, 0, "x", 900, 0);
	}
	CHECK_NUMBER(world.events->outages.causes.count, OUTAGE_CAUSES_MAX + 1); /* with `other` */
	CHECK(world_count(&world, "", "down", "other", OUTAGE_SECONDS) > 10);
	check_row("one of those that are kept");
	double before = world_count(&world, "", "down", "cause_1", OUTAGE_SECONDS);
	node_causes_done(&world.causes);
	CHECK(node_causes_add(&world.causes, "cause_1=.*", &err));
	look(&world, 3000, NODE_DOWN, 0, "x", 2900, 0);
	look(&world, 3100, NODE_DOWN, 0, "x", 2900, 0);
	CHECK_NUMBER(world_count(&world, "", "down", "cause_1", OUTAGE_SECONDS), before + 200);
	world_done(&world);
}

/* Each second counts once, whatever was written before the end. */
static void test_restart(void)
{
	struct world world;
	struct memory memory;
	world_init(&world);
	memory_init(&memory);
	check_row("back while slurmscope was down");
	look(&world, 1000, NODE_IDLE, 0, "", 0, 900);
	look(&world, 1060, NODE_IDLE, FLAG(DRAIN), "disk", 1020, 900);
	memory_write(&memory, world.events, false);
	CHECK_NUMBER(memory.outage_count, 1);
	look(&world, 1100, NODE_IDLE, FLAG(DRAIN), "disk", 1020, 900); /* is not written */
	world_restart(&world, &memory, 2000);
	look(&world, 2000, NODE_IDLE, 0, "", 0, 1500);
	check_seconds(&world, "drained", "other", 480);
	CHECK_NUMBER(world_sums(&world, "", "drained", "other")->durations.sum, 480);
	memory_write(&memory, world.events, false);
	CHECK_NUMBER(memory.outage_count, 0);
	check_row("out while it was down");
	world_restart(&world, &memory, 3000);
	look(&world, 3000, NODE_DOWN, 0, "Not responding", 2600, 1500);
	check_seconds(&world, "down", "not_responding", 400);
	CHECK_NUMBER(world_sums(&world, "", "drained", "other")->durations.buckets[2], 1);
	check_row("back and out again: what was removed for the first one does not remove the second one");
	look(&world, 3060, NODE_IDLE, 0, "", 0, 3050);
	memory_write(&memory, world.events, false);
	look(&world, 3120, NODE_DOWN, 0, "Not responding", 3100, 3050);
	for (int64_t at = 3180; at <= 3300; at += 60) {
		memory_write(&memory, world.events, false);
		CHECK(!world_sums(&world, "", "down", "not_responding")->is_changed);
		CHECK_NUMBER(memory.outage_count, 1);
		look(&world, at, NODE_DOWN, 0, "Not responding", 3100, 3050);
	}
	CHECK(!memory.fell);
	memory_done(&memory);
	world_done(&world);
}

/* An outage of each bound, and one that is longer than all: all of the histogram survives. */
static void test_restart_of_durations(void)
{
	struct world world;
	struct memory memory;
	int64_t at = 20000000;
	world_init(&world);
	memory_init(&memory);
	check_row("durations after a restart");
	look(&world, at, NODE_IDLE, 0, "", 0, 0);
	for (int i = 0; i <= OUTAGE_BOUNDS; i++) {
		int64_t lasts = i < OUTAGE_BOUNDS ? (int64_t)outage_bounds[i] : 10000000;
		look(&world, at + 1, NODE_DOWN, 0, "disk", (uint64_t)at + 1, 0);
		at += 1 + lasts;
		look(&world, at, NODE_IDLE, 0, "", 0, (uint64_t)at);
	}
	const struct outage_sums before = *world_sums(&world, "", "down", "other");
	memory_write(&memory, world.events, false);
	world_restart(&world, &memory, at);
	const struct outage_sums *after = world_sums(&world, "", "down", "other");
	for (int i = 0; i <= OUTAGE_BOUNDS; i++) {
		CHECK_NUMBER(before.durations.buckets[i], 1);
		CHECK_NUMBER(after->durations.buckets[i], 1);
	}
	CHECK_NUMBER(after->durations.sum, before.durations.sum);
	for (int what = 0; what < OUTAGE_COUNTS; what++)
		CHECK_NUMBER(after->counts[what], before.counts[what]);
	memory_done(&memory);
	world_done(&world);
}

/* Of an outage that goes on, what changed alone is written, and what did not is not. */
static void test_each_change_is_written(void)
{
	static const struct {
		const char *what;
		uint64_t busy_cpus, busy_memory; /* at the second look; at the first none */
		const char *busy_gpus, *reason;
		bool is_late; /* written after one more look, at which nothing changes */
		size_t written;
	} rows[] = {
		{"nothing", 0, 0, "gpu:a100:0", "disk", false, 0},
		{"its cpus", 6, 0, "gpu:a100:0", "disk", false, 1},
		{"its memory", 0, 60, "gpu:a100:0", "disk", false, 1},
		{"its gpus", 0, 0, "gpu:a100:3", "disk", false, 1},
		{"its cause", 0, 0, "gpu:a100:0", "Not responding", false, 1},
		{"at the look before", 0, 0, "gpu:a100:3", "disk", true, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world world;
		struct memory memory, changes;
		world_init(&world);
		memory_init(&memory);
		memory_init(&changes);
		check_row(rows[i].what);
		struct node node = node_of(NODE_DOWN, 0, "disk", 900, 0);
		world_look(&world, &node, 1, 1000);
		memory_write(&memory, world.events, false);
		node.allocated_cpus = rows[i].busy_cpus;
		node.allocated_memory = rows[i].busy_memory;
		node.gres_used = text_of(rows[i].busy_gpus);
		node.reason = text_of(rows[i].reason);
		world_look(&world, &node, 1, 1060);
		if (rows[i].is_late)
			world_look(&world, &node, 1, 1120);
		memory_write(&changes, world.events, false);
		CHECK_NUMBER(changes.outage_count, rows[i].written);
		memory_write(&changes, world.events, false);
		CHECK_NUMBER(changes.outage_count, rows[i].written); /* once */
		memory_done(&memory);
		memory_done(&changes);
		world_done(&world);
	}
}

static void test_odd_rows(void)
{
	check_row("what another program wrote");
	struct world world;
	char name[LABEL_MAX + 2];
	world_init(&world);
	memset(name, 'x', sizeof name);
	const struct text text = {name, sizeof name};
	const struct outage right = {.node = TEXT("n1"), .kind = OUTAGE_DOWN, .worst = OUTAGE_DOWN, .cause = TEXT("x")};
	struct outage wrong[] = {right, right, right, right, right, right, right}, twice = right, longest = right;
	wrong[0].kind = OUTAGE_UNKNOWN;
	wrong[1].cause = TEXT("");
	wrong[2].node = text;
	wrong[3].began = -1;
	wrong[4].cpus = UINT64_C(1) << 63;
	wrong[5].node = TEXT("\xff");
	wrong[6].worst = OUTAGE_UNKNOWN;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		events_restore_outage(world.events, &wrong[i]);
	CHECK_NUMBER(world.events->outages.open.count, 0);
	events_restore_outage(world.events, &right);
	twice.cpus = 7;
	events_restore_outage(world.events, &twice);
	CHECK_NUMBER(world.events->outages.open.count, 1);
	CHECK_NUMBER(world_open(&world, "n1")->cpus, 0);
	longest.node = longest.cause = (struct text){name, LABEL_MAX};
	events_restore_outage(world.events, &longest);
	CHECK_NUMBER(world.events->outages.open.count, 2);
	const struct events_counter counters[] = {
		{TEXT("outages"), TEXT("all"), TEXT("seconds"), TEXT("up\x1fx"), 1},
		{TEXT("outages"), TEXT("all"), TEXT("seconds"), TEXT("down"), 1},
		{TEXT("outages"), TEXT("all"), TEXT("seconds"), TEXT("down\x1fx"), -1},
		{TEXT("outages"), TEXT("all"), TEXT("seconds"), TEXT("down\x1fx"), INFINITY},
		{TEXT("outages"), TEXT(""), TEXT("60"), TEXT("down\x1fx"), 1e300},
		{TEXT("outages"), text, TEXT("seconds"), TEXT("down\x1fx"), 1},
	};
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		events_restore_counter(world.events, &counters[i]);
	CHECK_NUMBER(world.events->outages.sums.count, 0);
	const struct events_counter most = {TEXT("outages"), {name, LABEL_MAX}, TEXT("seconds"), TEXT("down\x1fx"), 1};
	events_restore_counter(world.events, &most);
	CHECK_NUMBER(world.events->outages.sums.count, 1);
	world_done(&world);
}

int main(void)
{
	test_kinds();
	test_causes();
	test_definitions();
	test_begins_before();
	test_drain();
	test_worst();
	test_between_looks();
	test_emptied_and_told();
	test_at_the_edge();
	test_not_known();
	test_many_causes();
	test_restart();
	test_restart_of_durations();
	test_each_change_is_written();
	test_odd_rows();
	return check_done();
}
