/* With ha: follow-controller a poller leads while the slurmctld of its host serves (role.h), and stands by otherwise. A
 * standby sends only ping and knows nothing else. When it begins to lead, everything begins as after a start, except
 * for counters: the earlier leader left these in the state file. Of the poller's thread. */
#pragma once

#include <stdbool.h>

struct poller;

/* The thread begins: with ha it stands by until ping says who leads, else it leads. */
void poller_begin(struct poller *poller);
/* Leads whatever ping says. */
void poller_lead(struct poller *poller);
/* Ping has answered or failed: decides whether to lead or to stand by. */
void poller_follow(struct poller *poller, bool has_answered);
/* Before a page: forgets jobs from the state file if it turns out to be another cluster's. */
void poller_judge_jobs(struct poller *poller);
/* Looks at the jobs and writes the counters. Stands by if another process has taken the state file. */
void poller_record(struct poller *poller);
