/* Which jobs have rows of their own, what these say, and what of the others is counted. */
#include "jobs/job_batch.h"
#include "model/hostlist.h"
#include "page.h"

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

static void start(struct cluster *cluster, uint64_t jobs, uint64_t nodes)
{
	cluster_init(cluster);
	cluster_set_job_rows(cluster, jobs, nodes);
	cluster_show_jobs(cluster, true);
}

/* The jobs that the page has rows of, with their states: "1 running 3 pending". */
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
	tell_of(&cluster, 1, JOB_PENDING, "");
	tell_of(&cluster, 2, JOB_PENDING, "");
	tell_of(&cluster, 3, JOB_RUNNING, "n1");
	check_jobs(&cluster, "all fit", "1 pending 2 pending 3 running");
	tell_of(&cluster, 4, JOB_PENDING, "");
	check_jobs(&cluster, "who has rows keeps them", "1 pending 2 pending 3 running");
	tell_of(&cluster, 5, JOB_SUSPENDED, "n2");
	check_jobs(&cluster, "suspended before pending", "1 pending 3 running 5 suspended");
	tell_of(&cluster, 6, JOB_RUNNING, "n3");
	tell_of(&cluster, 7, JOB_RUNNING, "n3");
	check_jobs(&cluster, "running before suspended", "3 running 6 running 7 running");
	tell_of(&cluster, 8, JOB_RUNNING, "n3");
	job_table_set_state(table, 6, JOB_SUSPENDED, 0, 3001);
	check_jobs(&cluster, "and by their states now", "3 running 7 running 8 running");
	job_table_set_state(table, 3, JOB_COMPLETED, UINT64_C(1) << JOB_FLAG_COMPLETING, 3001);
	job_table_set_state(table, 7, JOB_FAILED, 0, 3001);
	check_jobs(&cluster, "ended jobs have none; while they complete they hold nodes",
		   "3 completed 5 suspended 8 running");
	job_table_set_state(table, 3, JOB_COMPLETED, 0, 3002);
	job_table_remove(table, 8);
	check_jobs(&cluster, "the places of those that are gone are taken", "1 pending 5 suspended 6 suspended");
	job_table_set_state(table, 4, JOB_RUNNING, 0, 3002);
	check_jobs(&cluster, "one that starts comes before those that wait", "4 running 5 suspended 6 suspended");
	cluster_done(&cluster);

	start(&cluster, 1, 100);
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	check_jobs(&cluster, "one", "1 running");
	tell_of(&cluster, 2, JOB_RUNNING, "n2");
	job_table_set_state(cluster.job_table, 1, JOB_SUSPENDED, 0, 3001);
	check_jobs(&cluster, "takes the row of another", "2 running");
	job_table_set_state(cluster.job_table, 2, JOB_SUSPENDED, 0, 3002);
	check_jobs(&cluster, "who had one before has no right to it any more", "2 suspended");
	cluster_done(&cluster);
}

static void test_places_in_the_table(void)
{
	struct cluster cluster;
	start(&cluster, 2, 100);
	tell_of(&cluster, 1, JOB_COMPLETED, "n1");
	tell_of(&cluster, 2, JOB_RUNNING, "n1");
	tell_of(&cluster, 3, JOB_RUNNING, "n1");
	check_jobs(&cluster, "two", "2 running 3 running");
	job_table_remove(cluster.job_table, 1);
	tell_of(&cluster, 4, JOB_RUNNING, "n1");
	check_jobs(&cluster, "a newcomer that comes first in the table takes no rows away", "2 running 3 running");
	cluster_done(&cluster);
}

static void test_what_is_counted(void)
{
	static const struct page_sample rows[] = {
		{"slurm_job_state{jobid=\"1\",state=\"running\"}", 1},
		{"slurm_job_state{jobid=\"2\",state=\"running\"}", NAN},
		{"slurmscope_series_folded{family=\"slurm_job_state\"}", 2},
		{"slurmscope_series_folded{family=\"slurm_job_info\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_job_node_info\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_job_allocated_cpus\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_job_start_timestamp_seconds\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_job_priority\"}", 2},
	};
	struct cluster cluster;
	start(&cluster, 1, 100);
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	tell_of(&cluster, 2, JOB_RUNNING, "n1");
	tell_of(&cluster, 3, JOB_PENDING, "");
	tell_of(&cluster, 4, JOB_COMPLETED, "n1");
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	cluster_done(&cluster);
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
	};
	struct cluster cluster;
	start(&cluster, 10, 100);
	page_feed(&cluster, ENDPOINT_NODES,
		  "{\"nodes\":[{\"name\":\"cn1\",\"state\":[\"IDLE\"],\"cpus\":4},"
		  "{\"name\":\"cn2\",\"state\":[\"IDLE\"],\"cpus\":8}]}",
		  0);
	page_feed(
		&cluster, ENDPOINT_JOBS,
		"{\"jobs\":[" RUNNING_JOB("1", "4", "cn[1-2]", ALLOCATION) "," RUNNING_JOB("2", "4", "cn[1-2]", CORES) "," RUNNING_JOB(
			"3", "12", "cn[1-2]",
			"null") "," RUNNING_JOB("4", "2", "cn2",
						"{}") "," RUNNING_JOB("5", "2", "cn9",
								      "null") ","
									      "{\"job_id\":6,\"job_state\":[\"PENDING\"],\"cpus\":2,\"start_time\":99,\"submit_time\":3}]}",
		0);
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	cluster_done(&cluster);
}

static void test_filters(void)
{
	static const struct page_sample rows[] = {
		{"slurm_job_info{jobid=\"1\",user=\"other\",account=\"bio\",partition=\"cpu\",qos=\"normal\","
		 "name=\"sim\"}",
		 1},
	};
	struct cluster cluster;
	struct error err;
	check_row("a user who may have no row is not named here either");
	start(&cluster, 1, 10);
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_USER].deny, "a.*", &err));
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	page_check(&cluster, rows, 1);
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
	check_jobs(&cluster, "meanwhile the rest is shown", "1 running 2 running");
	tell_of(&cluster, 1, JOB_RUNNING, "n1");
	cluster_fold(&cluster);
	CHECK(!wants_details(&cluster, 1));
	job_table_remove(table, 2);
	struct job newcomer = job_of(5, JOB_RUNNING, "n1", 1);
	job_table_put(table, &newcomer, 3000); /* in the place of 2 */
	tell_of(&cluster, 3, JOB_RUNNING, "n1");
	check_jobs(&cluster, "those of which all is known come first", "1 running 3 running");
	check_row("of a job with another task's details nothing is known for sure");
	struct job lent = job_of(3, JOB_RUNNING, "n1", 1);
	lent.is_lent = true;
	job_table_put(table, &lent, 3000);
	check_jobs(&cluster, "so it has no row", "1 running 5 running");
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

static void test_memory_is_bounded(void)
{
	struct cluster cluster;
	start(&cluster, 10, 10);
	struct job_extras *extras = &cluster.job_table->extras;
	for (uint64_t id = 1; id <= 10; id++)
		tell_of(&cluster, id, JOB_RUNNING, "n1");
	cluster_fold(&cluster);
	for (uint64_t id = 11; id <= 5000; id++) {
		tell_of(&cluster, id, id % 2 ? JOB_PENDING : JOB_RUNNING, "n1");
		if (extras->count > 20)
			CHECK_NUMBER(extras->count, 20);
	}
	check_row("those with rows are kept");
	for (uint32_t id = 1; id <= 10; id++)
		CHECK(job_extras_find(extras, id) != NULL);
	check_jobs(&cluster, "and are shown",
		   "1 running 2 running 3 running 4 running 5 running 6 running 7 running 8 running "
		   "9 running 10 running");
	check_row("what has ended is forgotten");
	for (uint64_t id = 1; id <= 5000; id++)
		job_table_set_state(cluster.job_table, id, JOB_COMPLETED, 0, 3001);
	cluster_fold(&cluster);
	CHECK_NUMBER(extras->count, 0);
	cluster_done(&cluster);
}

/* A job is found by its ID, not by its place: the last one takes the place of one that goes. */
static void test_places_of_extras(void)
{
	struct job_extras extras = {.max = 10};
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
		CHECK(found && found->id == 1 && found->rank == RANK_PENDING);
		found = job_extras_find(&extras, 2);
		CHECK(others ? found && found->id == 2 && found->rank == RANK_RUNNING : !found);
		job_extras_done(&extras);
	}
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
	CHECK(extras->count <= 6);
	put_list(&cluster, 8, 8, true);
	check_jobs(&cluster, "who is not on it is gone", "8 running");
	CHECK_NUMBER(extras->count, 1);
	cluster_done(&cluster);
}

int main(void)
{
	test_off();
	test_who_has_rows();
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
	test_memory_is_bounded();
	test_places_of_extras();
	test_lists();
	return check_done();
}
