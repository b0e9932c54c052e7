/* Who has a row of its own, and what the row `other` says. */
#include "jobs/job_batch.h"
#include "page.h"

static struct job job_of(const char *user, const char *account, int state, uint64_t cpus)
{
	return (struct job){.id = 1,
			    .state = state,
			    .user = text_of(user),
			    .account = text_of(account),
			    .partitions = TEXT("cpu"),
			    .qos = TEXT("normal"),
			    .reason = state == JOB_PENDING ? TEXT("Priority") : TEXT("None"),
			    .submit_time = 1000 + cpus,
			    .memory_per_node = 1,
			    .memory_per_cpu = NUMBER_UNSET,
			    .cpus = cpus,
			    .nodes = cpus};
}

struct running {
	const char *user;
	uint64_t cpus; /* 0: a job that has ended */
};

/* One poll: a running job per user, or one that has ended. */
static void poll(struct cluster *cluster, const struct running *uses)
{
	struct job_batch *batch = job_batch_begin(cluster->job_table, 1000);
	for (uint64_t id = 1; uses->user; uses++, id++) {
		struct job job = job_of(uses->user, "bio", uses->cpus ? JOB_RUNNING : JOB_COMPLETED, uses->cpus);
		job.id = id;
		job_batch_put(batch, &job);
	}
	section_commit(ENDPOINT_JOBS, cluster, batch);
	cluster_fold(cluster);
}

/* The users that have a row: "alice bob". */
static const char *shown(const struct cluster *cluster, char *to)
{
	const struct map *users = &cluster->jobs->entities[ENTITY_USER];
	size_t *order = map_sorted(users), len = 0;
	to[0] = '\0';
	for (size_t i = 0; i < users->count; i++) {
		struct text key = users->entries[order[i]].key;
		if (roster_shows(&cluster->rosters[ENTITY_USER], key))
			len += (size_t)sprintf(to + len, "%s%s", len ? " " : "", key.bytes);
	}
	free(order);
	return to;
}

static void test_who_is_shown(void)
{
	static const struct {
		const char *name;
		struct running uses[6];
		const char *want;
	} rows[] = {
		{"the largest two of three", {{"a", 10}, {"b", 5}, {"c", 20}}, "a c"},
		{"a little more use is no reason", {{"a", 10}, {"b", 15}, {"c", 20}}, "a c"},
		{"nor is exactly twice as much", {{"a", 10}, {"b", 20}, {"c", 20}}, "a c"},
		{"more than twice as much is", {{"a", 10}, {"b", 21}, {"c", 20}}, "b c"},
		{"and it does not swing back", {{"a", 22}, {"b", 21}, {"c", 20}}, "b c"},
		{"one whose jobs have ended stays while there is room", {{"b", 0}, {"c", 20}}, "b c"},
		{"and makes room for the first newcomer", {{"b", 0}, {"c", 20}, {"d", 1}}, "c d"},
		{"the jobs are gone, the rows stay", {{NULL, 0}}, "c d"},
		{"an idle newcomer replaces no idle one", {{"e", 0}}, "c d"},
		{"the one with a job does", {{"e", 1}, {"d", 0}}, "c e"},
	};
	struct cluster cluster;
	char got[64];
	cluster_init(&cluster);
	cluster.caps.kinds[ENTITY_USER].max = 2;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		poll(&cluster, rows[i].uses);
		CHECK_STRING(shown(&cluster, got), rows[i].want);
	}
	check_row("an outage forgets nobody");
	section_drop(ENDPOINT_JOBS, &cluster);
	cluster_fold(&cluster);
	poll(&cluster, (const struct running[]){{"a", 1}, {"b", 1}, {"c", 1}, {"e", 1}, {NULL, 0}});
	CHECK_STRING(shown(&cluster, got), "c e");
	cluster_done(&cluster);
}

static void test_totals(void)
{
	struct cluster cluster;
	cluster_init(&cluster);
	cluster.caps.kinds[ENTITY_USER].max = 1;
	cluster.caps.kinds[ENTITY_PARTITION].max = 0;
	struct job_batch *batch = job_batch_begin(cluster.job_table, 1000);
	struct job jobs[] = {
		job_of("a", "bio", JOB_RUNNING, 100), job_of("b", "bio", JOB_RUNNING, 3),
		job_of("b", "bio", JOB_PENDING, 2),   job_of("c", "bio", JOB_PENDING, 1),
		job_of("c", "geo", JOB_PENDING, 4),
	};
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		jobs[i].id = i + 1;
		job_batch_put(batch, &jobs[i]);
	}
	section_commit(ENDPOINT_JOBS, &cluster, batch);
	for (int again = 0; again < 2; again++) {
		static const struct page_sample rows[] = {
			{"slurm_user_jobs{user=\"a\",account=\"bio\",state=\"running\"}", 1},
			{"slurm_user_jobs{user=\"b\",account=\"bio\",state=\"running\"}", NAN},
			{"slurm_user_jobs{user=\"other\",account=\"other\",state=\"running\"}", 1},
			{"slurm_user_jobs{user=\"other\",account=\"other\",state=\"pending\"}", 3},
			{"slurm_user_job_cpus{user=\"other\",account=\"other\",state=\"pending\"}", 7},
			{"slurm_user_job_memory_bytes{user=\"other\",account=\"other\",state=\"running\"}", 3},
			{"slurm_user_pending_jobs{user=\"other\",account=\"other\",class=\"startable\",reason=\"Priority\"}",
			 3},
			{"slurm_user_oldest_pending_timestamp_seconds{user=\"other\",account=\"other\","
			 "class=\"startable\"}",
			 1001},
			{"slurm_partition_jobs{partition=\"other\",state=\"pending\"}", 3},
			{"slurm_partition_pending_jobs{partition=\"other\",class=\"startable\",reason=\"Priority\"}",
			 3},
			{"slurm_partition_pending_job_max_nodes{partition=\"other\"}", 4},
			{"slurm_account_jobs{account=\"other\",state=\"running\"}", NAN},
			{"slurmscope_series_folded{family=\"slurm_user_jobs\"}", 3 * 3},
			{"slurmscope_series_folded{family=\"slurm_partition_jobs\"}", 3},
			{"slurmscope_series_folded{family=\"slurm_account_jobs\"}", 0},
			{"slurmscope_series_folded{family=\"slurm_cluster_jobs\"}", NAN},
		};
		page_check(&cluster, rows, sizeof rows / sizeof *rows);
	}
	cluster_done(&cluster);
}

/* A zero stands on the page, an unknown value does not. */
static void test_zero_and_unknown(void)
{
	struct cluster cluster;
	check_row("zero and unknown");
	cluster_init(&cluster);
	page_feed(&cluster, ENDPOINT_PARTITIONS, "{\"partitions\":[{\"name\":\"a\"}]}", 0);
	page_feed(&cluster, ENDPOINT_QOS,
		  "{\"qos\":[{\"name\":\"free\",\"priority\":0,\"usage_factor\":0},{\"name\":\"odd\"}]}", 0);
	struct buf page = page_of(&cluster);
	CHECK(!strstr(page.bytes, "slurm_partition_state{"));
	CHECK_NUMBER(page_value(&page, "slurm_qos_usage_factor{qos=\"free\"}"), 0);
	CHECK_NUMBER(page_value(&page, "slurm_qos_usage_factor{qos=\"odd\"}"), NAN);
	CHECK_NUMBER(page_value(&page, "slurm_qos_priority{qos=\"free\"}"), 0);
	CHECK_NUMBER(page_value(&page, "slurm_qos_priority{qos=\"odd\"}"), NAN);
	buf_done(&page);
	cluster_done(&cluster);
}

static void test_partitions(void)
{
	static const struct page_sample rows[] = {
		{"slurm_partition_nodes{partition=\"gpu\",state=\"idle\"}", 1},
		{"slurm_partition_nodes{partition=\"other\",state=\"idle\"}", 2},
		{"slurm_partition_nodes{partition=\"other\",state=\"down\"}", 0},
		{"slurm_partition_nodes_free{partition=\"other\"}", 2}, /* n2 once, though in two of these */
		{"slurm_partition_cpus{partition=\"other\",state=\"idle\"}", 12},
		{"slurm_partition_gres{partition=\"other\",gres=\"gpu\",type=\"a100\",state=\"idle\"}", 2},
		{"slurm_partition_info{partition=\"gpu\"}", 1},
		{"slurm_partition_info{partition=\"a\"}", NAN},
		{"slurm_partition_info{partition=\"other\"}", NAN}, /* nothing to add up */
		{"slurmscope_series_folded{family=\"slurm_partition_info\"}", 2},
		{"slurm_cluster_nodes{state=\"idle\"}", 2},
	};
	struct cluster cluster;
	check_row("partitions");
	cluster_init(&cluster);
	cluster.caps.kinds[ENTITY_PARTITION].max = 1;
	page_feed(&cluster, ENDPOINT_PARTITIONS,
		  "{\"partitions\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"gpu\"}]}", 0);
	page_feed(&cluster, ENDPOINT_NODES,
		  "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\"],\"cpus\":8,\"gres\":\"gpu:a100:2\","
		  "\"partitions\":[\"a\",\"gpu\"]},"
		  "{\"name\":\"n2\",\"state\":[\"IDLE\"],\"cpus\":4,\"partitions\":[\"b\",\"a\"]},"
		  "{\"name\":\"n3\",\"state\":[\"DOWN\"],\"cpus\":4,\"partitions\":[\"gpu\"]}]}",
		  0);
	page_feed(&cluster, ENDPOINT_JOBS,
		  "{\"jobs\":[{\"job_id\":1,\"job_state\":[\"RUNNING\"],\"cpus\":4,"
		  "\"partition\":\"gpu\"}]}",
		  0);
	for (int again = 0; again < 2; again++)
		page_check(&cluster, rows, sizeof rows / sizeof *rows);
	check_row("nor do a node's partitions name them");
	struct buf page = page_per_node(&cluster, NULL, PER_NODE_FULL);
	CHECK_NUMBER(page_value(&page, "slurm_node_partition_info{node=\"n1\",partition=\"gpu\"}"), 1);
	CHECK(isnan(page_value(&page, "slurm_node_partition_info{node=\"n1\",partition=\"a\"}")));
	buf_done(&page);
	cluster_done(&cluster);
}

static void test_filters(void)
{
	static const struct {
		const char *users, *users_deny, *accounts, *want;
	} rows[] = {
		{NULL, NULL, NULL, "ann bob hannah"},  {"ann", NULL, NULL, "ann"}, /* the whole name */
		{"ann|bo", NULL, NULL, "ann"},	       {".*ann.*", NULL, NULL, "ann hannah"},
		{NULL, "[ab].*", NULL, "hannah"},      {".*", ".*", NULL, ""},
		{NULL, NULL, "bio", "ann bob hannah"}, {NULL, NULL, "geo", ""}, /* the row would show the account too */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cluster cluster;
		struct error err = {""};
		char got[64];
		cluster_init(&cluster);
		struct caps *caps = &cluster.caps;
		check_row(rows[i].want);
		if (rows[i].users)
			CHECK(pattern_set(&caps->kinds[ENTITY_USER].allow, rows[i].users, &err));
		if (rows[i].users_deny)
			CHECK(pattern_set(&caps->kinds[ENTITY_USER].deny, rows[i].users_deny, &err));
		if (rows[i].accounts)
			CHECK(pattern_set(&caps->kinds[ENTITY_ACCOUNT].allow, rows[i].accounts, &err));
		poll(&cluster, (const struct running[]){{"ann", 1}, {"bob", 1}, {"hannah", 1}, {NULL, 0}});
		CHECK_STRING(shown(&cluster, got), rows[i].want);
		struct buf page = page_of(&cluster);
		double others =
			page_value(&page, "slurm_user_jobs{user=\"other\",account=\"other\",state=\"running\"}");
		double want = 3 - (*got ? 1 : 0);
		for (const char *c = got; *c; c++)
			want -= *c == ' ';
		CHECK_NUMBER(others, want ? want : NAN); /* never lost */
		buf_done(&page);
		cluster_done(&cluster);
	}
}

static void end_job(struct job_events *events, uint32_t id, const char *user, const char *node)
{
	const struct job_end end = {.raw_id = id,
				    .key = {id, RUN_NO_TASK, 1000},
				    .tasks = 1,
				    .owner = {TEXT("bio"), text_of(user), TEXT("cpu"), TEXT("normal")},
				    .state = TEXT("failed"),
				    .start_time = 1001,
				    .end_time = 1002 + id,
				    .run_seconds = 1 + id,
				    .nodes = 1,
				    .node_list = text_of(node)};
	job_events_take_end(events, &end);
}

static void check_events(struct cluster *cluster, const struct job_events *events, const struct page_sample *rows,
			 size_t count)
{
	struct buf page = page_with(cluster, events);
	for (size_t i = 0; i < count; i++) {
		check_row(rows[i].series);
		CHECK_NUMBER(page_value(&page, rows[i].series), rows[i].want);
	}
	buf_done(&page);
}

static void test_events(void)
{
	static const struct page_sample
		full[] =
			{
				{"slurm_user_job_starts_total{user=\"ann\",account=\"bio\"}", 1},
				{"slurm_user_job_starts_total{user=\"other\",account=\"other\"}", 2},
				{"slurmscope_series_folded{family=\"slurm_user_job_starts_total\"}", 2},
				{"slurmscope_series_folded{family=\"slurm_partition_job_starts_total\"}", 0},
				{"slurmscope_series_folded{family=\"slurm_cluster_job_starts_total\"}", NAN},
				{"slurmscope_series_folded{family=\"slurm_node_job_failures_total\"}", 0},
			},
		denied[] =
			{
				{"slurm_user_job_starts_total{user=\"ann\",account=\"bio\"}", NAN},
				{"slurm_user_job_starts_total{user=\"other\",account=\"other\"}", 3},
				{"slurmscope_series_folded{family=\"slurm_user_job_starts_total\"}", 3},
				{"slurm_partition_job_eligible_wait_seconds_count{partition=\"cpu\",qos=\"normal\"}",
				 NAN},
				{"slurm_partition_job_eligible_wait_seconds_count{partition=\"other\",qos=\"other\"}",
				 1},
				{"slurmscope_series_folded{family=\"slurm_partition_job_eligible_wait_seconds\"}",
				 17}, /* buckets, sum, count */
				{"slurm_account_job_starts_total{account=\"bio\"}", 4},
				{"slurm_account_job_runtime_seconds_count{account=\"bio\"}", 4},
				{"slurm_account_job_eligible_wait_seconds_bucket{account=\"bio\",le=\"+Inf\"}", 4},
				{"slurm_user_job_runtime_seconds_count{user=\"other\",account=\"other\"}", NAN},
				{"slurmscope_series_folded{family=\"slurm_user_job_runtime_seconds\"}", NAN},
			},
		failed[] = {
			{"slurm_node_job_failures_total{node=\"cn1\",kind=\"failed\"}", NAN},
			{"slurm_node_job_failures_total{node=\"cn1004\",kind=\"failed\"}", 1},
			{"slurm_node_job_failures_total{node=\"other\",kind=\"failed\"}", NAN},
			{"slurmscope_series_folded{family=\"slurm_node_job_failures_total\"}", 100},
		};
	static const char *const users[] = {"ann", "bob", "carl"};
	struct cluster cluster;
	struct error err = {""};
	cluster_init(&cluster);
	struct job_events *events = job_events_new(&cluster.caps, &cluster.vocabulary, 0);
	cluster.caps.kinds[ENTITY_USER].max = 1;
	for (uint32_t id = 1; id <= 3; id++)
		end_job(events, id, users[id - 1], "cn1");
	check_events(&cluster, events, full, sizeof full / sizeof *full);
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_USER].deny, ".*", &err));
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_QOS].deny, ".*", &err));
	job_events_screen(events);
	end_job(events, 4, "ann", "cn1");
	check_events(&cluster, events, denied, sizeof denied / sizeof *denied);
	for (uint32_t id = 5; id <= 1004; id++) { /* at the last one there is no room */
		char node[16];
		sprintf(node, "cn%u", (unsigned)id);
		end_job(events, id, "ann", node);
	}
	check_events(&cluster, events, failed, sizeof failed / sizeof *failed);
	job_events_free(events);
	cluster_done(&cluster);
}

static void test_users_elsewhere(void)
{
	static const struct page_sample rows[] = {
		{"slurm_user_rpc_requests_total{user=\"ann\"}", NAN},
		{"slurm_user_rpc_requests_total{user=\"bob\"}", 4},
		{"slurm_user_rpc_seconds_total{user=\"bob\"}", 2},
		{"slurm_dbd_user_rpc_requests_total{user=\"ann\"}", NAN},
		{"slurm_dbd_user_rpc_requests_total{user=\"bob\"}", 6},
		{"slurm_dbd_user_rpc_seconds_total{user=\"bob\"}", 3},
		{"slurm_user_shares{user=\"bob\",account=\"bio\"}", 2},
		{"slurm_user_jobs{user=\"bob\",account=\"bio\",state=\"running\"}", 1},
		{"slurm_node_reason_info{node=\"n1\",reason=\"hot\",user=\"other\"}", 1},
		{"slurm_node_reason_info{node=\"n2\",reason=\"hot\",user=\"bob\"}", 1},
		{"slurm_node_reason_info{node=\"n3\",reason=\"hot\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_user_rpc_requests_total\"}", 1},
		{"slurmscope_series_folded{family=\"slurm_rpc_requests_total\"}", NAN},
	};
	struct cluster cluster;
	struct error err = {""};
	check_row("whom a filter denies a name has none anywhere");
	cluster_init(&cluster);
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_USER].deny, "ann", &err));
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_USER].allow, "ann|bob", &err)); /* not who has no name */
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_ACCOUNT].allow, "bio", &err));
	page_feed(
		&cluster, ENDPOINT_DIAG,
		"{\"statistics\":{\"req_time_start\":1,\"rpcs_by_message_type\":[{\"message_type\":\"REQUEST_PING\",\"count\":7}],"
		"\"rpcs_by_user\":[{\"user\":\"ann\",\"count\":3,\"total_time\":1000000},"
		"{\"user\":\"bob\",\"count\":4,\"total_time\":2000000}]}}",
		0);
	page_feed(
		&cluster, ENDPOINT_DBD_DIAG,
		"{\"statistics\":{\"time_start\":1,\"users\":[{\"user\":\"ann\",\"count\":5,\"time\":{\"total\":1000000}},"
		"{\"user\":\"bob\",\"count\":6,\"time\":{\"total\":3000000}}]}}",
		0);
	page_feed(
		&cluster, ENDPOINT_NODES,
		"{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\"],\"reason\":\"hot\",\"reason_set_by_user\":\"ann\"},"
		"{\"name\":\"n2\",\"state\":[\"IDLE\"],\"reason\":\"hot\",\"reason_set_by_user\":\"bob\"},"
		"{\"name\":\"n3\",\"state\":[\"IDLE\"],\"reason\":\"hot\"}]}",
		0);
	page_feed(&cluster, ENDPOINT_SHARES,
		  "{\"shares\":{\"shares\":[{\"name\":\"bio\",\"shares\":3},"
		  "{\"name\":\"ann\",\"parent\":\"bio\",\"type\":[\"USER\"],\"shares\":1,\"usage\":1},"
		  "{\"name\":\"bob\",\"parent\":\"bio\",\"type\":[\"USER\"],\"shares\":2,\"usage\":5}]}}",
		  0);
	poll(&cluster, (const struct running[]){{"ann", 1}, {"bob", 1}, {NULL, 0}});
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	struct buf page = page_of(&cluster);
	check_row("in none of all families");
	CHECK(strstr(page.bytes, "\"ann\"") == NULL);
	CHECK(strstr(page.bytes, "\"bob\"") != NULL);
	buf_done(&page);
	cluster_done(&cluster);
}

static void test_shares(void)
{
	static const struct page_sample rows[] = {
		{"slurm_user_shares{user=\"a\",account=\"bio\"}", 1},
		{"slurm_user_shares{user=\"b\",account=\"bio\"}", NAN},
		{"slurm_user_shares{user=\"c\",account=\"bio\"}", 3},
		{"slurm_account_shares{account=\"bio\"}", 4},
		{"slurm_user_jobs{user=\"a\",account=\"bio\",state=\"running\"}", 1},
		{"slurm_user_jobs{user=\"other\",account=\"other\",state=\"running\"}", NAN},
		{"slurmscope_series_folded{family=\"slurm_user_shares\"}", 1},
	};
	struct cluster cluster;
	check_row("shares: users with jobs first, then past use");
	cluster_init(&cluster);
	cluster.caps.kinds[ENTITY_USER].max = 2;
	page_feed(&cluster, ENDPOINT_SHARES,
		  "{\"shares\":{\"shares\":[{\"name\":\"bio\",\"shares\":4},"
		  "{\"name\":\"a\",\"parent\":\"bio\",\"type\":[\"USER\"],\"shares\":1,\"usage\":1},"
		  "{\"name\":\"b\",\"parent\":\"bio\",\"type\":[\"USER\"],\"shares\":2,\"usage\":5},"
		  "{\"name\":\"c\",\"parent\":\"bio\",\"type\":[\"USER\"],\"shares\":3,\"usage\":9}]}}",
		  0);
	poll(&cluster, (const struct running[]){{"a", 1}, {NULL, 0}});
	page_check(&cluster, rows, sizeof rows / sizeof *rows);
	cluster_done(&cluster);
}

/* While nothing else is known, one source of names suffices to choose who has a row. */
static void test_one_source(void)
{
	static const struct {
		const char *what;
		enum endpoint endpoint;
		enum entity_kind kind;
		const char *json;
	} rows[] = {
		{"partitions", ENDPOINT_PARTITIONS, ENTITY_PARTITION, "{'partitions':[{'name':'a'},{'name':'b'}]}"},
		{"nodes", ENDPOINT_NODES, ENTITY_PARTITION,
		 "{'nodes':[{'name':'n1','state':['IDLE'],'partitions':['a','b'],'cpus':8}]}"},
		{"shares of accounts", ENDPOINT_SHARES, ENTITY_ACCOUNT,
		 "{'shares':{'shares':[{'name':'a','shares':1},{'name':'b','shares':1}]}}"},
		{"shares of users", ENDPOINT_SHARES, ENTITY_USER,
		 "{'shares':{'shares':[{'name':'a','parent':'bio','type':['USER'],'shares':1},"
		 "{'name':'b','parent':'bio','type':['USER'],'shares':1}]}}"},
		{"limits of accounts", ENDPOINT_ASSOCIATIONS, ENTITY_ACCOUNT,
		 "{'associations':[{'cluster':'c','account':'a','max':{'jobs':{'per':{'count':9}}}},"
		 "{'cluster':'c','account':'b','max':{'jobs':{'per':{'count':9}}}}]}"},
		{"limits of users", ENDPOINT_ASSOCIATIONS, ENTITY_USER,
		 "{'associations':[{'cluster':'c','account':'bio','user':'a','max':{'jobs':{'per':{'count':9}}}},"
		 "{'cluster':'c','account':'bio','user':'b','max':{'jobs':{'per':{'count':9}}}}]}"},
		{"QOS", ENDPOINT_QOS, ENTITY_QOS,
		 "{'qos':[{'name':'a','limits':{'max':{'jobs':{'active_jobs':{'per':{'user':1}}}}}},"
		 "{'name':'b','limits':{'max':{'jobs':{'active_jobs':{'per':{'user':1}}}}}}]}"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cluster cluster;
		struct buf json = BUF_INIT, key = BUF_INIT;
		enum entity_kind kind = rows[i].kind;
		check_row(rows[i].what);
		cluster_init(&cluster);
		cluster.caps.kinds[kind].max = 1;
		for (const char *c = rows[i].json; *c; c++)
			buf_add_char(&json, *c == '\'' ? '"' : *c);
		page_feed(&cluster, rows[i].endpoint, json.bytes, 1000);
		cluster_fold(&cluster);
		for (char name[] = "a"; *name <= 'b'; ++*name) {
			entity_key(&key, kind, text_of(name), kind == ENTITY_USER ? TEXT("bio") : TEXT(""));
			CHECK(roster_shows(&cluster.rosters[kind], buf_text(&key)) == (*name == 'a'));
		}
		buf_done(&key);
		buf_done(&json);
		cluster_done(&cluster);
	}
	check_row(NULL);
}

static void test_reasons_and_gres(void)
{
	check_row("reasons and kinds of GRES are bounded, their sum is right");
	struct job_table *table = job_table_new();
	for (int i = 0; i < 1000; i++) {
		char reason[32], tres[64];
		struct job job = job_of("a", "bio", JOB_PENDING, 1);
		snprintf(reason, sizeof reason, "Reason%d", i);
		snprintf(tres, sizeof tres, "cpu=1,gres/gpu:type%d=2", i);
		job.reason = text_of(reason);
		job.tres_requested = text_of(tres);
		job.id = (uint64_t)i;
		job_table_put(table, &job, 0);
	}
	const struct job_usage *cluster = job_totals_cluster(table->totals);
	CHECK_NUMBER(cluster->reasons.count, REASONS_MAX + 1);
	CHECK_NUMBER(cluster->gres.count, GRES_MAX + 1);
	const uint64_t *reasons = map_find(&cluster->reasons, LABEL_OTHER);
	CHECK(reasons && *reasons == 1000 - REASONS_MAX);
	const struct gres_count *gres = map_find(&cluster->gres, TEXT("other:"));
	CHECK(gres && gres->count[PHASE_PENDING] == 2 * (1000 - GRES_MAX));
	for (uint64_t id = 0; id < 1000; id++)
		job_table_remove(table, id);
	CHECK_NUMBER(*reasons, 0);
	CHECK_NUMBER(gres ? gres->count[PHASE_PENDING] : 1, 0);
	job_table_free(table);
}

/* The page of a cluster whose partition, account, user and QOS have this name. */
static struct buf page_of_name(const char *name)
{
	static const struct {
		enum endpoint endpoint;
		const char *json;
	} answers[] = {
		{ENDPOINT_PARTITIONS,
		 "{'partitions':[{'name':'@','qos':{'assigned':'@'},'nodes':{'configured':'n1'}}]}"},
		{ENDPOINT_NODES, "{'nodes':[{'name':'n1','state':['MIXED'],'partitions':['@'],'cpus':8,'alloc_cpus':4,"
				 "'real_memory':1000,'alloc_memory':0,'gres':'gpu:@:2','gres_used':'gpu:@:1'}]}"},
		{ENDPOINT_QOS,
		 "{'qos':[{'name':'@','priority':7,'usage_factor':1,'limits':{'max':{'jobs':{'active_jobs':{'per':"
		 "{'user':1}}}}}},{'name':'low','priority':1}]}"},
		{ENDPOINT_ASSOCIATIONS,
		 "{'associations':[{'cluster':'c','account':'@','max':{'jobs':{'per':{'count':9}}}},"
		 "{'cluster':'c','account':'@','user':'@','partition':'@','max':{'jobs':{'per':{'count':5}}}}]}"},
		{ENDPOINT_SHARES,
		 "{'shares':{'shares':[{'name':'@','shares':4},{'name':'@','parent':'@','partition':'@',"
		 "'type':['USER'],'shares':1,'usage':1}]}}"},
		{ENDPOINT_RESERVATIONS,
		 "{'reservations':[{'name':'@','partition':'@','node_list':'n1','start_time':1,'end_time':9}]}"},
		{ENDPOINT_JOBS,
		 "{'jobs':[{'job_id':1,'job_state':['RUNNING'],'partition':'@','account':'@','user_name':'@','qos':'@',"
		 "'resv_name':'@','nodes':'n1','cpus':4,'tres_alloc_str':'cpu=4,node=1'},"
		 "{'job_id':2,'job_state':['PENDING'],'partition':'@','account':'@','user_name':'@','qos':'low,@',"
		 "'cpus':6,'node_count':1,'max_nodes':1,'tres_req_str':'cpu=6,node=1','state_reason':'Resources'}]}"},
	};
	struct cluster cluster;
	cluster_init(&cluster);
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		struct buf json = BUF_INIT;
		for (const char *c = answers[i].json; *c; c++)
			if (*c == '@')
				buf_add_string(&json, name);
			else
				buf_add_char(&json, *c == '\'' ? '"' : *c);
		page_feed(&cluster, answers[i].endpoint, json.bytes, 1000);
		buf_done(&json);
	}
	cluster_show_jobs(&cluster, true);
	struct buf page = page_of(&cluster);
	cluster_done(&cluster);
	return page;
}

/* A name may be that of the row of all who have none, or be longer than a label. Nothing else on the page differs then. */
static void test_names_of_others(void)
{
	char long_name[402], label[LABEL_MAX + 1];
	snprintf(long_name, sizeof long_name, "z%0400d", 7);
	const char *const names[] = {"other", long_name};
	struct buf want = page_of_name("zz");
	CHECK(strstr(want.bytes, "slurm_partition_stranded_cpus{partition=\"zz\"} 4\n"));
	CHECK(strstr(want.bytes, "slurm_reservation_cpus_allocated{reservation=\"zz\"} 4\n"));
	CHECK(strstr(want.bytes, "slurm_qos_usage{qos=\"zz\",resource=\"jobs\"} 1\n"));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf page = page_of_name(names[i]), got = BUF_INIT;
		struct text as_label = label_of(text_of(names[i]), label);
		for (const char *at = page.bytes; *at;) {
			bool is_name = strncmp(at, as_label.bytes, as_label.len) == 0;
			buf_add(&got, is_name ? "zz" : at, is_name ? 2 : 1);
			at += is_name ? as_label.len : 1;
		}
		check_row(names[i]);
		CHECK_STRING(got.bytes, want.bytes);
		buf_done(&got);
		buf_done(&page);
	}
	buf_done(&want);
}

static void test_jobs_without_details(void)
{
	check_row("of jobs without details the cluster's states are shown, and nothing else");
	struct cluster cluster;
	cluster_init(&cluster);
	struct job job = job_of("a", "bio", JOB_RUNNING, 100);
	job.id = 1;
	job_table_put(cluster.job_table, &job, 1000);
	job_table_set_state(cluster.job_table, 2, JOB_RUNNING, 0, 1000);
	cluster_show_jobs(&cluster, true);
	for (int lack = 1; lack >= 0; lack--) {
		cluster.jobs_lack_details = lack;
		const struct page_sample rows[] = {
			{"slurm_cluster_jobs{state=\"running\"}", 2},
			{"slurm_cluster_job_cpus{state=\"running\"}", lack ? NAN : 100},
			{"slurm_user_jobs{user=\"a\",account=\"bio\",state=\"running\"}", lack ? NAN : 1},
		};
		page_check(&cluster, rows, sizeof rows / sizeof *rows);
	}
	cluster_done(&cluster);
}

int main(void)
{
	test_jobs_without_details();
	test_names_of_others();
	test_who_is_shown();
	test_totals();
	test_zero_and_unknown();
	test_partitions();
	test_filters();
	test_events();
	test_users_elsewhere();
	test_shares();
	test_one_source();
	test_reasons_and_gres();
	return check_done();
}
