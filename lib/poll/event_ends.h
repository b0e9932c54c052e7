/* Asks slurmdbd how jobs ended (TASK_JOB_ENDS), and decides when what it says is believed. */
#pragma once

#include "poll/event_state.h"

/* One request. Fills in the outcome but for its task and way. */
void event_ends_poll(struct event_poller *poller, struct plan_outcome *outcome);

/* To be called after every request: an end that was too young is asked for again, as soon as it may be believed. */
void event_ends_hasten(struct event_poller *poller);
