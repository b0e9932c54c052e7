/* Asks slurmdbd how jobs ended (TASK_JOB_ENDS), and decides from when on its answer counts. Of the poller's thread. */
#pragma once

#include "poll/event_state.h"

/* One request. Fills in the outcome but for its task and way. */
void event_ends_poll(struct event_poller *poller, struct plan_outcome *outcome);

/* To be called after every request: has the planner ask again for an end that was too young, as soon as it may
 * count. */
void event_ends_hasten(struct event_poller *poller);
