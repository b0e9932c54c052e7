/* Details of jobs out of slurmdbd's records: for a cold start, when it has many at an eighth of what slurmctld's
 * cost. Only of rows that have no details yet, and only if slurmdbd says the same state as jobs/state did: it may
 * be late. State, flags and number of tasks stay as they are. Why a job waits slurmdbd does not know: the reason is
 * "Unknown" until the job's turn comes (job_details.h). All else reads the same (tests/fixtures, job_runs/live). */
#pragma once

#include "discovery/job_details.h"
#include "model/job_run.h"

struct job_runs {
	const struct job_table *table; /* borrowed */
	struct arena arena;
	struct job *items;
	size_t count, capacity;
};

/* A record of an answer: kept aside if it is of use. */
void job_runs_take(struct job_runs *runs, const struct job_run *run);

/* The answer was whole: of each id the latest submission is put. */
void job_runs_apply(struct job_runs *runs, struct job_details *details, int64_t now);

void job_runs_done(struct job_runs *runs);
