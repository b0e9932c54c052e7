#include "slurmsim/options.h"

#include "base/clock.h"
#include "slurmsim/fatal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum option_type { OPTION_TEXT, OPTION_NUMBER, OPTION_REAL, OPTION_SEED, OPTION_TIME, OPTION_FLAG };

static const struct {
	const char *name;
	enum option_type type;
	size_t offset;
	const char *otherwise, *help;
} rows[] = {
#define ROW(name, type, member, otherwise, help)                                                                       \
	{                                                                                                              \
		name, OPTION_##type, offsetof(struct sim_options, member), otherwise, help                             \
	}
	ROW("listen", TEXT, listen, "127.0.0.1:0", "127.0.0.1:PORT (0: any) or unix:/path; printed when it listens"),
	ROW("release", TEXT, release, "26.05", "the Slurm that is imitated: 22.05, 24.11, 26.05 or 26.11"),
	ROW("versions", TEXT, versions, "", "only these of its API versions, e.g. v0.0.42,v0.0.43"),
	ROW("cluster", TEXT, cluster, "sim", "the cluster's name"),
	ROW("jwt-key-file", TEXT, key_file, "", "checks tokens with this HS256 key; without it none is asked for"),
	ROW("print-token", TEXT, print_token, "", "prints a token of this user, good for a day, and ends"),
	ROW("script", TEXT, script, "", "a file of lines \"SECOND CONTROL\", as under /sim/"),
	ROW("seed", SEED, world.seed, "1", "the same seed, the same world"),
	ROW("nodes", NUMBER, world.nodes, "100", "nodes, 10 at least"),
	ROW("jobs", NUMBER, world.jobs, "1000", "job records that are kept alive"),
	ROW("users", NUMBER, world.users, "50", "users"),
	ROW("arrivals", REAL, world.arrivals, "-1", "submissions a second; -1: as many as keep --jobs steady"),
	ROW("queue", NUMBER, world.queue, "0",
	    "jobs that wait in a partition before users choose the default one; 0: any number"),
	ROW("arrays", REAL, world.arrays, "0.03", "the share of submissions that are arrays"),
	ROW("array-tasks", NUMBER, world.array_tasks, "0", "one array of this many tasks at the start"),
	ROW("first-job-id", NUMBER, world.first_job_id, "1", "FirstJobId"),
	ROW("max-job-id", NUMBER, world.max_job_id, "67043328", "MaxJobId, after which IDs begin again"),
	ROW("min-job-age", NUMBER, world.min_job_age_s, "300", "seconds until an ended job is forgotten"),
	ROW("node-failures", REAL, world.node_failures, "20", "a day, of a thousand nodes; as many are drained"),
	ROW("watts", NUMBER, world.watts, "12",
	    "the power of a CPU that a job holds; a GPU has as much as 30. 0: nobody measures energy"),
	ROW("run-seconds", NUMBER, world.run_s, "0",
	    "the longest run of a job, whatever its time limit; 0: as long as that allows"),
	ROW("history", NUMBER, world.history, "200000", "ended runs that slurmdbd keeps"),
	ROW("epoch", TIME, world.epoch, "0", "Unix seconds of the world's beginning; 0: now"),
	ROW("speed", REAL, speed, "1", "how fast its clock goes; 0: only by /sim/advance?seconds=N"),
	ROW("bitstr-len", NUMBER, cut, "64", "SLURM_BITSTR_LEN: where array_task_string is cut; 0: never"),
	ROW("compact", FLAG, compact, "", "JSON without whitespace, as SLURMRESTD_JSON=compact"),
	ROW("real-cost", FLAG, real_cost, "", "answers take as long as the real slurmrestd's"),
};

static void set(struct sim_options *options, size_t row, const char *value)
{
	void *member = (char *)options + rows[row].offset;
	char *end = "";
	switch (rows[row].type) {
	case OPTION_TEXT:
		*(const char **)member = value;
		break;
	case OPTION_NUMBER:
		*(uint32_t *)member = (uint32_t)strtoul(value, &end, 10);
		break;
	case OPTION_SEED:
		*(uint64_t *)member = strtoull(value, &end, 10);
		break;
	case OPTION_TIME:
		*(int64_t *)member = strtoll(value, &end, 10);
		break;
	case OPTION_REAL:
		*(double *)member = strtod(value, &end);
		break;
	case OPTION_FLAG:
		*(bool *)member = *value != '\0';
		break;
	}
	if (*end || (rows[row].type != OPTION_FLAG && rows[row].type != OPTION_TEXT && end == value))
		fatal("--%s=%s is not a number", rows[row].name, value);
}

static void help(void)
{
	puts("slurmsim: a slurmrestd look-alike with a cluster inside\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		printf("  --%s%s%s\n        %s\n", rows[i].name, rows[i].type == OPTION_FLAG ? "" : "=",
		       rows[i].otherwise, rows[i].help);
	exit(EXIT_SUCCESS);
}

static void parse_one(struct sim_options *options, const char *argument)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t len = strlen(rows[i].name);
		if (strncmp(argument, "--", 2) != 0 || strncmp(argument + 2, rows[i].name, len) != 0)
			continue;
		const char *rest = argument + 2 + len;
		bool is_flag = rows[i].type == OPTION_FLAG;
		if (*rest == (is_flag ? '\0' : '=')) {
			set(options, i, is_flag ? "yes" : rest + 1);
			return;
		}
	}
	fatal("%s: no such option; see --help", argument);
}

void options_parse(struct sim_options *options, int argc, char **argv)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		set(options, i, rows[i].otherwise);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			help();
		parse_one(options, argv[i]);
	}
	if (!options->world.epoch)
		options->world.epoch = clock_now_s();
	if (options->world.nodes < 10 || !options->world.users || options->world.users > 200000)
		fatal("at least 10 nodes and 1 to 200000 users");
	if (options->world.max_job_id <= options->world.first_job_id ||
	    options->world.max_job_id - options->world.first_job_id < 2ul * options->world.jobs + 1000)
		fatal("too few job IDs for this number of jobs");
}
