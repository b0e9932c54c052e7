/* How fast lib/json reads a large jobs list and how much memory that takes, beside json-c and
 * simdjson. All take turns in one run, because machines are noisy.
 *
 *   bench_json <fixtures> [--jobs N] [--body FILE]
 *
 * Exits with 1 when ours is less than 3 times as fast as json-c fed record by record. It also does
 * so when reading adds 8 MiB or more to the process, or when the readers do not agree on what they
 * read. */
#include "bench.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 20000, ROUNDS = 5, SLOW_ROUNDS = 2, DOM_PART = 10 };
static const double ratio_min = 3;
static const long memory_max = 8l << 20;

struct contestant {
	const char *name;
	uint64_t (*read)(const char *bytes, size_t len);
	int rounds;
	double best_s;
	uint64_t sum;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run(struct contestant *one, struct body body)
{
	double begin = now();
	one->sum = one->read(body.bytes, body.len);
	double took_s = now() - begin;
	if (one->best_s == 0 || took_s < one->best_s)
		one->best_s = took_s;
}

static void race(struct contestant *all, size_t count, struct body body)
{
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++)
			if (round < all[i].rounds)
				run(&all[i], body);
}

/* ---- memory, in a process of its own that never holds anything else ---- */

static long peak_bytes(void)
{
	char line[256];
	long peak_kib = 0;
	FILE *status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof line, status))
		sscanf(line, "VmHWM: %ld", &peak_kib);
	if (status)
		fclose(status);
	return peak_kib << 10;
}

static int child_ours(void)
{
	long before = peak_bytes();
	uint64_t sum = read_ours_from_input();
	printf("%ld %llu\n", peak_bytes() - before, (unsigned long long)sum);
	return 0;
}

static int child_dom(void)
{
	static char chunk[65536];
	struct json_object *document = NULL;
	struct json_tokener *tokener = json_tokener_new_ex(64);
	long before = peak_bytes();
	ssize_t got;
	while ((got = read(STDIN_FILENO, chunk, sizeof chunk)) > 0)
		document = json_tokener_parse_ex(tokener, chunk, (int)got);
	printf("%ld %d\n", peak_bytes() - before, document != NULL);
	return 0;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t put = write(fd, bytes, len);
		if (put <= 0)
			return false;
		bytes += put;
		len -= (size_t)put;
	}
	return true;
}

/* Runs this program as `role` with the body as its input: how many bytes its peak grew by. */
static long child_memory(const char *role, struct body body, uint64_t *ret_sum)
{
	int in[2], out[2];
	if (pipe(in) || pipe(out))
		return -1;
	pid_t child = fork();
	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		execl("/proc/self/exe", "bench_json", role, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	bool sent = write_all(in[1], body.bytes, body.len);
	close(in[1]);
	long grown = -1;
	unsigned long long sum = 0;
	FILE *answer = fdopen(out[0], "r");
	if (!answer || !sent || fscanf(answer, "%ld %llu", &grown, &sum) != 2)
		grown = -1;
	if (answer)
		fclose(answer);
	waitpid(child, NULL, 0);
	*ret_sum = sum;
	return grown;
}

static bool check_memory(const char *fixtures, struct body body, uint64_t want_sum, size_t jobs)
{
	uint64_t sum;
	long grown = child_memory("--child-ours", body, &sum);
	printf("memory added by reading: %.2f MiB (must stay below %ld)\n", (double)grown / (1 << 20),
	       memory_max >> 20);
	bool ok = grown >= 0 && grown < memory_max && sum == want_sum;
	struct body part = body_make(fixtures, jobs / DOM_PART);
	grown = child_memory("--child-dom", part, &sum);
	printf("memory of a whole json-c DOM: %.1f bytes per byte\n", (double)grown / (double)part.len);
	free(part.bytes);
	return ok;
}

static bool check_race(const struct contestant *all, size_t count, size_t len)
{
	bool ok = true;
	for (size_t i = 0; i < count; i++) {
		printf("%-30s %8.0f MB/s\n", all[i].name, (double)len / 1e6 / all[i].best_s);
		if (all[i].sum == all[0].sum)
			continue;
		printf("%s read other values\n", all[i].name);
		ok = false;
	}
	double ratio = all[1].best_s / all[0].best_s;
	printf("slurmscope / json-c = %.2f (must be %.0f at least)\n", ratio, ratio_min);
	if (count > 2)
		printf("slurmscope / simdjson = %.2f\n", all[2].best_s / all[0].best_s);
	return ok && ratio >= ratio_min;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--child-ours") == 0)
		return child_ours();
	if (argc == 2 && strcmp(argv[1], "--child-dom") == 0)
		return child_dom();
	if (argc < 2 || argc % 2) {
		fputs("usage: bench_json <fixtures> [--jobs N] [--body FILE]\n", stderr);
		return 2;
	}
	size_t jobs = JOBS;
	const char *path = NULL;
	for (int i = 2; i < argc; i += 2) {
		if (strcmp(argv[i], "--jobs") == 0)
			jobs = strtoul(argv[i + 1], NULL, 10);
		else
			path = argv[i + 1];
	}
	struct contestant all[] = {
		{"slurmscope, 16 KiB at a time", read_with_ours, ROUNDS, 0, 0},
		{"json-c, a record at a time", read_with_json_c, SLOW_ROUNDS, 0, 0},
#ifdef WITH_SIMDJSON
		{"simdjson On-Demand", read_with_simdjson, ROUNDS, 0, 0},
#endif
	};
	size_t count = sizeof all / sizeof *all;
	struct body body = path ? body_load(path) : body_make(argv[1], jobs);
	printf("%zu jobs, %zu bytes, %.0f per job\n", jobs, body.len, (double)body.len / (double)jobs);
	race(all, count, body);
	bool fast = check_race(all, count, body.len);
	bool small = check_memory(argv[1], body, all[0].sum, jobs);
	free(body.bytes);
	return fast && small ? 0 : 1;
}
