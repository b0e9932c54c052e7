#include "web/connections.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define S UINT64_C(1000000000)

/* A limit on silence alone does not suffice: 512 connections that sent a byte now and then kept everybody out. */
static const uint64_t time_of_phase[CONNECTION_PHASES] = {
	[CONNECTION_ARRIVES] = 10 * S,
	[CONNECTION_ASKS] = 10 * S, /* most requests fit into one packet */
	[CONNECTION_WAITS] = 60 * S, /* passwords are compared one at a time, so guesses of others may be ahead */
	[CONNECTION_READS] = 60 * S, /* what is sent of old pages need not be kept for longer (page/edition.h) */
	/* Prometheus closes a connection that it did not use for five minutes. We close later: else a scrape could be on its
	 * way when the connection is closed. */
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

uint64_t connections_source(int socket)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof address;
	uint64_t source = 0;
	uint32_t v4 = 0;
	if (getpeername(socket, (struct sockaddr *)&address, &len) != 0)
		return 0;
	if (address.ss_family == AF_INET)
		v4 = ((const struct sockaddr_in *)&address)->sin_addr.s_addr;
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)&address)->sin6_addr;
	if (address.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(v6))
		memcpy(&v4, &v6->s6_addr[12], sizeof v4);
	else if (address.ss_family == AF_INET6)
		memcpy(&source, v6->s6_addr, sizeof source);
	return v4 ? v4 : source;
}

void connections_address(int socket, char to[CONNECTION_ADDRESS_BYTES])
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof address;
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)&address)->sin6_addr;
	snprintf(to, CONNECTION_ADDRESS_BYTES, "unix");
	if (getpeername(socket, (struct sockaddr *)&address, &len) != 0)
		return;
	if (address.ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)&address)->sin_addr, to, CONNECTION_ADDRESS_BYTES);
	else if (address.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(v6))
		inet_ntop(AF_INET, &v6->s6_addr[12], to, CONNECTION_ADDRESS_BYTES);
	else if (address.ss_family == AF_INET6)
		inet_ntop(AF_INET6, v6, to, CONNECTION_ADDRESS_BYTES);
}

struct connection *connections_add(struct connections *connections, int socket, uint64_t now_ns)
{
	struct connection *connection = NEW(struct connection);
	connection->socket = socket;
	connection->source = connections_source(socket);
	connection->since_ns = now_ns;
	link_newest(connections, connection);
	return connection;
}

void connections_enter(struct connections *connections, struct connection *connection, enum connection_phase phase,
		       uint64_t now_ns)
{
	if (connection->is_dropped)
		return;
	unlink_it(connections, connection);
	connection->phase = phase;
	connection->since_ns = now_ns;
	link_newest(connections, connection);
}

/* Once libmicrohttpd has the socket, it closes it. To libmicrohttpd this looks like a client that went away. */
void connections_close(struct connections *connections, struct connection *connection)
{
	if (connection->is_dropped)
		return;
	if (connection->phase == CONNECTION_ARRIVES) {
		close(connection->socket);
		connections_remove(connections, connection);
		return;
	}
	unlink_it(connections, connection);
	connection->is_dropped = true;
	shutdown(connection->socket, SHUT_RDWR);
}

/* Has the kernel throw away what it still holds for the client. Before, 10,000 clients that did not read filled the
 * kernel's memory for TCP with copies of the page, and scrapes took 7 s. */
static void drop(struct connections *connections, struct connection *connection)
{
	struct linger none = {.l_onoff = 1, .l_linger = 0};
	setsockopt(connection->socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
	connections_close(connections, connection);
}

static int compare_sources(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* How many of the sorted sources are this one. */
static unsigned count_source(const uint64_t *sources, unsigned count, uint64_t source)
{
	const uint64_t *found = bsearch(&source, sources, count, sizeof *sources, compare_sources);
	if (!found)
		return 0;
	const uint64_t *begin = found, *end = found + 1;
	while (begin > sources && begin[-1] == source)
		begin--;
	while (end < sources + count && *end == source)
		end++;
	return (unsigned)(end - begin);
}

static unsigned largest_run(const uint64_t *sources, unsigned count)
{
	unsigned largest = 0, run = 0;
	for (unsigned i = 0; i < count; i++) {
		run = i && sources[i] == sources[i - 1] ? run + 1 : 1;
		largest = run > largest ? run : largest;
	}
	return largest;
}

/* The oldest of the source that has the most connections. */
static struct connection *most_dispensable(const struct connections *connections)
{
	uint64_t sources[CONNECTIONS_MAX];
	unsigned count = 0;
	struct connection *at;
	for (at = connections->oldest; at && count < CONNECTIONS_MAX; at = at->newer)
		sources[count++] = at->source;
	qsort(sources, count, sizeof *sources, compare_sources);
	unsigned most = largest_run(sources, count);
	for (at = connections->oldest; count_source(sources, count, at->source) < most;)
		at = at->newer;
	return at;
}

void connections_make_room(struct connections *connections)
{
	while (connections->count >= CONNECTIONS_MAX) {
		drop(connections, most_dispensable(connections));
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
		connections->overdue += at->phase != CONNECTION_RESTS; /* idling is no fault */
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

unsigned connections_reading(const struct connections *connections, uint64_t tenant)
{
	unsigned count = 0;
	for (const struct connection *at = connections->oldest; at; at = at->newer)
		count += at->phase == CONNECTION_READS && at->tenant == tenant;
	return count;
}
