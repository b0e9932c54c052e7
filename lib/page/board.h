/* The board where the pollers leave their pages for the server: all that they share. The server gets them as an edition,
 * which ends when one of them does. Every function may be called by any thread.
 *
 * Where the server is another process there are two boards. That of the pollers keeps nothing: it hands over what is
 * left there (handover.h), and the receiver (receiver.h) leaves it on the board of the server. */
#pragma once

#include "base/error.h"
#include "metrics/exporter.h"
#include "metrics/formats.h"
#include "page/page.h"
#include "page/process.h"
#include "page/signs.h"

#include <pthread.h>

struct edition;
struct handover;

/* Where the poller of one cluster leaves its page. */
struct page_slot {
	struct page_board *board;
	const char *cluster; /* its name in ?cluster=; borrowed; NULL: it has none */
	struct page *page; /* NULL before the first one, and where it is handed over */
	uint32_t number; /* where it is handed over */
	struct page_slot *next;
};

/* How often the process that polls says that it does, and for how long the one that serves believes it. The latter is what
 * systemd's watchdog has in our unit: a container has no such watchdog, but asks /-/healthy. */
enum { PAGE_BOARD_LIFE_SIGN_S = 10, PAGE_BOARD_LIFE_S = 60 };

enum scrape_code { SCRAPE_OK, SCRAPE_BAD_REQUEST, SCRAPE_NOT_READY, SCRAPE_CODES };

struct page_board {
	struct handover
		*handover; /* to the process that serves; NULL: this one serves. Borrowed; set before all else */
	struct serving_signs
		*signs; /* where the process that polls sees what is served; NULL: nobody looks; borrowed */
	struct process_source source; /* of the processes that the pages tell of */
	pthread_mutex_t lock;
	struct page_slot *first;
	struct edition *edition; /* of the pages that are there; NULL: nobody has asked for it yet */
	bool edition_is_old; /* there is something newer, but it has to do for a while */
	atomic_size_t rendition_bytes; /* of what was made of editions, also of older ones that are still being read */
	atomic_size_t scoped_bytes; /* likewise, for those who may not see all */
	struct exporter_process process;
	_Atomic(struct http_server *) server; /* that it is read from; NULL: none */
	struct text labels; /* of the process's own samples, as on the page; borrowed */
	atomic_uint_least64_t life_ns; /* of the last sign of the process that polls; 0: it is this one */
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

void page_board_note_life(struct page_board *board);
/* For how long the process that polls has given no sign of life, in seconds; 0: it lives. */
double page_board_silence_s(const struct page_board *board, uint64_t now_ns);

/* The page of each slot that has one, with a reference; free() gives the array back. *ret_is_whole: all slots have one. */
struct page **page_board_borrow(struct page_board *board, size_t *ret_count, bool *ret_is_whole);

/* Of the pages that are there, with a reference; NULL as long as there is no page of any cluster. */
struct edition *page_board_borrow_edition(struct page_board *board);

/* A scrape was answered. */
void page_board_count(struct page_board *board, enum format format, enum scrape_code code);
uint64_t page_board_scrapes(struct page_board *board); /* of whatever format and code */

void page_slot_init(struct page_slot *slot, struct page_board *board, const char *cluster);
void page_slot_publish(struct page_slot *slot, struct page *page); /* takes the reference */
void page_slot_done(struct page_slot *slot);
