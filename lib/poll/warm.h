/* A start with the jobs from the state file. Until a round of states, or a list, has brought all jobs, these are
 * *unverified*. The page shows them with their age, and no events of them are counted. Of the poller's thread. */
#pragma once

#include "poll/job_keeper.h"
#include "poll/job_poller.h"

/* Gives a new poller without jobs those that the keeper found. Logs what became of them. */
void warm_begin(struct job_poller *poller, struct job_keeper *keeper);

/* Sets what the keeper needs to know of the table before it writes. */
void warm_keep(const struct job_poller *poller, struct job_keeper *keeper);
