/* What a running poller does with other options. */
#pragma once

#include "config/setup.h"

struct poller;

/* Can a poller with the options `before` go on with `config`? If not, it takes a new poller. */
bool poller_can_take(const struct config *before, const struct config *config);

/* Does it hash names with the key that the file of `config` holds now? Else it takes a new poller, too. */
bool poller_has_key(const struct poller *poller, const struct config *config);

/* Has the poller take these options, of a cluster of that setup, after the request under way. By any thread. */
void poller_configure(struct poller *poller, struct setup *setup, const struct config *config);

/* Goes on counting where the other poller stopped, and leaves its page in the slot until there is a better one. Not
 * if that one hashed names otherwise: then it begins as after a start. Before poller_start. */
void poller_continue(struct poller *poller, const struct poller *before);

/* Gives the planner the configured budgets: during a start those of a start. If the start's budget is not larger than
 * the usual one, there is no start. */
void poller_set_budgets(struct poller *poller);

void poller_set_job_rows(struct poller *poller); /* as configured */

/* Takes the options that poller_configure left. True: there were some, so the caller tells the planner. Of the poller's
 * thread. */
bool poller_take_next_config(struct poller *poller);
