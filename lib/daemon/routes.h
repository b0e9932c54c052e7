/* What is served under which path. */
#pragma once

#include "base/buf.h"
#include "daemon/page.h"
#include "web/http_server.h"

struct routes {
	struct page_slot *slot;     /* borrowed */
	const char *telemetry_path; /* borrowed */
	/* Reads the configuration again; called by the server's thread. NULL: there is no /-/reload. */
	bool (*reload)(void *context, struct error *err);
	void *reload_context;
	struct buf landing; /* made by routes_init */
};

/* The members above `landing` are set before. */
void routes_init(struct routes *routes);
void routes_done(struct routes *routes);

void routes_respond(void *routes, const struct web_request *request, struct web_reply *reply);
