/* The end of the link (link.h) in the process that serves: what the other one hands over goes to this one's board and
 * server. It opens no file. */
#pragma once

#include "page/board.h"

struct receiver;

/* Borrows the socket and the board. NULL: there is no memory for it. */
struct receiver *receiver_new(int socket, struct page_board *board);

/* From now on tells the other side that this one serves, and gives the server, which is borrowed, what comes. Returns when
 * the other side has ended, or wants this one to. */
void receiver_run(struct receiver *receiver, struct http_server *server);

/* Asks the other side to read the configuration again: for the server's thread, which waits some seconds for the answer.
 * False: something is wrong with it, and what. */
bool receiver_ask_to_reload(void *receiver, struct error *err);

void receiver_free(struct receiver *receiver);
