/* A start with the jobs that the state file has. Until a round of states, or a list, has told of all jobs they are *unverified*:
 * the page shows them as old as they are, and nothing is counted of them. Of the poller's thread. */
#pragma once

#include "poll/job_keeper.h"
#include "poll/job_poller.h"

/* The poller, new and without jobs, goes on with those that were found. Says in the log what became of them. */
void warm_begin(struct job_poller *poller, struct job_keeper *keeper);

/* What the keeper is to know of the table before it writes. */
void warm_keep(const struct job_poller *poller, struct job_keeper *keeper);
