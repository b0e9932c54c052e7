/* The end of the link (link.h) in the process that polls: pages, and what else the pages say, go to the process that
 * serves. At most one page of each cluster is under way. Meanwhile a newer one waits, in place of one that waits
 * already. So a server process that takes nothing costs no memory here. Every function may be called by any thread. */
#pragma once

#include "page/page.h"
#include "page/signs.h"

struct handover;

/* Borrows both: the socket for as long as it lives, the memory likewise. */
struct handover *handover_new(int socket, const struct serving_signs *signs);
void handover_free(struct handover *handover); /* NULL is fine */

/* A number of its own for a cluster; its name in ?cluster=, NULL: it has none. */
uint32_t handover_add(struct handover *handover, const char *cluster);
void handover_page(struct handover *handover, uint32_t slot, const struct page *page);
void handover_remove(struct handover *handover, uint32_t slot);

void handover_labels(struct handover *handover, struct text labels);
void handover_reloaded(struct handover *handover, const struct error *why, double now); /* NULL: it is in force */
void handover_verdict(struct handover *handover, const struct error *why); /* to HANDOVER_RELOAD; NULL: it is right */
void handover_web_files(struct handover *handover, const struct web_files *files);

/* All pollers make progress: to be said at least every PAGE_BOARD_LIFE_SIGN_S. */
void handover_lives(struct handover *handover);

uint64_t handover_scrapes(const struct handover *handover);

/* False: the server is stuck (http_progress), or a page waits to be taken for half a minute. */
bool handover_makes_progress(struct handover *handover, uint64_t now_ns);

/* Says no more, so that the other side ends. */
void handover_end(struct handover *handover);

enum handover_event {
	HANDOVER_NOTHING, /* that the caller has to know */
	HANDOVER_SERVES, /* the other side has begun */
	HANDOVER_RELOAD, /* a client wants the configuration read again, and awaits handover_verdict */
	HANDOVER_ENDED, /* nothing more can be heard or said */
	HANDOVER_NONSENSE /* the other side says what it never would: it is not what it was */
};

/* Waits for a message of the other side, and does what it asks for. Of the main thread. */
enum handover_event handover_hear(struct handover *handover);
