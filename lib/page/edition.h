/* The pages of all clusters at one moment, counted like a page, with what scrapers get of them. That is made when the
 * first scraper asks for it, serves all later ones, and is freed with the edition. Every function may be called by any
 * thread.
 *
 * What clients can have made is bounded. The whole page is made once in each format, and refused only to a scrape whose
 * timeout is over. There are too many possible parts to keep them all, or to make them all. An edition keeps at most
 * RENDITION_BYTES_MAX of parts. It makes at most RENDITION_BYTES_MAX and EDITION_TIMES times its own size of them. While
 * RENDITION_BYTES_MAX of older editions are still being read, no newer edition begins: scrapers share the old one. That
 * lasts at most a minute, since the server gives no client longer to read (web/connections.c).
 *
 * Who may see only some rows gets an edition of these, which is made once for each scope, too. An edition keeps those of
 * RENDITION_BYTES_MAX at most, and of SCOPES_MAX scopes. */
#pragma once

#include "base/error.h"
#include "metrics/formats.h"
#include "model/scope.h"
#include "page/page.h"

struct edition;

enum {
	RENDITION_BYTES_MAX = 64 * 1024 * 1024, /* of parts; and of older editions */
	SCOPED_BYTES_MAX = 2 * RENDITION_BYTES_MAX, /* of what scopes have, with renditions */
	SCOPED_PARTS_BYTES = 4 * 1024 * 1024, /* that a scope may have made beside EDITION_TIMES its own size */
	PART_BYTES_MIN = 16 * 1024, /* that a part counts for at least: an empty one is work, too */
	SCOPES_MAX = 1000, /* as many as a web configuration may have */
	EDITION_TIMES = 8 /* each cluster alone, in each format, compressed and not */
};

/* Bytes of all editions that are there, old ones too; borrowed for as long as anything of them is read. */
struct edition_sums {
	atomic_size_t *total; /* of renditions */
	atomic_size_t *scoped; /* of what scopes have */
};

/* Takes the arrays, with a reference to each page, and the process's samples. Borrows the clusters' names (NULL: it has
 * none) for as long as anything of that is read. The caller holds one reference. */
struct edition *edition_new(struct page **pages, const char **clusters, size_t count, struct samples *process,
			    const struct edition_sums *sums);
struct edition *edition_hold(struct edition *edition); /* another reference */
size_t edition_bytes(const struct edition *edition); /* of what was made of it */
void edition_release(void *edition); /* NULL is fine */

/* What the scope has of it: an edition with a reference of its own. NULL: too many others are being read. */
struct edition *edition_scoped(struct edition *edition, const struct scope *scope, uint64_t deadline_ns,
			       struct error *err);

struct rendition_options {
	struct format_options format;
	bool is_gzip;
	const struct page *page; /* of this cluster alone; NULL: of all, and of the process */
};

struct rendition {
	atomic_uint readers;
	atomic_size_t *total_bytes; /* where it is counted; borrowed */
	struct rendition_options options;
	struct buf bytes;
	struct rendition *next; /* in the edition */
};

/* The page of a cluster by its name; NULL: there is none, or none yet. */
const struct page *edition_page(const struct edition *edition, struct text cluster);

/* Returns a reference. The rendition may outlive the edition, but not the sum of bytes. NULL: it is a part too many, or
 * there is none at `deadline_ns` (clock_monotonic_ns). A thread that has begun to make one finishes it. */
struct rendition *edition_render(struct edition *edition, const struct rendition_options *options, uint64_t deadline_ns,
				 struct error *err);
void rendition_release(void *rendition); /* NULL is fine */
