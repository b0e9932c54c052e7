/* A day of 15,000 ends a minute, where slurmscope may read the steps of 1,060 a minute. The benchmark prints how many
 * runs are remembered, and what a look at the job table and a write cost. It also prints how large memory and state
 * file are. Every 30 s half a minute's jobs start. The ones before have gone and slurmdbd reports their ends. Steps are
 * read, and all of it is written.
 *
 *	bench_steps [--hours 24] [--max 100000] [--in FOLDER]
 *
 * --max: the option jobs.steps-waiting. Exits with 1 if more runs are remembered than wait for steps, live, or ended since
 * slurmdbd was asked last. */
#include "base/clock.h"
#include "poll/recorder.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVERY = 30, ENDS = 7500, READ = 530, NOW = 1800000000, BATCH = 50, SETTLED_S = 60 };

struct site {
	struct caps caps;
	struct vocabulary vocabulary;
	struct job_table *table;
	struct recorder recorder;
	char path[256];
	double look_s, write_s; /* the longest */
};

static struct job job_of(uint64_t id, int64_t now)
{
	static char user[16], account[16];
	uint64_t mixed = id * 0x9e3779b97f4a7c15u >> 32;
	snprintf(user, sizeof user, "user%04d", (int)(mixed % 2000));
	snprintf(account, sizeof account, "account%03d", (int)(mixed % 200));
	return (struct job){.id = id,
			    .array_task_id = NUMBER_UNSET,
			    .state = JOB_RUNNING,
			    .user = text_of(user),
			    .account = text_of(account),
			    .partitions = TEXT("cpu"),
			    .qos = TEXT("normal"),
			    .submit_time = (uint64_t)now - 5,
			    .eligible_time = (uint64_t)now - 5,
			    .start_time = (uint64_t)now,
			    .time_limit = 3600,
			    .cpus = 2,
			    .nodes = 1,
			    .memory_per_node = 4096,
			    .tres_allocated = TEXT("cpu=2,mem=4G,node=1"),
			    .node_list = TEXT("cn1")};
}

static struct job_end end_of(uint64_t id, int64_t started)
{
	const struct job job = job_of(id, started);
	return (struct job_end){.raw_id = (uint32_t)id,
				.key = {(uint32_t)id, RUN_NO_TASK, (int64_t)job.submit_time},
				.tasks = 1,
				.owner = {job.account, job.user, job.partitions, job.qos},
				.state = TEXT("completed"),
				.eligible_time = (int64_t)job.eligible_time,
				.start_time = started,
				.end_time = started + EVERY - 1,
				.run_seconds = EVERY - 1,
				.time_limit = 3600,
				.cpus = 2,
				.memory = 4096,
				.nodes = 1,
				.tres = job.tres_allocated,
				.node_list = TEXT("cn1"),
				.exit = JOB_EXIT_ZERO};
}

static void read_steps(struct job_events *events, int64_t now)
{
	struct run_key keys[BATCH];
	for (int read = 0; read < READ; read += BATCH) {
		size_t wanting = job_events_want_steps(events, now - SETTLED_S, keys, BATCH);
		for (size_t i = 0; i < BATCH && i < wanting; i++) {
			const struct job_steps steps = {.raw_id = keys[i].id,
							.key = keys[i],
							.run_seconds = EVERY,
							.allocated_cpu_seconds = 2 * EVERY,
							.used_cpu_seconds = EVERY,
							.allocated_memory = 4096,
							.peak_memory = 1024};
			job_events_take_steps(events, &steps);
		}
	}
}

static void keep_longest(double *longest, double began)
{
	double took = clock_thread_cpu() - began;
	*longest = took > *longest ? took : *longest;
}

static void live(struct site *site, uint64_t turn)
{
	struct job_events *events = site->recorder.events;
	int64_t now = NOW + (int64_t)turn * EVERY;
	uint64_t first = 1 + turn * ENDS;
	for (uint64_t id = first; id < first + ENDS; id++) {
		const struct job job = job_of(id, now);
		if (turn)
			job_table_remove(site->table, id - ENDS);
		job_table_put(site->table, &job, now);
	}
	job_table_note_now(site->table, now);
	double began = clock_thread_cpu();
	job_events_look(events, site->table, now);
	keep_longest(&site->look_s, began);
	for (uint64_t id = first - ENDS; turn && id < first; id++) {
		const struct job_end end = end_of(id, now - EVERY);
		job_events_take_end(events, &end);
	}
	job_events_end_window(events, now - SETTLED_S, now - SETTLED_S);
	read_steps(events, now);
	began = clock_thread_cpu();
	recorder_write(&site->recorder, "c");
	keep_longest(&site->write_s, began);
}

static double resident_mib(void)
{
	char line[256];
	double kib = 0;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof line, file))
		sscanf(line, "VmRSS: %lf", &kib);
	if (file)
		fclose(file);
	return kib / 1024;
}

static void print_row(struct site *site, double hours)
{
	const struct job_events *events = site->recorder.events;
	struct stat stat_of_file = {0};
	stat(site->path, &stat_of_file);
	printf("| %.1f | %zu | %zu | %.0f | %.1f ms | %.0f ms | %.0f MiB | %.0f MiB |\n", hours, events->runs.used,
	       events->steps.count, events->steps_given_up, 1e3 * site->look_s, 1e3 * site->write_s, resident_mib(),
	       (double)stat_of_file.st_size / (1 << 20));
	fflush(stdout);
	site->look_s = site->write_s = 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"hours", required_argument, NULL, 'h'},
						{"max", required_argument, NULL, 'm'},
						{"in", required_argument, NULL, 'i'},
						{0}};
	double hours = 24;
	uint64_t max = 100000;
	const char *folder = "/tmp";
	struct site site = {.table = job_table_new()};
	bool is_bounded = true;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		hours = c == 'h' ? atof(optarg) : hours;
		max = c == 'm' ? strtoull(optarg, NULL, 10) : max;
		folder = c == 'i' ? optarg : folder;
	}
	snprintf(site.path, sizeof site.path, "%s/bench_steps.%ld", folder, (long)getpid());
	caps_init(&site.caps);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		site.caps.kinds[kind].max = 500;
	vocabulary_init(&site.vocabulary);
	recorder_init(&site.recorder, site.path, "", false, &site.caps, &site.vocabulary, NULL, NULL);
	recorder_claim(&site.recorder, "c");
	site.recorder.events->birth = NOW - 1000;
	site.recorder.events->ends_by_slurmdbd = true;
	site.recorder.events->steps_max = max;
	printf("| hours | runs remembered | that wait | given up | longest look | longest write | memory | file |\n"
	       "|---|---|---|---|---|---|---|---|\n");
	uint64_t turns = (uint64_t)(hours * 3600 / EVERY), row = turns / 6 ? turns / 6 : 1;
	for (uint64_t turn = 0; turn < turns; turn++) {
		live(&site, turn);
		is_bounded &= site.recorder.events->runs.used <= max + 5 * ENDS;
		if ((turn + 1) % row == 0)
			print_row(&site, (double)(turn + 1) * EVERY / 3600);
	}
	recorder_done(&site.recorder);
	job_table_free(site.table);
	vocabulary_done(&site.vocabulary);
	caps_done(&site.caps);
	remove(site.path);
	snprintf(site.path + strlen(site.path), sizeof site.path - strlen(site.path), ".lock");
	remove(site.path);
	return !is_bounded;
}
