/* Polls one cluster and keeps its page up to date. The poller's thread owns all that is known of the cluster; it shares
 * only the page, through the slot. */
#pragma once

#include "config/setup.h"
#include "page/board.h"

struct poller;

/* For one of the setup's clusters. Holds the setup, borrows the slot until poller_free. */
struct poller *poller_new(struct setup *setup, const struct config *config, struct page_slot *slot, struct error *err);

/* Asks every endpoint once and publishes the page. True: all that the release serves answered. For --once. */
bool poller_poll_all(struct poller *poller);

bool poller_start(struct poller *poller, struct error *err); /* polls in a thread of its own */
/* False: its thread has been busy with one thing for longer than that may take. Any thread may ask. */
bool poller_makes_progress(struct poller *poller, uint64_t now_ns);
/* Tells its thread to end: it gives up its request within a second, finishes what it computes, and writes its counters.
 * To stop several pollers, tell all of them first. */
void poller_tell_to_stop(struct poller *poller);
void poller_stop(struct poller *poller); /* tells it, and waits for the thread, if any */
void poller_free(struct poller *poller); /* NULL is fine */
