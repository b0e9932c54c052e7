#include "check.h"
#include "model/job.h"
#include "model/node.h"
#include "model/reason.h"
#include "model/tres.h"

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
		{"9-1", 1, false, 0},    /* not a range: at least the record itself */
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
		{"cpu=1,gres/gpu=4,gres/gpu:a100=2", "gres/gpu:a100", 2},
		{"cpu=70000", "cpu", 70000}, /* does not wrap at 65536 */
		{"cpu=,mem=,node=3", "node", 3},
		{"cpu=x,node=3", "node", 3},
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
	}
	check_row("gres of tres");
	struct text name, type;
	CHECK(tres_is_gres(TEXT("gres/gpu:a100"), &name, &type) && text_equal(name, TEXT("gpu")) &&
	      text_equal(type, TEXT("a100")));
	CHECK(tres_is_gres(TEXT("gres/gpu"), &name, &type) && !type.len);
	CHECK(!tres_is_gres(TEXT("cpu"), &name, &type));
	CHECK(!tres_is_gres(TEXT("gres/"), &name, &type));
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
			snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s:%.*s=%lu ",
				 (int)gres.name.len, gres.name.bytes, (int)gres.type.len,
				 gres.type.bytes, (unsigned long)gres.count);
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
		{"DependencyNeverSatisfied", REASON_DEPENDENCY},
		{"QOSMaxJobsPerUserLimit", REASON_LIMIT},
		{"QOSGrpGRES", REASON_LIMIT},
		{"AssocGrpCpuLimit", REASON_LIMIT},
		{"JobArrayTaskLimit", REASON_LIMIT},
		{"Licenses", REASON_LIMIT},
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

int main(void)
{
	test_job_count();
	test_tres();
	test_gres();
	test_reasons();
	test_names();
	return check_done();
}
