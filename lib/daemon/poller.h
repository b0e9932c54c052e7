/* Polls one cluster and keeps its page up to date. The poller's thread owns all that is known of the
 * cluster; only the page leaves it, through the slot. */
#pragma once

#include "daemon/config.h"
#include "daemon/page.h"

struct poller;

/* Borrows config and slot until poller_free. */
struct poller *poller_new(const struct config *config, struct page_slot *slot, struct error *err);

/* Asks every endpoint once and publishes the page; true if all that are served answered. For --once. */
bool poller_poll_all(struct poller *poller);

bool poller_start(struct poller *poller, struct error *err); /* polls in a thread of its own */
void poller_stop(struct poller *poller); /* ends the thread, if any, within a second */
void poller_free(struct poller *poller); /* NULL is fine */
