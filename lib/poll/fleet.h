/* The clusters that are polled: for each a poller, and a slot on the board for its page. Of the main thread. */
#pragma once

#include "config/setup.h"
#include "page/board.h"

struct fleet;

struct fleet *fleet_new(struct page_board *board); /* of no clusters; borrows the board */

/* From now on polls the setup's clusters, whose files were checked, and holds it. Where a cluster's poller can go on it is
 * told; else another takes its place and goes on counting; those of clusters that are not there any more end, which may
 * take a second. New ones begin with fleet_start. False: nothing is changed. */
bool fleet_take(struct fleet *fleet, struct setup *setup, struct error *err);

/* Starts the pollers that have not begun. False: there was no thread for some, which is said; to be tried again. */
bool fleet_start(struct fleet *fleet);

/* Do all pollers? One that hangs has numbers that grow old without anybody's saying so. */
bool fleet_makes_progress(const struct fleet *fleet);

/* Asks every endpoint of every cluster once, without fleet_start; true if all that are served answered. */
bool fleet_poll_all(struct fleet *fleet);

void fleet_free(struct fleet *fleet); /* NULL is fine */
