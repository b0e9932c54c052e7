/* What the store's commits cost on this disk. Each commit changes 1,000 counters and 1,000 runs, with a tenth of
 * the runs in the file and with all of them. Beside it the same number of bytes is appended to a file and synced.
 * With --jobs each run also has its record of the job table, which changes with it.
 *
 *	bench_store [--runs 100000] [--jobs] [--in FOLDER]
 *	bench_store --bounded [--jobs] [--in FOLDER]    1,000 commits of 10,000 changes: the most that is on disk */
#include "base/clock.h"
#include "store/store.h"

#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNTERS = 20000, CHANGES = 1000, COMMITS = 60, ROW_BYTES = 160, JOB_BYTES = 240 };
static const double size_ratio_max = 3, file_ratio_max = 3;

static char path[256], floor_path[256];
static uint64_t checksum; /* of what was loaded */
static bool with_jobs;

static void fail(const char *what, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->text);
	exit(1);
}

static uint64_t random_below(uint64_t limit)
{
	return ((uint64_t)random() << 31 | (uint64_t)random()) % limit;
}

static void take_counter(const struct store_counter *counter, void *context)
{
	(void)context;
	checksum += (uint64_t)counter->value;
}

static void take_run(const struct store_run *run, void *context)
{
	(void)context;
	checksum += run->id + run->user.len;
}

static void take_mark(struct text name, int64_t value, void *context)
{
	(void)context;
	checksum += name.len + (uint64_t)value;
}

static void take_job(const struct store_job *job, void *context)
{
	(void)context;
	checksum += job->id + job->user.len;
}

static struct store *open_store(void)
{
	static const struct store_visitor visitor = {take_counter, take_run, take_mark, take_job, NULL, NULL};
	struct error err;
	struct store *store = store_new(path, "bench");
	if (store_load(store, &visitor, NULL, &err) == STORE_UNUSABLE)
		fail("load", &err);
	return store;
}

static void put_counter(struct store *store, uint64_t number, double value)
{
	static const char *const details[] = {"COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY"};
	char name[32];
	snprintf(name, sizeof name, "user%05" PRIu64, number / 4);
	store_put_counter(store, &(struct store_counter){TEXT("user"), text_of(name), TEXT("jobs_ended"),
							 text_of(details[number % 4]), value});
}

static void put_job(struct store *store, uint64_t id, struct text user, int64_t now)
{
	store_put_job(store, &(struct store_job){.id = id,
						 .array_job_id = id - id % 1000,
						 .array_task_id = (int64_t)(id % 1000),
						 .tail = -1,
						 .state = TEXT("running"),
						 .bits = 1,
						 .tasks = 1,
						 .tasks_listed = 1,
						 .cpus = 16,
						 .memory = UINT64_C(64) << 30,
						 .nodes = 1,
						 .submit_time = 1700000000,
						 .start_time = 1700001000,
						 .time_limit = 86400,
						 .eligible_time = 1700000000,
						 .end_time = 1700087400,
						 .details_time = 1700001000 + (uint64_t)now,
						 .seen_time = 1700001000 + (uint64_t)now,
						 .reason = TEXT("None"),
						 .tres = TEXT("cpu=16,mem=64G,node=1,billing=16,gres/gpu=2"),
						 .node_list = TEXT("cn[0017-0018]"),
						 .account = TEXT("physics"),
						 .user = user,
						 .partitions = TEXT("batch"),
						 .qos = TEXT("normal")});
}

static void put_run(struct store *store, uint64_t id, int64_t now)
{
	char user[32];
	snprintf(user, sizeof user, "user%05" PRIu64, id % 5000);
	struct store_run run = {.id = id,
				.task = -1,
				.submit_time = 1700000000,
				.raw_id = id,
				.bits = 3,
				.began = 1700001000,
				.counted = now - 1700001000,
				.cpus = 16,
				.memory = UINT64_C(64) << 30,
				.tres = TEXT("cpu=16,mem=64G,node=1,billing=16,gres/gpu=2"),
				.user = text_of(user),
				.account = TEXT("physics"),
				.partitions = TEXT("batch"),
				.qos = TEXT("normal")};
	store_put_run(store, &run);
	if (with_jobs)
		put_job(store, id, text_of(user), now);
}

static size_t row_bytes(void)
{
	return ROW_BYTES + (with_jobs ? JOB_BYTES : 0);
}

static void commit(struct store *store)
{
	struct error err;
	if (!store_commit(store, &err))
		fail("commit", &err);
}

static void begin(struct store *store)
{
	struct error err;
	if (store_begin(store, &err) == STORE_WANTS_NOTHING)
		fail("begin", &err);
}

/* What any durable way must do at least. */
static double time_floor(void)
{
	static char rows[2 * CHANGES * ROW_BYTES];
	int file = open(floor_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	uint64_t start = clock_monotonic_ns();
	for (int i = 0; i < COMMITS; i++)
		if (write(file, rows, sizeof rows) != (ssize_t)sizeof rows || fdatasync(file) < 0)
			perror(floor_path), exit(1);
	double took = (double)(clock_monotonic_ns() - start) / 1e9 / COMMITS;
	close(file);
	unlink(floor_path);
	return took;
}

struct figures {
	double all, change, load; /* seconds: a commit of everything, one of the changes, a start */
	double bytes, content;
};

static struct figures measure(uint64_t runs)
{
	struct figures got = {.content = COUNTERS * ROW_BYTES + (double)runs * (double)row_bytes()};
	unlink(path);
	struct store *store = open_store();
	uint64_t start = clock_monotonic_ns();
	begin(store);
	for (uint64_t i = 0; i < COUNTERS; i++)
		put_counter(store, i, 0);
	for (uint64_t i = 0; i < runs; i++)
		put_run(store, i, 0);
	commit(store);
	got.all = (double)(clock_monotonic_ns() - start) / 1e9;
	start = clock_monotonic_ns();
	for (int i = 0; i < COMMITS; i++) {
		begin(store);
		for (int k = 0; k < CHANGES; k++) {
			put_counter(store, random_below(COUNTERS), i);
			put_run(store, random_below(runs), i);
		}
		commit(store);
	}
	got.change = (double)(clock_monotonic_ns() - start) / 1e9 / COMMITS;
	got.bytes = (double)store_bytes(store);
	store_free(store);
	start = clock_monotonic_ns();
	store = open_store();
	got.load = (double)(clock_monotonic_ns() - start) / 1e9;
	store_free(store);
	return got;
}

static bool compare(uint64_t runs)
{
	struct figures small = measure(runs / 10), large = measure(runs);
	double least = time_floor(), ratio = large.change / small.change;
	double used = large.bytes / large.content;
	printf("%-42s %10" PRIu64 " %10" PRIu64 " runs\n", "", runs / 10, runs);
	printf("%-42s %10.3f %10.3f s, ratio %.2f\n", "2,000 changes committed", small.change, large.change, ratio);
	printf("%-42s %10.1f %10.1f\n", "... by the time to append and sync them", small.change / least,
	       large.change / least);
	printf("%-42s %10.3f %10.3f s\n", "everything committed", small.all, large.all);
	printf("%-42s %10.3f %10.3f s\n", "opened, checked and loaded", small.load, large.load);
	printf("%-42s %10.1f %10.1f MiB, %.2f of the rows\n", "file and WAL", small.bytes / (1 << 20),
	       large.bytes / (1 << 20), used);
	printf("at most: ratio %.0f, %.0f of the rows and 32 MiB\n", size_ratio_max, file_ratio_max);
	return ratio <= size_ratio_max && large.bytes <= file_ratio_max * large.content + (32 << 20);
}

/* 5,000 runs come and 5,000 go with every commit; 100,000 live. */
static bool stays_bounded(void)
{
	enum { LIVING = 100000, HALF = 5000 };
	uint64_t largest = 0;
	unlink(path);
	struct store *store = open_store();
	for (uint64_t i = 0; i < 1000; i++) {
		begin(store);
		for (uint64_t k = 0; k < HALF; k++) {
			struct store_run gone = {.id = i * HALF + k - LIVING, .task = -1, .submit_time = 1700000000};
			put_run(store, i * HALF + k, (int64_t)i);
			store_remove_run(store, &gone);
			if (with_jobs)
				store_remove_job(store, gone.id);
		}
		commit(store);
		largest = store_bytes(store) > largest ? store_bytes(store) : largest;
	}
	store_free(store);
	printf("1,000 commits of 10,000 changes, %d runs: %.1f MiB at most, %.2f of the rows\n", LIVING,
	       (double)largest / (1 << 20), (double)largest / LIVING / (double)row_bytes());
	return (double)largest <= file_ratio_max * LIVING * (double)row_bytes() + (32 << 20);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"runs", required_argument, NULL, 'r'},
						{"in", required_argument, NULL, 'i'},
						{"bounded", no_argument, NULL, 'b'},
						{"jobs", no_argument, NULL, 'j'},
						{NULL, 0, NULL, 0}};
	const char *folder = ".";
	uint64_t runs = 100000;
	bool is_bounded = false;
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
		switch (option) {
		case 'r':
			runs = strtoull(optarg, NULL, 10);
			break;
		case 'i':
			folder = optarg;
			break;
		case 'b':
			is_bounded = true;
			break;
		case 'j':
			with_jobs = true;
			break;
		default:
			return 2;
		}
	snprintf(path, sizeof path, "%s/bench_store.db", folder);
	snprintf(floor_path, sizeof floor_path, "%s/bench_store.floor", folder);
	bool ok = is_bounded ? stays_bounded() : compare(runs);
	unlink(path);
	return ok ? 0 : 1;
}
