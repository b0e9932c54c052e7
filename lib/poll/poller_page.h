/* The page of one poller: when it is made, and of what. It goes into the poller's slot. For the poller's thread. */
#pragma once

#include <stdint.h>

struct plan_action;
struct poller;

/* Makes a page of what is known, and shows it. Before that, what was counted is written to the state file. `action` comes
 * next; NULL: that is not known. */
void poller_show(struct poller *poller, const struct plan_action *action);

/* Shows what happened since the last page: not too often, but always before a request that may take long. */
void poller_show_if_due(struct poller *poller, const struct plan_action *action);

/* When the next page may be made (monotonic nanoseconds), if nothing else makes it due. */
uint64_t poller_next_page_ns(const struct poller *poller, uint64_t now);

/* The name by which Slurm knows us; the poller's. NULL: unknown. */
const char *poller_user(const struct poller *poller);
