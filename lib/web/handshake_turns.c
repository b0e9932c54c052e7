#include "web/handshake_turns.h"

#include <errno.h>
#include <sys/socket.h>

/* A record of TLS: its type, version and length, then what it holds. */
enum { RECORD_HEADER = 5, RECORD_MAX = RECORD_HEADER + 16384, RECORD_IS_HANDSHAKE = 22 };

/* Is the first record whole, or will there be none? */
static bool is_ready(const struct connection *connection)
{
	unsigned char record[RECORD_MAX];
	ssize_t len = recv(connection->socket, record, sizeof record, MSG_PEEK | MSG_DONTWAIT);
	if (len <= 0)
		return len == 0 || errno != EAGAIN;
	if (record[0] != RECORD_IS_HANDSHAKE || len == sizeof record)
		return true;
	return len >= RECORD_HEADER && len >= RECORD_HEADER + (record[3] << 8 | record[4]);
}

static unsigned turns_of(const struct handshake_turns *turns, uint64_t source)
{
	unsigned count = 0;
	for (unsigned i = 0; i < turns->count; i++)
		count += turns->chosen[i]->source == source;
	return count;
}

void handshake_turns_choose(struct handshake_turns *turns, const struct connections *connections)
{
	struct connection *ready[CONNECTIONS_MAX], *at = connections->oldest;
	unsigned count = 0;
	*turns = (struct handshake_turns){.late = LATE_HELLOS};
	if (!connections->in_phase[CONNECTION_ARRIVES])
		return;
	for (; at && count < CONNECTIONS_MAX; at = at->newer)
		if (at->phase == CONNECTION_ARRIVES && is_ready(at))
			ready[count++] = at;
	for (unsigned had = 0; turns->count < TURNS && turns->count < count; had++)
		for (unsigned i = 0; i < count && turns->count < TURNS; i++)
			if (ready[i] && turns_of(turns, ready[i]->source) <= had) {
				turns->chosen[turns->count++] = ready[i];
				ready[i] = NULL;
			}
	turns->are_more = turns->count < count;
}

bool handshake_turns_allow(struct handshake_turns *turns, const struct connection *connection)
{
	for (unsigned i = 0; i < turns->count; i++)
		if (turns->chosen[i] == connection) {
			turns->chosen[i] = NULL;
			return true;
		}
	if (!turns->late)
		return false;
	turns->late--;
	return true;
}
