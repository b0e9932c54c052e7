/* The pages of all clusters at one moment, and what scrapers get of them (page.h).
 *
 * What is made for clients that do not read it is bounded. The whole page is never refused, as it is made once in each
 * format. There are too many possible parts to keep them all: beyond RENDITION_BYTES_MAX no further part is made. While
 * as many bytes of older editions are still being read, no newer edition begins: scrapers share the old one. That lasts
 * at most a minute, since the server gives no client longer to read (web/connections.c). */
#pragma once

#include "page/page.h"

struct edition;

enum { RENDITION_BYTES_MAX = 64 * 1024 * 1024 }; /* of parts; and of older editions */

/* With a reference; NULL as long as there is no page of any cluster. */
struct edition *edition_borrow(struct page_board *board);
/* The board, whose lock the caller holds, has something newer than its edition. Returns the reference to it, to be given
 * back without the lock; NULL if there is none, or it has to do for a while. */
struct edition *edition_retire(struct page_board *board);
void edition_unref(void *edition); /* NULL is fine */

struct rendition_options {
	struct format_options format;
	bool is_gzip;
	const struct page *page; /* of this cluster alone; NULL: of all, and of the process */
};

struct rendition {
	atomic_uint readers;
	struct page_board *board; /* where it is counted; borrowed */
	struct rendition_options options;
	struct buf bytes;
	struct rendition *next; /* in the edition */
};

/* The page of a cluster by its name; NULL: there is none, or none yet. */
const struct page *edition_page(const struct edition *edition, struct text cluster);

/* With a reference; lives without the edition, but not without the board. NULL: another thread was still making one at
 * `deadline_ns` (clock_monotonic_ns), or it is a part too many. */
struct rendition *edition_render(struct edition *edition, const struct rendition_options *options,
				 uint64_t deadline_ns, struct error *err);
void rendition_unref(void *rendition); /* NULL is fine */
