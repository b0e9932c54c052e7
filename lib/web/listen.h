/* Listening sockets: from addresses such as ":9341", "127.0.0.1:9341", "[::1]:9341" or "unix:/path", or from systemd. */
#pragma once

#include "base/error.h"

#include <stddef.h>

enum { LISTENERS_MAX = 16 };

struct listeners {
	int sockets[LISTENERS_MAX];
	unsigned count;
};

/* Is it an address? Nothing is looked up. */
bool listen_check(const char *address, struct error *err);

/* Adds a socket. Port 0 takes a free one; "unix:/path,mode=666" is for everybody (else 660), and takes the place of a
 * socket that nobody listens on any more. While the address is in use, it is tried again, until patience_ms milliseconds
 * are over. */
bool listen_open(struct listeners *listeners, const char *address, unsigned patience_ms, struct error *err);

/* Adds the sockets that systemd has opened for this process; none is an error. */
bool listen_inherit(struct listeners *listeners, struct error *err);

/* Where the socket listens, "127.0.0.1:9341", "[::]:9341" or "unix:/path": port 0 became a real one. */
void listen_name(int listener, char *to, size_t size);

void listen_close(struct listeners *listeners);
