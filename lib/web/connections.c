#include "web/connections.h"

#include "base/memory.h"

#include <stdlib.h>
#include <sys/socket.h>

#define S UINT64_C(1000000000)

/* Prometheus closes what it does not use for five minutes: the server's end comes after that, for else a scrape
 * could be on its way while the connection is closed. */
static const uint64_t time_of_phase[CONNECTION_PHASES] = {
	[CONNECTION_ASKS] = 10 * S,
	[CONNECTION_WAITS] = 60 * S,
	[CONNECTION_READS] = 60 * S,
	[CONNECTION_RESTS] = 330 * S,
};

static void link_newest(struct connections *connections, struct connection *connection)
{
	connection->older = connections->newest;
	connection->newer = NULL;
	*(connections->newest ? &connections->newest->newer : &connections->oldest) = connection;
	connections->newest = connection;
	connections->count++;
	connections->in_phase[connection->phase]++;
}

static void unlink_it(struct connections *connections, struct connection *connection)
{
	*(connection->older ? &connection->older->newer : &connections->oldest) = connection->newer;
	*(connection->newer ? &connection->newer->older : &connections->newest) = connection->older;
	connections->count--;
	connections->in_phase[connection->phase]--;
}

struct connection *connections_add(struct connections *connections, int socket, uint64_t now_ns)
{
	struct connection *connection = NEW(struct connection);
	connection->socket = socket;
	connection->since_ns = now_ns;
	link_newest(connections, connection);
	return connection;
}

void connections_enter(struct connections *connections, struct connection *connection,
		       enum connection_phase phase, uint64_t now_ns)
{
	if (connection->is_dropped)
		return;
	unlink_it(connections, connection);
	connection->phase = phase;
	connection->since_ns = now_ns;
	link_newest(connections, connection);
}

/* The socket is libmicrohttpd's: it hears of this as of any client that goes away, and closes it. */
void connections_close(struct connections *connections, struct connection *connection)
{
	if (connection->is_dropped)
		return;
	unlink_it(connections, connection);
	connection->is_dropped = true;
	shutdown(connection->socket, SHUT_RDWR);
}

/* What the kernel still holds for the client is thrown away, else thousands that do not read could fill its memory. */
static void drop(struct connections *connections, struct connection *connection)
{
	struct linger none = {.l_onoff = 1, .l_linger = 0};
	setsockopt(connection->socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
	connections_close(connections, connection);
}

void connections_make_room(struct connections *connections)
{
	while (connections->count >= CONNECTIONS_MAX) {
		drop(connections, connections->oldest);
		connections->crowded_out++;
	}
}

void connections_drop_overdue(struct connections *connections, uint64_t now_ns)
{
	struct connection *next;
	for (struct connection *at = connections->oldest; at; at = next) {
		next = at->newer;
		if (now_ns - at->since_ns < time_of_phase[at->phase])
			continue;
		connections->overdue += at->phase != CONNECTION_RESTS;
		drop(connections, at);
	}
}

void connections_close_phase(struct connections *connections, enum connection_phase phase)
{
	struct connection *next;
	for (struct connection *at = connections->oldest; at; at = next) {
		next = at->newer;
		if (at->phase == phase)
			connections_close(connections, at);
	}
}

void connections_remove(struct connections *connections, struct connection *connection)
{
	if (!connection->is_dropped)
		unlink_it(connections, connection);
	free(connection);
}
