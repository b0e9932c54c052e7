/* Which jobs have rows of their own, what these say, and what of the others is counted. */
#include "ended_numbers.h"
#include "events/events_record.h"
#include "jobs/job_batch.h"
#include "model/hostlist.h"
#include "page.h"
#include "poll/status_jobs.h"

static struct job job_of(uint64_t id, int state, const char *nodes, uint64_t cpus)
{
	bool runs = state != JOB_PENDING;
	return (struct job){.id = id,
			    .state = state,
			    .name = TEXT("sim"),
			    .user = TEXT("ann"),
			    .account = TEXT("bio"),
			    .partitions = TEXT("cpu"),
			    .qos = TEXT("normal"),
			    .reason = runs ? TEXT("None") : TEXT("Priority"),
			    .submit_time = 1000 + id,
			    .start_time = runs ? 2000 : 0,
			    .time_limit = NUMBER_INFINITE,
			    .memory_per_node = NUMBER_UNSET,
			    .memory_per_cpu = NUMBER_UNSET,
			    .array_job_id = NUMBER_UNSET,
			    .array_task_id = NUMBER_UNSET,
			    .priority = 10 * id,
			    .cpus = cpus,
			    .nodes = runs ? 1 : 2,
			    .node_list = text_of(nodes)};
}

/* What a poll brings of a job's details. */
static void tell(struct cluster *cluster, const struct job *job)
{
	job_table_put(cluster->job_table, job, 3000);
	job_extras_put(&cluster->job_table->extras, job);
}

static void tell_of(struct cluster *cluster, uint64_t id, int state, const char *nodes)
{
	struct job job = job_of(id, state, nodes, 1);
	tell(cluster, &job);
}

static void tell_sized(struct cluster *cluster, uint64_t id, int state, uint64_t cpus)
{
	struct job job = job_of(id, state, state == JOB_PENDING ? "" : "n1", cpus);
	tell(cluster, &job);
}

static void start(struct cluster *cluster, uint64_t jobs, uint64_t nodes)
{
	const struct job_rows_max max = {{[STAGE_PENDING] = jobs, [STAGE_HOLDING] = jobs}, nodes};
	cluster_init(cluster);
	cluster_set_job_rows(cluster, &max);
	cluster_show_jobs(cluster, true);
}

/* The jobs that the page has rows of, with their states, those that hold nodes first: "3 running 1 pending". */
static void check_jobs(struct cluster *cluster, const char *what, const char *want)
{
	struct buf page = page_of(cluster);
	char got[1000] = "";
	size_t len = 0;
	for (const char *at = page.bytes; (at = strstr(at, "\nslurm_job_state{")); at++) {
		unsigned id;
		char state[16];
		CHECK(sscanf(at, "\nslurm_job_state{jobid=\"%u\",state=\"%15[a-z]", &id, state) == 2);
		len += (size_t)snprintf(got + len, sizeof got - len, "%s%u %s", len ? " " : "", id, state);
	}
	check_row(what);
	CHECK_STRING(got, want);
	buf_done(&page);
}

static void test_off(void)
{
	struct cluster cluster;
	cluster_init(&cluster);
	cluster_show_jobs(&cluster, true);
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	check_jobs(&cluster, "none, unless asked for", "");
	CHECK_NUMBER(cluster.job_table->extras.count, 0);
	cluster_done(&cluster);
}

static void test_who_has_rows(void)
{
	struct cluster cluster;
	start(&cluster, 3, 100);
	struct job_table *table = cluster.job_table;
	check_jobs(&cluster, "no jobs", "");
	tell_sized(&cluster, 1, JOB_PENDING, 1);
	tell_sized(&cluster, 2, JOB_PENDING, 2);
	tell_sized(&cluster, 3, JOB_RUNNING, 3);
	check_jobs(&cluster, "all fit", "3 running 1 pending 2 pending");
	tell_sized(&cluster, 4, JOB_SUSPENDED, 2);
	tell_sized(&cluster, 5, JOB_RUNNING, 5);
	tell_sized(&cluster, 6, JOB_PENDING, 3);
	check_jobs(&cluster, "as many of each stage", "3 running 4 suspended 5 running 1 pending 2 pending 6 pending");
	tell_sized(&cluster, 7, JOB_RUNNING, 4);
	check_jobs(&cluster, "who has a row counts double",
		   "3 running 4 suspended 5 running 1 pending 2 pending 6 pending");
	tell_sized(&cluster, 8, JOB_RUNNING, 5);
	check_jobs(&cluster, "one that is larger than that takes a row",
		   "3 running 5 running 8 running 1 pending 2 pending 6 pending");
	job_table_set_state(table, 3, JOB_COMPLETED, UINT64_C(1) << JOB_FLAG_COMPLETING, 3001);
	job_table_set_state(table, 5, JOB_FAILED, 0, 3001);
	check_jobs(&cluster, "ended jobs have none; while they complete they hold nodes",
		   "3 completed 7 running 8 running 1 pending 2 pending 6 pending");
	job_table_set_state(table, 3, JOB_COMPLETED, 0, 3002);
	job_table_remove(table, 8);
	check_jobs(&cluster, "the places of those that are gone are taken",
		   "4 suspended 7 running 1 pending 2 pending 6 pending");
	tell_sized(&cluster, 9, JOB_RUNNING, 4);
	tell_sized(&cluster, 10, JOB_RUNNING, 4);
	job_table_set_state(table, 6, JOB_RUNNING, 0, 3003);
	check_jobs(&cluster, "one that had a row while it waited comes first",
		   "4 suspended 6 running 7 running 1 pending 2 pending");
	cluster_done(&cluster);
}

static void test_what_weighs(void)
{
	struct cluster cluster;
	start(&cluster, 1, 100);
	tell_sized(&cluster, 3, JOB_RUNNING, 8);
	tell_sized(&cluster, 2, JOB_RUNNING, 8);
	check_jobs(&cluster, "of equals the older ID", "2 running");
	struct job job = job_of(4, JOB_RUNNING, "n1", 1);
	job.tres_allocated = TEXT("cpu=1,mem=1G,node=1,billing=15,gres/gpu=1");
	tell(&cluster, &job);
	check_jobs(&cluster, "billing, but not twice as much", "2 running");
	job.tres_allocated = TEXT("cpu=1,mem=1G,node=1,billing=17,gres/gpu=1");
	tell(&cluster, &job);
	check_jobs(&cluster, "more than twice as much", "4 running");
	tell_sized(&cluster, 10, JOB_PENDING, 100);
	struct job rest = job_of(11, JOB_PENDING, "", 1);
	rest.array_job_id = 11;
	rest.array_tasks = TEXT("1-150");
	tell(&cluster, &rest);
	check_jobs(&cluster, "an array's rest counts by all its tasks", "4 running 11 pending");
	job_table_set_state(cluster.job_table, 4, JOB_FAILED, 0, 3001);
	struct job huge = job_of(12, JOB_RUNNING, "n1", UINT64_MAX - 100);
	tell(&cluster, &huge);
	check_jobs(&cluster, "numbers that no job has", "12 running 11 pending");
	cluster_done(&cluster);
}

static bool has_row(const struct cluster *cluster, uint32_t id)
{
	const struct job_extra *extra = job_extras_find(&cluster->job_table->extras, id);
	return extra && extra->has_row;
}

struct ranked {
	double weight;
	uint32_t id;
};

static int by_rank(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->id < b->id ? -1 : 1;
}

/* The same numbers in each run. */
static unsigned draw(unsigned below)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

/* Compares the rows of a stage with those that sorting gives. `ranked`: as they were before the choice. */
static void check_chosen(const struct each_job_set *set, const struct job_table *table, struct ranked *ranked,
			 size_t count)
{
	size_t want = count < set->max ? count : set->max, found = 0;
	qsort(ranked, count, sizeof *ranked, by_rank);
	CHECK_NUMBER(set->count, want);
	CHECK_NUMBER(set->left_out.jobs, count - want);
	for (size_t i = 0; i < want; i++)
		for (size_t r = 0; r < set->count; r++)
			found += table->rows[set->rows[r].position].id == ranked[i].id;
	CHECK_NUMBER(found, want);
}

static void test_random_worlds(void)
{
	enum { JOBS = 200 };
	static const int states[] = {JOB_PENDING, JOB_RUNNING, JOB_SUSPENDED, JOB_COMPLETED};
	for (unsigned world = 0; world < 60; world++) {
		struct cluster cluster;
		check_row("a random world");
		start(&cluster, world % 5 ? draw(60) : JOBS, 100);
		for (unsigned step = 0; step < 8; step++) {
			struct ranked ranked[STAGE_ENDED][JOBS];
			size_t counts[STAGE_ENDED] = {0};
			for (unsigned change = 0; change < 60; change++)
				tell_sized(&cluster, 1 + draw(JOBS), states[draw(4)], 1 + draw(world % 3 ? 4 : 1000));
			const struct job_table *table = cluster.job_table;
			for (size_t i = 0; i < table->position_count; i++) {
				const struct job_row *row = &table->rows[i];
				enum job_stage stage = job_stage_of(row->state, row->flags);
				if (job_row_is_used(row) && stage != STAGE_ENDED)
					ranked[stage][counts[stage]++] = (struct ranked){
						(double)row->cpus * (1 + has_row(&cluster, row->id)), row->id};
			}
			cluster_fold(&cluster);
			for (int stage = 0; stage < STAGE_ENDED; stage++)
				if (cluster.each_job.sets[stage].max)
					check_chosen(&cluster.each_job.sets[stage], table, ranked[stage],
						     counts[stage]);
		}
		cluster_done(&cluster);
	}
}

static void test_places_in_the_table(void)
{
	struct cluster cluster;
	start(&cluster, 2, 100);
	tell_of(&cluster, 1, JOB_COMPLETED, "n1");
	tell_of(&cluster, 2, JOB_RUNNING, "n1");
	tell_of(&cluster, 3, JOB_RUNNING, "n1");
	check_jobs(&cluster, "two", "2 running 3 running");
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	check_jobs(&cluster, "one that comes first in the table and has the older ID takes no rows away",
		   "2 running 3 running");
	cluster_done(&cluster);
}

/* Jobs that differ in what is known of them, so that no two things are known of equally many. */
static void tell_all_kinds(struct cluster *cluster)
{
	for (uint64_t id = 1; id <= 64; id++) {
		struct job job = job_of(id, id % 2 ? JOB_RUNNING : JOB_PENDING, id % 2 ? "n1" : "", 1 + id % 5);
		static const char *const tres[] = {"cpu=2,mem=1G,node=1",
						   "cpu=3,node=1,billing=7,gres/gpu=4,gres/gpu:a100=2",
						   "cpu=2,mem=1G,node=1,gres/shard=1", ""};
		job.tres_allocated = job.tres_requested = text_of(tres[id / 2 % 4]);
		job.submit_time = id % 7 ? job.submit_time : 0;
		job.eligible_time = id % 3 ? 1500 : 0;
		job.start_time = id % 11 == 0 ? 0 : id % 2 ? 2000 : id % 3 == 1 ? 4000 : id % 5 ? 0 : 1500;
		job.time_limit = id % 5 ? 60 : NUMBER_INFINITE;
		if (id % 8 == 0)
			job.memory_per_node = 1 << 20;
		if (id % 26 == 1) {
			job.tres_allocated = TEXT("cpu=2,mem=1G,node=2");
			job.node_list = TEXT("n[1-2]");
		}
		tell(cluster, &job);
	}
}

/* What the page lacks is counted: with few rows each family has as many samples as with many, shown or not. */
static void test_what_is_counted(void)
{
	static const char *const families[] = {"job_info",
					       "job_node_info",
					       "job_allocated_cpus",
					       "job_allocated_memory_bytes",
					       "job_allocated_gres",
					       "job_start_timestamp_seconds",
					       "job_state",
					       "job_submit_timestamp_seconds",
					       "job_eligible_timestamp_seconds",
					       "job_time_limit_seconds",
					       "job_priority",
					       "job_restarts",
					       "pending_job_info",
					       "pending_job_tasks",
					       "pending_job_requested_cpus",
					       "pending_job_requested_memory_bytes",
					       "pending_job_requested_nodes",
					       "pending_job_requested_gres",
					       "pending_job_expected_start_timestamp_seconds"};
	struct buf pages[2];
	for (int few = 0; few < 2; few++) {
		struct cluster cluster;
		start(&cluster, few ? 5 : 100, 100);
		tell_all_kinds(&cluster);
		pages[few] = page_of(&cluster);
		cluster_done(&cluster);
	}
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		char shown[100], folded[100];
		check_row(families[i]);
		sprintf(shown, "slurmscope_series{family=\"slurm_%s\"}", families[i]);
		sprintf(folded, "slurmscope_series_folded{family=\"slurm_%s\"}", families[i]);
		double all = page_value(&pages[0], shown), few = page_value(&pages[1], shown);
		CHECK(all > 5);
		CHECK_NUMBER(page_value(&pages[0], folded), 0);
		CHECK_NUMBER((isnan(few) ? 0 : few) + page_value(&pages[1], folded), all);
		CHECK(page_value(&pages[1], folded) > 0);
	}
	buf_done(&pages[0]);
	buf_done(&pages[1]);
}

static void test_rows_of_nodes(void)
{
	static const struct page_sample rows[] = {
		{"slurm_job_node_info{jobid=\"1\",node=\"n01\"}", 1},
		{"slurm_job_node_info{jobid=\"1\",node=\"n04\"}", 1},
		{"slurm_job_node_info{jobid=\"2\",node=\"n05\"}", NAN}, /* all of its nodes or none */
		{"slurm_job_node_info{jobid=\"3\",node=\"n09\"}", 1},
		{"slurm_job_state{jobid=\"2\",state=\"running\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_job_node_info\"}", 3},
		{"slurmscope_series_folded{family=\"slurm_job_state\"}", 0},
	};
	struct cluster cluster;
	start(&cluster, 10, 6);
	tell_of(&cluster, 1, JOB_RUNNING, "n[01-04]");
	tell_of(&cluster, 2, JOB_RUNNING, "n[05-07]");
	tell_of(&cluster, 3, JOB_RUNNING, "n09");
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	check_row("who has rows of nodes keeps them");
	tell_of(&cluster, 0, JOB_RUNNING, "n[11-13]");
	page_check(&cluster, rows, 4);
	cluster_done(&cluster);
}

/* A few jobs that name 4 million nodes: who comes after them has no rows of nodes, and the rest as before. */
static void test_too_many_nodes(void)
{
	static const struct page_sample rows[] = {
		{"slurm_job_node_info{jobid=\"1\",node=\"n01\"}", 1},
		{"slurm_job_node_info{jobid=\"7\",node=\"n01\"}", NAN},
		{"slurm_job_state{jobid=\"7\",state=\"running\"}", 1},
	};
	struct cluster cluster;
	char rest[32];
	start(&cluster, 10, 100);
	tell_of(&cluster, 1, JOB_RUNNING, "n01");
	for (uint64_t id = 2; id < 6; id++)
		tell_of(&cluster, id, JOB_RUNNING, "n[1-1000000]");
	snprintf(rest, sizeof rest, "n[1-%" PRIu64 "]", HOSTLIST_ANSWER_MAX - 1 - 4000000 - 3);
	tell_of(&cluster, 6, JOB_RUNNING, rest);
	tell_of(&cluster, 7, JOB_RUNNING, "n[01-05]"); /* three of which would be looked at */
	check_row("4 million nodes");
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	cluster_done(&cluster);
}

static void test_rows_of_nodes_are_kept(void)
{
	static const struct page_sample fit[] = {
		{"slurm_job_node_info{jobid=\"2\",node=\"n03\"}", 1},
		{"slurm_job_node_info{jobid=\"3\",node=\"n04\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_job_node_info\"}", 0},
	};
	static const struct page_sample kept[] = {
		{"slurm_job_node_info{jobid=\"2\",node=\"n03\"}", 1},
		{"slurm_job_node_info{jobid=\"3\",node=\"n04\"}", 1},
		{"slurm_job_node_info{jobid=\"4\",node=\"n05\"}", NAN},
	};
	struct cluster cluster;
	start(&cluster, 10, 4);
	tell_of(&cluster, 1, JOB_COMPLETED, "n1");
	tell_of(&cluster, 2, JOB_RUNNING, "n[01-03]");
	tell_of(&cluster, 3, JOB_RUNNING, "n04");
	check_row("as many as may be");
	page_check(&cluster, fit, sizeof fit / sizeof *fit);
	check_row("a newcomer that comes first in the table takes none from those that are told again");
	job_table_remove(cluster.job_table, 1);
	tell_of(&cluster, 4, JOB_RUNNING, "n05");
	tell_of(&cluster, 2, JOB_RUNNING, "n[01-03]");
	tell_of(&cluster, 3, JOB_RUNNING, "n04");
	page_check(&cluster, kept, sizeof kept / sizeof *kept);
	cluster_done(&cluster);
}

/* The role changed: all jobs are forgotten, and found again. */
static void test_forgotten(void)
{
	static const struct page_sample rows[] = {
		{"slurm_job_info{jobid=\"1\",user=\"ann\",account=\"bio\",partition=\"cpu\",qos=\"normal\",name=\"sim\"}",
		 1},
		{"slurm_job_node_info{jobid=\"1\",node=\"n1\"}", 1},
		{"slurm_job_priority{jobid=\"1\"}", 10},
	};
	struct cluster cluster;
	start(&cluster, 10, 100);
	for (int i = 0; i < 2; i++) {
		tell_of(&cluster, 1, JOB_RUNNING, "n1");
		check_row(i ? "after all jobs were forgotten" : "before");
		page_check(&cluster, rows, sizeof rows / sizeof *rows);
		cluster_forget_jobs(&cluster);
		CHECK(!cluster.jobs); /* it is not known that there are none */
		cluster_show_jobs(&cluster, true);
		check_jobs(&cluster, "none is known", "");
	}
	cluster_done(&cluster);
}

/* What 26.05, 24.11 and 22.05 say of the same job on two nodes, which v0.0.40 and older tell by core. */
#define RUNNING_JOB(id, cpus, nodes, resources)                                                                        \
	"{\"job_id\":" id ",\"job_state\":[\"RUNNING\"],\"name\":\"a \\\"b\\\"\",\"user_name\":\"ann\","               \
	"\"account\":\"bio\",\"partition\":\"cpu\",\"qos\":\"normal\",\"start_time\":5,\"submit_time\":3,"             \
	"\"eligible_time\":4,\"priority\":{\"set\":true,\"infinite\":false,\"number\":7},\"restart_cnt\":2,"           \
	"\"het_job_id\":{\"set\":true,\"infinite\":false,\"number\":0},\"time_limit\":2,"                              \
	"\"step_id\":{\"sluid\":\"s7ZHM7XD6MTT00\"},\"tres_alloc_str\":\"cpu=" cpus                                    \
	",mem=1G,node=2,gres/gpu=3,gres/gpu:a100=2\",\"nodes\":\"" nodes "\",\"job_resources\":" resources "}"
#define ALLOCATION                                                                                                     \
	"{\"nodes\":{\"list\":\"cn[1-2]\",\"whole\":false,\"allocation\":["                                            \
	"{\"name\":\"cn1\",\"cpus\":{\"count\":3,\"used\":0},\"sockets\":[{\"cores\":[{\"index\":0}]}]},"              \
	"{\"name\":\"cn2\",\"cpus\":{\"count\":1,\"used\":0}}]},\"cpus\":4}"
#define CORES                                                                                                          \
	"{\"nodes\":\"cn[1-2]\",\"allocated_cores\":4,\"allocated_nodes\":[{\"sockets\":{\"0\":"                       \
	"{\"cores\":{\"0\":\"allocated\"}}},\"nodename\":\"cn1\",\"cpus_used\":0}]}"

#define WAITING_REST                                                                                                         \
	"{\"job_id\":7,\"array_job_id\":{\"set\":true,\"infinite\":false,\"number\":7},\"array_task_string\":\"1-4,9\","     \
	"\"job_state\":[\"PENDING\"],\"name\":\"rest\",\"user_name\":\"ann\",\"account\":\"bio\",\"partition\":\"cpu,gpu\"," \
	"\"qos\":\"normal\",\"start_time\":100,\"submit_time\":3,\"eligible_time\":100,\"state_reason\":\"BeginTime\","      \
	"\"priority\":{\"set\":true,\"infinite\":false,\"number\":12},\"step_id\":{\"sluid\":\"s7ZHM7XD6MTT01\"},"           \
	"\"tres_req_str\":\"cpu=8,mem=1G,node=2,billing=9,gres/gpu=3,gres/gpu:a100=2\"}"

static void test_what_rows_say(void)
{
#define JOB_LABELS                                                                                                     \
	"sluid=\"s7ZHM7XD6MTT00\",user=\"ann\",account=\"bio\",partition=\"cpu\",qos=\"normal\","                      \
	"name=\"a \\\"b\\\"\""
	static const struct page_sample rows[] = {
		{"slurm_job_info{jobid=\"1\"," JOB_LABELS ",exclusive=\"false\"}", 1},
		{"slurm_job_info{jobid=\"2\"," JOB_LABELS ",exclusive=\"false\"}", 1},
		{"slurm_job_info{jobid=\"3\"," JOB_LABELS ",exclusive=\"true\"}", 1},
		{"slurm_job_info{jobid=\"4\"," JOB_LABELS ",exclusive=\"false\"}", 1},
		{"slurm_job_info{jobid=\"5\"," JOB_LABELS "}", 1}, /* a node that nobody told of */
		{"slurm_job_node_info{jobid=\"1\",node=\"cn1\"}", 1},
		{"slurm_job_node_info{jobid=\"2\",node=\"cn2\"}", 1},
		{"slurm_job_node_cpus{jobid=\"1\",node=\"cn1\"}", 3},
		{"slurm_job_node_cpus{jobid=\"1\",node=\"cn2\"}", 1},
		{"slurm_job_node_cpus{jobid=\"2\",node=\"cn1\"}", NAN}, /* cores are not CPUs */
		{"slurm_job_node_cpus{jobid=\"3\",node=\"cn1\"}", 4},
		{"slurm_job_node_cpus{jobid=\"3\",node=\"cn2\"}", 8},
		{"slurm_job_node_cpus{jobid=\"4\",node=\"cn2\"}", 2},
		{"slurm_job_node_info{jobid=\"8\",node=\"cn3\"}", 1},
		{"slurm_job_node_cpus{jobid=\"8\",node=\"cn1\"}", NAN}, /* it does not tell of all nodes */
		{"slurm_job_allocated_cpus{jobid=\"1\"}", 4},
		{"slurm_job_allocated_memory_bytes{jobid=\"1\"}", 1 << 30},
		{"slurm_job_allocated_gres{jobid=\"1\",gres=\"gpu\",type=\"a100\"}", 2},
		{"slurm_job_allocated_gres{jobid=\"1\",gres=\"gpu\"}", 1},
		{"slurm_job_submit_timestamp_seconds{jobid=\"1\"}", 3},
		{"slurm_job_eligible_timestamp_seconds{jobid=\"1\"}", 4},
		{"slurm_job_start_timestamp_seconds{jobid=\"1\"}", 5},
		{"slurm_job_time_limit_seconds{jobid=\"1\"}", 120},
		{"slurm_job_priority{jobid=\"1\"}", 7},
		{"slurm_job_restarts{jobid=\"1\"}", 2},
		{"slurm_job_state{jobid=\"6\",state=\"pending\"}", 1},
		{"slurm_job_start_timestamp_seconds{jobid=\"6\"}", NAN}, /* a forecast */
		{"slurm_job_allocated_cpus{jobid=\"6\"}", NAN},
		{"slurm_job_submit_timestamp_seconds{jobid=\"6\"}", 3},
		{"slurm_job_info{jobid=\"6\"}", NAN},
		{"slurm_pending_job_info{jobid=\"6\",reason=\"Resources\",class=\"startable\"}", 1},
		{"slurm_pending_job_tasks{jobid=\"6\"}", 1},
		{"slurm_pending_job_requested_cpus{jobid=\"6\"}", 2},
		{"slurm_pending_job_requested_memory_bytes{jobid=\"6\"}", NAN}, /* it does not say */
		{"slurm_pending_job_expected_start_timestamp_seconds{jobid=\"6\"}", 99},
		{"slurm_pending_job_info{jobid=\"7\",sluid=\"s7ZHM7XD6MTT01\",user=\"ann\",account=\"bio\","
		 "partition=\"cpu,gpu\",qos=\"normal\",name=\"rest\",array_job_id=\"7\",reason=\"BeginTime\","
		 "class=\"other\"}",
		 1},
		{"slurm_pending_job_tasks{jobid=\"7\"}", 5},
		{"slurm_pending_job_requested_cpus{jobid=\"7\"}", 8},
		{"slurm_pending_job_requested_memory_bytes{jobid=\"7\"}", 1 << 30},
		{"slurm_pending_job_requested_nodes{jobid=\"7\"}", 2},
		{"slurm_pending_job_requested_gres{jobid=\"7\",gres=\"gpu\",type=\"a100\"}", 2},
		{"slurm_pending_job_requested_gres{jobid=\"7\",gres=\"gpu\"}", 1},
		{"slurm_pending_job_expected_start_timestamp_seconds{jobid=\"7\"}", NAN}, /* it asked for that time */
		{"slurm_job_eligible_timestamp_seconds{jobid=\"7\"}", 100},
		{"slurm_job_priority{jobid=\"7\"}", 12},
	};
	struct cluster cluster;
	start(&cluster, 10, 100);
	page_feed(&cluster, ENDPOINT_NODES,
		  "{\"nodes\":[{\"name\":\"cn1\",\"state\":[\"IDLE\"],\"cpus\":4},"
		  /* with a core that is set aside */
		  "{\"name\":\"cn2\",\"state\":[\"IDLE\"],\"cpus\":10,\"effective_cpus\":8}]}",
		  0);
	page_feed(
		&cluster, ENDPOINT_JOBS,
		"{\"jobs\":[" RUNNING_JOB("1", "4", "cn[1-2]", ALLOCATION) "," RUNNING_JOB("2", "4", "cn[1-2]", CORES) "," RUNNING_JOB(
			"3", "12", "cn[1-2]",
			"null") "," RUNNING_JOB("4", "2", "cn2",
						"{}") "," RUNNING_JOB("8", "4", "cn[1-3]",
								      ALLOCATION) "," RUNNING_JOB("5", "2", "cn9",
												  "null") ","
													  "{\"job_id\":6,\"job_state\":[\"PENDING\"],\"cpus\":2,\"start_time\":99,\"submit_time\":3,\"state_reason\":\"Resources\"}," WAITING_REST
													  "]}",
		0);
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	cluster_done(&cluster);
}

static void test_filters(void)
{
	static const struct page_sample rows[] = {
		{"slurm_job_info{jobid=\"1\",user=\"other\",account=\"bio\",partition=\"cpu\",qos=\"other\","
		 "name=\"sim\"}",
		 1},
		{"slurm_pending_job_info{jobid=\"2\",user=\"other\",account=\"bio\",partition=\"cpu,other,gpu\","
		 "qos=\"other\",name=\"sim\",reason=\"Priority\",class=\"startable\"}",
		 1},
		{"slurm_job_info{jobid=\"3\",user=\"other\",account=\"other\",partition=\"cpu\",qos=\"other\","
		 "name=\"sim\"}",
		 1}, /* nor is a user of an account that may have none */
	};
	struct cluster cluster;
	struct error err;
	check_row("who may have no row is not named here either, nor among others");
	start(&cluster, 2, 10);
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_ACCOUNT].deny, "hidden", &err));
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_USER].deny, "a.*", &err));
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_PARTITION].deny, "secret.*", &err));
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_QOS].allow, "low", &err));
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	struct job job = job_of(2, JOB_PENDING, "", 1);
	job.partitions = TEXT("cpu,secret1,gpu,secret2");
	job.qos = TEXT("normal,high");
	tell(&cluster, &job);
	job = job_of(3, JOB_RUNNING, "n1", 1);
	job.user = TEXT("bob");
	job.account = TEXT("hidden");
	tell(&cluster, &job);
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	cluster_done(&cluster);
}

static bool wants_details(const struct cluster *cluster, uint64_t id)
{
	struct job_view row;
	return job_table_find(cluster->job_table, id, &row) && row.details_wanted;
}

static void test_what_is_missing(void)
{
	check_row("what slurmdbd told of is asked for again, when every job has details");
	struct cluster cluster;
	start(&cluster, 2, 10);
	struct job_table *table = cluster.job_table;
	for (uint64_t id = 1; id <= 3; id++) {
		struct job job = job_of(id, JOB_RUNNING, "n1", 1);
		job_table_put(table, &job, 3000);
	}
	job_table_set_state(table, 4, JOB_RUNNING, 0, 3000);
	cluster_fold(&cluster);
	CHECK(!wants_details(&cluster, 1));
	tell_of(&cluster, 4, JOB_PENDING, "");
	cluster_fold(&cluster);
	CHECK(wants_details(&cluster, 1));
	CHECK(wants_details(&cluster, 2));
	CHECK(!wants_details(&cluster, 3)); /* it has no row */
	check_jobs(&cluster, "meanwhile the rest is shown", "1 running 2 running 4 pending");
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	cluster_fold(&cluster);
	CHECK(!wants_details(&cluster, 1));
	job_table_remove(table, 2);
	struct job newcomer = job_of(5, JOB_RUNNING, "n1", 1);
	job_table_put(table, &newcomer, 3000); /* in the place of 2 */
	tell_of(&cluster, 3, JOB_RUNNING, "n1");
	check_jobs(&cluster, "the place of one that went is taken", "1 running 3 running 4 pending");
	check_row("of a job with another task's details nothing is known for sure");
	struct job lent = job_of(3, JOB_RUNNING, "n1", 1);
	lent.is_lent = true;
	job_table_put(table, &lent, 3000);
	check_jobs(&cluster, "so it has no row", "1 running 5 running 4 pending");
	cluster_done(&cluster);
}

/* A request that nobody answers would keep events from looking at the job. */
static void test_lists_are_all_there_is(void)
{
	struct cluster cluster;
	struct job job = job_of(1, JOB_RUNNING, "n[1-2]", 1);
	check_row("what a job holds of each node is asked for");
	start(&cluster, 10, 10);
	tell(&cluster, &job);
	cluster_fold(&cluster);
	CHECK(wants_details(&cluster, 1));
	check_row("but not where jobs are read as lists");
	struct job_batch *batch = job_batch_begin(cluster.job_table, 4000);
	job_batch_put(batch, &job);
	job_batch_commit(batch);
	cluster_fold(&cluster);
	CHECK(!wants_details(&cluster, 1));
	check_jobs(&cluster, "it has a row", "1 running");
	cluster_done(&cluster);
}

/* A list of reasons, or the rotation, says nothing of single nodes; what the job holds stays. */
static void test_nodes_are_kept(void)
{
	static const struct page_sample kept[] = {{"slurm_job_node_cpus{jobid=\"1\",node=\"n2\"}", 3}};
	static const struct page_sample gone[] = {{"slurm_job_node_cpus{jobid=\"1\",node=\"n2\"}", NAN}};
	static const struct job_node nodes[] = {{TEXT("n1"), 1}, {TEXT("n2"), 3}};
	struct cluster cluster;
	start(&cluster, 10, 10);
	struct job job = job_of(1, JOB_RUNNING, "n[1-2]", 4);
	job.nodes = 2;
	struct job detailed = job;
	detailed.nodes_held = (struct list){nodes, 2};
	detailed.is_detailed = true;
	tell(&cluster, &detailed);
	check_row("told once");
	page_check(&cluster, kept, 1);
	tell(&cluster, &job);
	check_row("told again without nodes");
	page_check(&cluster, kept, 1);
	CHECK(!wants_details(&cluster, 1));
	static const struct {
		const char *what;
		uint64_t later, nodes, cpus; /* more than it had */
	} rows[] = {{"it began again, maybe elsewhere", 1, 0, 0},
		    {"it was resized", 0, 1, 0},
		    {"it got other CPUs on as many nodes", 0, 0, 1}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job other = job;
		other.start_time += rows[i].later;
		other.nodes += rows[i].nodes;
		other.cpus += rows[i].cpus;
		tell(&cluster, &detailed);
		page_check(&cluster, kept, 1);
		tell(&cluster, &other);
		check_row(rows[i].what);
		page_check(&cluster, gone, 1);
		CHECK(wants_details(&cluster, 1));
	}
	cluster_done(&cluster);
	check_row("an old slurmrestd says it of no job");
	start(&cluster, 10, 10);
	job = job_of(1, JOB_RUNNING, "n[1-2]", 4);
	job.is_detailed = true;
	tell(&cluster, &job);
	job.is_detailed = false;
	tell(&cluster, &job);
	cluster_fold(&cluster);
	CHECK(!wants_details(&cluster, 1));
	cluster_done(&cluster);
	check_row("a federation's job cannot be asked for alone");
	start(&cluster, 10, 10);
	job = job_of((UINT64_C(1) << 26) + 1, JOB_RUNNING, "n[1-2]", 4);
	tell(&cluster, &job);
	cluster_fold(&cluster);
	CHECK(!wants_details(&cluster, job.id));
	cluster_done(&cluster);
}

/* Whether a suspended job still has GPUs that no TRES names is asked for once. */
static void test_gpus_of_suspended_jobs(void)
{
	static const struct {
		const char *what;
		int state;
		bool has_untold_gpus, are_wanted;
	} rows[] = {{"suspended", JOB_SUSPENDED, true, true},
		    {"it runs", JOB_RUNNING, true, false},
		    {"its TRES tell", JOB_SUSPENDED, false, false}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cluster cluster;
		start(&cluster, 10, 10);
		struct job job = job_of(1, rows[i].state, "n1", 1);
		job.nodes = 1;
		job.has_untold_gpus = rows[i].has_untold_gpus;
		tell(&cluster, &job);
		cluster_fold(&cluster);
		check_row(rows[i].what);
		CHECK(wants_details(&cluster, 1) == rows[i].are_wanted);
		job.is_detailed = true;
		tell(&cluster, &job);
		cluster_fold(&cluster);
		CHECK(!wants_details(&cluster, 1));
		cluster_done(&cluster);
	}
}

static void test_memory_is_bounded(void)
{
	struct cluster cluster;
	start(&cluster, 10, 10);
	struct job_extras *extras = &cluster.job_table->extras;
	for (uint64_t id = 1; id <= 20; id++)
		tell_sized(&cluster, id, id % 2 ? JOB_PENDING : JOB_RUNNING, 2);
	cluster_fold(&cluster);
	for (uint64_t id = 21; id <= 5000; id++) {
		tell_sized(&cluster, id, id % 2 ? JOB_PENDING : JOB_RUNNING, id % 1000 < 4 ? 3 : 1);
		for (int stage = 0; stage < STAGE_ENDED; stage++)
			if (extras->counts[stage] > 30)
				CHECK_NUMBER(extras->counts[stage], 30);
	}
	CHECK_NUMBER(extras->counts[STAGE_PENDING] + extras->counts[STAGE_HOLDING], extras->count);
	check_row("those with rows are kept, and the largest of the others");
	for (uint32_t id = 1; id <= 20; id++)
		CHECK(job_extras_find(extras, id) != NULL);
	check_jobs(&cluster, "and are shown",
		   "2 running 4 running 6 running 8 running 10 running 12 running 14 running 16 running 18 running "
		   "20 running 1 pending 3 pending 5 pending 7 pending 9 pending 11 pending 13 pending 15 pending "
		   "17 pending 19 pending");
	for (uint32_t id = 1; id <= 20; id++)
		job_table_remove(cluster.job_table, id);
	cluster_fold(&cluster);
	for (uint32_t thousand = 1000; thousand < 5000; thousand += 1000)
		CHECK(has_row(&cluster, thousand) && has_row(&cluster, thousand + 1));
	check_row("what has ended is forgotten");
	for (uint64_t id = 1; id <= 5000; id++)
		job_table_set_state(cluster.job_table, id, JOB_COMPLETED, 0, 3001);
	cluster_fold(&cluster);
	CHECK_NUMBER(extras->count, 0);
	cluster_done(&cluster);
}

/* What changed since a job was put counts, too: its stage, and the tasks of an array's rest. */
static void test_extras_keep_up(void)
{
	struct cluster cluster;
	start(&cluster, 1, 10);
	struct job_table *table = cluster.job_table;
	tell_sized(&cluster, 1, JOB_PENDING, 1000);
	struct job rest = job_of(2, JOB_PENDING, "", 1);
	rest.array_job_id = 2;
	rest.array_tasks = TEXT("1-3,...");
	tell(&cluster, &rest);
	job_table_set_tasks(table, 2, 900);
	cluster_fold(&cluster);
	for (uint64_t id = 3; id < 20; id++)
		tell_sized(&cluster, id, JOB_PENDING, 5);
	check_row("a large rest is kept before small jobs");
	CHECK(job_extras_find(&table->extras, 2) != NULL);
	CHECK(!has_row(&cluster, 2));
	check_row("a job that started");
	job_table_set_state(table, 1, JOB_RUNNING, 0, 3001);
	cluster_fold(&cluster);
	CHECK_NUMBER(table->extras.counts[STAGE_HOLDING], 1);
	CHECK(has_row(&cluster, 1) && has_row(&cluster, 2));
	cluster_done(&cluster);
}

/* A job is found by its ID, not by its place: the last one takes the place of one that goes. */
static void test_places_of_extras(void)
{
	struct job_extras extras = {.max = {[STAGE_PENDING] = 10, [STAGE_HOLDING] = 10}};
	const struct job first = job_of(1, JOB_RUNNING, "n1", 1), second = job_of(2, JOB_RUNNING, "n2", 1);
	const struct job ended = job_of(1, JOB_COMPLETED, "n1", 1), again = job_of(1, JOB_PENDING, "", 1);
	for (int others = 0; others < 2; others++) {
		check_row(others ? "beside another" : "alone");
		job_extras_put(&extras, &first);
		if (others)
			job_extras_put(&extras, &second);
		job_extras_put(&extras, &ended);
		CHECK_NUMBER(extras.count, others);
		CHECK(job_extras_find(&extras, 1) == NULL);
		job_extras_put(&extras, &again); /* requeued under the same ID */
		CHECK_NUMBER(extras.count, others + 1);
		struct job_extra *found = job_extras_find(&extras, 1);
		CHECK(found && found->id == 1 && found->stage == STAGE_PENDING);
		found = job_extras_find(&extras, 2);
		CHECK(others ? found && found->id == 2 && found->stage == STAGE_HOLDING : !found);
		CHECK_NUMBER(extras.counts[STAGE_PENDING], 1);
		CHECK_NUMBER(extras.counts[STAGE_HOLDING], others);
		job_extras_done(&extras);
	}
}

/* Of six jobs four are kept when a seventh comes. IDs of federations use all 32 bits. */
static void test_who_makes_room(void)
{
	enum { JOBS = 7 };
	static const struct {
		const char *name;
		uint64_t ids[JOBS], cpus[JOBS];
		unsigned kept; /* bits of those that are there at the end */
	} rows[] = {
		{"the small ones", {1, 2, 3, 4, 5, 6, 7}, {1, 6, 2, 5, 3, 4, 1}, 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5},
		{"of equals those of the last IDs",
		 {3000000000, 1, 3000000001, 2, 3, 3000000002, 4},
		 {1, 1, 1, 1, 1, 1, 1},
		 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4},
		{"weights far apart",
		 {1, 2, 3, 4, 5, 6, 7},
		 {UINT64_C(1) << 33, 1, UINT64_C(1) << 34, 2, UINT64_C(1) << 35, 3, 1},
		 1 << 0 | 1 << 2 | 1 << 4 | 1 << 5},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job_extras extras = {.max = {[STAGE_PENDING] = 2}};
		check_row(rows[i].name);
		for (int n = 0; n < JOBS; n++) {
			struct job job = job_of(rows[i].ids[n], JOB_PENDING, "", rows[i].cpus[n]);
			job_extras_put(&extras, &job);
		}
		for (int n = 0; n < JOBS; n++)
			CHECK((job_extras_find(&extras, (uint32_t)rows[i].ids[n]) != NULL) ==
			      ((rows[i].kept | 1 << 6) >> n & 1));
		job_extras_done(&extras);
	}
}

/* More different texts of resources than are remembered at once. */
static void test_many_texts(void)
{
	struct cluster cluster;
	char tres[64];
	start(&cluster, 2, 100);
	for (uint64_t id = 1; id <= 1100; id++) {
		struct job job = job_of(id, JOB_PENDING, "", 1);
		snprintf(tres, sizeof tres, "cpu=1,billing=%" PRIu64, id);
		job.tres_requested = text_of(tres);
		tell(&cluster, &job);
	}
	check_jobs(&cluster, "many texts", "1099 pending 1100 pending");
	cluster_done(&cluster);
}

static void put_list(struct cluster *cluster, uint64_t first, uint64_t last, bool is_whole)
{
	struct job_batch *batch = job_batch_begin(cluster->job_table, 4000);
	for (uint64_t id = first; id <= last; id++) {
		struct job job = job_of(id, JOB_RUNNING, "n1", 1);
		job_batch_put(batch, &job);
	}
	if (is_whole)
		job_batch_commit(batch);
	else
		job_batch_abort(batch);
}

static void test_lists(void)
{
	struct cluster cluster;
	start(&cluster, 3, 10);
	struct job_extras *extras = &cluster.job_table->extras;
	put_list(&cluster, 7, 9, true);
	check_jobs(&cluster, "a list", "7 running 8 running 9 running");
	put_list(&cluster, 1, 9, false);
	check_row("one that breaks off changes nothing");
	CHECK_NUMBER(extras->count, 3);
	put_list(&cluster, 1, 2000, true);
	check_jobs(&cluster, "who has rows keeps them", "7 running 8 running 9 running");
	for (uint32_t id = 7; id <= 9; id++)
		CHECK(job_extras_find(extras, id) != NULL);
	CHECK(extras->count <= 9);
	put_list(&cluster, 8, 8, true);
	check_jobs(&cluster, "who is not on it is gone", "8 running");
	CHECK_NUMBER(extras->count, 1);
	cluster_done(&cluster);
}

/* What people see of them: how long a job has run, and no name that a filter keeps off the page. */
static void test_status(void)
{
	static const struct {
		const char *what;
		int state;
		uint64_t suspended, ran_before, ended;
		uint64_t run_s, runs_since;
	} rows[] = {
		{"running", JOB_RUNNING, 0, 0, 5600, 0, 2000}, /* Slurm says when its time is over */
		{"suspended", JOB_SUSPENDED, 2500, 500, 5600, 500, NUMBER_UNSET},
		{"resumed", JOB_RUNNING, 2700, 500, 5800, 500, 2700},
		{"completing", JOB_COMPLETED, 0, 0, 2600, 600, NUMBER_UNSET},
		{"completing, resumed before", JOB_COMPLETED, 2700, 500, 2800, 600, NUMBER_UNSET},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cluster cluster;
		struct error err;
		struct status *status = status_new(3000);
		start(&cluster, 10, 100);
		CHECK(pattern_set(&cluster.caps.kinds[ENTITY_USER].deny, "a.*", &err));
		struct job job = job_of(7, rows[i].state, "n1", 1);
		job.suspend_time = rows[i].suspended;
		job.ran_before = rows[i].ran_before;
		job.end_time = rows[i].ended;
		job.flags = job_state_is_live(job.state) ? 0 : UINT64_C(1) << JOB_FLAG_COMPLETING;
		tell(&cluster, &job);
		cluster_fold(&cluster);
		status_gather_jobs(status, &cluster, NULL);
		const struct status_job_set *set = &status->job_rows.sets[STATUS_HOLDING];
		check_row(rows[i].what);
		CHECK(set->is_known && !status->job_rows.sets[STATUS_ENDED].is_known);
		CHECK_NUMBER(set->count, 1);
		CHECK_NUMBER(set->rows[0].run_s, rows[i].run_s);
		CHECK_NUMBER(set->rows[0].runs_since, rows[i].runs_since);
		CHECK_STRING(status_job_text(&status->job_rows, set->rows[0].user), "other");
		CHECK_STRING(status_job_text(&status->job_rows, set->rows[0].account), "bio");
		CHECK_STRING(status_job_text(&status->job_rows, set->rows[0].node_list), "n1");
		status_free(status);
		cluster_done(&cluster);
	}
}

/* Each number of a job comes to people as itself: they all differ. */
static void test_status_members(void)
{
	struct ended_record ended = {.end = ended_numbers(2000),
				     .owner = {TEXT("bio"), TEXT("ann"), TEXT("gpu"), TEXT("high"), TEXT("")},
				     .name = TEXT("name"),
				     .sluid = TEXT("sluid"),
				     .state = TEXT("failed"),
				     .failed_node = TEXT("cn2")};
	ended.end.end_time = 2937;
	struct cluster cluster;
	start(&cluster, 10, 100);
	struct job job = job_of(7, JOB_RUNNING, "n1", 6);
	job.submit_time = 1001;
	job.eligible_time = 1002;
	job.start_time = 1003;
	job.time_limit = 1004;
	job.array_job_id = 5;
	job.array_task_id = 9;
	job.nodes = 8;
	job.memory_per_node = 1010;
	tell(&cluster, &job);
	cluster_fold(&cluster);
	struct job_events *events = job_events_new(&cluster.caps, &cluster.vocabulary, 1000);
	recent_ends_limit(&events->recent, 10, 3600);
	events_restore_ended(events, &ended);
	struct status *status = status_new(3000);
	status_gather_jobs(status, &cluster, events);
	const struct status_job_rows *rows = &status->job_rows;
	for (int i = 0; i < 2; i++) {
		const struct status_job_set *set = &rows->sets[i ? STATUS_ENDED : STATUS_HOLDING];
		const struct status_job *got = set->rows;
		static const uint64_t want[2][9] = {{7, 5, 9, 6, 8, 1001, 1002, 1003, 1004},
						    {31, 32, 33, 40, 42, 2034, 2035, 2036, 39}};
		check_row(i ? "one that ended" : "one that runs");
		CHECK_NUMBER(set->count, 1);
		const uint64_t numbers[] = {got->id,	 got->array_job_id, got->array_task_id, got->cpus,   got->nodes,
					    got->submit, got->eligible,	    got->start,		got->limit_s};
		for (size_t number = 0; number < 9; number++)
			CHECK_NUMBER(numbers[number], want[i][number]);
		CHECK_STRING(status_job_text(rows, got->account), "bio");
		CHECK_STRING(status_job_text(rows, got->user), "ann");
		CHECK_STRING(status_job_text(rows, got->partition), i ? "gpu" : "cpu");
		CHECK_STRING(status_job_text(rows, got->qos), i ? "high" : "normal");
	}
	const struct status_job *got = rows->sets[STATUS_ENDED].rows;
	CHECK_NUMBER(got->end, 2937);
	CHECK_NUMBER(got->run_s, 38);
	CHECK_NUMBER(got->memory_bytes, 41);
	CHECK_NUMBER(got->exit_code, 43);
	CHECK_NUMBER(got->exit_signal, 44);
	CHECK_NUMBER(got->peak_memory_bytes, 45);
	CHECK_NUMBER(got->energy_joules, 46);
	CHECK_NUMBER(got->used_cpu_s, 47);
	CHECK_STRING(status_job_text(rows, got->name), "name");
	CHECK_STRING(status_job_text(rows, got->sluid), "sluid");
	CHECK_STRING(status_job_text(rows, got->state), "failed");
	CHECK_STRING(status_job_text(rows, got->failed_node), "cn2");
	CHECK_NUMBER(rows->sets[STATUS_HOLDING].rows->runs_since, 1003);
	check_row(NULL);
	status_free(status);
	job_events_free(events);
	cluster_done(&cluster);
}

int main(void)
{
	test_off();
	test_who_has_rows();
	test_what_weighs();
	test_random_worlds();
	test_places_in_the_table();
	test_what_is_counted();
	test_rows_of_nodes();
	test_too_many_nodes();
	test_rows_of_nodes_are_kept();
	test_forgotten();
	test_what_rows_say();
	test_filters();
	test_what_is_missing();
	test_lists_are_all_there_is();
	test_nodes_are_kept();
	test_gpus_of_suspended_jobs();
	test_memory_is_bounded();
	test_extras_keep_up();
	test_places_of_extras();
	test_who_makes_room();
	test_many_texts();
	test_lists();
	test_status();
	test_status_members();
	return check_done();
}
