/* Polls one cluster and keeps its page up to date. The poller's thread owns all that is known of the
 * cluster; only the page leaves it, through the slot. */
#pragma once

#include "config/setup.h"
#include "page/board.h"

struct poller;

/* For one of the setup's clusters. Holds the setup, borrows the slot until poller_free. */
struct poller *poller_new(struct setup *setup, const struct config *config, struct page_slot *slot, struct error *err);

/* Asks every endpoint once and publishes the page; true if all that are served answered. For --once. */
bool poller_poll_all(struct poller *poller);

bool poller_start(struct poller *poller, struct error *err); /* polls in a thread of its own */
/* Has its thread done something, or begun to wait, no longer ago than that may take? By any thread. */
bool poller_makes_progress(struct poller *poller, uint64_t now_ns);
/* Its thread ends: a request within a second, then what was counted is written, and what renders or computes comes to its
 * end. Many are told first and then waited for. */
void poller_tell_to_stop(struct poller *poller);
void poller_stop(struct poller *poller); /* tells it, and waits for the thread, if any */
void poller_free(struct poller *poller); /* NULL is fine */
