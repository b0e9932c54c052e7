/* The page of one poller: when to make it, and of what. It goes into the poller's slot. Of the poller's thread. */
#pragma once

#include <stdint.h>

struct plan_action;
struct poller;

/* Writes the counters to the state file, then makes a page of what is known and publishes it. `action` comes next;
 * NULL: not known. */
void poller_show(struct poller *poller, const struct plan_action *action);

/* Makes a page if something happened since the last one: not too often, but always before a request that may take
 * long. */
void poller_show_if_due(struct poller *poller, const struct plan_action *action);

/* When the next page may be made (monotonic nanoseconds), if nothing else makes it due. */
uint64_t poller_next_page_ns(const struct poller *poller, uint64_t now);

/* The user name by which Slurm knows us, as records have it: hashed if names are. Owned by the poller, until the next
 * call. NULL: unknown. */
const char *poller_user(struct poller *poller);
