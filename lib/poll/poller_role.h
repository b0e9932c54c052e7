/* With ha: follow-controller a poller leads while the slurmctld of its host serves (role.h), and stands by otherwise. A
 * standby asks for ping alone and knows nothing else: when it leads, all begins as after a start, but for what was counted,
 * which the one that led before has left in the state file. */
#pragma once

#include <stdbool.h>

struct poller;

/* The thread begins: with ha it stands by until ping tells, else it leads. */
void poller_begin(struct poller *poller);
/* Leads whatever ping says. */
void poller_lead(struct poller *poller);
/* Ping was asked, and has answered or not: leads or stands by from now on. */
void poller_follow(struct poller *poller, bool has_answered);
/* Before a page: forgets jobs of the state file if it turns out to be another cluster's. */
void poller_judge_jobs(struct poller *poller);
/* Looks at the jobs and writes what was counted; if another process has the state file meanwhile, it stands by. */
void poller_record(struct poller *poller);
