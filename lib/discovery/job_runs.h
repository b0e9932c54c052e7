/* Details of jobs from slurmdbd's records, for a cold start. They cost slurmrestd 0.25 ms a job; job/{id} costs 2 ms
 * and asks slurmctld, too. Only rows without details get them, and only if slurmdbd says the same state as jobs/state
 * did: it may be late. State, flags and number of tasks stay as they are. slurmdbd does not know why a job waits: the
 * reason is "Unknown" until the job's turn comes (job_details.h). All else reads the same (tests/fixtures,
 * job_runs/live). Of one thread. */
#pragma once

#include "discovery/job_details.h"
#include "model/job_run.h"

struct job_runs {
	const struct job_table *table; /* borrowed */
	struct arena arena;
	struct job *items;
	size_t count, capacity;
};

/* A record of an answer: copied and kept aside if it is of use. */
void job_runs_take(struct job_runs *runs, const struct job_run *run);

/* The answer was complete: puts the latest submission of each ID into the table. `now` is in Unix seconds. */
void job_runs_apply(struct job_runs *runs, struct job_details *details, int64_t now);

void job_runs_done(struct job_runs *runs);
