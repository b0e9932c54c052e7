/* The clusters that are polled: for each a poller, and a slot on the board for its page. Of the main thread. */
#pragma once

#include "config/setup.h"
#include "page/board.h"

struct fleet;

struct fleet *fleet_new(struct page_board *board); /* of no clusters; borrows the board */

/* From now on polls the setup's clusters, whose files were checked, and holds the setup. A cluster's poller takes the
 * new options if it can go on with them; else another takes its place and goes on counting. Pollers of clusters that
 * the setup lacks end, which may take a second. New ones begin with fleet_start. False: nothing changed. */
bool fleet_take(struct fleet *fleet, struct setup *setup, struct error *err);

/* Starts the pollers that have not begun. False: there was no thread for some, and the log says so; the caller tries
 * again. */
bool fleet_start(struct fleet *fleet);

/* Do all pollers make progress? The numbers of one that hangs grow old without a sign. */
bool fleet_makes_progress(const struct fleet *fleet);

/* Asks every endpoint of every cluster once, without fleet_start. True: all that the release serves answered. */
bool fleet_poll_all(struct fleet *fleet);

void fleet_free(struct fleet *fleet); /* NULL is fine */
