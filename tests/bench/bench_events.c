/* What the events of jobs cost. A look at the job table is timed when nothing is new, when a tenth of the jobs run, and
 * when all details are new. A write is timed of what changed of 10,000 runs.
 *
 *   bench_events [--jobs N]    the larger size; the smaller is a tenth
 *
 * Exits with 1 when a look at which nothing is new takes more than 40 ns a job. It also does so when any figure is more
 * than three times that of the smaller size. */
#include "events/events_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JOBS = 1000000, NOTHING_NEW_MAX_NS = 40, TURNS = 3, NOW = 1800000000, WRITTEN = 10000 };
static const double ratio_max = 3;

/* In the order of printing. */
enum figure { ROWS, FIRST, NOTHING_NEW, TENTH_RUNS, ALL_NEW, WRITE, FIGURES };
static const char *const figure_names[FIGURES] = {
	"all rows, nothing is new, no runs", "first look, all pending",	  "look, nothing is new, all pending",
	"look, nothing is new, a tenth run", "look, all details are new", "write, 10,000 runs changed (ns a run)",
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_look(struct job_events *events, struct job_table *table, int64_t now)
{
	job_table_note_now(table, now);
	double begin = now_ns();
	job_events_look(events, table, now);
	return now_ns() - begin;
}

/* Of job_events that have looked already and know of no run. */
static double time_rows(struct job_table *table, const struct caps *caps, const struct vocabulary *vocabulary)
{
	struct job_events *events = job_events_new(caps, vocabulary, NOW);
	events->ends_by_slurmdbd = true;
	events->looked_at = NOW + 1;
	double took = time_look(events, table, NOW + 1);
	job_events_free(events);
	return took;
}

/* A site of 2,000 users in 200 accounts, 12 partitions and 4 QOS. */
static void put(struct job_table *table, uint64_t id, int state, int64_t now)
{
	static const char *const qos[] = {"normal", "high", "low", "test"};
	char user[16], account[16], partition[16], tres[64];
	uint64_t mixed = id * 0x9e3779b97f4a7c15u >> 32;
	snprintf(user, sizeof user, "user%04d", (int)(mixed % 2000));
	snprintf(account, sizeof account, "account%03d", (int)(mixed % 200));
	snprintf(partition, sizeof partition, "partition%d", (int)(mixed % 12));
	snprintf(tres, sizeof tres, "cpu=%d,mem=%dM,node=1%s", (int)(1 + mixed % 64), (int)(1000 * (1 + mixed % 64)),
		 mixed % 5 ? "" : ",gres/gpu=2,gres/gpu:a100=2");
	const struct job job = {.id = id,
				.array_task_id = NUMBER_UNSET,
				.state = state,
				.user = text_of(user),
				.account = text_of(account),
				.partitions = text_of(partition),
				.qos = text_of(qos[mixed % 4]),
				.submit_time = NOW - 1000,
				.eligible_time = NOW - 1000,
				.start_time = NOW - 500,
				.time_limit = 86400,
				.tres_requested = text_of(tres),
				.tres_allocated = text_of(tres),
				.node_list = TEXT("cn1")};
	job_table_put(table, &job, now);
}

static void count_counter(void *context, const struct events_counter *counter)
{
	*(double *)context += counter->value > 0;
}

static void count_run(void *context, const struct events_run *run)
{
	*(double *)context += run->run.is_used;
}

static void count_removed(void *context, const struct run_key *key)
{
	*(double *)context += key->id > 0;
}

static void count_mark(void *context, const char *name, int64_t value)
{
	*(double *)context += name && value;
}

static double time_write(struct job_events *events)
{
	static const struct events_writer writer = {count_counter, count_counter, count_run, count_removed, NULL,
						    NULL,	   count_mark,	  NULL,	     NULL};
	double written = 0, begin = now_ns();
	events_write(events, false, &writer, &written);
	events_stored(events);
	return written >= WRITTEN ? now_ns() - begin : 0;
}

static void keep_best(double *best, double took, uint64_t per)
{
	if (took / (double)per < *best || *best == 0)
		*best = took / (double)per;
}

static void measure_once(uint64_t jobs, const struct caps *caps, const struct vocabulary *vocabulary,
			 double figures[FIGURES])
{
	struct job_table *table = job_table_new();
	struct job_events *events = job_events_new(caps, vocabulary, NOW - 2000);
	events->ends_by_slurmdbd = true;
	for (uint64_t id = 1; id <= jobs; id++)
		put(table, id, JOB_PENDING, NOW);
	keep_best(&figures[ROWS], time_rows(table, caps, vocabulary), jobs);
	keep_best(&figures[FIRST], time_look(events, table, NOW + 1), jobs);
	events_stored(events);
	keep_best(&figures[NOTHING_NEW], time_look(events, table, NOW + 15), jobs);
	for (uint64_t id = 1; id <= jobs; id += 10)
		put(table, id, JOB_RUNNING, NOW + 20);
	time_look(events, table, NOW + 30);
	events_stored(events);
	keep_best(&figures[TENTH_RUNS], time_look(events, table, NOW + 45), jobs);
	for (uint64_t id = 1; id <= jobs; id++)
		put(table, id, id % 10 == 1 ? JOB_RUNNING : JOB_PENDING, NOW + 50);
	keep_best(&figures[ALL_NEW], time_look(events, table, NOW + 60), jobs);
	events_stored(events);
	for (uint64_t id = 0; id < WRITTEN; id++)
		put(table, 2 + id % 9 + id / 9 * 10, JOB_RUNNING, NOW + 65);
	time_look(events, table, NOW + 70);
	keep_best(&figures[WRITE], time_write(events), WRITTEN);
	job_events_free(events);
	job_table_free(table);
}

int main(int argc, char **argv)
{
	uint64_t jobs = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? strtoull(argv[2], NULL, 10) : JOBS;
	double small[FIGURES] = {0}, large[FIGURES] = {0};
	struct caps caps;
	struct vocabulary vocabulary;
	bool ok = true;
	caps_init(&caps);
	vocabulary_init(&vocabulary);
	for (int turn = 0; turn < TURNS; turn++) {
		measure_once(jobs / 10, &caps, &vocabulary, small);
		measure_once(jobs, &caps, &vocabulary, large);
	}
	printf("%-40s %10s %10s\n", "events of so many jobs", "ns a job", "ms");
	for (int i = 0; i < FIGURES; i++) {
		uint64_t few = i == WRITE ? WRITTEN : jobs / 10, many = i == WRITE ? WRITTEN : jobs;
		printf("%-40s %10.1f %10.2f  of %llu\n%-40s %10.1f %10.2f  of %llu\n", figure_names[i], small[i],
		       small[i] * (double)few / 1e6, (unsigned long long)jobs / 10, "", large[i],
		       large[i] * (double)many / 1e6, (unsigned long long)jobs);
		ok = ok && (i == WRITE || large[i] <= ratio_max * small[i]);
	}
	printf("nothing new: %d ns a job at most; a run has %zu bytes\n", NOTHING_NEW_MAX_NS, sizeof(struct run));
	caps_done(&caps);
	vocabulary_done(&vocabulary);
	return ok && large[NOTHING_NEW] <= NOTHING_NEW_MAX_NS ? 0 : 1;
}
