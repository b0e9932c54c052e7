/* What the page says of events that not every site has. */
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
#define CHECK_PAGE(what, ...)                                                                                          \
	check_page(&cluster, events, what, (const struct page_sample[]){__VA_ARGS__},                                  \
		   sizeof((const struct page_sample[]){__VA_ARGS__}) / sizeof(struct page_sample))

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
	CHECK_PAGE("energy is absent where nobody measures it", {cpu, NAN}, {gpu, NAN}, {physics, NAN}, {alice, NAN});
	end_job(events, 2, 3.6e6);
	CHECK_PAGE("where somebody does, all rows have it, also those without any yet", {cpu, 3.6e6}, {gpu, 0},
		   {physics, 3.6e6}, {alice, 3.6e6}, {cluster_has, NAN});
	page_feed(&cluster, ENDPOINT_NODES, "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"DOWN\"]}]}", BIRTH);
	outages_restore(&events->outages, &(struct outage){.node = TEXT("n1"),
							   .began = BIRTH + 5,
							   .since = BIRTH + 70,
							   .kind = OUTAGE_DOWN,
							   .worst = OUTAGE_DOWN,
							   .cause = TEXT("power")});
	CHECK_PAGE("an outage began before it was of this kind",
		   {"slurm_node_outage_start_timestamp_seconds{node=\"n1\",kind=\"down\",cause=\"power\"}", BIRTH + 5});
	section_drop(ENDPOINT_NODES, &cluster);
	CHECK_PAGE("while nodes are not known nobody knows whether it goes on",
		   {"slurm_node_outage_start_timestamp_seconds{node=\"n1\",kind=\"down\",cause=\"power\"}", NAN});
	job_events_free(events);
	cluster_done(&cluster);
	return check_done();
}
