/* What a running poller does with other options. */
#pragma once

#include "config/setup.h"

struct poller;

/* Can a poller with the options `before` go on with the others, or does it take a new one? */
bool poller_can_take(const struct config *before, const struct config *config);

/* Goes on with these options, of a cluster of that setup, after the request under way; by any thread. */
void poller_configure(struct poller *poller, struct setup *setup, const struct config *config);

/* Goes on counting where the other one was stopped, and leaves its page in the slot until there is a better one. Before
 * poller_start. */
void poller_continue(struct poller *poller, const struct poller *before);

/* Gives the planner the budgets that are configured: those of a start while there is one. A start that may cost no more
 * than any other time is none. */
void poller_set_budgets(struct poller *poller);

/* Takes the options that poller_configure left, if any: then the planner is to be told. Of the poller's thread. */
bool poller_take_next_config(struct poller *poller);
