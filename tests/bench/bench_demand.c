/* What a page costs more because it says what startable jobs ask for, and what is idle where none of them fits. In one run,
 * for usual jobs and for hard ones. Those have many needs, hardly any of which is within another, and name four partitions.
 *
 *   bench_demand [--jobs N]    with a tenth as many nodes; 100,000 jobs
 *
 * Exits with 1 if the page takes more than `ratio_max` times as long. It also does so if a job costs more than three times what
 * it costs among a tenth of the jobs. */
#include "base/memory.h"
#include "cluster/fold.h"
#include "metrics/catalogue.h"
#include "poll/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JOBS = 100000, TURNS = 5, PARTITIONS = 24, MOST = 4000 };
static const double growth_max = 3;

struct site {
	const char *name;
	bool is_hard;
	double ratio_max;
};
static const struct site sites[] = {{"usual jobs", false, 2}, {"hard jobs", true, 3}};

struct took {
	double page_ns, demand_ns;
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void add_nodes(struct cluster *cluster, uint64_t nodes)
{
	struct section_build build = {.cluster = cluster};
	build.built = section_start(ENDPOINT_NODES, cluster, 0);
	for (uint64_t i = 0; i < nodes; i++) {
		char name[32], partitions[64];
		snprintf(name, sizeof name, "node%06u", (unsigned)i);
		snprintf(partitions, sizeof partitions, "p%u,p%u", (unsigned)(i % PARTITIONS),
			 (unsigned)((i + 1) % PARTITIONS));
		const struct node node = {.name = text_of(name),
					  .state = NODE_MIXED,
					  .partitions = text_of(partitions),
					  .cpus = 128,
					  .allocated_cpus = i * 7 % 128,
					  .memory = UINT64_C(512) << 30,
					  .allocated_memory = (i * 13 % 512) << 30,
					  .gres = i % 3 ? TEXT("") : TEXT("gpu:a100:4,gpu:h100:4"),
					  .gres_used = i % 3 ? TEXT("") : TEXT("gpu:a100:3,gpu:h100:4")};
		section_take(ENDPOINT_NODES)(&build, &node);
	}
	section_commit(ENDPOINT_NODES, cluster, build.built);
}

/* Hard ones: the more CPUs the less memory, so that hardly any need is within another. Nodes have neither. */
static void add_job(struct section_build *build, uint64_t id, bool is_hard)
{
	char user[32], partitions[64], tres[96];
	uint64_t random = id * 0x9e3779b97f4a7c15u >> 20, cpus = is_hard ? 200 + random % MOST : 1 + random % 64;
	snprintf(user, sizeof user, "user%04u", (unsigned)(random % 2000));
	snprintf(partitions, sizeof partitions, is_hard ? "p%u,p%u,p%u,p%u" : "p%u", (unsigned)(random % PARTITIONS),
		 (unsigned)((random + 5) % PARTITIONS), (unsigned)((random + 7) % PARTITIONS),
		 (unsigned)((random + 11) % PARTITIONS));
	snprintf(tres, sizeof tres, "cpu=%u,mem=4G,node=1%s", (unsigned)cpus,
		 random % 5 ? "" : ",gres/gpu=2,gres/gpu:a100=2");
	const struct job job = {.id = id,
				.array_task_id = NUMBER_UNSET,
				.state = JOB_PENDING,
				.reason = TEXT("Priority"),
				.user = text_of(user),
				.account = TEXT("account"),
				.partitions = text_of(partitions),
				.qos = TEXT("normal"),
				.submit_time = 1000 + id,
				.nodes_max = 1,
				.memory_per_node = is_hard ? (2 * MOST - cpus) << 30 : (1 + random % 8) << 30,
				.memory_per_cpu = NUMBER_UNSET,
				.tres_requested = text_of(tres)};
	section_take(ENDPOINT_JOBS)(build, &job);
}

static void add_jobs(struct cluster *cluster, uint64_t jobs, bool is_hard)
{
	struct section_build build = {.cluster = cluster};
	build.built = section_start(ENDPOINT_JOBS, cluster, 0);
	for (uint64_t id = 1; id <= jobs; id++)
		add_job(&build, id, is_hard);
	section_commit(ENDPOINT_JOBS, cluster, build.built);
}

static void keep_best(double *best, double took)
{
	if (took < *best || *best == 0)
		*best = took;
}

static double time_page(struct cluster *cluster)
{
	static const struct exporter exporter;
	const struct page_facts facts = {.cluster = cluster, .exporter = &exporter};
	struct samples page = {.text = BUF_INIT};
	double begin = now_ns();
	cluster_fold(cluster);
	catalogue_render(&facts, &page);
	double took = now_ns() - begin;
	samples_done(&page);
	return took;
}

static double time_demand(const struct cluster *cluster)
{
	double begin = now_ns();
	struct demands *demands = demands_new(cluster->job_table, &cluster->rosters[ENTITY_PARTITION]);
	demands_compare(demands, cluster->nodes);
	demands_free(demands);
	return now_ns() - begin;
}

static struct took measure(const struct site *site, uint64_t jobs)
{
	struct cluster cluster;
	struct took best = {0, 0};
	cluster_init(&cluster);
	add_nodes(&cluster, jobs / 10);
	add_jobs(&cluster, jobs, site->is_hard);
	for (int turn = 0; turn < TURNS; turn++) {
		keep_best(&best.page_ns, time_page(&cluster));
		keep_best(&best.demand_ns, time_demand(&cluster));
	}
	cluster_done(&cluster);
	return best;
}

int main(int argc, char **argv)
{
	uint64_t jobs = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? strtoull(argv[2], NULL, 10) : JOBS;
	bool ok = true;
	for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
		const struct took small = measure(&sites[i], jobs / 10), large = measure(&sites[i], jobs);
		double before = large.page_ns - large.demand_ns, ratio = large.page_ns / before;
		double growth = large.demand_ns / small.demand_ns / 10;
		printf("%s: the page of %llu jobs takes %.1f ms, %.1f without; ratio %.2f (must be at most %.1f)\n",
		       sites[i].name, (unsigned long long)jobs, large.page_ns / 1e6, before / 1e6, ratio,
		       sites[i].ratio_max);
		printf("%s: %.0f ns a job, %.2f times those of a tenth of the jobs (must be at most %.0f)\n",
		       sites[i].name, large.demand_ns / (double)jobs, growth, growth_max);
		ok = ok && ratio <= sites[i].ratio_max && growth <= growth_max;
	}
	return ok ? 0 : 1;
}
