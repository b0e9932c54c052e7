/* What is served under which path. */
#pragma once

#include "sandbox/sandbox.h"
#include "serve/scrape.h"
#include "web/http_server.h"

struct routes {
	struct scrape_options scrape; /* its board has all pages */
	const char *telemetry_path; /* borrowed */
	const struct sandbox *sandbox; /* borrowed */
	/* Reads the configuration again; called by the server's thread. NULL: there is no /-/reload. */
	bool (*reload)(void *context, struct error *err);
	void *reload_context;
	struct exporter_process process; /* as of the last page for people; made by routes_init, as is what follows */
	struct error web_config_error; /* why the newest web configuration is not in force */
	char start_time[24]; /* of the process, Unix seconds */
	size_t made_bytes; /* of pages for people that are still being read */
};

/* The caller sets the members above `process` first. */
void routes_init(struct routes *routes);

void routes_respond(void *routes, const struct web_request *request, struct web_reply *reply);

/* The server has read --web.config.file again. NULL: the new one is in force; else why it is not. */
void routes_config_read(void *routes, const struct error *why);
