/* What the page says of events, outages and endpoints that not every site has. */
#include "page.h"

enum { BIRTH = 10000 };

static const char alice[] = "slurm_user_ended_job_energy_joules_total{user=\"alice\",account=\"physics\"}";
static const char physics[] = "slurm_account_ended_job_energy_joules_total{account=\"physics\"}";
static const char cpu[] = "slurm_partition_ended_job_energy_joules_total{partition=\"cpu\"}";
static const char gpu[] = "slurm_partition_ended_job_energy_joules_total{partition=\"gpu\"}";
static const char cluster_has[] = "slurm_cluster_ended_job_energy_joules_total";

static void end_job(struct job_events *events, uint32_t id, double energy)
{
	const struct run_key key = {id, RUN_NO_TASK, BIRTH + 1};
	const struct job_end end = {.raw_id = id,
				    .key = key,
				    .tasks = 1,
				    .owner = {TEXT("physics"), TEXT("alice"), TEXT("cpu"), TEXT("normal")},
				    .state = TEXT("completed"),
				    .eligible_time = BIRTH + 1,
				    .start_time = BIRTH + 10,
				    .end_time = BIRTH + 20,
				    .run_seconds = 10,
				    .cpus = 2,
				    .nodes = 1};
	const struct job_steps steps = {.raw_id = id, .key = key, .used_cpu_seconds = 1, .energy = energy};
	job_events_take_end(events, &end);
	job_events_take_steps(events, &steps);
}

static void check_page(struct cluster *cluster, const struct job_events *events, const char *what,
		       const struct page_sample *samples, size_t count)
{
	struct buf page = page_with(cluster, events);
	check_row(what);
	for (size_t i = 0; i < count; i++) {
		double value = page_value(&page, samples[i].series);
		CHECK(isnan(samples[i].want) ? isnan(value) : value == samples[i].want);
	}
	buf_done(&page);
}
#define CHECK_PAGE(cluster, what, ...)                                                                                 \
	check_page(cluster, events, what, (const struct page_sample[]){__VA_ARGS__},                                   \
		   sizeof((const struct page_sample[]){__VA_ARGS__}) / sizeof(struct page_sample))

static const char began[] = "slurm_node_outage_start_timestamp_seconds{node=\"n1\",kind=\"down\",cause=\"power\"}";
#define LOST(of, what) "slurm_" of "_node_outage_" what "seconds_total{"

static void test_outages(struct cluster *cluster, struct job_events *events)
{
	static const char seconds[] = LOST("cluster", "") "kind=\"down\",cause=\"power\"}";
	static const char cpu_seconds[] = LOST("cluster", "cpu_") "kind=\"down\",cause=\"power\"}";
	static const char gpu_seconds[] = LOST("cluster", "gpu_") "kind=\"down\",cause=\"power\"}";
	static const char of_gpu[] = LOST("partition", "gpu_") "partition=\"gpu\",kind=\"down\",cause=\"power\"}";
	static const char of_cpu[] = LOST("partition", "gpu_") "partition=\"cpu\",kind=\"down\",cause=\"power\"}";
	const struct text down = TEXT("down\x1fpower");
	struct outages *outages = &events->outages;
	page_feed(cluster, ENDPOINT_NODES,
		  "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"DOWN\"],\"partitions\":[\"cpu\",\"gpu\"]}]}", BIRTH);
	outages_restore(outages, &(struct outage){.node = TEXT("n1"),
						  .began = BIRTH + 5,
						  .since = BIRTH + 70,
						  .kind = OUTAGE_DOWN,
						  .worst = OUTAGE_DOWN,
						  .cause = TEXT("power")});
	outages_restore_sum(outages, TEXT(""), TEXT("seconds"), down, 70);
	outages_restore_sum(outages, TEXT(""), TEXT("cpu_seconds"), down, 140);
	outages_restore_sum(outages, TEXT("cpu"), TEXT("seconds"), down, 70);
	CHECK_PAGE(cluster, "an outage began before it was of this kind", {began, BIRTH + 5});
	CHECK_PAGE(cluster, "nobody has looked at nodes yet", {seconds, NAN}, {cpu_seconds, NAN});
	outages->born = BIRTH;
	CHECK_PAGE(cluster, "where no node has GPUs none is lost", {seconds, 70}, {cpu_seconds, 140},
		   {gpu_seconds, NAN});
	outages_restore_sum(outages, TEXT(""), TEXT("gpu_seconds"), down, 280);
	outages_restore_sum(outages, TEXT("gpu"), TEXT("gpu_seconds"), down, 280);
	CHECK_PAGE(cluster, "nor in a partition without", {gpu_seconds, 280}, {of_gpu, 280}, {of_cpu, NAN});
	struct buf page = page_per_node(cluster, events, PER_NODE_OFF);
	check_row("who wants no rows of nodes has none of their outages");
	CHECK(isnan(page_value(&page, began)) && page_value(&page, seconds) == 70);
	buf_done(&page);
	section_drop(ENDPOINT_NODES, cluster);
	CHECK_PAGE(cluster, "while nodes are not known nobody knows whether it goes on", {began, NAN}, {seconds, 70});
}

static void test_endpoints(void)
{
#define UP(endpoint) "slurmscope_endpoint_up{endpoint=\"" endpoint "\"}"
#define SUPPORTED(endpoint) "slurmscope_endpoint_supported{endpoint=\"" endpoint "\"}"
	static const struct {
		const char *series;
		double want, want_cut_off;
	} rows[] = {
		{UP("well"), 1, 0},
		{UP("forbidden"), NAN, NAN}, /* what may be missing is not down */
		{SUPPORTED("forbidden"), 1, 1},
		{UP("missing"), NAN, NAN},
		{SUPPORTED("missing"), 0, 0},
		{UP("needed"), 0, 0},
		{"slurmscope_endpoint_last_success_timestamp_seconds{endpoint=\"before\"}", 5, 5},
		{"slurmscope_endpoint_interval_seconds{endpoint=\"before\"}", NAN, NAN}, /* not asked yet */
		{UP("before"), NAN, NAN},
	};
	struct exporter exporter = {
		.endpoint_count = 5,
		.endpoints = {{.name = "well", .is_tried = true, .is_supported = true, .is_up = true},
			      {.name = "forbidden",
			       .is_tried = true,
			       .is_supported = true,
			       .is_optional = true,
			       .is_forbidden = true},
			      {.name = "missing", .is_tried = true, .is_optional = true},
			      {.name = "needed", .is_tried = true, .is_supported = true, .is_forbidden = true},
			      {.name = "before", .is_supported = true, .last_success = 5, .interval = 15}}};
	struct cluster cluster;
	cluster_init(&cluster);
	const struct page_facts facts = {.cluster = &cluster, .exporter = &exporter};
	for (int cut_off = 0; cut_off < 2; cut_off++) {
		struct samples page = {.text = BUF_INIT};
		exporter.is_cut_off = cut_off;
		catalogue_render(&facts, &page);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			check_row(rows[i].series);
			CHECK_NUMBER(page_value(&page.text, rows[i].series),
				     cut_off ? rows[i].want_cut_off : rows[i].want);
		}
		samples_done(&page);
	}
	cluster_done(&cluster);
}

/* Each entity without a row counts as many samples as its row would begin with. */
static void test_folded(void)
{
	static const char submissions[] = "slurmscope_series_folded{family=\"slurm_user_job_submissions_total\"}";
	enum { USERS = 1000, ROWS = 10 };
	struct cluster cluster;
	cluster_init(&cluster);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		cluster.caps.kinds[kind].max = ROWS;
	struct job_events *events = job_events_new(&cluster.caps, &cluster.vocabulary, BIRTH);
	for (int i = 0; i < USERS; i++) {
		char name[16];
		snprintf(name, sizeof name, "u%d", i);
		tallies_of(&events->tallies, ENTITY_USER, text_of(name), TEXT("physics"));
		if (i == ROWS - 1)
			CHECK_PAGE(&cluster, "all have rows", {submissions, 0});
		if (i == ROWS)
			CHECK_PAGE(&cluster, "one has none", {submissions, 1});
	}
	CHECK_PAGE(&cluster, "most have none", {submissions, USERS - ROWS});
	job_events_free(events);
	cluster_done(&cluster);
}

int main(void)
{
	struct cluster cluster;
	cluster_init(&cluster);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		cluster.caps.kinds[kind].max = 100;
	struct job_events *events = job_events_new(&cluster.caps, &cluster.vocabulary, BIRTH);
	events->steps_max = 100;
	events->ends_by_slurmdbd = true;
	tallies_of(&events->tallies, ENTITY_PARTITION, TEXT("gpu"), TEXT(""));
	end_job(events, 1, 0);
	CHECK_PAGE(&cluster, "energy is absent where nobody measures it", {cpu, NAN}, {gpu, NAN}, {physics, NAN},
		   {alice, NAN});
	end_job(events, 2, 3.6e6);
	CHECK_PAGE(&cluster, "where somebody does, all rows have it, also those without any yet", {cpu, 3.6e6},
		   {gpu, 0}, {physics, 3.6e6}, {alice, 3.6e6}, {cluster_has, NAN});
	test_outages(&cluster, events);
	job_events_free(events);
	cluster_done(&cluster);
	test_endpoints();
	test_folded();
	return check_done();
}
