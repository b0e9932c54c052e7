/* Asks slurmdbd how jobs ended (TASK_JOB_ENDS), and decides from when on its answer counts. Of the poller's thread. */
#pragma once

#include "poll/event_state.h"

/* One request. Fills in the outcome but for its task and way. */
void event_ends_poll(struct event_poller *poller, struct plan_outcome *outcome);

/* In how many seconds an end that was too young may count: it is old enough then, and the job table was looked at since.
 * -1: none waits, or the table has to be looked at first. */
int64_t event_ends_settle_in(const struct event_poller *poller);

/* To be called after every request, and when event_ends_settle_in's time is over. The planner then asks again for an end
 * that was too young, as soon as it may count. */
void event_ends_hasten(struct event_poller *poller);
