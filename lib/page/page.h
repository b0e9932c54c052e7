/* What is known of one cluster at one moment: what scrapers get of it, and what people see. Immutable and counted; it
 * is freed with its last reference. Every function may be called by any thread. */
#pragma once

#include "metrics/samples.h"
#include "status/status.h"

#include <stdatomic.h>

struct page {
	atomic_uint readers;
	struct samples samples;
	struct status *status; /* what people see; owned */
	struct text image; /* that the samples are in, made by another process (image.h); empty: they are our own */
};

/* Takes both; the caller holds one reference. */
struct page *page_new(struct samples *samples, struct status *status);
struct page *page_hold(struct page *page); /* another reference */
void page_release(void *page); /* a struct page; void for callbacks; NULL is fine */
