/* This process as the kernel sees it, and with it another one that belongs to it: the one that polls, where this one serves.
 * What is read stays open, for the process that serves may open nothing. */
#pragma once

#include "metrics/exporter.h"

#include <dirent.h>
#include <sys/types.h>

enum { PROCESSES_MAX = 2 };

struct process_source {
	int memory[PROCESSES_MAX]; /* /proc/PID/statm; -1: it cannot be read */
	pid_t other; /* 0: there is none */
	DIR *descriptors; /* of this process; NULL: they cannot be read */
	double start_time; /* Unix seconds, of the first of them: a stepping clock does not look like a restart; 0: not known */
};

/* No core dump, of whatever size limit or core_pattern, and no look into our memory by others of our user: it holds the
 * token. To be called before it is read. */
void process_guard(void);

/* This process alone. */
void process_open(struct process_source *ret_source);

/* This process, which `parent` is the source of the parent of. */
void process_open_child(struct process_source *ret_source, const struct process_source *parent);
void process_close(struct process_source *source);

/* CPU time is the sum of both processes; so is memory, but what one of them shares with others counts once. Descriptors are of
 * this process. What cannot be read becomes unset. */
void process_read(const struct process_source *source, struct exporter_process *process);
