/* How many rows may the IDs bring that no round has found yet? diag counts tasks as they are submitted (jobs_submitted;
 * job_allocate in slurmctld's job_mgr.c) and started, so an answer is bounded before it is asked for. A round asks diag
 * before it asks for IDs that nobody knows. Once it is complete, all are known that diag had counted. Of one thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct job_submissions {
	struct diag_sum {
		uint64_t counted; /* by diag's last answer; unset: by none */
		uint64_t at_first; /* by its first one in the open round; unset: there was none */
		uint64_t known; /* all that diag had counted by then are known; unset: not known how many */
	} submitted, started;
	uint64_t found; /* jobs of IDs that were found since */
	bool is_fresh; /* diag was asked since the last known ID was */
};

void job_submissions_init(struct job_submissions *submissions);

/* diag's numbers; unset: it did not tell. They begin again from 0 at midnight UTC, with slurmctld, and by
 * `sdiag --reset`. */
void job_submissions_count(struct job_submissions *submissions, uint64_t submitted, uint64_t started);

/* A round begins, and ends with all IDs asked for. */
void job_submissions_begin(struct job_submissions *submissions);
void job_submissions_end(struct job_submissions *submissions);

/* Slurm has given `ids` unknown IDs. The most rows that they may bring besides one each, without those submitted since
 * diag answered; unset: it cannot be told. Each ID is one submitted task at least, or one that was started from an array.
 * The ID of an array's first record brings the started tasks, too. */
uint64_t job_submissions_excess(const struct job_submissions *submissions, uint64_t ids);
