/* slurmrestd's memory: how much it uses, and whether the drop-in's settings are in force, as far as we can see that. */
#include "doctor/examinations.h"
#include "doctor/listener.h"

#include <inttypes.h>
#include <stdlib.h>

static const char drop_in[] = "see /usr/share/slurmscope/slurmrestd/slurmscope.conf";

enum { FILE_BYTES = 256 * 1024 };

/* Returns the bytes read; 0: the file cannot be read. */
static size_t read_proc(int pid, const char *name, char *to, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	FILE *file = fopen(path, "re");
	size_t len = file ? fread(to, 1, size - 1, file) : 0;
	to[len] = '\0';
	if (file)
		fclose(file);
	return len;
}

/* The line's number in /proc/PID/status, in kB. */
static uint64_t status_kib(const char *status, const char *line)
{
	const char *at = strstr(status, line);
	return at ? strtoull(at + strlen(line), NULL, 10) : 0;
}

/* The variable's value; NULL: it is not set. The environment is NAME=VALUE NUL ... */
static const char *variable(const char *environment, size_t len, const char *name)
{
	size_t name_len = strlen(name);
	for (const char *at = environment; at < environment + len; at += strlen(at) + 1)
		if (strncmp(at, name, name_len) == 0 && at[name_len] == '=')
			return at + name_len + 1;
	return NULL;
}

static void examine_process(struct report *to, int pid)
{
	char *bytes = malloc(FILE_BYTES);
	if (bytes && read_proc(pid, "status", bytes, FILE_BYTES))
		report(to, VERDICT_OK, "memory", NULL,
		       "slurmrestd (process %d) uses %" PRIu64 " MiB now, and %" PRIu64 " MiB at its peak", pid,
		       status_kib(bytes, "VmRSS:") / 1024, status_kib(bytes, "VmHWM:") / 1024);
	size_t len = bytes ? read_proc(pid, "environ", bytes, FILE_BYTES) : 0;
	const char *arenas = len ? variable(bytes, len, "MALLOC_ARENA_MAX") : NULL;
	if (arenas)
		report(to, VERDICT_OK, "memory", NULL, "slurmrestd runs with MALLOC_ARENA_MAX=%s", arenas);
	else
		report(to, VERDICT_WARN, "memory", drop_in,
		       "slurmrestd runs without MALLOC_ARENA_MAX=1: each of its threads keeps the memory of a long list");
	free(bytes);
}

void examine_memory(struct patient *patient)
{
	bool can_be_compact = *patient->version->flags_query;
	if (can_be_compact && patient->asked[ENDPOINT_NODES].answer.is_compact)
		report(patient->report, VERDICT_OK, "memory", NULL, "slurmrestd writes compact JSON");
	else if (can_be_compact)
		report(patient->report, VERDICT_WARN, "memory", drop_in,
		       "slurmrestd runs without SLURMRESTD_JSON=compact: up to half of the bytes that it sends are "
		       "whitespace");
	int pid = listener_of(patient->config->slurmrestd_url);
	char name[32] = "";
	if (pid && read_proc(pid, "comm", name, sizeof name) && strcmp(name, "slurmrestd\n") == 0)
		examine_process(patient->report, pid);
	else
		report(patient->report, VERDICT_OK, "memory", drop_in,
		       "only root on slurmrestd's machine can see whether slurmrestd runs with MALLOC_ARENA_MAX=1");
}
