/* The field tables, with every shape that the versions give a member. */
#include "base/buf.h"
#include "check.h"
#include "model/controller.h"
#include "model/job.h"
#include "model/job_run.h"
#include "model/job_task.h"
#include "model/node.h"
#include "model/partition.h"
#include "model/user.h"
#include "slurmrest/decode.h"

static struct vocabulary vocabulary;

struct got {
	unsigned records;
	size_t size;
	union {
		struct job job;
		struct job_run run;
		struct job_task task;
		struct node node;
		struct partition partition;
		struct controller controller;
		struct diag diag;
		struct conf conf;
		struct user user;
	} last;
	char text[256]; /* of the text that the test looks at */
};

static size_t text_offset = SIZE_MAX; /* none */

static void take(void *context, const void *record)
{
	struct got *got = context;
	got->records++;
	memcpy(&got->last, record, got->size);
	if (text_offset == SIZE_MAX)
		return;
	const struct text *text = (const struct text *)((const char *)record + text_offset);
	snprintf(got->text, sizeof got->text, "%.*s", (int)text->len, text->bytes);
}

/* Feeds the document in pieces of `step` bytes. */
static struct got decode(const struct record_type *type, const char *json, size_t step, struct answer *ret_answer)
{
	struct got got = {.size = type->size};
	struct error err = {""};
	struct decoder *decoder = decoder_new(type, &vocabulary);
	decoder_start(decoder, take, &got);
	for (size_t at = 0, len = strlen(json); at < len; at += step)
		CHECK(decoder_feed(decoder, json + at, len - at < step ? len - at : step, &err));
	CHECK(decoder_finish(decoder, &err));
	CHECK_STRING(err.text, "");
	*ret_answer = *decoder_answer(decoder);
	decoder_free(decoder);
	return got;
}

static void test_numbers(void)
{
	static const struct {
		const char *value;
		uint64_t want;
	} rows[] = {
		{"5", 5},
		{"null", NUMBER_UNSET},
		{"{\"set\":true,\"infinite\":false,\"number\":5}", 5},
		{"{\"number\":5,\"infinite\":false,\"set\":true}", 5}, /* any order */
		{"{\"set\":false,\"infinite\":false,\"number\":0}", NUMBER_UNSET},
		{"{\"set\":false,\"infinite\":true,\"number\":0}", NUMBER_INFINITE},
		{"{\"set\":true,\"infinite\":false,\"number\":2.0}", 2},
		{"{\"set\":true,\"infinite\":false,\"number\":null}", NUMBER_UNSET},
		{"{}", NUMBER_UNSET},
		{"[]", NUMBER_UNSET},
		{"\"5\"", NUMBER_UNSET},
		{"true", NUMBER_UNSET},
		{"-1", NUMBER_INFINITE}, /* 22.05: unlimited */
		{"-2", NUMBER_UNSET}, /* 22.05: NO_VAL */
		{"4294967294", NUMBER_UNSET}, /* NO_VAL */
		{"4294967295", NUMBER_INFINITE},
		{"18446744073709551614", NUMBER_UNSET}, /* NO_VAL64 */
		{"18446744073709551615", NUMBER_INFINITE},
		{"18446744073709552000", NUMBER_INFINITE},
		{"70000", 70000},
		{"0", 0},
		{"inf", NUMBER_INFINITE}, /* what printf writes */
		{"-inf", NUMBER_UNSET},
		{"nan", NUMBER_UNSET},
		{"{\"set\":true,\"infinite\":false,\"number\":-nan}", NUMBER_UNSET},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[512];
		struct answer answer;
		snprintf(json, sizeof json, "{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"cpus\":%s}]}",
			 rows[i].value);
		check_row(rows[i].value);
		for (size_t step = 1; step < 40; step += 6) {
			struct got got = decode(&job_record, json, step, &answer);
			CHECK(got.last.job.cpus == rows[i].want);
		}
	}
}

/* What a job's number is does not depend on the job before it. */
static void test_numbers_of_the_next_record(void)
{
	static const struct {
		const char *before, *value;
		uint64_t want;
	} rows[] = {
		{"{\"set\":true,\"infinite\":false,\"number\":5}", "{\"number\":6}", NUMBER_UNSET},
		{"{\"set\":true,\"infinite\":false,\"number\":5}", "{\"set\":true}", NUMBER_UNSET},
		{"{\"set\":true,\"infinite\":true,\"number\":0}", "{\"set\":true,\"number\":6}", 6},
		{"{\"set\":true,\"infinite\":true,\"number\":0}", "{}", NUMBER_UNSET},
		{"{\"set\":true,\"infinite\":true,\"number\":0}", "[]", NUMBER_UNSET},
		{"{\"set\":true,\"infinite\":false,\"number\":5}", "[{\"number\":6}]", NUMBER_UNSET},
		{"{\"set\":true,\"infinite\":false,\"number\":5}", "null", NUMBER_UNSET},
		{"5", "{}", NUMBER_UNSET},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[512];
		struct answer answer;
		snprintf(json, sizeof json,
			 "{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"cpus\":%s},"
			 "{\"job_id\":2,\"job_state\":\"PENDING\",\"cpus\":%s}]}",
			 rows[i].before, rows[i].value);
		check_row(rows[i].value);
		struct got got = decode(&job_record, json, 7, &answer);
		CHECK_NUMBER(got.records, 2);
		CHECK(got.last.job.cpus == rows[i].want);
	}
}

static void test_job_states(void)
{
	static const struct {
		const char *members;
		int state;
		uint64_t flags;
	} rows[] = {
		{"\"job_state\":\"RUNNING\"", JOB_RUNNING, 0},
		{"\"job_state\":[\"RUNNING\"]", JOB_RUNNING, 0},
		{"\"job_state\":[\"RUNNING\",\"COMPLETING\"]", JOB_RUNNING, 1 << JOB_FLAG_COMPLETING},
		{"\"job_state\":[\"OUT_OF_MEMORY\",\"COMPLETING\"]", JOB_OUT_OF_MEMORY, 1 << JOB_FLAG_COMPLETING},
		{"\"job_state\":[\"PENDING\",\"REQUEUED\"]", JOB_PENDING, 1 << JOB_FLAG_REQUEUED},
		/* before v0.0.40 a flag stands in place of the base state */
		{"\"job_state\":\"COMPLETING\",\"exit_code\":0,\"state_reason\":\"None\"", JOB_COMPLETED,
		 1 << JOB_FLAG_COMPLETING},
		{"\"job_state\":\"COMPLETING\",\"exit_code\":256,\"state_reason\":\"NonZeroExitCode\"", JOB_FAILED,
		 1 << JOB_FLAG_COMPLETING},
		{"\"job_state\":\"COMPLETING\",\"exit_code\":15,\"state_reason\":\"None\"", JOB_CANCELLED,
		 1 << JOB_FLAG_COMPLETING},
		{"\"job_state\":\"COMPLETING\",\"exit_code\":15,\"state_reason\":\"TimeLimit\"", JOB_TIMEOUT,
		 1 << JOB_FLAG_COMPLETING},
		{"\"job_state\":\"COMPLETING\",\"exit_code\":0,\"state_reason\":\"NodeDown\"", JOB_NODE_FAIL,
		 1 << JOB_FLAG_COMPLETING},
		{"\"job_state\":\"CONFIGURING\"", JOB_RUNNING, 1 << JOB_FLAG_CONFIGURING},
		{"\"job_state\":\"SPECIAL_EXIT\"", JOB_PENDING, 1 << JOB_FLAG_SPECIAL_EXIT},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[512];
		struct answer answer;
		snprintf(json, sizeof json, "{\"jobs\":[{\"job_id\":1,%s}]}", rows[i].members);
		check_row(rows[i].members);
		struct got got = decode(&job_record, json, 7, &answer);
		CHECK_NUMBER(got.records, 1);
		CHECK_NUMBER(got.last.job.state, rows[i].state);
		CHECK_NUMBER(got.last.job.flags, rows[i].flags);
	}
	check_row("a state that is not known yet");
	struct answer answer;
	struct got got =
		decode(&job_record, "{\"jobs\":[{\"job_id\":1,\"job_state\":[\"FROZEN\",\"SHINY\"]}]}", 5, &answer);
	CHECK_STRING(vocabulary.job_states.name[got.last.job.state], "frozen");
	CHECK_STRING(vocabulary.job_flags.name[__builtin_ctzll(got.last.job.flags)], "shiny");
}

/* However its members are ordered. */
static void test_exit_codes(void)
{
	static const char
		code[] = "\"return_code\":{\"set\":true,\"infinite\":false,\"number\":3}",
		sig[] = "\"signal\":{\"name\":\"KILL\",\"id\":{\"number\":9,\"infinite\":false,\"set\":true}}",
		status[] = "\"status\":[\"SIGNALED\"]";
	static const char *const rows[][3] = {{status, code, sig}, {sig, code, status}, {code, sig, status}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[512];
		struct answer answer;
		snprintf(json, sizeof json,
			 "{\"jobs\":[{\"job_id\":1,\"job_state\":[\"FAILED\"],\"exit_code\":{%s,%s,%s}}]}", rows[i][0],
			 rows[i][1], rows[i][2]);
		check_row(json);
		struct got got = decode(&job_record, json, 7, &answer);
		CHECK_NUMBER(got.last.job.exit_code, 3);
		CHECK_NUMBER(got.last.job.exit_signal, 9);
		CHECK(!number_is_known(got.last.job.wait_status));
	}
}

/* Before v0.0.40 it is what wait(2) says. */
static void test_wait_status(void)
{
	static const struct {
		const char *status;
		uint64_t code, signal;
	} rows[] = {{"0", 0, 0}, {"768", 3, 0}, {"9", 0, 9}, {"32512", 127, 0}, {"265", 1, 9}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[128];
		struct answer answer;
		snprintf(json, sizeof json, "{\"jobs\":[{\"job_id\":1,\"job_state\":\"FAILED\",\"exit_code\":%s}]}",
			 rows[i].status);
		check_row(json);
		struct got got = decode(&job_record, json, 7, &answer);
		CHECK_NUMBER(got.last.job.exit_code, rows[i].code);
		CHECK_NUMBER(got.last.job.exit_signal, rows[i].signal);
	}
}

static void test_units(void)
{
	struct answer answer;
	check_row("memory in MiB, times in minutes and in seconds");
	struct got got =
		decode(&job_record,
		       "{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"memory_per_node\":2,\"memory_per_cpu\":3,"
		       "\"time_limit\":5,\"submit_time\":7,\"pre_sus_time\":11}]}",
		       7, &answer);
	CHECK_NUMBER(got.last.job.memory_per_node, 2 * 1024 * 1024);
	CHECK_NUMBER(got.last.job.memory_per_cpu, 3 * 1024 * 1024);
	CHECK_NUMBER(got.last.job.time_limit, 300);
	CHECK_NUMBER(got.last.job.submit_time, 7);
	CHECK_NUMBER(got.last.job.ran_before, 11);
}

static void test_named_partitions(void)
{
	static const char
		ctld[] = "{\"jobs\":[{\"job_id\":1,\"job_state\":[\"RUNNING\"],\"partition\":\"gpu\","
			 "\"priority_by_partition\":[{\"partition\":\"cpu\",\"priority\":5},"
			 "{\"partition\":\"gpu\",\"priority\":5}]}]}",
		dbd[] = "{\"jobs\":[{\"job_id\":1,\"state\":{\"current\":[\"COMPLETED\"]},\"partition\":\"gpu\","
			"\"submit_line\":\"sbatch -p cpu,gpu x\"}]}";
	struct answer answer;
	check_row("all partitions that a job named, though it started in one");
	text_offset = offsetof(struct job, partitions_named);
	CHECK_STRING(decode(&job_record, ctld, 7, &answer).text, "cpu,gpu");
	text_offset += offsetof(struct job_run, job);
	CHECK_STRING(decode(&job_run_record, dbd, 7, &answer).text, "cpu,gpu");
	text_offset = SIZE_MAX;
}

/* What slurmdbd does not tell is not what a job does not have. */
static void test_what_jobs_ask_for(void)
{
	static const char job[] =
		"{\"job_id\":1,\"submit_time\":5,\"job_state\":\"RUNNING\",\"features\":\"fast&nvme\","
		"\"licenses\":\"matlab:6\",\"wckey\":\"*wk1\",\"comment\":\"c\",\"resv_name\":\"r\"}";
	static const struct {
		const char *members, *reservation;
		unsigned untold;
	} rows[] = {
		{"\"licenses\":\"\",\"comment\":{\"job\":\"c\"},\"reservation\":{\"id\":1,\"name\":\"r\"}", "r", 0},
		{"\"licenses\":\"\",\"comment\":{\"job\":\"\"},\"reservation\":{\"id\":0,\"name\":\"\"}", "",
		 JOB_COMMENT_UNTOLD},
		{"\"comment\":{\"job\":null},\"reservation\":{\"id\":1,\"name\":0}", "",
		 JOB_COMMENT_UNTOLD | JOB_LICENSES_UNTOLD | JOB_RESERVATION_UNTOLD}, /* v0.0.38 */
		{"\"licenses\":\"a\",\"comment\":{\"job\":\"c\"},\"reservation\":{\"id\":1,\"name\":\"\","
		 "\"requested\":\"q\"}",
		 "q", 0}, /* 26.05 */
	};
	struct answer answer;
	char json[1024];
	const size_t members[] = {offsetof(struct job, features), offsetof(struct job, licenses),
				  offsetof(struct job, wckey), offsetof(struct job, comment),
				  offsetof(struct job, reservation)};
	static const char *const values[] = {"fast&nvme", "matlab:6", "*wk1", "c", "r"};
	snprintf(json, sizeof json, "{\"jobs\":[%s]}", job);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		text_offset = members[i];
		struct got got = decode(&job_record, json, 7, &answer);
		CHECK_STRING(got.text, values[i]);
		CHECK_NUMBER(got.last.job.untold, 0);
	}
	text_offset = offsetof(struct job_run, job) + offsetof(struct job, reservation);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(json, sizeof json,
			 "{\"jobs\":[{\"job_id\":1,\"state\":{\"current\":\"RUNNING\"},\"constraints\":\"fast\",%s}]}",
			 rows[i].members);
		struct got got = decode(&job_run_record, json, 7, &answer);
		CHECK_NUMBER(got.last.run.job.untold, rows[i].untold);
		CHECK_STRING(got.text, rows[i].reservation);
	}
	text_offset = offsetof(struct job_run, job) + offsetof(struct job, features);
	CHECK_STRING(decode(&job_run_record, json, 7, &answer).text, "fast");
	text_offset = SIZE_MAX;
}

static void test_task_ids(void)
{
	static const struct {
		const char *name;
		uint64_t id; /* 0: skipped */
	} rows[] = {{"17", 17}, {"26_2", 26}, {"48+1", 48}, {"_2", 0}, {"", 0}, {"x", 0}, {"4294967294", 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[256];
		struct answer answer;
		snprintf(json, sizeof json, "{\"jobs\":[{\"job_id\":\"%s\",\"state\":[\"PENDING\"]}]}", rows[i].name);
		check_row(rows[i].name);
		struct got got = decode(&job_state_record, json, 3, &answer);
		CHECK_NUMBER(got.records, rows[i].id != 0);
		if (rows[i].id)
			CHECK_NUMBER(got.last.task.id, rows[i].id);
	}
}

static void test_skipped(void)
{
	struct answer answer;
	check_row("records without what they need");
	struct got got = decode(&job_record,
				"{\"jobs\":[{\"job_id\":1},{\"job_state\":\"RUNNING\"},"
				"{\"job_id\":2,\"job_state\":\"RUNNING\"}, 5, null, []]}",
				1000, &answer);
	CHECK_NUMBER(got.records, 1);
	CHECK_NUMBER(got.last.job.id, 2);
	CHECK_NUMBER(answer.records, 1);
	CHECK_NUMBER(answer.skipped, 5);
}

static void test_nodes(void)
{
	static const struct {
		const char *members;
		int state;
		uint64_t flags;
	} rows[] = {
		{"\"state\":[\"IDLE\"]", NODE_IDLE, 0},
		{"\"state\":\"idle\",\"state_flags\":[]", NODE_IDLE, 0},
		{"\"state\":[\"IDLE\",\"DRAIN\"]", NODE_IDLE, 1 << NODE_FLAG_DRAIN | 1 << NODE_FLAG_DRAINED},
		{"\"state\":\"idle\",\"state_flags\":[\"DRAIN\"]", NODE_IDLE,
		 1 << NODE_FLAG_DRAIN | 1 << NODE_FLAG_DRAINED},
		{"\"state\":[\"MIXED\",\"DRAIN\"]", NODE_MIXED, 1 << NODE_FLAG_DRAIN | 1 << NODE_FLAG_DRAINING},
		{"\"state\":[\"IDLE\",\"COMPLETING\",\"DRAIN\"]", NODE_IDLE,
		 1 << NODE_FLAG_DRAIN | 1 << NODE_FLAG_COMPLETING | 1 << NODE_FLAG_DRAINING},
		{"\"state_flags\":[\"DRAIN\"],\"state\":\"down\"", NODE_DOWN,
		 1 << NODE_FLAG_DRAIN | 1 << NODE_FLAG_DRAINED},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[512];
		struct answer answer;
		snprintf(json, sizeof json, "{\"nodes\":[{\"name\":\"n1\",%s}]}", rows[i].members);
		check_row(rows[i].members);
		struct got got = decode(&node_record, json, 11, &answer);
		CHECK_NUMBER(got.records, 1);
		CHECK_NUMBER(got.last.node.state, rows[i].state);
		CHECK_NUMBER(got.last.node.flags, rows[i].flags);
	}
	check_row("partitions and memory of a node");
	struct answer answer;
	text_offset = offsetof(struct node, partitions);
	struct got got = decode(&node_record,
				"{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\"],\"real_memory\":16000,"
				"\"partitions\":[\"cpu\",\"debug\",\"all\"]}]}",
				3, &answer);
	CHECK_STRING(got.text, "cpu,debug,all");
	CHECK_NUMBER(got.last.node.memory, 16000.0 * 1048576);
	text_offset = SIZE_MAX;
}

static void test_node_details(void)
{
	static const struct {
		const char *members;
		uint64_t load, free_memory, boot_time, watts, joules;
	} rows[] = {
		{"\"cpu_load\":468,\"free_memory\":2,\"boot_time\":1795214967,"
		 "\"slurmd_start_time\":1795218617",
		 468, 2 << 20, 1795214967, NUMBER_UNSET, NUMBER_UNSET}, /* before v0.0.40 */
		{"\"cpu_load\":4294967294,\"free_memory\":-2,\"boot_time\":0,\"slurmd_start_time\":0", NUMBER_UNSET,
		 NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET},
		{"\"cpu_load\":0,\"free_mem\":{\"set\":false,\"infinite\":false,\"number\":0},"
		 "\"boot_time\":{\"set\":true,\"infinite\":false,\"number\":0},"
		 "\"slurmd_start_time\":{\"set\":true,\"infinite\":false,\"number\":0},"
		 "\"energy\":{\"consumed_energy\":0,\"current_watts\":{\"set\":true,\"infinite\":"
		 "false,\"number\":0},\"last_collected\":0}",
		 NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET},
		{"\"cpu_load\":0,\"free_mem\":{\"set\":true,\"infinite\":false,\"number\":0},"
		 "\"boot_time\":{\"set\":true,\"infinite\":false,\"number\":7},"
		 "\"slurmd_start_time\":{\"set\":true,\"infinite\":false,\"number\":8},"
		 "\"energy\":{\"consumed_energy\":0,\"current_watts\":{\"set\":true,\"infinite\":"
		 "false,\"number\":0},\"last_collected\":9}",
		 0, 0, 7, 0, 0}, /* a plugin collects, and it is really 0 */
		{"\"slurmd_start_time\":8,\"energy\":{\"consumed_energy\":18446744073709551614,"
		 "\"current_watts\":{\"set\":false,\"infinite\":false,\"number\":0},"
		 "\"last_collected\":9}",
		 NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET, NUMBER_UNSET},
		{"\"energy\":{\"consumed_energy\":500,\"current_watts\":210,\"last_collected\":0}", NUMBER_UNSET,
		 NUMBER_UNSET, NUMBER_UNSET, 210, 500},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[600];
		struct answer answer;
		snprintf(json, sizeof json, "{\"nodes\":[{\"name\":\"n1\",\"state\":\"idle\",%s}]}", rows[i].members);
		check_row(rows[i].members);
		struct got got = decode(&node_record, json, 11, &answer);
		const struct node *node = &got.last.node;
		CHECK_NUMBER(node->load, rows[i].load);
		CHECK_NUMBER(node->free_memory, rows[i].free_memory);
		CHECK_NUMBER(node->boot_time, rows[i].boot_time);
		CHECK_NUMBER(node->power_watts, rows[i].watts);
		CHECK_NUMBER(node->energy_joules, rows[i].joules);
	}
}

static void test_node_texts(void)
{
	static const struct {
		const char *members;
		size_t offset;
		const char *want;
	} rows[] = {
		{"\"slurmd_version\":\"22.05.8\"", offsetof(struct node, version), "22.05.8"},
		{"\"version\":\"24.11.5\"", offsetof(struct node, version), "24.11.5"},
		{"\"reason_set_by_user\":null", offsetof(struct node, reason_user), ""},
		{"\"reason_set_by_user\":\"root\"", offsetof(struct node, reason_user), "root"},
		{"\"reason\":\"a \\\"b\\\" \\u0000 \xff\"", offsetof(struct node, reason),
		 "a \"b\" \xef\xbf\xbd \xef\xbf\xbd"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[200];
		struct answer answer;
		snprintf(json, sizeof json, "{\"nodes\":[{\"name\":\"n1\",\"state\":\"idle\",%s}]}", rows[i].members);
		check_row(rows[i].members);
		text_offset = rows[i].offset;
		struct got got = decode(&node_record, json, 5, &answer);
		CHECK_STRING(got.text, rows[i].want);
	}
	text_offset = SIZE_MAX;
}

static void test_partitions(void)
{
	struct answer answer;
	check_row("partition before v0.0.40");
	struct got got = decode(&partition_record,
				"{\"partitions\":[{\"name\":\"p\",\"flags\":[\"default\"],\"state\":\"UP\","
				"\"max_time_limit\":2880,\"maximum_nodes_per_job\":-1,"
				"\"default_time_limit\":null,\"min nodes per job\":0}]}",
				9, &answer);
	CHECK(got.last.partition.has_flags && got.last.partition.is_default);
	CHECK_STRING(vocabulary.partition_states.name[got.last.partition.state], "up");
	CHECK_NUMBER(got.last.partition.max_time, 2880 * 60);
	CHECK(got.last.partition.max_nodes == NUMBER_INFINITE);
	CHECK(got.last.partition.default_time == NUMBER_UNSET);
	check_row("partition since v0.0.40");
	got = decode(&partition_record,
		     "{\"partitions\":[{\"name\":\"p\",\"partition\":{\"state\":[\"INACTIVE\"]},"
		     "\"maximums\":{\"nodes\":{\"set\":true,\"infinite\":false,\"number\":1},"
		     "\"time\":{\"set\":false,\"infinite\":true,\"number\":0}},"
		     "\"priority\":{\"job_factor\":1,\"tier\":100}}]}",
		     9, &answer);
	CHECK(!got.last.partition.has_flags);
	CHECK_STRING(vocabulary.partition_states.name[got.last.partition.state], "inactive");
	CHECK(got.last.partition.max_time == NUMBER_INFINITE);
	CHECK_NUMBER(got.last.partition.max_nodes, 1);
	CHECK_NUMBER(got.last.partition.priority_tier, 100);
	check_row("flags that are there and empty");
	got = decode(&partition_record, "{\"partitions\":[{\"name\":\"p\",\"flags\":[]}]}", 9, &answer);
	CHECK(got.last.partition.has_flags && !got.last.partition.is_default);
}

static void test_ping(void)
{
	static const struct {
		const char *members;
		bool is_up, is_primary;
	} rows[] = {
		{"\"ping\":\"UP\",\"status\":0,\"mode\":\"primary\"", true, true},
		{"\"ping\":\"DOWN\",\"status\":-1,\"mode\":\"backup\"", false, false},
		{"\"pinged\":\"UP\",\"latency\":775,\"mode\":\"primary\"", true, true},
		{"\"pinged\":\"DOWN\",\"responding\":false,\"mode\":\"primary\",\"primary\":true", false, true},
		{"\"responding\":true,\"primary\":false,\"status\":\"No error\"", true, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[512];
		struct answer answer;
		snprintf(json, sizeof json, "{\"pings\":[{\"hostname\":\"c1\",%s}]}", rows[i].members);
		check_row(rows[i].members);
		struct got got = decode(&ping_record, json, 4, &answer);
		CHECK(got.last.controller.is_up == rows[i].is_up);
		CHECK(got.last.controller.is_primary == rows[i].is_primary);
	}
}

struct thing {
	struct list first, second;
	double level;
};

struct element {
	struct text name;
	uint64_t count;
};

static const struct field element_fields[] = {
	TEXT_FIELD(struct element, name, "name"),
	NUMBER(struct element, count, "count", COUNT),
	END_OF_FIELDS,
};
static const struct field_elements elements = {sizeof(struct element), element_fields, NULL};
static const struct field thing_fields[] = {
	LIST(struct thing, first, "a.first", &elements),
	REAL(struct thing, level, "level"),
	LIST(struct thing, second, "second", &elements),
	END_OF_FIELDS,
};

static bool finish_thing(struct vocabulary *ignored, void *record)
{
	(void)ignored, (void)record;
	return true;
}

static const struct record_type thing_record = {"things",     false,	    sizeof(struct thing),
						thing_fields, finish_thing, NULL};

/* "first: x=1 y=? second: z=3 level 0.5" */
static void take_thing(void *context, const void *record)
{
	const struct thing *thing = record;
	char *to = context, *end = to + 200;
	const struct list *lists[] = {&thing->first, &thing->second};
	for (int l = 0; l < 2; l++) {
		to += snprintf(to, (size_t)(end - to), l ? "/ " : "");
		for (size_t i = 0; i < lists[l]->count; i++) {
			const struct element *element = (const struct element *)lists[l]->items + i;
			to += snprintf(to, (size_t)(end - to), "%.*s=%ld ", (int)element->name.len, element->name.bytes,
				       element->count == NUMBER_UNSET ? -1 : (long)element->count);
		}
	}
	snprintf(to, (size_t)(end - to), "%g", thing->level);
}

static void test_lists(void)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{"{\"a\":{\"first\":[{\"name\":\"x\",\"count\":1},{\"name\":\"y\"}]},\"level\":0.5,"
		 "\"second\":[{\"count\":{\"set\":true,\"number\":3},\"name\":\"z\"}]}",
		 "x=1 y=-1 / z=3 0.5"},
		{"{\"second\":[],\"level\":{\"set\":true,\"infinite\":false,\"number\":2}}", "/ 2"},
		{"{\"second\":null,\"level\":{\"set\":false,\"infinite\":true,\"number\":0}}", "/ inf"},
		{"{\"second\":[5,\"x\",[]],\"level\":null}", "/ nan"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t step = 1; step < 9; step++) {
			char got[256] = "", json[512];
			struct error err = {""};
			/* the same twice: nothing of the first record is left in the second */
			snprintf(json, sizeof json, "{\"things\":[%s,%s]}", rows[i].json, rows[i].json);
			check_row(rows[i].json);
			struct decoder *decoder = decoder_new(&thing_record, &vocabulary);
			decoder_start(decoder, take_thing, got);
			for (size_t at = 0, len = strlen(json); at < len; at += step)
				CHECK(decoder_feed(decoder, json + at, len - at < step ? len - at : step, &err));
			CHECK(decoder_finish(decoder, &err));
			CHECK_STRING(got, rows[i].want);
			decoder_free(decoder);
		}
}

static void test_envelope(void)
{
	struct answer answer;
	check_row("errors");
	decode(&job_record, "{\"errors\":[{\"error_number\":9003,\"error\":\"Nothing found\"}],\"jobs\":[]}", 2,
	       &answer);
	CHECK(answer.has_list && answer.nothing_found);
	CHECK_NUMBER(answer.error_count, 1);
	CHECK_STRING(answer.error, "Nothing found");
	check_row("the first of two errors is the cause");
	decode(&job_record,
	       "{\"errors\":[{\"description\":\"a\",\"error\":\"b\",\"error_number\":2002},"
	       "{\"description\":\"c\",\"error\":\"d\",\"error_number\":2002}],\"jobs\":[]}",
	       2, &answer);
	CHECK_NUMBER(answer.error_count, 2);
	CHECK_NUMBER(answer.access_denied, 2);
	CHECK_STRING(answer.error_description, "a");
	CHECK_STRING(answer.error, "b");
	check_row("an unchanged list");
	decode(&job_record,
	       "{\"jobs\":[],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":0},"
	       "\"meta\":{\"slurm\":{\"release\":\"24.11.5\",\"cluster\":\"lab\"}},"
	       "\"errors\":[],\"warnings\":[{\"description\":\"No job changes\"}]}",
	       2, &answer);
	CHECK_NUMBER(answer.last_update, 0);
	CHECK_NUMBER(answer.warning_count, 1);
	CHECK_STRING(answer.warning, "No job changes");
	CHECK_STRING(answer.release, "24.11.5");
	CHECK_STRING(answer.cluster, "lab");
	CHECK_NUMBER(answer.error_count, 0);
	check_row("no list at all");
	decode(&job_record, "{}", 2, &answer);
	CHECK(!answer.has_list);
	decode(&job_record, "{\"jobs\":5}", 2, &answer);
	CHECK(!answer.has_list);
	decode(&diag_record, "{\"statistics\":{\"req_time_start\":7}}", 2, &answer);
	CHECK(answer.has_list);
	CHECK_NUMBER(answer.records, 1);
}

static void test_odd_values(void)
{
	struct answer answer;
	text_offset = offsetof(struct job, account);
	check_row("zero has no sign, what is too much has no end, and of two the last is said");
	struct got got = decode(
		&job_record,
		"{\"jobs\":[{\"job_id\":1,\"job_state\":\"PENDING\",\"cpus\":-0,\"memory_per_node\":17592186044416,"
		"\"memory_per_cpu\":17592186044415,\"account\":\"a\",\"account\":\"b\"}]}",
		7, &answer);
	CHECK_NUMBER(got.last.job.cpus, 0);
	CHECK(got.last.job.memory_per_node == NUMBER_INFINITE);
	CHECK(got.last.job.memory_per_cpu == UINT64_MAX - (1 << 20) + 1);
	CHECK_STRING(got.text, "b");
	text_offset = SIZE_MAX;
}

/* What never was has no time. */
static void test_no_times(void)
{
	static const struct {
		const char *json;
		uint64_t want;
	} rows[] = {{"0", NUMBER_UNSET},
		    {"{\"set\":true,\"infinite\":false,\"number\":0}", NUMBER_UNSET},
		    {"0.0", NUMBER_UNSET},
		    {"1", 1},
		    {"{\"set\":true,\"infinite\":false,\"number\":1795209484}", 1795209484}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[400];
		struct answer answer;
		snprintf(json, sizeof json, "{\"statistics\":{\"req_time_start\":7,\"bf_when_last_cycle\":%s}}",
			 rows[i].json);
		check_row(json);
		CHECK(decode(&diag_record, json, 7, &answer).last.diag.backfill_last_cycle_time == rows[i].want);
		snprintf(json, sizeof json,
			 "{\"slurm_conf\":{\"MaxJobCount\":1},\"slurm_conf_meta\":{\"BOOT_TIME\":%s}}", rows[i].json);
		CHECK(decode(&conf_record, json, 7, &answer).last.conf.boot_time == rows[i].want);
		snprintf(json, sizeof json, "{\"nodes\":[{\"name\":\"n\",\"state\":[\"IDLE\"],\"last_busy\":%s}]}",
			 rows[i].json);
		CHECK(decode(&node_record, json, 7, &answer).last.node.last_busy_time == rows[i].want);
	}
}

/* Where the TRES name no GPUs, what a job asks for and what it holds say how many there are. */
static void test_untold_gpus(void)
{
	static const struct {
		const char *members, *requested, *allocated;
	} rows[] = {
		{"\"tres_per_job\":\"gres/gpu:4\"", "cpu=2,gres/gpu=4", ""},
		{"\"tres_per_job\":\"gres:gpu:a100:4\"", "cpu=2,gres/gpu=4,gres/gpu:a100=4", ""}, /* 22.05 */
		{"\"tres_per_job\":\"gres/gpu:4090:4\"", "cpu=2,gres/gpu=4,gres/gpu:4090=4", ""},
		{"\"tres_per_node\":\"gres/gpu:a100:1,gres/gpu:h100:2,gres/nic:1\"",
		 "cpu=2,gres/gpu=9,gres/gpu:a100=3,gres/gpu:h100=6", ""},
		{"\"tres_per_node\":\"gres/nic:1\",\"tres_per_task\":\"gres/gpu=2\"", "cpu=2,gres/gpu=10", ""},
		{"\"tres_per_task\":\"gres/gpu:a100=2\"", "cpu=2,gres/gpu=10,gres/gpu:a100=10", ""},
		{"\"tres_per_socket\":\"gres/gpu:1\"", "cpu=2,gres/gpu=6", ""},
		{"\"tres_per_job\":\"gres/gpu\"", "cpu=2,gres/gpu=1", ""},
		{"\"tres_per_job\":\"gres/gpu:0\"", "cpu=2", ""},
		{"\"tres_per_job\":\"gres/shard:4\"", "cpu=2", ""},
		{"", "cpu=2", ""},
		{"\"nodes\":\"n[1-3]\",\"tres_alloc_str\":\"cpu=6\",\"tres_per_job\":\"gres/gpu:4\"",
		 "cpu=2,gres/gpu=4", "cpu=6,gres/gpu=4"},
		{"\"nodes\":\"n[1-3]\",\"tres_alloc_str\":\"cpu=6\",\"tres_per_job\":\"gres/gpu:4\","
		 "\"gres_detail\":[\"gpu:a100:2(IDX:0,3)\",\"\",\"gpu:a100:1(IDX:0),gpu:4090:1(IDX:7)\"]",
		 "cpu=2,gres/gpu=4", "cpu=6,gres/gpu=4,gres/gpu:a100=3,gres/gpu:4090=1"},
		/* suspended under select/linear */
		{"\"nodes\":\"n1\",\"tres_alloc_str\":\"cpu=6\",\"tres_per_node\":\"gres/gpu:1g.10gb:2\","
		 "\"gres_detail\":[\"gpu:1g.10gb:0(IDX:),lustre(CNT:0)\"]",
		 "cpu=2,gres/gpu=6,gres/gpu:1g.10gb=6", "cpu=6"},
		{"\"nodes\":\"n1\",\"tres_alloc_str\":\"cpu=6,gres/gpu=2\",\"gres_detail\":[\"gpu:a100:3(IDX:0-2)\"]",
		 "cpu=2", "cpu=6,gres/gpu=2"},
		{"\"nodes\":\"n1\",\"tres_alloc_str\":\"cpu=6,gres/gpumem=1G\",\"gres_detail\":[\"gpu:3(IDX:0-2)\"]",
		 "cpu=2", "cpu=6,gres/gpumem=1G,gres/gpu=3"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[1000];
		struct answer answer;
		snprintf(
			json, sizeof json,
			"{\"jobs\":[{\"job_id\":1,\"job_state\":\"RUNNING\",\"node_count\":3,\"tasks\":5,\"sockets_per_node\":2,"
			"\"tres_req_str\":\"cpu=2\"%s%s}]}",
			*rows[i].members ? "," : "", rows[i].members);
		check_row(rows[i].members);
		text_offset = offsetof(struct job, tres_requested);
		CHECK_STRING(decode(&job_record, json, 7, &answer).text, rows[i].requested);
		text_offset = offsetof(struct job, tres_allocated);
		CHECK_STRING(decode(&job_record, json, 7, &answer).text, rows[i].allocated);
	}
	text_offset = SIZE_MAX;
}

static void test_user(void)
{
	static const struct {
		const char *level;
		enum admin_level want;
	} rows[] = {
		{"[\"None\"]", ADMIN_NONE},
		{"[\"Operator\"]", ADMIN_OPERATOR},
		{"[\"Administrator\"]", ADMIN_ADMINISTRATOR},
		{"\"None\"", ADMIN_NONE}, /* 22.05 */
		{"\"Administrator\"", ADMIN_ADMINISTRATOR},
		{"[\"Not Set\"]", ADMIN_NOT_KNOWN},
		{"[]", ADMIN_NOT_KNOWN},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[128];
		struct answer answer;
		check_row(rows[i].level);
		snprintf(json, sizeof json, "{\"users\":[{\"name\":\"alice\",\"administrator_level\":%s}]}",
			 rows[i].level);
		struct got got = decode(&user_record, json, 5, &answer);
		CHECK_NUMBER(got.records, 1);
		CHECK_NUMBER(got.last.user.level, rows[i].want);
	}
}

static void test_conf(void)
{
	struct answer answer;
	check_row("conf");
	struct got got = decode(&conf_record,
				"{\n \"slurm_conf\":{\"MaxJobCount\":10000,\"MinJobAge\":300,"
				"\"PrivateData\":[\"jobs\",\"USAGE\",\"cloud\"]}}",
				3, &answer);
	CHECK_NUMBER(got.records, 1);
	CHECK_NUMBER(got.last.conf.min_job_age, 300);
	for (int i = 0; i < PRIVATE_DATA; i++)
		CHECK(got.last.conf.is_private[i] == (i == PRIVATE_JOBS || i == PRIVATE_USAGE));
	CHECK(!answer.is_compact);
	got = decode(&conf_record, "{\"slurm_conf\":{\"MaxJobCount\":10000}}", 1, &answer);
	CHECK(got.last.conf.min_job_age == NUMBER_UNSET);
	CHECK(answer.is_compact);
}

/* A list is joined by commas; of a name that stands twice the last one counts. */
static void test_joined(void)
{
	static const struct {
		const char *value, *want;
	} rows[] = {
		{"\"a\"", "a"},
		{"[\"a\",\"b\"]", "a,b"},
		{"[\"\",\"b\",\"\"]", "b,"},
		{"[]", ""},
		{"\"x\",\"partition\":[\"a\",\"b\"]", "a,b"},
		{"[\"x\"],\"partition\":[\"a\"]", "a"},
		{"[\"x\"],\"partition\":\"a\"", "a"},
		{"[\"0123456789abcdef\",\"0123456789abcdef\",\"z\"]", "0123456789abcdef,0123456789abcdef,z"},
	};
	text_offset = offsetof(struct job, partitions);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[256];
		struct answer answer;
		check_row(rows[i].value);
		snprintf(json, sizeof json, "{\"jobs\":[{\"job_id\":1,\"job_state\":\"RUNNING\",\"partition\":%s}]}",
			 rows[i].value);
		struct got got = decode(&job_record, json, 7, &answer);
		CHECK_STRING(got.text, rows[i].want);
	}
	text_offset = SIZE_MAX;
}

/* Of many texts, or of many elements of a list. */
static void test_large_records(void)
{
	static const struct {
		const char *what, *begin, *unit, *end;
		unsigned units;
		bool is_good;
	} rows[] = {
		{"4 MB of words", "\"nodes\":[\"n\"", ",\"0123456789012345678901234567890123456789\"", "]", 100000,
		 true},
		{"16 MB of words", "\"nodes\":[\"n\"", ",\"0123456789012345678901234567890123456789\"", "]", 400000,
		 false},
		{"65,536 nodes", "\"job_resources\":{\"nodes\":{\"allocation\":[{}",
		 ",{\"name\":\"frontier12345\",\"cpus\":{\"count\":64}}", "]}}", 65536, true},
		{"a million nodes", "\"job_resources\":{\"nodes\":{\"allocation\":[{}", ",{}", "]}}", 1000000, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf json = BUF_INIT;
		struct got got = {.size = sizeof(struct job)};
		struct error err = {""};
		struct decoder *decoder = decoder_new(&job_record, &vocabulary);
		buf_printf(&json, "{\"jobs\":[{\"job_id\":1,\"job_state\":\"RUNNING\",%s", rows[i].begin);
		for (unsigned unit = 0; unit < rows[i].units; unit++)
			buf_add_string(&json, rows[i].unit);
		buf_printf(&json, "%s},{\"job_id\":2,\"job_state\":\"RUNNING\"}]}", rows[i].end);
		check_row(rows[i].what);
		decoder_start(decoder, take, &got);
		CHECK(decoder_feed(decoder, json.bytes, json.len, &err) == rows[i].is_good);
		CHECK(!strstr(err.text, "a record takes more than 16 MiB") == rows[i].is_good);
		CHECK_NUMBER(got.records, rows[i].is_good ? 2 : 0);
		decoder_free(decoder);
		buf_done(&json);
	}
}

int main(void)
{
	vocabulary_init(&vocabulary);
	test_numbers();
	test_numbers_of_the_next_record();
	test_job_states();
	test_exit_codes();
	test_wait_status();
	test_units();
	test_named_partitions();
	test_what_jobs_ask_for();
	test_task_ids();
	test_skipped();
	test_nodes();
	test_node_details();
	test_node_texts();
	test_partitions();
	test_ping();
	test_lists();
	test_envelope();
	test_odd_values();
	test_no_times();
	test_untold_gpus();
	test_user();
	test_conf();
	test_joined();
	test_large_records();
	vocabulary_done(&vocabulary);
	return check_done();
}
