/* Serves the page of a slot; the only user of libmicrohttpd. It never waits for the poller and knows
 * nothing of Slurm. GET and HEAD only. */
#pragma once

#include "base/error.h"
#include "daemon/page.h"

struct http_server;

/* Serves on the listening socket, which it takes. Borrows slot and path until http_server_stop. */
struct http_server *http_server_start(int listener, struct page_slot *slot,
				      const char *telemetry_path, struct error *err);

void http_server_stop(struct http_server *server); /* NULL is fine */
