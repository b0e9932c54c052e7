/* The rendered page, and the slot where the poller leaves it for the server: all that they share.
 *
 * A page is immutable and counted; it dies with its last reader. Every function may be called by any
 * thread, except where a word says whose it is. */
#pragma once

#include "base/buf.h"
#include "status/status.h"

#include <pthread.h>
#include <stdatomic.h>

struct page {
	atomic_uint readers;
	char *bytes; /* the metrics; owned */
	size_t len;
	struct status *status; /* what people are told; owned */
};

/* Takes both, of the buffer its bytes; the caller holds one reference. */
struct page *page_new(struct buf *bytes, struct status *status);
void page_unref(void *page); /* a struct page; void for libmicrohttpd's callback; NULL is fine */

struct page_slot {
	pthread_mutex_t lock;
	struct page *page; /* NULL before the first one */
	atomic_uint_fast64_t scrapes; /* counted by the server, shown by the poller */
};

void page_slot_init(struct page_slot *slot);
void page_slot_publish(struct page_slot *slot, struct page *page); /* takes the reference */
struct page *page_slot_borrow(struct page_slot *slot); /* with a reference; NULL before the first */
void page_slot_done(struct page_slot *slot);
