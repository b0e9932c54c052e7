/* What is known of one cluster at one moment, and the board where the pollers leave it for the server: all that they
 * share.
 *
 * A page is immutable and counted; it dies with its last reader. An edition is the pages of all clusters at one
 * moment, counted likewise, with what scrapers get of them: made when the first one asks for it, for all who ask later,
 * freed with the edition. Every function may be called by any thread, except where a word says whose it is. */
#pragma once

#include "base/error.h"
#include "metrics/exporter.h"
#include "metrics/formats.h"
#include "status/status.h"

#include <pthread.h>
#include <stdatomic.h>

struct http_server;

struct page {
	atomic_uint readers;
	struct samples samples;
	struct status *status; /* what people are told; owned */
};

/* Takes both; the caller holds one reference. */
struct page *page_new(struct samples *samples, struct status *status);
void page_unref(void *page); /* a struct page; void for callbacks; NULL is fine */

/* Where the poller of one cluster leaves its page. */
struct page_slot {
	struct page_board *board;
	const char *cluster; /* its name in ?cluster=; borrowed; NULL: it has none */
	struct page *page;   /* NULL before the first one */
	struct page_slot *next;
};

enum scrape_code { SCRAPE_OK, SCRAPE_BAD_REQUEST, SCRAPE_NOT_READY, SCRAPE_CODES };

struct page_board {
	pthread_mutex_t lock;
	struct page_slot *first;
	struct edition *edition; /* of the pages that are there; NULL: nobody has asked for it yet */
	atomic_size_t rendition_bytes; /* of what was made of editions, also of older ones that are still being read */
	struct exporter_process process;
	_Atomic(struct http_server *) server; /* that it is read from; NULL: none */
	struct text labels; /* of the process's own samples, as on the page; borrowed */
	struct error config_error; /* why the newest configuration is not in force */
	atomic_uint_fast64_t scrapes[FORMATS][SCRAPE_CODES]; /* counted by the server */
};

void page_board_init(struct page_board *board);
void page_board_done(struct page_board *board); /* slots and editions were given back */
/* What is said of the process is said with these labels, which are borrowed, and of its configuration. */
void page_board_label(struct page_board *board, struct text labels);
void page_board_note_reload(struct page_board *board, const struct error *why, double now); /* NULL: it is in force */
/* When the configuration in force was read, in Unix seconds. False: it is not the newest, and why. */
bool page_board_config(struct page_board *board, double *ret_read, struct error *ret_why);

/* The page of each slot that has one, with a reference; free() gives the array back. *ret_is_whole: all slots have one. */
struct page **page_board_borrow(struct page_board *board, size_t *ret_count, bool *ret_is_whole);

uint64_t page_board_scrapes(struct page_board *board); /* of whatever format and code */

void page_slot_init(struct page_slot *slot, struct page_board *board, const char *cluster);
void page_slot_publish(struct page_slot *slot, struct page *page); /* takes the reference */
struct page *page_slot_borrow(struct page_slot *slot); /* with a reference; NULL before the first */
void page_slot_done(struct page_slot *slot);
