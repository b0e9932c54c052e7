/* Who is connected and since when: the limits on slow and hostile clients. Only the server's thread uses it.
 *
 * Each phase of a connection has its time; whoever takes longer is disconnected. When the table is full the
 * one that has waited longest in its phase makes room, wherever it comes from: a scrape takes milliseconds,
 * so that under a flood of slow connections it is never the oldest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONNECTIONS_MAX = 512 };

enum connection_phase {
	CONNECTION_ASKS,    /* accepted; or its request is not whole yet */
	CONNECTION_WAITS,   /* its password is being looked at */
	CONNECTION_READS,   /* its answer is under way */
	CONNECTION_RESTS,   /* its answer is sent; it may ask again */
	CONNECTION_PHASES
};

struct tls;

struct connection {
	int socket;
	enum connection_phase phase;
	bool is_dropped; /* disconnected, but not yet known to be closed */
	uint64_t since_ns;
	struct connection *older, *newer;
	struct tls *tls;  /* what it was greeted with; counted; NULL: plain */
	/* Of its present request: */
	bool has_begun;   /* the headers are read */
	bool is_checked;  /* the password was looked at */
	bool is_granted;
	size_t body_bytes;
	void *handle;     /* libmicrohttpd's */
};

struct connections {
	struct connection *oldest, *newest; /* by since_ns; dropped ones are not in it */
	unsigned count;                     /* of these */
	unsigned in_phase[CONNECTION_PHASES];
	uint64_t crowded_out, overdue;      /* ever dropped, and why */
};

struct connection *connections_add(struct connections *connections, int socket, uint64_t now_ns);
void connections_enter(struct connections *connections, struct connection *connection,
		       enum connection_phase phase, uint64_t now_ns);

/* Drops the oldest until there is room for another one. */
void connections_make_room(struct connections *connections);
void connections_drop_overdue(struct connections *connections, uint64_t now_ns);
/* Not dropped: what was sent will arrive. */
void connections_close(struct connections *connections, struct connection *connection);
/* All that are in this phase. */
void connections_close_phase(struct connections *connections, enum connection_phase phase);

/* It is closed: frees it. */
void connections_remove(struct connections *connections, struct connection *connection);
