/* A listening socket from an address such as ":9341", "127.0.0.1:9341" or "[::1]:9341". */
#pragma once

#include "base/error.h"

#include <stddef.h>

struct listen_address {
	char host[256]; /* empty: all addresses, IPv6 and IPv4 */
	char port[8];
};

bool listen_parse(const char *address, struct listen_address *ret_address, struct error *err);

/* Where the socket listens, "127.0.0.1:9341" or "[::]:9341": port 0 became a real one. */
void listen_name(int listener, char *to, size_t size);

/* Returns the socket, -1 on failure. Port 0 takes a free one. */
int listen_open(const struct listen_address *address, struct error *err);
