/* The pages of jobs: which jobs a query takes in, in which order, on which page, and that no text becomes markup. */
#include "check.h"
#include "seen.h"

#include "status/jobs_columns.h"
#include "status/jobs_pick.h"
#include "status/jobs_request.h"
#include "status/pages.h"
#include "status/scoped_status.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NOW = 1800000000 };

/* Parameters as in a URL, but not quoted: "state=failed&user=ann". */
static char asked[2048];

static const char *parameter(void *context, const char *name)
{
	static char values[16][1200];
	static unsigned number;
	struct text rest = text_of(context), one;
	while (text_next(&rest, '&', &one)) {
		struct text key = text_cut(&one, '=');
		if (!text_equal(key, text_of(name)))
			continue;
		char *value = values[number++ % 16];
		text_to_string(one, value, sizeof values[0]);
		return value;
	}
	return NULL;
}

static struct jobs_query query_of(const char *parameters)
{
	struct jobs_query query;
	struct buf why = BUF_INIT;
	snprintf(asked, sizeof asked, "%s", parameters);
	CHECK(jobs_query_read(&query, parameter, asked, &why));
	CHECK_STRING(why.bytes, NULL);
	buf_done(&why);
	return query;
}

struct world {
	struct status *status;
	struct buf texts;
	struct status_job rows[STATUS_STAGES][300];
	struct status_site site;
};

static void begin(struct world *world)
{
	*world = (struct world){.status = status_new(NOW - 5), .texts = BUF_INIT};
	buf_add_char(&world->texts, '\0');
	world->status->name = "c";
	world->status->jobs.is_known = world->status->jobs.has_details = true;
	world->status->job_rows.ended_s = 3600;
	for (int stage = 0; stage < STATUS_STAGES; stage++)
		world->status->job_rows.sets[stage] =
			(struct status_job_set){.is_known = true, .max = 300, .rows = world->rows[stage]};
	world->site = (struct status_site){.now = NOW,
					   .version = "1",
					   .revision = "",
					   .metrics_path = "/metrics",
					   .clusters = (const struct status **)&world->status,
					   .cluster_count = 1};
}

static void end(struct world *world)
{
	status_free(world->status);
	buf_done(&world->texts);
}

static uint32_t put(struct world *world, const char *text)
{
	uint32_t at = (uint32_t)world->texts.len;
	buf_add(&world->texts, text, strlen(text) + 1);
	world->status->job_rows.texts = world->texts.bytes;
	world->status->job_rows.texts_len = world->texts.len;
	return *text ? at : 0;
}

static struct status_job *add(struct world *world, enum status_stage stage, uint32_t id, const char *user,
			      const char *state)
{
	struct status_job_set *set = &world->status->job_rows.sets[stage];
	struct status_job *job = &set->rows[set->count++];
	*job = (struct status_job){.id = id,
				   .array_task_id = UINT32_MAX,
				   .user = put(world, user),
				   .state = put(world, state),
				   .tasks = 1,
				   .cpus = 1,
				   .nodes = 1,
				   .memory_bytes = NUMBER_UNSET,
				   .submit = NOW - 100,
				   .eligible = NUMBER_UNSET,
				   .start = NUMBER_UNSET,
				   .end = NUMBER_UNSET,
				   .limit_s = NUMBER_UNSET,
				   .run_s = NUMBER_UNSET,
				   .runs_since = NUMBER_UNSET,
				   .priority = NUMBER_UNSET,
				   .restarts = NUMBER_UNSET,
				   .exit_code = NUMBER_UNSET,
				   .exit_signal = NUMBER_UNSET,
				   .peak_memory_bytes = NUMBER_UNSET,
				   .energy_joules = NUMBER_UNSET,
				   .used_cpu_s = -1};
	return job;
}

/* Jobs of all kinds, few enough for one look. */
static void fill(struct world *world)
{
	struct status_job *job = add(world, STATUS_PENDING, 1, "ann", "pending");
	job->priority = 10;
	job->partition = put(world, "cpu,gpu");
	job->reason = put(world, "Resources");
	job->account = put(world, "bio");
	job->name = put(world, "fold");
	job = add(world, STATUS_PENDING, 2, "bob", "pending");
	job->priority = 30;
	job->cpus = 64;
	job->partition = put(world, "gpu");
	job->reason = put(world, "Priority");
	job = add(world, STATUS_PENDING, 3, "ann", "pending");
	job->cpus = 8;
	job->reason = put(world, "Priority");
	job->array_job_id = 3;
	job->is_array_rest = true;
	job->tasks = 40;
	job = add(world, STATUS_HOLDING, 4, "ann", "running");
	job->array_job_id = 3;
	job->array_task_id = 7;
	job->start = job->runs_since = NOW - 600;
	job->run_s = 0;
	job->limit_s = 3600;
	job->node_list = put(world, "cn[01-03],gn1");
	job->qos = put(world, "high,low");
	job->tres = put(world, "cpu=1,gres/gpu:a100=2");
	job->gpus = 2;
	job = add(world, STATUS_HOLDING, 5, "bob", "suspended");
	job->start = NOW - 600;
	job->run_s = 60;
	job->limit_s = NUMBER_INFINITE;
	job->node_list = put(world, "cn09");
	job = add(world, STATUS_ENDED, 6, "ann", "failed");
	job->is_failure = true;
	job->end = NOW - 10;
	job->exit_code = 3;
	job = add(world, STATUS_ENDED, 7, "ann", "completed");
	job->end = NOW - 20;
	job->cpus = 4;
	job->run_s = 100;
	job->used_cpu_s = 100;
	job = add(world, STATUS_ENDED, 8, "bob", "node_fail");
	job->is_failure = true;
	job->end = NOW - 30;
	job->failed_node = put(world, "cn01");
	job->het_job_id = 6;
	struct status_job *ended = world->rows[STATUS_ENDED], last = ended[2]; /* rows come in any order */
	ended[2] = ended[0];
	ended[0] = last;
}

/* The IDs of what the query takes in, by stage: "2 1 3 | 4 5 | 6 7 8". */
static void check_ids(const struct world *world, const char *parameters, const char *want)
{
	const struct jobs_query query = query_of(parameters);
	char got[400] = "";
	size_t len = 0;
	check_row(parameters);
	for (int stage = 0; stage < STATUS_STAGES; stage++) {
		struct jobs_picked picked =
			jobs_pick(&world->status->job_rows, (enum status_stage)stage, &query, NOW, 100);
		for (size_t i = picked.from; i < picked.to; i++)
			len += (size_t)snprintf(got + len, sizeof got - len, "%s%" PRIu32,
						len && got[len - 1] != ' ' ? " " : "", picked.items[i]->id);
		len += (size_t)snprintf(got + len, sizeof got - len, "%s", stage < STATUS_ENDED ? " | " : "");
		jobs_picked_done(&picked);
	}
	CHECK_STRING(got, want);
}

static void test_filters(void)
{
	static const char *const rows[][2] = {
		{"", "2 1 3 | 4 5 | 6 7 8"},
		{"state=pending", "2 1 3 |  | "},
		{"state=running", " | 4 5 | "},
		{"state=suspended", " | 5 | "},
		{"state=ended", " |  | 6 7 8"},
		{"state=failed", " |  | 6 8"},
		{"state=node_fail", " |  | 8"},
		{"state=completed", " |  | 7"},
		{"user=ann", "1 3 | 4 | 6 7"},
		{"user=an", " |  | "},
		{"user=", "2 1 3 | 4 5 | 6 7 8"},
		{"user=ann&state=failed", " |  | 6"},
		{"account=bio", "1 |  | "},
		{"partition=gpu", "2 1 |  | "},
		{"partition=cpu,gpu", "1 |  | "},
		{"partition=g", " |  | "},
		{"qos=low", " | 4 | "},
		{"node=cn02", " | 4 | "},
		{"node=cn01", " | 4 | 8"},
		{"node=cn1", " |  | "},
		{"reason=Priority", "2 3 |  | "},
		{"name=fold", "1 |  | "},
		{"id=3", "3 | 4 | "},
		{"id=3_7", " | 4 | "},
		{"id=3_8", " |  | "},
		{"id=4_7", " |  | "},
		{"id=4", " | 4 | "},
		{"id=6", " |  | 6 8"},
		{"id=99999999999", " |  | "},
		{"unheard=of", "2 1 3 | 4 5 | 6 7 8"},
	};
	struct world world;
	begin(&world);
	fill(&world);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_ids(&world, rows[i][0], rows[i][1]);
	end(&world);
}

/* What is not known comes last, whatever the order; of equals the older ID first. */
static void test_orders(void)
{
	static const char *const rows[][2] = {
		{"sort=id", "1 2 3 | 4 5 | 6 7 8"},
		{"sort=id&order=desc", "3 2 1 | 5 4 | 8 7 6"},
		{"sort=cpus", "2 3 1 | 4 5 | 7 6 8"},
		{"sort=cpus&order=asc", "1 3 2 | 4 5 | 6 8 7"},
		{"sort=user", "1 3 2 | 4 5 | 6 7 8"},
		{"sort=account", "1 2 3 | 4 5 | 6 7 8"},
		{"sort=account&order=desc", "1 2 3 | 4 5 | 6 7 8"},
		{"sort=priority&order=asc", "1 2 3 | 4 5 | 6 7 8"},
		{"sort=left", "2 1 3 | 4 5 | 6 7 8"},
		{"sort=left&order=desc", "2 1 3 | 5 4 | 6 7 8"},
		{"sort=elapsed", "2 1 3 | 4 5 | 6 7 8"},
		{"sort=efficiency&order=desc", "2 1 3 | 4 5 | 7 6 8"},
		{"sort=end&order=asc", "2 1 3 | 4 5 | 8 7 6"},
		{"sort=tasks", "3 1 2 | 4 5 | 6 7 8"},
	};
	struct world world;
	begin(&world);
	fill(&world);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_ids(&world, rows[i][0], rows[i][1]);
	end(&world);
	begin(&world);
	add(&world, STATUS_HOLDING, 5, "ann", "running");
	add(&world, STATUS_HOLDING, 20, "ann", "running")->array_job_id = 3; /* it stands where its array does */
	check_ids(&world, "sort=id", " | 20 5 | ");
	check_ids(&world, "sort=id&order=desc&page=4294967295", " |  | ");
	end(&world);
}

static void test_wrong_queries(void)
{
	static const char *const rows[][2] = {
		{"state=waiting", "state: \"waiting\" is none; there are: pending, running, ended, failed, suspended"},
		{"sort=size", "sort: \"size\" is none; there are: id, name, user"},
		{"order=up", "order: \"up\" is none; there are: asc, desc"},
		{"page=0", "page: \"0\" is none; there are: numbers from 1 on"},
		{"page=-1", "page: \"-1\" is none"},
		{"page=4294967296", "page: \"4294967296\" is none"},
		{"page=99999999999999999999", "page: \"99999999999999999999\" is none"},
		{"id=0", "id: \"0\" is none"},
		{"id=x", "id: \"x\" is none"},
		{"id=12_", "id: \"12_\" is none"},
		{"id=1_2_3", "id: \"1_2_3\" is none"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct jobs_query query;
		struct buf why = BUF_INIT;
		check_row(rows[i][0]);
		snprintf(asked, sizeof asked, "%s", rows[i][0]);
		CHECK(!jobs_query_read(&query, parameter, asked, &why));
		CHECK(text_starts_with(buf_text(&why), rows[i][1]));
		buf_done(&why);
	}
	struct jobs_query query;
	struct buf why = BUF_INIT;
	check_row("a long value");
	snprintf(asked, sizeof asked, "state=%01000d", 0);
	CHECK(!jobs_query_read(&query, parameter, asked, &why));
	CHECK(why.len < 300);
	buf_done(&why);
}

static struct buf written(struct world *world, const char *parameters,
			  void (*write)(const struct status_site *site, struct buf *out))
{
	struct buf out = BUF_INIT;
	const struct jobs_query query = query_of(parameters);
	world->site.query = &query;
	write(&world->site, &out);
	world->site.query = NULL;
	return out;
}

/* Each has to be there, or, if it begins with "!", not. */
static void check_said(struct world *world, const char *parameters,
		       void (*write)(const struct status_site *site, struct buf *out), const char *const *wanted)
{
	struct buf out = written(world, parameters, write);
	check_row(parameters);
	for (; *wanted; wanted++) {
		bool is_absent = **wanted == '!';
		bool is_right = (strstr(out.bytes, *wanted + is_absent) != NULL) != is_absent;
		if (!is_right)
			fprintf(stderr, "    %s\n", *wanted);
		CHECK(is_right);
	}
	buf_done(&out);
}
#define SAID(world, parameters, write, ...)                                                                            \
	check_said(world, parameters, write, (const char *const[]){__VA_ARGS__, NULL})

static void check_seen(struct world *world, const char *parameters, const char *begin, const char *end,
		       const char *want)
{
	struct buf page = written(world, parameters, pages_jobs), seen = seen_of(page.bytes, begin, end);
	check_row(parameters);
	CHECK_STRING(seen.bytes, want);
	buf_done(&page);
	buf_done(&seen);
}

static void test_pages(void)
{
	struct world world;
	begin(&world);
	for (uint32_t id = 1; id <= 250; id++)
		add(&world, STATUS_HOLDING, id, "ann", "running");
	world.status->job_rows.sets[STATUS_HOLDING].left_out = 1000;
	SAID(&world, "", pages_jobs, "The 250 largest of 1,250 jobs that hold nodes", "--jobs.rows says how many",
	     "<a href=\"?state=running\">All 250</a>", "\">20</a>", "!\">21</a>", "All 0 waiting jobs.");
	SAID(&world, "state=running&sort=id", pages_jobs, "Page 1 of 3",
	     "<a href=\"?state=running&amp;sort=id&amp;order=asc&amp;page=2\">Next</a>", "!Before", "\">100</a>",
	     "!\">101</a>", "refresh=60");
	SAID(&world, "state=running&sort=id&page=3", pages_jobs, "Page 3 of 3", "Before", "!Next", "\">201</a>",
	     "\">250</a>", "!\">200</a>", "page=3&amp;refresh=60");
	SAID(&world, "state=running&page=2", pages_jobs, "<a href=\"?state=running\">Before</a>");
	SAID(&world, "state=running&page=9", pages_jobs, "Page 9 of 3", "page=3\">Before", "None.");
	SAID(&world, "state=running&user=ann&id=7", pages_jobs, "Running: 7", "!Running: 70");
	SAID(&world, "", pages_jobs_json,
	     "\"rows\":250,\"left_out\":1000,\"rows_max\":300,\"matching\":250,\"page\":1,\"pages\":1", "\"id\":250");
	world.status->job_rows.sets[STATUS_ENDED].left_out = 1;
	SAID(&world, "", pages_jobs, "The 0 largest of 1 ended jobs",
	     "--jobs.ended-rows says how many; failures have half");
	world.status->job_rows.sets[STATUS_HOLDING].count = 200;
	SAID(&world, "state=running", pages_jobs, "Page 1 of 2");
	SAID(&world, "page=2", pages_jobs_json, "\"page\":2,\"pages\":1,\"jobs\":[]");
	SAID(&world, "state=running&user=bob", pages_jobs_json, "\"matching\":0", "!\"pending\"", "!\"ended\"");
	end(&world);
}

static void test_what_is_said(void)
{
	struct world world;
	begin(&world);
	fill(&world);
	SAID(&world, "", pages_jobs, "It is first in line, and waits until enough is free.", "What helps",
	     "Resources: It starts when other jobs end.", ">3_7</a>", "gpu:a100=2", "50 min left", "no limit",
	     "exit code 3", "cn01 failed", "25 %", "<a href=\"?partition=gpu\">gpu</a>", "<a href=\"?qos=low\">low</a>",
	     "× 40 tasks", "aria-label=\"Waiting\"");
	SAID(&world, "state=pending", pages_jobs, /* the column that it is sorted by turns, others begin as they do */
	     "?state=pending&amp;sort=priority&amp;order=asc\">Priority</a> <span aria-hidden=\"true\">↓</span>",
	     "?state=pending&amp;sort=cpus&amp;order=desc\">CPUs</a>", "sort=id&amp;order=asc\">");
	SAID(&world, "state=pending&sort=cpus&order=asc", pages_jobs,
	     "sort=cpus&amp;order=desc\">CPUs</a> <span aria-hidden=\"true\">↑</span>",
	     "sort=priority&amp;order=desc\">");
	check_seen(
		&world, "state=pending", "<h3>What helps</h3>", "</ul>",
		"\n"
		"Priority: A shorter time limit lets the backfill scheduler start it earlier. squeue --start has a forecast, and sprio -j JOBID says what makes its priority.Resources: It starts when other jobs end. Asking for less helps.");
	SAID(&world, "id=1", pages_jobs, "Waiting: 1", "What helps",
	     "<dt>Ahead of it in cpu, by priority alone</dt><dd>0 jobs</dd>",
	     "<dt>Ahead of it in gpu, by priority alone</dt><dd>1 job</dd>");
	world.rows[STATUS_PENDING][2].partition = world.rows[STATUS_PENDING][1].partition;
	world.rows[STATUS_PENDING][2].priority = 11; /* of each of its tasks */
	SAID(&world, "id=1", pages_jobs, "gpu, by priority alone</dt><dd>41 jobs</dd>");
	world.rows[STATUS_PENDING][2].priority = 10;
	SAID(&world, "id=1", pages_jobs, "gpu, by priority alone</dt><dd>1 job</dd>");
	world.rows[STATUS_PENDING][0].priority = 0;
	SAID(&world, "id=1", pages_jobs, "Waiting: 1", "!Ahead of it");
	world.rows[STATUS_PENDING][0].priority = 10;
	world.status->job_rows.sets[STATUS_PENDING].left_out = 1;
	SAID(&world, "id=1", pages_jobs, "Waiting: 1", "!Ahead of it");
	SAID(&world, "id=3_7", pages_jobs, "Running: 3_7", "cn[01-03],gn1");
	SAID(&world, "id=99", pages_jobs, "None.", "<li>job <strong>99</strong>");
	SAID(&world, "user=ann&state=failed", pages_jobs,
	     "<li>user <strong>ann</strong> <a href=\"?state=failed\">any</a>", "The query takes in 1 of them.",
	     "!<li>state", "./api/v1/jobs?state=failed&amp;user=ann", ">Failed</h2>");
	SAID(&world, "state=node_fail", pages_jobs, "<li>state <strong>node_fail</strong> <a href=\"?page=1\">any</a>");
	SAID(&world, "id=4", pages_jobs_json, "\"run_seconds\":600", "\"array_job_id\":3", "\"array_task_id\":7",
	     "\"gres\":[{\"name\":\"gpu\",\"type\":\"a100\",\"count\":2}]", "\"node_list\":\"cn[01-03],gn1\"",
	     "!\"memory_bytes\"");
	SAID(&world, "id=7", pages_jobs_json, "\"cpu_efficiency_ratio\":0.25", "\"failure\":false", "!\"exit_code\"");
	world.status->jobs.unverified_as_of = NOW - 180;
	world.status->ends_known_until = NOW - 300;
	SAID(&world, "", pages_jobs, "They are as they were 3 min ago, before this start.",
	     "Ends are known until 5 min ago.");
	end(&world);
}

static void test_nothing_known(void)
{
	struct world world;
	begin(&world);
	fill(&world);
	world.status->job_rows.sets[STATUS_PENDING] = world.status->job_rows.sets[STATUS_ENDED] =
		(struct status_job_set){.is_known = false};
	world.status->job_rows.sets[STATUS_HOLDING].max = 0;
	world.status->not_ready = "jobs: not asked";
	SAID(&world, "", pages_jobs, "Only the states of jobs are known so far: jobs: not asked.",
	     "No rows of jobs that hold nodes: --jobs.rows is 0.", "slurmscope has not read the state file yet.");
	SAID(&world, "state=ended", pages_jobs, "!Only the states of jobs");
	world.status->jobs.is_known = false;
	SAID(&world, "", pages_jobs_json, "\"no_rows_because\":\"Jobs are not known: jobs: not asked.\"");
	world.status->role = (struct status_role){.is_standby = true, .serving = "ctl1"};
	SAID(&world, "", pages_jobs, "This slurmscope stands by, and knows no jobs. Ask the one of ctl1.");
	end(&world);
}

/* Three jobs in each stage. Of the first all is known, each number another one; of the next nothing. The numbers of the last are
 * 0, and it has run for longer than it may. */
static void fill_each(struct world *world)
{
	for (int stage = 0; stage < STATUS_STAGES; stage++) {
		static const char *const states[] = {"pending", "running", "failed"};
		uint32_t id = 10 * ((uint32_t)stage + 1);
		struct status_job *job = add(world, (enum status_stage)stage, id, "ann", states[stage]);
		job->array_job_id = id - 1;
		job->array_task_id = 0;
		job->het_job_id = id + 2;
		job->sluid = put(world, "s1");
		job->name = put(world, "fold");
		job->account = put(world, "bio");
		job->partition = put(world, "cpu,gpu");
		job->qos = put(world, "high");
		job->reason = put(world, "Priority");
		job->class = put(world, "startable");
		job->tres = put(world, "gres/gpu:a100=3,gres/shard=4");
		job->node_list = put(world, "cn[1-5]");
		job->tasks = 2;
		job->cpus = 6;
		job->memory_bytes = 7 << 20;
		job->nodes = 5;
		job->gpus = 3;
		job->priority = 11;
		job->restarts = 12;
		job->submit = NOW - 7300;
		job->eligible = NOW - 200;
		job->start = NOW + 600;
		job->limit_s = 3600;
		job->of_nodes = STATUS_CPUS_SOME;
		if (stage == STATUS_PENDING)
			job->is_array_rest = true;
		else
			job->start = NOW - 180, job->run_s = 130;
		if (stage == STATUS_HOLDING)
			job->runs_since = NOW - 20;
		if (stage != STATUS_ENDED)
			continue;
		job->end = NOW - 30;
		job->exit_code = 13;
		job->exit_signal = 9;
		job->failed_node = put(world, "cn2");
		job->is_failure = true;
		job->peak_memory_bytes = 14 << 18;
		job->energy_joules = 15;
		job->used_cpu_s = 195;
	}
	for (int stage = 0; stage < STATUS_STAGES; stage++) {
		struct status_job *job = add(world, (enum status_stage)stage, 50, "", "");
		job->submit = job->tasks = job->cpus = job->nodes = job->gpus = NUMBER_UNSET;
		job = add(world, (enum status_stage)stage, 60, "", "");
		job->priority = job->restarts = job->exit_code = job->exit_signal = job->memory_bytes = 0;
		job->peak_memory_bytes = job->energy_joules = job->limit_s = 0;
		job->run_s = 180;
		job->used_cpu_s = 0;
		job->node_list = put(world, "a-node-with-a-name-that-is-as-long-as-may-be-shown-in-a-table[1-9]");
	}
}

/* Each member of a job in JSON; what is not known is not there. */
static void test_each_member(void)
{
#define MEMBERS(state)                                                                                                         \
	"\"name\":\"fold\",\"user\":\"ann\",\"account\":\"bio\",\"partition\":\"cpu,gpu\",\"qos\":\"high\",\"state\":\"" state \
	"\","
#define HELD "\"cpus\":6,\"memory_bytes\":7340032,\"nodes\":5,"
#define TIMES "\"submit_timestamp_seconds\":1799992700,\"eligible_timestamp_seconds\":1799999800,"
#define GRES "\"gres\":[{\"name\":\"gpu\",\"type\":\"a100\",\"count\":3},{\"name\":\"shard\",\"count\":4}]"
	static const char *const wanted[STATUS_STAGES][3] = {
		{"{\"id\":10,\"array_task_id\":0,\"sluid\":\"s1\",\"array_job_id\":9,\"het_job_id\":12," MEMBERS(
			 "pending") "\"reason\":\"Priority\",\"class\":\"startable\",\"tasks\":2," HELD
				    "\"priority\":11,\"restarts\":12," TIMES
				    "\"expected_start_timestamp_seconds\":1800000600,\"time_limit_seconds\":3600," GRES
				    ",\"meaning\":\"",
		 "{\"id\":50,\"gres\":[]}",
		 "{\"id\":60,\"tasks\":1,\"cpus\":1,\"memory_bytes\":0,\"nodes\":1,\"priority\":0,\"restarts\":0,\"submit_timestamp_seconds\":1799999900,\"time_limit_seconds\":0,\"gres\":[]}"},
		{"{\"id\":20,\"array_task_id\":0,\"sluid\":\"s1\",\"array_job_id\":19,\"het_job_id\":22," MEMBERS(
			 "running") HELD "\"node_list\":\"cn[1-5]\",\"priority\":11,\"restarts\":12," TIMES
					 "\"start_timestamp_seconds\":1799999820,\"time_limit_seconds\":3600," GRES
					 ",\"exclusive\":false,\"run_seconds\":150}",
		 "{\"id\":50,\"gres\":[]}",
		 "{\"id\":60,\"cpus\":1,\"memory_bytes\":0,\"nodes\":1,\"node_list\":\"a-node-with-a-name-that-is-as-long-as-may-be-shown-in-a-table[1-9]\",\"priority\":0,\"restarts\":0,\"submit_timestamp_seconds\":1799999900,\"time_limit_seconds\":0,\"gres\":[],\"run_seconds\":180}"},
		{"{\"id\":30,\"array_task_id\":0,\"sluid\":\"s1\",\"array_job_id\":29,\"het_job_id\":32," MEMBERS(
			 "failed") HELD TIMES
		 "\"start_timestamp_seconds\":1799999820,\"end_timestamp_seconds\":1799999970,\"time_limit_seconds\":3600,"
		 "\"exit_code\":13,\"signal\":9,\"failed_node\":\"cn2\",\"peak_memory_bytes\":3670016,\"energy_joules\":15," GRES
		 ",\"run_seconds\":130,\"failure\":true,\"used_cpu_seconds\":195,\"cpu_efficiency_ratio\":0.25}",
		 "{\"id\":50,\"gres\":[],\"failure\":false}",
		 "{\"id\":60,\"cpus\":1,\"memory_bytes\":0,\"nodes\":1,\"submit_timestamp_seconds\":1799999900,\"time_limit_seconds\":0,\"exit_code\":0,\"signal\":0,\"peak_memory_bytes\":0,\"energy_joules\":0,\"gres\":[],\"run_seconds\":180,\"failure\":false,\"used_cpu_seconds\":0,\"cpu_efficiency_ratio\":0}"},
	};
	static const char *const stages[] = {"state=pending", "state=running", "state=ended"};
	struct world world;
	begin(&world);
	fill_each(&world);
	for (int stage = 0; stage < STATUS_STAGES; stage++)
		SAID(&world, stages[stage], pages_jobs_json, wanted[stage][0], wanted[stage][1], wanted[stage][2]);
	end(&world);
}

/* Each cell of a table, and each fact of a job alone. */
static void test_each_cell(void)
{
	struct world world;
	begin(&world);
	fill_each(&world);
	check_seen(
		&world, "state=pending", "<tbody>", "</tbody>",
		"\n"
		"9_0fold|annbio|cpu, gpuhigh|Priority Other jobs come first.|11|3 min ago2 h ago|in 10 min|6× 2 tasks|7.0 MiB|3 gpu:a100=3, shard=4|5 cn[1-5]||\n"
		"60||||0|–100 s ago|–|1|0 B|0|1 a-node-with-a-name-that-is-as-long-as-may-be-shown-in-a-tabl…||\n"
		"50||||–|––|–|–|–|–|–||\n");
	check_seen(
		&world, "state=running", "<tbody>", "</tbody>",
		"\n"
		"60||||3 min3 min over its limit|1|0 B|0|1 a-node-with-a-name-that-is-as-long-as-may-be-shown-in-a-tabl…||\n"
		"19_0fold|annbio|cpu, gpuhigh|running|2 min58 min left|6|7.0 MiB|3 gpu:a100=3, shard=4|5 cn[1-5]||\n"
		"50||||–|–|–|–|–||\n");
	check_seen(
		&world, "state=ended", "<tbody>", "</tbody>",
		"\n"
		"29_0fold|annbio|cpu, gpuhigh|failed signal 9 cn2 failed|30 s agoran for 2 min|6|25 %|7.0 MiB50 % used|3 gpu:a100=3, shard=4|5 cn[1-5]||\n"
		"50||||–|–|–|–|–|–||\n"
		"60||||–ran for 3 min|1|0 %|0 B|0|1 a-node-with-a-name-that-is-as-long-as-may-be-shown-in-a-tabl…||\n");
	check_seen(
		&world, "id=10", "<dl class=\"facts\">", "</dl>",
		"\n"
		"Job|9_0|\n"
		"name|fold|\n"
		"User|ann|\n"
		"account|bio|\n"
		"Partition|cpu, gpu|\n"
		"QOS|high|\n"
		"Reason|Priority Other jobs come first.|\n"
		"Priority|11|\n"
		"Eligible|3 min ago|\n"
		"submitted|2 h ago|\n"
		"Start|in 10 min|\n"
		"CPUs|6|\n"
		"tasks|× 2 tasks|\n"
		"Memory|7.0 MiB|\n"
		"GPUs|3 gpu:a100=3, shard=4|\n"
		"Nodes|5 cn[1-5]|\n"
		"What helps|A shorter time limit lets the backfill scheduler start it earlier. squeue --start has a forecast, and sprio -j JOBID says what makes its priority.|\n"
		"Class of the reason|startable|\n"
		"Ahead of it in cpu, by priority alone|0 jobs|\n"
		"Ahead of it in gpu, by priority alone|0 jobs|\n"
		"Submit time|2027-01-15 05:58:20 UTC|\n"
		"Eligible time|2027-01-15 07:56:40 UTC|\n"
		"Expected start, as slurmctld forecasts|2027-01-15 08:10:00 UTC|\n"
		"Time limit|60 min|\n"
		"Restarts|12|\n"
		"All nodes|cn[1-5]|\n"
		"It holds all CPUs of its nodes|no: other jobs may share them|\n"
		"SLUID|s1|\n"
		"Raw ID|10|\n"
		"Het job|12|\n");
	check_seen(&world, "id=20", "<dl class=\"facts\">", "</dl>",
		   "\n"
		   "Job|19_0|\n"
		   "name|fold|\n"
		   "User|ann|\n"
		   "account|bio|\n"
		   "Partition|cpu, gpu|\n"
		   "QOS|high|\n"
		   "State|running|\n"
		   "Elapsed|2 min|\n"
		   "left|58 min left|\n"
		   "CPUs|6|\n"
		   "Memory|7.0 MiB|\n"
		   "GPUs|3 gpu:a100=3, shard=4|\n"
		   "Nodes|5 cn[1-5]|\n"
		   "Submit time|2027-01-15 05:58:20 UTC|\n"
		   "Eligible time|2027-01-15 07:56:40 UTC|\n"
		   "Start time|2027-01-15 07:57:00 UTC|\n"
		   "Time limit|60 min|\n"
		   "Restarts|12|\n"
		   "Priority|11|\n"
		   "All nodes|cn[1-5]|\n"
		   "It holds all CPUs of its nodes|no: other jobs may share them|\n"
		   "SLUID|s1|\n"
		   "Raw ID|20|\n"
		   "Het job|22|\n");
	check_seen(&world, "id=30", "<dl class=\"facts\">", "</dl>",
		   "\n"
		   "Job|29_0|\n"
		   "name|fold|\n"
		   "User|ann|\n"
		   "account|bio|\n"
		   "Partition|cpu, gpu|\n"
		   "QOS|high|\n"
		   "State|failed signal 9 cn2 failed|\n"
		   "Ended|30 s ago|\n"
		   "run time|ran for 2 min|\n"
		   "CPUs|6|\n"
		   "CPU use|25 %|\n"
		   "Memory|7.0 MiB|\n"
		   "peak|50 % used|\n"
		   "GPUs|3 gpu:a100=3, shard=4|\n"
		   "Nodes|5 cn[1-5]|\n"
		   "Submit time|2027-01-15 05:58:20 UTC|\n"
		   "Eligible time|2027-01-15 07:56:40 UTC|\n"
		   "Start time|2027-01-15 07:57:00 UTC|\n"
		   "End time|2027-01-15 07:59:30 UTC|\n"
		   "Time limit|60 min|\n"
		   "Restarts|12|\n"
		   "All nodes|cn[1-5]|\n"
		   "It holds all CPUs of its nodes|no: other jobs may share them|\n"
		   "CPU time used|3 min|\n"
		   "Peak memory|3.5 MiB|\n"
		   "Energy in joules|15|\n"
		   "SLUID|s1|\n"
		   "Raw ID|30|\n"
		   "Het job|32|\n");
	SAID(&world, "id=60&state=ended", pages_jobs, "<dt>CPU time used</dt><dd>0 ms</dd>");
	check_seen(&world, "id=50&state=ended", "<dl class=\"facts\">", "</dl>",
		   "\n"
		   "Job|50|\n"
		   "Ended|–|\n"
		   "CPUs|–|\n"
		   "CPU use|–|\n"
		   "Memory|–|\n"
		   "GPUs|–|\n"
		   "Nodes|–|\n");
	end(&world);
}

/* Of several clusters each has its own tables, and its name is in their links. */
static void test_clusters(void)
{
	struct world world, other;
	begin(&world);
	fill(&world);
	begin(&other);
	fill(&other);
	other.status->name = "d";
	const struct status *both[] = {world.status, other.status};
	world.site.clusters = both;
	world.site.cluster_count = 2;
	SAID(&world, "", pages_jobs, "Waiting – c</h2>", "Waiting – d</h2>", "?cluster=c&amp;user=ann\">ann</a>",
	     "?cluster=d&amp;user=ann\">ann</a>", "?cluster=d&amp;id=3_7\">3_7</a>",
	     "<a href=\"?state=failed\">Failed</a>");
	world.site.clusters = both + 1;
	world.site.cluster_count = 1;
	world.site.chosen = "d";
	SAID(&world, "", pages_jobs, "Waiting</h2>", "?cluster=d&amp;user=ann\">ann</a>",
	     "?cluster=d&amp;state=failed\">Failed</a>");
	end(&world);
	end(&other);
}

/* A tenant sees rows of its own alone, and learns of no number that counts those of others. */
static void test_tenant(void)
{
	static const struct {
		enum scope_kind kind;
		const char *name, *want;
	} scopes[] = {
		{SCOPE_USER, "ann", "1 3 | 4 | 6 7"},  {SCOPE_ACCOUNT, "bio", "1 |  | "},
		{SCOPE_PARTITION, "gpu", "2 1 |  | "}, {SCOPE_PARTITION, "cpu,gpu", "1 |  | "},
		{SCOPE_USER, "bio", " |  | "},	       {SCOPE_CLUSTER, "c", " |  | "},
	};
	struct world world;
	struct scope scope;
	begin(&world);
	fill(&world);
	struct status *all = world.status;
	world.status->jobs.without_details = 5;
	world.status->job_rows.sets[STATUS_HOLDING].left_out = 70;
	SAID(&world, "", pages_jobs_json, "\"without_details\":5", "\"left_out\":70", "\"user\":\"bob\"");
	SAID(&world, "", pages_jobs, "The details of 5 jobs are still missing.", "The 2 largest of 72 jobs", ">bob<",
	     ">Status</a>", "running for ");
	scope_init(&scope);
	scope_add(&scope, SCOPE_USER, TEXT("ann"));
	world.status->jobs.unverified_as_of = NOW - 180;
	world.status->ends_known_until = NOW - 300;
	world.status = scoped_status(all, &scope);
	world.site.is_scoped = true;
	CHECK_NUMBER(world.status->job_rows.sets[STATUS_HOLDING].left_out, 1);
	SAID(&world, "", pages_jobs, "They are as they were 3 min ago", "Ends are known until 5 min ago.");
	world.status->jobs.unverified_as_of = 0;
	for (unsigned without_details = 0; without_details < 2; without_details++) {
		world.status->jobs.without_details = without_details;
		SAID(&world, "", pages_jobs_json, "!\"without_details\"", "!\"left_out\"",
		     "\"rows\":1,\"rows_max\":300", "\"user\":\"ann\"", "!bob");
		SAID(&world, "", pages_jobs, "!The details of 5", "The 1 jobs that hold nodes that you may see",
		     "The cluster&#39;s 300 largest have rows", "!72", "!bob", "!>Status</a>", "!running for ");
		SAID(&world, "id=1", pages_jobs, "Waiting: 1", "!Ahead of it");
	}
	status_free(world.status);
	scope_done(&scope);
	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
		scope_init(&scope);
		scope_add(&scope, scopes[i].kind, text_of(scopes[i].name));
		world.status = scoped_status(all, &scope);
		check_ids(&world, "", scopes[i].want);
		status_free(world.status);
		scope_done(&scope);
	}
	world.status = all;
	end(&world);
}

/* No name becomes markup, in cells, links, filters and JSON; of a text that is not there nothing is read. */
static void test_hostile(void)
{
	static const char evil[] = "<script>\"'&\xff\x01</script>";
	struct world world;
	char huge[1001];
	begin(&world);
	memset(huge, 'x', 1000);
	huge[1000] = '\0';
	for (int stage = 0; stage < STATUS_STAGES; stage++) {
		struct status_job *job = add(&world, (enum status_stage)stage, 5, evil, evil);
		job->account = job->partition = job->qos = job->reason = job->failed_node = put(&world, evil);
		job->node_list = job->tres = job->sluid = job->class = put(&world, evil);
		job->name = put(&world, huge);
		job = add(&world, (enum status_stage)stage, 6, huge, huge);
		job->name = UINT32_MAX;
		job->user = (uint32_t)world.texts.len;
	}
	world.status->name = world.status->not_ready = evil;
	world.site.chosen = evil;
#define EVIL "<script>\"'\x01\xff"
	static const char *const requests[] = {"",
					       "id=5",
					       "user=" EVIL,
					       "reason=" EVIL "&name=" EVIL,
					       "node=" EVIL "&account=" EVIL,
					       "partition=" EVIL};
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
		SAID(&world, requests[i], pages_jobs, "!<script", "!\xff", "!\x01", "</html>\n");
		SAID(&world, requests[i], pages_jobs_json, "!\xff", "!\x01", "]}\n");
	}
	end(&world);
}

int main(void)
{
	test_filters();
	test_orders();
	test_wrong_queries();
	test_pages();
	test_what_is_said();
	test_each_member();
	test_each_cell();
	test_clusters();
	test_tenant();
	test_nothing_known();
	test_hostile();
	return check_done();
}
