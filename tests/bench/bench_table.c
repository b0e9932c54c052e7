/* Measures what a job costs in the job table: bytes, and the time to add it and to change its state. It also measures
 * the time to read it in a whole list that has not changed, and to settle and charge a page. It does so at two sizes,
 * because no cost may grow with the size.
 *
 *   bench_table [--jobs N]    the larger size; the smaller is a tenth
 *
 * Exits with 1 if a job takes more than 160 bytes in the larger table. It also does so if any cost is more than three
 * times that in the smaller one. */
#include "jobs/job_batch.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 1000000, BYTES_MAX = 160, CHANGES = 100000, TURNS = 3 };
static const double ratio_max = 3;

/* In the order of printing; all but the first two in nanoseconds a job. */
enum figure { BYTES, RESIDENT, PUT, LISTED, STATE, STATE_AND_SETTLE, CHARGE, FIGURES };
static const char *const figure_names[FIGURES] = {
	"bytes in use, by the table's account",
	"resident memory, totals included",
	"put, a new job",
	"put in a list, unchanged",
	"another state",
	"settle, when the oldest have started",
	"charge limits",
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % limit;
}

struct texts {
	char user[32], account[32], partition[32], tres[96], nodes[32];
};

/* A site of 2,000 users in 200 accounts, 12 partitions and 4 QOS, of which most users use one. Three in four
 * jobs wait. Requests are of many sizes. A running job has a list of nodes of its own. The same job for the same ID. */
static struct job job_of(uint64_t id, struct texts *texts)
{
	static const char *const qos[] = {"normal", "normal", "high", "low"}, *const reasons[] = {
										      "Priority",
										      "Priority",
										      "Resources",
										      "Dependency",
										      "QOSMaxCpuPerUserLimit",
										      "JobHeldUser"};
	uint64_t random = id * 0x9e3779b97f4a7c15u, user = random_below(&random, 2000);
	bool runs = random_below(&random, 4) == 0;
	uint64_t cpus = 1 + random_below(&random, 64), nodes = 1 + random_below(&random, 4);
	snprintf(texts->user, sizeof texts->user, "user%04d", (int)user);
	snprintf(texts->account, sizeof texts->account, "account%03d", (int)(user % 200));
	uint64_t way = random_below(&random, 10) ? 0 : random_below(&random, 4);
	snprintf(texts->partition, sizeof texts->partition, "partition%d", (int)((user + way) % 12));
	snprintf(texts->tres, sizeof texts->tres, "cpu=%d,mem=%dM,node=%d,billing=%d%s", (int)cpus,
		 (int)(cpus * 1000 * (1 + random_below(&random, 8))), (int)nodes, (int)cpus,
		 random_below(&random, 5) ? "" : ",gres/gpu=2,gres/gpu:a100=2");
	snprintf(texts->nodes, sizeof texts->nodes, "node[%05d-%05d]", (int)(id % 90000),
		 (int)(id % 90000 + nodes - 1));
	struct job job = {.id = id,
			  .array_task_id = NUMBER_UNSET,
			  .user = text_of(texts->user),
			  .account = text_of(texts->account),
			  .partitions = text_of(texts->partition),
			  .qos = text_of(qos[(user + way) % 4]),
			  .state = runs ? JOB_RUNNING : JOB_PENDING,
			  .reason = text_of(runs ? "None" : reasons[random_below(&random, 6)]),
			  .submit_time = 1800000000 - random_below(&random, 500000),
			  .start_time = 1800000000,
			  .time_limit = 86400,
			  .cpus = cpus,
			  .nodes = nodes,
			  .memory_per_node = NUMBER_UNSET,
			  .memory_per_cpu = UINT64_C(1) << 30,
			  .tres_requested = text_of(texts->tres)};
	if (runs) {
		job.tres_allocated = text_of(texts->tres);
		job.node_list = text_of(texts->nodes);
	}
	return job;
}

static double time_puts(struct job_table *table, uint64_t jobs)
{
	struct texts texts;
	double begin = now_ns();
	for (uint64_t id = 1; id <= jobs; id++) {
		const struct job job = job_of(id, &texts);
		job_table_put(table, &job, 1800000100);
	}
	return now_ns() - begin;
}

static double time_making(uint64_t jobs)
{
	struct texts texts;
	uint64_t sum = 0;
	double begin = now_ns();
	for (uint64_t id = 1; id <= jobs; id++)
		sum += job_of(id, &texts).cpus;
	return sum ? now_ns() - begin : 0;
}

static double time_list(struct job_table *table, uint64_t jobs)
{
	struct texts texts;
	double begin = now_ns();
	struct job_batch *batch = job_batch_begin(table, 1800000200);
	for (uint64_t id = 1; id <= jobs; id++) {
		const struct job job = job_of(id, &texts);
		job_batch_put(batch, &job);
	}
	job_batch_commit(batch);
	return now_ns() - begin;
}

static double time_states(struct job_table *table, uint64_t jobs)
{
	static const int states[] = {JOB_PENDING, JOB_RUNNING, JOB_COMPLETED};
	uint64_t random = 1;
	double begin = now_ns();
	for (int i = 0; i < CHANGES; i++)
		job_table_set_state(table, 1 + random_below(&random, jobs), states[random_below(&random, 3)], 0,
				    1800000300);
	return now_ns() - begin;
}

/* After the oldest of each user have gone, say. */
static double time_settle(struct job_table *table)
{
	job_totals_cluster(table->totals)->lacks_extremes = true;
	double begin = now_ns();
	job_table_settle(table, NULL);
	return now_ns() - begin;
}

static double time_charge(const struct job_table *table)
{
	struct arena arena = ARENA_INIT;
	struct charges charges;
	double begin = now_ns();
	charges_init(&charges, &arena);
	job_table_charge(table, &charges);
	charges_done(&charges);
	arena_done(&arena);
	return now_ns() - begin;
}

static double resident_bytes(void)
{
	long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");
	if (!statm || fscanf(statm, "%*d %ld", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void keep_best(double *best, double took, uint64_t jobs)
{
	if (took / (double)jobs < *best || *best == 0)
		*best = took / (double)jobs;
}

static void measure(uint64_t jobs, double figures[FIGURES])
{
	for (int turn = 0; turn < TURNS; turn++) {
		malloc_trim(0);
		double making = time_making(jobs), resident = resident_bytes();
		struct job_table *table = job_table_new();
		keep_best(&figures[PUT], time_puts(table, jobs) - making, jobs);
		figures[BYTES] = (double)job_table_bytes(table) / (double)jobs;
		figures[RESIDENT] = (resident_bytes() - resident) / (double)jobs;
		keep_best(&figures[LISTED], time_list(table, jobs) - making, jobs);
		keep_best(&figures[CHARGE], time_charge(table), jobs);
		keep_best(&figures[STATE], time_states(table, jobs), CHANGES);
		keep_best(&figures[STATE_AND_SETTLE], time_settle(table), jobs);
		job_table_free(table);
	}
}

int main(int argc, char **argv)
{
	uint64_t jobs = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? strtoull(argv[2], NULL, 10) : JOBS;
	double small[FIGURES] = {0}, large[FIGURES] = {0};
	bool ok = true;
	measure(jobs / 10, small);
	measure(jobs, large);
	printf("%-38s %10llu %10llu jobs\n", "a job", (unsigned long long)(jobs / 10), (unsigned long long)jobs);
	for (int i = 0; i < FIGURES; i++) {
		double ratio = large[i] / small[i];
		printf("%-38s %10.0f %10.0f %s, ratio %.2f\n", figure_names[i], small[i], large[i],
		       i <= RESIDENT ? "bytes" : "ns", ratio);
		ok = ok && ratio <= ratio_max;
	}
	printf("of these bytes the row has %zu (must be %d at most in all), ratios %.0f at most\n",
	       sizeof(struct job_row), BYTES_MAX, ratio_max);
	return ok && large[BYTES] <= BYTES_MAX ? 0 : 1;
}
