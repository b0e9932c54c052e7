/* What groups that a site defines cost with many jobs: memory, the time to take the jobs' records, and to add up a page. The
 * same without groups, with three, and with one whose values users make as many and as hard to match as they can. All in one
 * run, as ratios to none.
 *
 *   bench_groups [--jobs N]
 *
 * Exits with 1 if a ratio is larger than `sites` allows. */
#include "base/memory.h"
#include "cluster/fold.h"
#include "config/config_groups.h"
#include "events/job_events.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JOBS = 100000, NOW = 1000000, TURNS = 3 };

enum figure { BYTES, PUT, FOLD, LOOK, FIGURES };
static const char *const figure_names[FIGURES] = {"bytes a job, rows and totals and runs", "ns to take a record",
						  "ns to add up a page, a job", "ns to look for events, a job"};

struct site {
	const char *name, *groups;
	bool is_hostile;
	double ratio_max[FIGURES]; /* to none */
};

static const struct site sites[] = {
	{"none", "[]", false, {1, 1, 1, 1}},
	{"three groups",
	 "[{name: a, by: [partition, {label: c, from: name, regex: '([a-z]+)-[0-9]+.*'}],"
	 "  metrics: [jobs, cpus, memory, gpus, ends, waits, runtimes, use]},"
	 " {name: b, by: [account, qos, feature], metrics: [jobs, ends, use]},"
	 " {name: c, by: [license, user], metrics: [jobs, ends]}]",
	 false,
	 {1.5, 6, 5, 4}},
	{"hostile names",
	 "[{name: a, by: [name, {label: c, from: comment, regex: '((a*)*b*)*c?(.*)(.*)'}],"
	 "  metrics: [jobs, cpus, memory, gpus, ends, waits, runtimes, use]}]",
	 true,
	 {6, 100, 6, 8}},
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct texts {
	char user[32], account[32], name[256], comment[257], tres[64];
};

/* 2,000 users in 200 accounts, 40 campaigns. Hostile: a name of 200 characters for each job, a comment that takes a
 * matcher long. */
static struct job job_of(uint64_t id, bool is_hostile, struct texts *texts)
{
	static const char *const partitions[] = {"cpu", "gpu", "cpu,gpu", "debug"}, *const features[] = {"", "fast",
													 "fast&nvme"};
	snprintf(texts->user, sizeof texts->user, "user%04u", (unsigned)(id * 7919 % 2000));
	snprintf(texts->account, sizeof texts->account, "account%03u", (unsigned)(id * 7919 % 200));
	snprintf(texts->tres, sizeof texts->tres, "cpu=%u,mem=4G,node=1,billing=4", (unsigned)(id % 32 + 1));
	snprintf(texts->name, sizeof texts->name, is_hostile ? "%0200u" : "c%c%c-%u",
		 (unsigned)(is_hostile ? id : 'a' + id % 8), (int)('a' + id % 5), (unsigned)id);
	memset(texts->comment, 'a', 256);
	texts->comment[is_hostile ? 256 : 0] = '\0';
	bool runs = id % 4 == 0;
	return (struct job){.id = id,
			    .array_task_id = NUMBER_UNSET,
			    .state = runs ? JOB_RUNNING : JOB_PENDING,
			    .user = text_of(texts->user),
			    .account = text_of(texts->account),
			    .partitions = text_of(runs ? "cpu" : partitions[id % 4]),
			    .qos = TEXT("normal"),
			    .submit_time = NOW - 1000,
			    .eligible_time = NOW - 1000,
			    .start_time = runs ? NOW - 100 : 0,
			    .time_limit = 3600,
			    .cpus = 1,
			    .nodes = 1,
			    .memory_per_node = 4096,
			    .memory_per_cpu = NUMBER_UNSET,
			    .tres_requested = text_of(texts->tres),
			    .tres_allocated = text_of(runs ? texts->tres : ""),
			    .node_list = text_of(runs ? "cn01" : ""),
			    .reason = TEXT("Priority"),
			    .name = text_of(texts->name),
			    .features = text_of(features[id % 3]),
			    .licenses = text_of(id % 16 ? "" : "matlab:1,ansys:2"),
			    .comment = text_of(texts->comment)};
}

static void define(struct cluster *cluster, const char *yaml)
{
	struct error err = {""};
	struct document *document = document_parse("groups", text_of(yaml), &err);
	if (!document || !config_groups_read(document, document_root(document), &cluster->groups, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(2);
	}
	cluster->caps.groups = cluster->groups.count ? &cluster->groups : NULL;
	document_free(document);
}

static double bytes_in_use(void)
{
	const struct mallinfo2 info = mallinfo2();
	return (double)(info.uordblks + info.hblkhd);
}

static void keep_best(double *best, double took)
{
	if (took < *best || *best == 0)
		*best = took;
}

static void measure(const struct site *site, uint64_t jobs, double figures[FIGURES])
{
	struct texts texts;
	struct cluster cluster;
	cluster_init(&cluster);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		cluster.caps.kinds[kind].max = 500;
	define(&cluster, site->groups);
	double before = bytes_in_use(), begin = now_ns(), making;
	for (uint64_t id = 1; id <= jobs; id++)
		job_of(id, site->is_hostile, &texts);
	making = now_ns() - begin;
	begin = now_ns();
	for (uint64_t id = 1; id <= jobs; id++) {
		const struct job job = job_of(id, site->is_hostile, &texts);
		job_table_put(cluster.job_table, &job, NOW);
	}
	keep_best(&figures[PUT], (now_ns() - begin - making) / (double)jobs);
	cluster_show_jobs(&cluster, true);
	begin = now_ns();
	cluster_fold(&cluster);
	keep_best(&figures[FOLD], (now_ns() - begin) / (double)jobs);
	struct job_events *events = job_events_new(&cluster.caps, &cluster.vocabulary, NOW - 2000);
	begin = now_ns();
	job_events_look(events, cluster.job_table, NOW);
	keep_best(&figures[LOOK], (now_ns() - begin) / (double)jobs);
	keep_best(&figures[BYTES], (bytes_in_use() - before) / (double)jobs);
	job_events_free(events);
	cluster_done(&cluster);
}

int main(int argc, char **argv)
{
	enum { SITES = sizeof sites / sizeof *sites };
	uint64_t jobs = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? strtoull(argv[2], NULL, 10) : JOBS;
	double figures[SITES][FIGURES] = {{0}};
	bool ok = true;
	for (int turn = 0; turn < TURNS; turn++)
		for (int i = 0; i < SITES; i++)
			measure(&sites[i], jobs, figures[i]);
	printf("%-38s", "groups, of jobs:");
	for (int i = 0; i < SITES; i++)
		printf(" %20s", sites[i].name);
	printf("\n");
	for (int figure = 0; figure < FIGURES; figure++) {
		printf("%-38s", figure_names[figure]);
		for (int i = 0; i < SITES; i++) {
			double ratio = figures[i][figure] / figures[0][figure];
			printf(" %11.0f (%6.2f)", figures[i][figure], ratio);
			ok = ok && ratio <= sites[i].ratio_max[figure];
		}
		printf("\n");
	}
	printf("%llu jobs; in brackets the ratio to none\n", (unsigned long long)jobs);
	return ok ? 0 : 1;
}
