#include "check.h"
#include "model/job.h"
#include "model/node.h"
#include "model/reason.h"
#include "model/tres.h"

static void test_named_partitions(void)
{
	static const struct {
		const char *told, *command, *partition;
		int state;
		const char *want;
	} rows[] = {
		{"", "", "a", JOB_RUNNING, ""},
		{"a,b", "", "a", JOB_RUNNING, "a,b"},
		{"a,b", "sbatch -p b,c", "b", JOB_COMPLETED, "a,b"}, /* slurmctld knows better */
		{"a,b", "", "a,b", JOB_PENDING, ""}, /* `partition` has them all */
		{"a,b", "", "a", JOB_PENDING, ""}, /* it was changed since */
		{"a,b", "", "c", JOB_RUNNING, ""}, /* it was moved */
		{"b", "", "b", JOB_RUNNING, ""},
		{"", "sbatch -p a,b job.sh", "b", JOB_FAILED, "a,b"},
		{"", "sbatch -pa,b job.sh", "b", JOB_RUNNING, "a,b"},
		{"", "sbatch  --partition=a,b,c job.sh", "c", JOB_RUNNING, "a,b,c"},
		{"", "srun --partition a,b --pty bash", "a", JOB_RUNNING, "a,b"},
		{"", "sbatch -p a,b job.sh", "c", JOB_RUNNING, ""}, /* a plugin chose another one */
		{"", "sbatch -p a job.sh -p a,b", "a", JOB_RUNNING, ""}, /* the script's own */
		{"", "sbatch job.sh -p x,y", "a", JOB_RUNNING, ""},
		{"", "sbatch -p aa,b", "a", JOB_RUNNING, ""},
		{"", "sbatch -p", "a", JOB_RUNNING, ""},
		{"", "sbatch --partition=a --time=2 -p a,b job.sh", "a", JOB_RUNNING,
		 "a,b"}, /* sbatch takes the last */
		{"", "sbatch -p a,b --partition a job.sh", "a", JOB_RUNNING, ""},
		{"", "sbatch -p a --hold -H -n 2 -p a,b job.sh", "a", JOB_RUNNING, "a,b"},
		{"", "sbatch -p a,b --comment=two words -p a", "a", JOB_RUNNING, "a,b"}, /* may be the script's */
		{"", "sbatch --wrap sleep 70 -p a,b", "a", JOB_RUNNING, "a,b"}, /* "70" is not the script */
		{"", "sbatch -pa job.sh -p a,b", "a", JOB_RUNNING, ""},
		{"", "sbatch -p a,b job.sh", "a,b", JOB_CANCELLED, ""}, /* never started */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job job = {.partitions = text_of(rows[i].partition),
				  .partitions_named = text_of(rows[i].told),
				  .submit_line = text_of(rows[i].command),
				  .state = rows[i].state};
		check_row(rows[i].command);
		job_settle_named(&job);
		CHECK(text_equal(job.partitions_named, text_of(rows[i].want)));
	}
}

static void test_job_count(void)
{
	static const struct {
		const char *tasks;
		uint64_t want;
		bool is_cut;
		uint64_t last; /* 0: not told */
	} rows[] = {
		{"", 1, false, 0},
		{"7", 1, false, 0},
		{"1-199", 199, false, 0},
		{"5-10%2", 6, false, 0},
		{"1-399:2", 200, false, 0},
		{"0-9:3", 4, false, 0},
		{"1,3,5-7", 5, false, 0},
		{"1,3,5-7%10", 5, false, 0},
		{"1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,...", 22, true, 0},
		{"1-10,20-2...", 10, true, 0},
		{"9-1", 1, false, 0}, /* not a range: at least the record itself */
		{"x", 1, false, 0},
		{"1-5:0", 1, false, 0},
		{"0x101FFE", 13, false, 20}, /* slurmdbd's: 1-12,20 */
		{"0x0002", 1, false, 1},
		{"0xff%3", 8, false, 7},
		{"0x0", 1, false, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job job = {.array_tasks = text_of(rows[i].tasks)};
		bool is_cut;
		check_row(rows[i].tasks);
		CHECK_NUMBER(job_count(&job, &is_cut), rows[i].want);
		CHECK(is_cut == rows[i].is_cut);
		uint64_t last = job_last_task(&job);
		CHECK_NUMBER(number_is_known(last) ? last : 0, rows[i].last);
	}
}

static void test_tres(void)
{
	static const struct {
		const char *text, *name;
		uint64_t count;
	} rows[] = {
		{"cpu=2,mem=2000M,node=1,billing=2", "cpu", 2},
		{"cpu=2,mem=2000M,node=1,billing=2", "mem", UINT64_C(2000) << 20},
		{"cpu=2,mem=62.50G", "mem", UINT64_C(64000) << 20},
		{"mem=512", "mem", UINT64_C(512) << 20},
		{"mem=1T", "mem", UINT64_C(1) << 40},
		{"mem=1.7G", "mem", 1825361101}, /* the nearest */
		{"cpu=1,gres/gpu=4,gres/gpu:a100=2", "gres/gpu:a100", 2},
		{"cpu=70000", "cpu", 70000}, /* does not wrap at 65536 */
		{"cpu=,mem=,node=3", "node", 3},
		{"cpu=x,node=3", "node", 3},
		{"cpu=0x10,cpu=nan,cpu=inf,cpu=1e3,cpu=1.2.3,cpu=-4,cpu=.,cpu=2KK,cpu=7", "cpu", 7},
		{"mem=64m", "mem", UINT64_C(64) << 20},
		{"license/matlab=6", "license/matlab", 6},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text rest = text_of(rows[i].text);
		struct tres tres;
		bool found = false;
		check_row(rows[i].text);
		while (tres_next(&rest, &tres))
			if (text_equal(tres.name, text_of(rows[i].name))) {
				found = true;
				CHECK_NUMBER(tres.count, rows[i].count);
			}
		CHECK(found);
		CHECK_NUMBER(tres_count(text_of(rows[i].text), text_of(rows[i].name)), rows[i].count);
		CHECK_NUMBER(tres_count(text_of(rows[i].text), TEXT("gres/mps")), 0);
	}
}

/* A use that decays over months may exceed 2^64 byte-seconds; counts of jobs do not. */
static void test_large_amounts(void)
{
	const struct text list = TEXT("cpu=7,mem=9000000000000,gres/gpu=99999999999999999999");
	CHECK(tres_amount(list, TEXT("mem")) == 9e12 * 0x1p20);
	CHECK(tres_amount(list, TEXT("gres/gpu")) == 1e20);
	CHECK(tres_amount(list, TEXT("cpu")) == 7);
	CHECK(tres_amount(list, TEXT("node")) == 0);
	CHECK_NUMBER(tres_count(list, TEXT("mem")), UINT64_C(1) << 63);
}

static void test_gres(void)
{
	static const struct {
		const char *text;
		const char *want; /* name:type=count ... */
	} rows[] = {
		{"gpu:a100:4", "gpu:a100=4 "},
		{"gpu:a100:4(S:0-1)", "gpu:a100=4 "},
		{"gpu:a100:2(S:0),gpu:h100:2(S:1)", "gpu:a100=2 gpu:h100=2 "},
		{"gpu:a100:4(IDX:0-3)", "gpu:a100=4 "},
		{"gpu:a100:2(IDX:0,2),shard:a100:0(0/4,0/4)", "gpu:a100=2 shard:a100=0 "},
		{"gpu:(null):2(IDX:0-1)", "gpu:=2 "},
		{"gpu:8", "gpu:=8 "},
		{"gpu", "gpu:=1 "},
		{"gpu:tesla", "gpu:tesla=1 "},
		{"bandwidth:lustre:no_consume:4G", "bandwidth:lustre=4294967296 "},
		{"craynetwork:4k", "craynetwork:=4096 "},
		/* Types that read as a number, or begin as one */
		{"gpu:4090:8(S:0),gpu:a6000:1(S:0)", "gpu:4090=8 gpu:a6000=1 "},
		{"gpu:4090:0(IDX:N/A)", "gpu:4090=0 "},
		{"gpu:80G:4,gpu:0x20b0:2,gpu:1g.10gb:7", "gpu:80G=4 gpu:0x20b0=2 gpu:1g.10gb=7 "},
		{"gpu:nan:2,gpu:inf:1,gpu:1e3:3", "gpu:nan=2 gpu:inf=1 gpu:1e3=3 "},
		{"shard:3090:no_consume:8,mps:2080:200", "shard:3090=8 mps:2080=200 "},
		{"gpu:4090,gpu:1e3,gpu:0x10", "gpu:=4090 gpu:1e3=1 gpu:0x10=1 "},
		{"gpu:nvidia_a100_3g.20gb:2(S:0)", "gpu:nvidia_a100_3g.20gb=2 "},
		{"N/A", ""},
		{"", ""},
		{"(null)", ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct text rest = text_of(rows[i].text);
		struct gres gres;
		char got[256] = "";
		while (gres_next(&rest, &gres))
			snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s:%.*s=%lu ", (int)gres.name.len,
				 gres.name.bytes, (int)gres.type.len, gres.type.bytes, (unsigned long)gres.count);
		check_row(rows[i].text);
		CHECK_STRING(got, rows[i].want);
	}
}

static void test_reasons(void)
{
	static const struct {
		const char *reason;
		enum reason_class want;
	} rows[] = {
		{"Priority", REASON_STARTABLE},
		{"Resources", REASON_STARTABLE},
		{"None", REASON_STARTABLE},
		{"", REASON_STARTABLE},
		{"JobHeldUser", REASON_HELD},
		{"JobHeldAdmin", REASON_HELD},
		{"Dependency", REASON_DEPENDENCY},
		{"Cleaning", REASON_STARTABLE},
		{"JobHoldMaxRequeue", REASON_HELD},
		{"DependencyNeverSatisfied", REASON_DEPENDENCY},
		{"QOSMaxJobsPerUserLimit", REASON_LIMIT},
		{"QOSGrpGRES", REASON_LIMIT},
		{"AssocGrpCpuLimit", REASON_LIMIT},
		{"JobArrayTaskLimit", REASON_LIMIT},
		{"Licenses", REASON_LIMIT},
		{"MaxBillingPerAccount", REASON_LIMIT},
		{"MaxCpuPerAccount", REASON_LIMIT},
		{"MaxGRESPerAccount", REASON_LIMIT},
		{"MaxJobsPerAccount", REASON_LIMIT},
		{"MaxMemoryPerAccount", REASON_LIMIT},
		{"MaxNodePerAccount", REASON_LIMIT},
		{"MaxSubmitJobsPerAccount", REASON_LIMIT},
		{"MaxMemPerLimit", REASON_LIMIT},
		{"PartitionNodeLimit", REASON_LIMIT},
		{"PartitionTimeLimit", REASON_LIMIT},
		{"PartitionDown", REASON_OTHER},
		{"BeginTime", REASON_OTHER},
		{"ReqNodeNotAvail", REASON_OTHER},
		{"InvalidQOS", REASON_OTHER},
		{"SomethingNew", REASON_OTHER},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].reason);
		CHECK_NUMBER(reason_class_of(text_of(rows[i].reason)), rows[i].want);
	}
}

static void test_names(void)
{
	struct vocabulary vocabulary;
	vocabulary_init(&vocabulary);
	struct names *states = &vocabulary.job_states;
	check_row("names");
	CHECK_NUMBER(names_find(states, TEXT("OUT_OF_MEMORY")), JOB_OUT_OF_MEMORY);
	CHECK_NUMBER(names_find(states, TEXT("OUT_OF")), -1);
	CHECK_NUMBER(names_learn(states, TEXT("HIBERNATED")), JOB_STATES);
	CHECK_NUMBER(names_learn(states, TEXT("Hibernated")), JOB_STATES);
	CHECK_STRING(states->name[JOB_STATES], "hibernated");
	CHECK_NUMBER(names_learn(states, TEXT("")), -1);
	char name[64];
	int last = 0;
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "STATE_%d", i);
		last = names_learn(states, text_of(name));
	}
	CHECK_NUMBER(last, NAMES_MAX - 1); /* full: what comes later shares a name */
	CHECK_STRING(states->name[last], "other");
	CHECK_NUMBER(names_learn(states, TEXT("STATE_200")), last);
	CHECK_NUMBER(states->count, NAMES_MAX);
	CHECK_NUMBER(vocabulary.node_flags.known, vocabulary.node_flags.count);
	CHECK_NUMBER(names_find(&vocabulary.node_flags, TEXT("draining")), NODE_FLAG_DRAINING);
	vocabulary_done(&vocabulary);
}

/* What is listed with a type is no more of what is listed without. */
static void test_gres_of_tres(void)
{
	static const struct {
		const char *tres, *want;
	} rows[] = {
		{"cpu=4,gres/gpu=8", "gpu:=8 "},
		{"gres/gpu=8,gres/gpu:a100=4,gres/gpu:h100=2", "gpu:=2 gpu:a100=4 gpu:h100=2 "},
		{"gres/gpu:a100=4,gres/gpu=4", "gpu:a100=4 "},
		{"gres/gpu=2,gres/gpu:a100=4", "gpu:a100=4 "},
		{"gres/gpu=4,gres/shard:a100=3", "gpu:=4 shard:a100=3 "},
		{"gres/gpu=0", ""},
		{"cpu=4,gres/=2", ""},
		{"gres/gpu:a100=2,gres/gpu=4,gres/gpu:a100=1,gres/gpu=1", "gpu:a100=3 gpu:=2 "}, /* listed twice */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gres gres[TRES_GRES_MAX];
		unsigned count = tres_gres(text_of(rows[i].tres), gres);
		char got[256] = "";
		for (unsigned g = 0; g < count; g++)
			snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s:%.*s=%lu ", (int)gres[g].name.len,
				 gres[g].name.bytes, (int)gres[g].type.len, gres[g].type.bytes,
				 (unsigned long)gres[g].count);
		check_row(rows[i].tres);
		CHECK_STRING(got, rows[i].want);
	}
}

static void test_exits(void)
{
	static const struct {
		const char *name;
		uint64_t signal, code;
		int state;
		enum job_exit want;
	} rows[] = {
		{"well", NUMBER_UNSET, 0, JOB_COMPLETED, JOB_EXIT_ZERO},
		{"well, and signal 0 is none", 0, 0, JOB_COMPLETED, JOB_EXIT_ZERO},
		{"a code", 0, 3, JOB_FAILED, JOB_EXIT_NONZERO},
		{"a signal", 9, 0, JOB_FAILED, JOB_EXIT_SIGNAL},
		{"a signal, and no code", 9, NUMBER_UNSET, JOB_FAILED, JOB_EXIT_SIGNAL},
		{"out of memory", 125, NUMBER_UNSET, JOB_OUT_OF_MEMORY, JOB_EXIT_SIGNAL},
		{"none told", NUMBER_UNSET, NUMBER_UNSET, JOB_COMPLETED, JOB_EXIT_UNKNOWN},
		{"none told, signal 0", 0, NUMBER_UNSET, JOB_COMPLETED, JOB_EXIT_UNKNOWN},
		{"cancelled, as first told", 0, 0, JOB_CANCELLED, JOB_EXIT_UNKNOWN},
		{"cancelled, as told after a restart", 15, NUMBER_UNSET, JOB_CANCELLED, JOB_EXIT_UNKNOWN},
		{"over its time limit", 15, NUMBER_UNSET, JOB_TIMEOUT, JOB_EXIT_UNKNOWN},
		{"none told of one that failed", NUMBER_UNSET, NUMBER_UNSET, JOB_FAILED, JOB_EXIT_NONZERO},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct job job = {
			.exit_signal = rows[i].signal, .exit_code = rows[i].code, .state = rows[i].state};
		check_row(rows[i].name);
		CHECK_NUMBER(job_exit_of(&job), rows[i].want);
	}
}

/* Nothing of a copy is where the record's texts were. */
static void test_copy(void)
{
	char bytes[] = "text";
	struct job_node node = {{bytes, 4}, 8};
	struct job job = {.nodes_held = {&node, 1}};
	struct text *const texts[] = {&job.array_tasks, &job.user,	&job.account,	     &job.partitions,
				      &job.qos,		&job.reason,	&job.tres_requested, &job.tres_allocated,
				      &job.reservation, &job.node_list, &job.cluster,	     &job.name,
				      &job.sluid};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = (struct text){bytes, 4};
	struct arena arena = ARENA_INIT;
	struct job copy = job_copy(&job, &arena);
	const struct job_node *nodes = copy.nodes_held.items;
	memset(bytes, 'x', 4);
	node = (struct job_node){TEXT("other"), 1};
	check_row("a copy of a job");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		CHECK(text_equal(*(struct text *)((char *)&copy + ((char *)texts[i] - (char *)&job)), TEXT("text")));
	CHECK(copy.nodes_held.count == 1 && nodes->cpus == 8 && text_equal(nodes->name, TEXT("text")));
	arena_done(&arena);
}

static void test_free_nodes(void)
{
	static const uint64_t harmless = UINT64_C(1) << NODE_FLAG_POWERED_DOWN | UINT64_C(1) << NODE_FLAG_POWERING_UP;
	static const enum node_flag hindrances[] = {
		NODE_FLAG_DRAIN,	  NODE_FLAG_COMPLETING,	   NODE_FLAG_FAIL,
		NODE_FLAG_NOT_RESPONDING, NODE_FLAG_MAINT,	   NODE_FLAG_RESERVED,
		NODE_FLAG_PLANNED,	  NODE_FLAG_POWERING_DOWN, NODE_FLAG_REBOOT_REQUESTED,
		NODE_FLAG_REBOOT_ISSUED,  NODE_FLAG_INVALID_REG,   NODE_FLAG_POWER_DOWN,
		NODE_FLAG_POWER_DRAIN,	  NODE_FLAG_BLOCKED,	   NODE_FLAG_EXTERNAL};
	check_row("free nodes");
	CHECK(node_is_free(&(struct node){.state = NODE_IDLE}));
	CHECK(node_is_free(&(struct node){.state = NODE_IDLE, .flags = harmless}));
	for (int state = 0; state < NODE_STATES; state++)
		CHECK(node_is_free(&(struct node){.state = state}) == (state == NODE_IDLE));
	for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++)
		CHECK(!node_is_free(&(struct node){.state = NODE_IDLE, .flags = UINT64_C(1) << hindrances[i]}));
}

int main(void)
{
	test_gres_of_tres();
	test_exits();
	test_copy();
	test_free_nodes();
	test_job_count();
	test_named_partitions();
	test_tres();
	test_large_amounts();
	test_gres();
	test_reasons();
	test_names();
	return check_done();
}
