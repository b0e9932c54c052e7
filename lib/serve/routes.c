#include "serve/routes.h"

#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "page/process.h"
#include "serve/status_routes.h"

#include <stdio.h>
#include <stdlib.h>

void routes_init(struct routes *routes)
{
	process_read(&routes->scrape.board->source, &routes->process);
	snprintf(routes->start_time, sizeof routes->start_time, "%.0f", routes->process.start_time);
}

/* What follows the telemetry path: "nodes" of /metrics/nodes. */
static struct text part_of(const struct routes *routes, const char *path)
{
	const char *part = path + strlen(routes->telemetry_path);
	return text_of(*part == '/' ? part + 1 : part);
}

static void metrics(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	scrape_respond(&routes->scrape, request, part_of(routes, request->path), reply);
	web_reply_header(reply, "Process-Start-Time-Unix", routes->start_time); /* as client_golang has it */
}

/* Takes the text. */
static void reply_with(struct web_reply *reply, unsigned status, struct buf *text)
{
	web_reply_text(reply, status, text->bytes);
	reply->owner = text->bytes;
	reply->release = free;
}

static void healthy(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	(void)request;
	double silence_s = page_board_silence_s(routes->scrape.board, clock_monotonic_ns());
	if (silence_s == 0) {
		web_reply_text(reply, 200, "healthy\n");
		return;
	}
	struct buf text = BUF_INIT;
	buf_printf(&text, "the process that polls has made no progress for %.0f s\n", silence_s);
	reply_with(reply, 503, &text);
}

static void reload(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	(void)request;
	struct error err = {""};
	if (!routes->reload) {
		web_reply_text(reply, 403, "reloading is not enabled: see --web.enable-lifecycle\n");
	} else if (routes->reload(routes->reload_context, &err)) {
		web_reply_text(reply, 200, "reloaded\n");
	} else {
		struct buf text = BUF_INIT;
		buf_printf(&text, "not reloaded: %s\n", err.text);
		reply_with(reply, 500, &text);
	}
}

/* The first page of a client that sees jobs only. Relative: a proxy may serve us under another path. */
static void send_to_jobs(struct web_reply *reply)
{
	web_reply_text(reply, 303, "see ./jobs\n");
	web_reply_header(reply, "Location", "./jobs");
}

static const struct route {
	bool is_post; /* else GET and HEAD */
	enum {
		FOR_ALL, /* it tells nothing of a cluster */
		FOR_TENANTS, /* of what they see */
		FOR_OPERATORS, /* who see everything */
	} whom;
	void (*respond)(struct routes *routes, const struct web_request *request, struct web_reply *reply);
} table[SERVED] = {
	[SERVED_PAGE] = {false, FOR_OPERATORS, status_respond_page},
	[SERVED_STATUS] = {false, FOR_OPERATORS, status_respond_json},
	[SERVED_PLAN] = {false, FOR_OPERATORS, status_respond_plan},
	[SERVED_STYLE] = {false, FOR_ALL, status_respond_style},
	[SERVED_JOBS] = {false, FOR_TENANTS, status_respond_jobs},
	[SERVED_JOBS_JSON] = {false, FOR_TENANTS, status_respond_jobs_json},
	[SERVED_ICON] = {false, FOR_ALL, status_respond_icon},
	[SERVED_HEALTHY] = {false, FOR_ALL, healthy},
	[SERVED_READY] = {false, FOR_OPERATORS, status_respond_ready},
	[SERVED_RELOAD] = {true, FOR_OPERATORS, reload},
};
static const struct route of_metrics = {false, FOR_TENANTS, metrics};

static bool fits(const struct route *route, const char *method)
{
	return route->is_post ? strcmp(method, "POST") == 0 : strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

/* The telemetry path, or a part below it. */
static bool is_of_metrics(const struct routes *routes, const char *path)
{
	size_t len = strlen(routes->telemetry_path);
	return strncmp(routes->telemetry_path, path, len) == 0 &&
	       (path[len] == '\0' || (path[len] == '/' && path[len + 1]));
}

static const struct route *find(const struct routes *routes, const char *path)
{
	for (size_t i = 0; i < SERVED; i++)
		if (strcmp(served_paths[i], path) == 0)
			return &table[i];
	return is_of_metrics(routes, path) ? &of_metrics : NULL;
}

static bool may_have(const struct route *route, const struct web_request *request)
{
	return request->sees_everything || route->whom == FOR_ALL || (route->whom == FOR_TENANTS && request->tenant);
}

static void refuse(const struct route *route, const struct web_request *request, struct web_reply *reply)
{
	if (request->tenant && route == &table[SERVED_PAGE])
		send_to_jobs(reply);
	else if (request->tenant)
		web_reply_text(reply, 403,
			       "only for those who may see everything: there are metrics and ./jobs for you\n");
	else
		web_reply_text(reply, 403, "nothing here is for you: you are of no tenant of the web configuration\n");
}

void routes_respond(void *context, const struct web_request *request, struct web_reply *reply)
{
	struct routes *routes = context;
	const struct route *route = find(routes, request->path);
	if (!route) {
		web_reply_text(reply, 404, "not found\n");
	} else if (!may_have(route, request)) {
		refuse(route, request, reply);
	} else if (fits(route, request->method)) {
		route->respond(routes, request, reply);
	} else {
		web_reply_text(reply, 405, route->is_post ? "only POST\n" : "only GET and HEAD are allowed\n");
		web_reply_header(reply, "Allow", route->is_post ? "POST" : "GET, HEAD");
	}
}

void routes_config_read(void *context, const struct error *why)
{
	struct routes *routes = context;
	if (why)
		routes->web_config_error = *why;
	if (why)
		log_line(LOG_LEVEL_ERROR, "the web configuration is invalid; slurmscope goes on with the old one",
			 "error", why->text, NULL);
	else
		log_line(LOG_LEVEL_INFO, "the web configuration was read again", NULL);
}
