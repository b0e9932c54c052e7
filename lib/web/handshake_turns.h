/* Whose TLS handshake goes on. For each hello of a client the server signs once, and one thread serves all: 5 ms with an
 * RSA key of 4,096 bits, 0.1 ms with one of P-256. While somebody else sent hellos as fast as possible, a scrape took
 * 14 s. So the server lets a few in at a time (TURNS), each source once before any source gets a second turn. It does
 * so when the whole hello has come, so that nobody saves up hellos and completes them all at once. Of the server's
 * thread. */
#pragma once

#include "web/connections.h"

enum {
	TURNS = 2,
	LATE_HELLOS = 4, /* in one round: second hellos, and hellos in several records */
};

struct handshake_turns {
	struct connection *chosen[TURNS]; /* in this round; NULL: the turn is used */
	unsigned count;
	unsigned late;
	bool are_more; /* others are ready, too */
};

/* A round begins: chooses among the connections in CONNECTION_ARRIVES. */
void handshake_turns_choose(struct handshake_turns *turns, const struct connections *connections);

/* A hello of this connection is complete. May the server answer it? false: the handshake is to fail. */
bool handshake_turns_allow(struct handshake_turns *turns, const struct connection *connection);
