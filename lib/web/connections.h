/* Who is connected and since when: the limits on slow and hostile clients. Of the server's thread. Times are monotonic
 * nanoseconds.
 *
 * Each phase of a connection has its time; a connection that takes longer is dropped. When the table is full, the
 * source that has the most connections makes room: with the one that has been longest in its phase. So a flood from one
 * address closes none of another. In a flood from many a scrape is never the oldest, because it takes milliseconds. */
#pragma once

#include "web/passwords.h"
#include "web/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Far more than the scrapers and readers of one daemon, and within the usual limit of 1,024 open files. */
enum { CONNECTIONS_MAX = 512, CONNECTION_TARGET_BYTES = 256 };

enum connection_phase {
	CONNECTION_ASKS, /* the client is accepted, and its request is not whole yet */
	CONNECTION_WAITS, /* its password is being compared */
	CONNECTION_READS, /* its answer is under way */
	CONNECTION_RESTS, /* its answer is sent; it may ask again */
	CONNECTION_ARRIVES, /* it waits for its TLS handshake; libmicrohttpd does not have it yet */
	CONNECTION_PHASES
};

struct handshake_turns;

struct connection {
	int socket;
	uint64_t source; /* connections_source */
	enum connection_phase phase;
	bool is_dropped; /* disconnected, but not yet known to be closed */
	uint64_t since_ns;
	struct connection *older, *newer;
	struct handshake_turns *turns; /* borrowed */
	struct tls_client client; /* tls is a reference; NULL: no TLS */
	/* Of its present request: */
	bool has_begun; /* the headers are read */
	uint64_t arrived_ns; /* when the round began that read them */
	bool is_checked; /* the password was looked at */
	unsigned generation; /* of the configuration that it was, or is being, compared with */
	uint64_t tenant; /* that it was answered as; 0: none */
	enum password_verdict verdict; /* then */
	size_t body_bytes;
	char target
		[CONNECTION_TARGET_BYTES]; /* what the request line asks for, cut; only while there is an audit log */
	void *handle; /* libmicrohttpd's */
};

struct connections {
	struct connection *oldest, *newest; /* by since_ns; without those that are dropped */
	unsigned count; /* of connections in that list */
	unsigned in_phase[CONNECTION_PHASES];
	uint64_t crowded_out, overdue; /* dropped since the start: to make room, and for taking too long */
};

/* Who the peer of a socket is. It is an IPv4 address, or the network (/64) of an IPv6 address, since one host may have
 * all of it. It is 0 for a socket without an address (unix). */
uint64_t connections_source(int socket);

/* The same for people: its whole address, or "unix". */
enum { CONNECTION_ADDRESS_BYTES = 64 };
void connections_address(int socket, char to[CONNECTION_ADDRESS_BYTES]);

/* Adds a connection in its first phase. The table owns it until connections_remove, and only borrows the socket. In
 * CONNECTION_ARRIVES it has the socket, too, and whatever closes the connection also removes it. */
struct connection *connections_add(struct connections *connections, int socket, uint64_t now_ns);
void connections_enter(struct connections *connections, struct connection *connection, enum connection_phase phase,
		       uint64_t now_ns);

/* Drops the oldest of the largest source, until there is room for another one. */
void connections_make_room(struct connections *connections);
void connections_drop_overdue(struct connections *connections, uint64_t now_ns);
/* Closes it gracefully: what was sent will arrive. */
void connections_close(struct connections *connections, struct connection *connection);
/* Closes all that are in this phase. */
void connections_close_phase(struct connections *connections, enum connection_phase phase);

/* How many answers of that tenant are under way. */
unsigned connections_reading(const struct connections *connections, uint64_t tenant);

/* libmicrohttpd has closed the socket: frees the connection. */
void connections_remove(struct connections *connections, struct connection *connection);
