/* Asks slurmdbd for the steps of ended runs, which say what the runs used (TASK_JOB_STEPS). Of the poller's thread. */
#pragma once

#include "poll/event_state.h"

/* One request for up to `max` runs. Fills in the outcome but for its task and way. */
void event_steps_poll(struct event_poller *poller, uint64_t max, struct plan_outcome *outcome);

uint64_t event_steps_count(struct event_poller *poller); /* runs whose steps are due */
