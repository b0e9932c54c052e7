/* The pages of jobs: which jobs a query takes in, in which order, on which page, and that no text becomes markup. */
#include "check.h"

#include "status/jobs_columns.h"
#include "status/jobs_pick.h"
#include "status/jobs_request.h"
#include "status/pages.h"

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
}

static void test_wrong_queries(void)
{
	static const char *const rows[][2] = {
		{"state=waiting", "state: \"waiting\" is none; there are: pending, running, ended, failed, suspended"},
		{"sort=size", "sort: \"size\" is none; there are: id, name, user"},
		{"order=up", "order: \"up\" is none; there are: asc, desc"},
		{"page=0", "page: \"0\" is none; there are: numbers from 1 on"},
		{"page=-1", "page: \"-1\" is none"},
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
	SAID(&world, "state=running&page=4", pages_jobs, "Page 4 of 3", "page=3\">Before", "None.");
	SAID(&world, "state=running&user=ann&id=7", pages_jobs, "Running: 7", "!Running: 70");
	SAID(&world, "", pages_jobs_json,
	     "\"rows\":250,\"left_out\":1000,\"rows_max\":300,\"matching\":250,\"page\":1,\"pages\":1", "\"id\":250");
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
	     "exit code 3", "cn01 failed", "25 %", "<a href=\"?partition=gpu\">gpu</a>", "× 40 tasks",
	     "aria-label=\"Waiting\"");
	SAID(&world, "id=1", pages_jobs, "Waiting: 1", "What helps",
	     "<dt>Ahead of it in cpu, by priority alone</dt><dd>0 jobs</dd>",
	     "<dt>Ahead of it in gpu, by priority alone</dt><dd>1 job</dd>");
	world.status->job_rows.sets[STATUS_PENDING].left_out = 1;
	SAID(&world, "id=1", pages_jobs, "Waiting: 1", "!Ahead of it");
	SAID(&world, "id=3_7", pages_jobs, "Running: 3_7", "cn[01-03],gn1");
	SAID(&world, "id=99", pages_jobs, "None.", "<li>job <strong>99</strong>");
	SAID(&world, "user=ann&state=failed", pages_jobs,
	     "<li>user <strong>ann</strong> <a href=\"?state=failed\">any</a>", "The query takes in 1 of them.",
	     "./api/v1/jobs?state=failed&amp;user=ann", ">Failed</h2>");
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
	world.status->jobs.is_known = false;
	SAID(&world, "", pages_jobs_json, "\"no_rows_because\":\"Jobs are not known: jobs: not asked.\"");
	world.status->role = (struct status_role){.is_standby = true, .serving = "ctl1"};
	SAID(&world, "", pages_jobs, "This slurmscope stands by, and knows no jobs. Ask the one of ctl1.");
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
	test_nothing_known();
	test_hostile();
	return check_done();
}
