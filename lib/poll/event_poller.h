/* Counts what happens to jobs. It looks at the job table, asks slurmdbd how jobs ended and what they used, and has the
 * recorder keep the counters. Of the poller's thread. */
#pragma once

#include "poll/event_state.h"

/* Borrows all but `before`. Gives the rounds IDs that slurmdbd knows. Opens the state file. `before` is what was
 * counted so far, or NULL (recorder_init). */
void event_poller_init(struct event_poller *poller, struct asker *asker, struct plan *plan, struct job_rounds *rounds,
		       struct job_events *before);
void event_poller_done(struct event_poller *poller);

/* To be called after every request: tells the planner what there is to do. */
void event_poller_update(struct event_poller *poller);

/* One request for TASK_JOB_ENDS or TASK_JOB_STEPS. Fills in the outcome. */
void event_poller_poll(struct event_poller *poller, const struct plan_action *action, struct plan_outcome *outcome);

/* recorder_claim, by the cluster's name as far as it is known. */
bool event_poller_claim(struct event_poller *poller);

/* All jobs that ended before this time are counted. Unix seconds of this machine's clock; 0: not known. */
double event_poller_ends_known(const struct event_poller *poller);

/* To be called before a page is made. Looks at the jobs, all of which are known as of `as_of` (Unix seconds, 0: not
 * yet). Entities with rows get counters, which begin at zero. Writes what changed to the state file. */
void event_poller_record(struct event_poller *poller, int64_t as_of);
