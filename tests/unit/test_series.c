/* How large the default page becomes: 10,000 nodes, 100,000 jobs, 5,000 users. */
#include "page.h"

#include "config/config.h"
#include "model/association.h"
#include "model/fairshare.h"

enum {
	NODES = 10000,
	JOBS = 100000,
	USERS = 5000,
	ACCOUNTS = 2000,
	PARTITIONS = 50,
	QOSES = 30,
	REASONS = 40,
	SERIES_MAX = 117200,
	SERIES_MAX_USERS = 126200, /* with jobs.histograms: users */
};

static const char *const gpu_types[] = {"a100", "h100", "h200", "l40s", "v100", "mi300"};
static const char *const gpus[] = {"gpu:a100:4", "gpu:h100:8", "gpu:h200:8", "gpu:l40s:2", "gpu:v100:4", "gpu:mi300:8"};

/* Slurm has reasons by the dozen; the first of these are in each class. */
static const char *const reasons[] = {"Priority",	"Resources",	    "Dependency", "JobHeldUser",
				      "QOSGrpCpuLimit", "AssocGrpCpuLimit", "BeginTime"};

/* The same numbers in each run. */
static unsigned draw(unsigned below)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

static struct text name_of(char *to, const char *prefix, unsigned number)
{
	sprintf(to, "%s%04u", prefix, number);
	return text_of(to);
}

static void add_nodes(struct cluster *cluster)
{
	struct section_build build = {.cluster = cluster};
	build.built = section_start(ENDPOINT_NODES, cluster, 0);
	for (unsigned i = 0; i < NODES; i++) {
		char name[32], partitions[64];
		sprintf(partitions, "part%04u,part%04u", i % PARTITIONS, (i + 1) % PARTITIONS);
		struct node node = {.name = name_of(name, "node", i),
				    .state = (int)draw(NODE_STATES),
				    .partitions = text_of(partitions),
				    .cpus = 128,
				    .memory = 1,
				    .gres = text_of(gpus[draw(6)]),
				    .version = TEXT("26.05.5"),
				    .reason_time = NUMBER_UNSET};
		if (draw(20) == 0) {
			node.flags |= UINT64_C(1) << draw((unsigned)cluster->vocabulary.node_flags.known);
			node.reason = TEXT("broken");
			node.reason_time = 1000;
		}
		section_take(ENDPOINT_NODES)(&build, &node);
	}
	section_commit(ENDPOINT_NODES, cluster, build.built);
}

static void add_partitions(struct cluster *cluster)
{
	struct partitions_section *section = partitions_section_new();
	for (unsigned i = 0; i < PARTITIONS; i++) {
		char name[32];
		const struct partition partition = {.name = name_of(name, "part", i),
						    .has_flags = true,
						    .max_time = 1,
						    .default_time = 1,
						    .max_nodes = 1,
						    .priority_tier = 1,
						    .priority_job_factor = 1};
		partitions_section_add(section, &partition);
	}
	section_commit(ENDPOINT_PARTITIONS, cluster, section);
}

static void add_job(struct section_build *build, unsigned number)
{
	char user[32], account[32], partition[32], qos[32], reason[32], tres[64];
	static const int states[] = {JOB_PENDING, JOB_PENDING, JOB_RUNNING, JOB_RUNNING, JOB_COMPLETED};
	unsigned which = number < USERS ? number : draw(USERS), why = draw(REASONS);
	sprintf(tres, "cpu=4,mem=1G,node=1,gres/gpu=1,gres/gpu:%s=1", gpu_types[draw(6)]);
	struct job job = {.id = number,
			  .state = states[draw(5)],
			  .user = name_of(user, "user", which),
			  .account = name_of(account, "account", which % ACCOUNTS),
			  .partitions = name_of(partition, "part", draw(PARTITIONS)),
			  .qos = name_of(qos, "qos", draw(QOSES)),
			  .submit_time = 1000 + number,
			  .start_time = 200000,
			  .tres_requested = text_of(tres),
			  .tres_allocated = text_of(tres)};
	job.reason = why < 7 ? text_of(reasons[why]) : name_of(reason, "Reason", why);
	if (draw(20) == 0)
		job.flags = UINT64_C(1) << draw(4);
	section_take(ENDPOINT_JOBS)(build, &job);
}

static void add_jobs(struct cluster *cluster)
{
	struct section_build build = {.cluster = cluster};
	build.built = section_start(ENDPOINT_JOBS, cluster, 0);
	for (unsigned i = 0; i < JOBS; i++)
		add_job(&build, i);
	section_commit(ENDPOINT_JOBS, cluster, build.built);
}

static void add_share(struct section_build *build, struct text name, struct text parent, bool is_user)
{
	const struct fairshare share = {
		.name = name, .parent = parent, .is_user = is_user, .shares = 1, .usage = draw(1000)};
	section_take(ENDPOINT_SHARES)(build, &share);
}

static void add_shares(struct cluster *cluster)
{
	struct section_build build = {.cluster = cluster};
	char user[32], account[32];
	build.built = section_start(ENDPOINT_SHARES, cluster, 0);
	for (unsigned i = 0; i < ACCOUNTS; i++)
		add_share(&build, name_of(account, "account", i), TEXT("root"), false);
	for (unsigned i = 0; i < USERS; i++)
		add_share(&build, name_of(user, "user", i), name_of(account, "account", i % ACCOUNTS), true);
	section_commit(ENDPOINT_SHARES, cluster, build.built);
}

/* A few limits for each: GrpTRES with CPUs and GPUs, MaxJobs, MaxSubmit, MaxWall. */
static void add_associations(struct cluster *cluster)
{
	static const struct tres_count tres[] = {{TEXT("cpu"), TEXT(""), 100}, {TEXT("gres"), TEXT("gpu"), 8}};
	struct section_build build = {.cluster = cluster};
	char user[32], account[32];
	build.built = section_start(ENDPOINT_ASSOCIATIONS, cluster, 0);
	for (unsigned i = 0; i < ACCOUNTS + USERS; i++) {
		struct association association = {.account = name_of(account, "account", i % ACCOUNTS)};
		if (i < ACCOUNTS)
			association.parent = TEXT("root");
		else
			association.user = name_of(user, "user", i - ACCOUNTS);
		for (int number = 0; number < LIMIT_NUMBERS; number++)
			association.limits.numbers[number] = NUMBER_UNSET;
		association.limits.numbers[LIMIT_USER_JOBS] = 100;
		association.limits.numbers[LIMIT_USER_SUBMITTED] = 1000;
		association.limits.numbers[LIMIT_JOB_WALL] = 3600;
		association.limits.tres[LIMIT_GROUP_TRES] = (struct list){tres, 2};
		section_take(ENDPOINT_ASSOCIATIONS)(&build, &association);
	}
	section_commit(ENDPOINT_ASSOCIATIONS, cluster, build.built);
}

/* On each node jobs failed, and nodes failed under them. */
static void fail_jobs(struct job_events *events)
{
	for (unsigned i = 0; i < 2 * NODES; i++) {
		char node[32];
		const struct job_end end = {
			.raw_id = JOBS + i,
			.key = {JOBS + i, RUN_NO_TASK, 1000},
			.tasks = 1,
			.owner = {TEXT("account0000"), TEXT("user0000"), TEXT("part0000"), TEXT("qos0000")},
			.state = text_of(i % 2 ? "failed" : "node_fail"),
			.eligible_time = 1000,
			.start_time = 1001,
			.time_limit = 3600,
			.tres = TEXT("cpu=4,mem=1G,node=1,gres/gpu=1,gres/gpu:a100=1"),
			.end_time = 300000 + i,
			.nodes = 1,
			.node_list = name_of(node, "node", i / 2)};
		job_events_take_end(events, &end);
	}
}

static unsigned count_samples(const struct buf *page)
{
	unsigned samples = 0;
	for (const char *line = page->bytes; *line; line = strchr(line, '\n') + 1)
		samples += *line != '#';
	return samples;
}

/* Prints the largest families, and adds up all. */
static double sum_of(const struct buf *page, const char *family)
{
	double sum = 0;
	const char *at = page->bytes;
	while ((at = strstr(at, family))) {
		const char *end = strchr(++at, '\n');
		double samples = strtod(strchr(at, ' '), NULL);
		if (samples >= 2000)
			printf("%.*s\n", (int)(end - at), at);
		sum += samples;
	}
	return sum;
}

/* Where anybody measures it each row has it. */
static void measure(struct job_events *events)
{
	struct tally *cluster = tallies_of(&events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	for (enum tally_what what = TALLY_ENERGY_JOULES; what <= TALLY_PEAK_GPU_MEMORY_BYTE_SECONDS; what++)
		tally_add(cluster, what, TEXT(""), 1);
}

/* Nodes of each partition are out in each way; their causes are Slurm's own and a site's, but a partition has not all. */
static void count_outages(struct job_events *events, const struct cluster *cluster)
{
	struct node_causes causes = {.count = 0};
	struct error err;
	CHECK(node_causes_add(&causes, "hardware=broken", &err));
	for (int64_t look = 0; look < 2; look++)
		outages_look(&events->outages, &cluster->nodes->table, &causes, 300000 + look);
	node_causes_done(&causes);
}

/* Histograms of users, too. */
static void check_users(const struct cluster *cluster, const struct job_events *events, unsigned without)
{
	static const struct exporter exporter;
	const struct page_facts facts = {.cluster = cluster,
					 .exporter = &exporter,
					 .events = events,
					 .owner_histograms = OWNER_HISTOGRAMS_USERS};
	struct samples page = {.text = BUF_INIT};
	check_row("histograms of users");
	catalogue_render(&facts, &page);
	unsigned samples = count_samples(&page.text);
	CHECK(samples > without + 9000 && samples < SERIES_MAX_USERS);
	printf("%u series with histograms of users\n", samples);
	samples_done(&page);
}

int main(void)
{
	struct config config;
	struct cluster cluster;
	struct error err = {""};
	check_row("the default page");
	cluster_init(&cluster);
	config_defaults(&config);
	CHECK(config_caps(&config, &cluster.caps, &err));
	const struct job_rows_max rows = {
		{[STAGE_PENDING] = config.job_pending_rows, [STAGE_HOLDING] = config.job_rows}, config.job_node_rows};
	cluster_set_job_rows(&cluster, &rows);
	add_partitions(&cluster);
	add_nodes(&cluster);
	add_nodes(&cluster); /* again, with other states: what happens to nodes is counted too */
	add_jobs(&cluster);
	add_shares(&cluster);
	add_associations(&cluster);
	cluster_fold(&cluster);
	struct job_events *events = job_events_new(&cluster.caps, &cluster.vocabulary, 0);
	tallies_show(&events->tallies, cluster.rosters);
	job_events_look(events, cluster.job_table, 300000);
	recent_ends_limit(&events->recent, config.job_ended_rows, (int64_t)config.job_ended_minutes * 60);
	fail_jobs(events);
	recent_ends_settle(&events->recent, 300000 + 2 * NODES);
	measure(events);
	count_outages(events, &cluster);
	struct buf page = page_with(&cluster, events);
	unsigned samples = count_samples(&page);
	CHECK(samples < SERIES_MAX);
	CHECK(samples > 10000); /* or the cluster is not what it should be */
	CHECK_NUMBER(cluster.jobs->entities[ENTITY_USER].count, USERS);
	CHECK_NUMBER(page_value(&page, "slurm_cluster_nodes{state=\"idle\"}") > 0, true);
	double series = sum_of(&page, "\nslurmscope_series{family=");
	double folded = sum_of(&page, "\nslurmscope_series_folded{family=");
	CHECK(series <= samples && series > samples - 220); /* but for this very family */
	CHECK(samples + folded > 2 * SERIES_MAX); /* it is the limits that hold */
	printf("%u series, %.0f folded\n", samples, folded);
	check_users(&cluster, events, samples);
	buf_done(&page);
	job_events_free(events);
	cluster_done(&cluster);
	return check_done();
}
