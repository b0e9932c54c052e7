/* How many rows may the IDs bring that no round has found yet? diag counts tasks as they are submitted (jobs_submitted;
 * job_allocate in slurmctld's job_mgr.c), so a request's answer is bounded before it is asked for. A complete round knows
 * all that were submitted before it began. Of one thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct job_submissions {
	uint64_t counted; /* by diag's last answer; unset: by none */
	uint64_t at_begin; /* likewise when the open round began */
	uint64_t known; /* all that diag had counted by then are known; unset: not known how many */
	uint64_t found; /* rows of IDs that were found since */
	bool is_fresh; /* diag has answered since the round began */
};

void job_submissions_init(struct job_submissions *submissions);

/* diag's number. It begins again from 0 at midnight UTC, with slurmctld, and by `sdiag --reset`. */
void job_submissions_count(struct job_submissions *submissions, uint64_t counted);

/* A round begins, and ends with all IDs asked for. */
void job_submissions_begin(struct job_submissions *submissions);
void job_submissions_end(struct job_submissions *submissions);

/* The most rows that may be unknown, without those submitted since diag answered; unset: it cannot be told. */
uint64_t job_submissions_unknown(const struct job_submissions *submissions);
