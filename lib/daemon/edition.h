/* The pages of all clusters at one moment, and what scrapers get of them (page.h). */
#pragma once

#include "daemon/page.h"

struct edition;

/* With a reference; NULL as long as there is no page of any cluster. */
struct edition *edition_borrow(struct page_board *board);
void edition_unref(void *edition); /* NULL is fine */

struct rendition_options {
	struct format_options format;
	bool is_gzip;
	const struct page *page; /* of this cluster alone; NULL: of all, and of the process */
};

struct rendition {
	atomic_uint readers;
	struct rendition_options options;
	struct buf bytes;
	struct rendition *next; /* in the edition */
};

/* The page of a cluster by its name; NULL: there is none, or none yet. */
const struct page *edition_page(const struct edition *edition, struct text cluster);

/* With a reference; lives without the edition. NULL: another thread was still making one at `deadline_ns`
 * (clock_monotonic_ns). */
struct rendition *edition_render(struct edition *edition, const struct rendition_options *options,
				 uint64_t deadline_ns);
void rendition_unref(void *rendition); /* NULL is fine */
