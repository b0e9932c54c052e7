#include "daemon/routes.h"

#include "base/log.h"
#include "daemon/edition.h"
#include "daemon/process.h"
#include "daemon/version.h"

#include <stdio.h>
#include <stdlib.h>

static const char html_type[] = "text/html; charset=utf-8";
static const char not_ready[] = "not ready: slurmrestd was not asked yet\n";

void routes_init(struct routes *routes)
{
	struct exporter_process process = {.start_time = 0};
	process_read(&process);
	snprintf(routes->start_time, sizeof routes->start_time, "%.0f", process.start_time);
	buf_printf(&routes->landing,
		   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width\">\n"
		   "<title>slurmscope</title>\n"
		   "<style>:root{color-scheme:light dark}body{font-family:sans-serif;margin:2em}"
		   "</style>\n</head>\n<body>\n<h1>slurmscope</h1>\n"
		   "<p>Slurm for Prometheus, read from slurmrestd. Version %s.</p>\n<ul>\n"
		   "<li><a href=\"%s\">Metrics</a></li>\n"
		   "<li><a href=\"/plan\">Plan</a>: what is asked, how often, and why</li>\n"
		   "<li><a href=\"/-/healthy\">Healthy</a>: the process serves</li>\n"
		   "<li><a href=\"/-/ready\">Ready</a>: every endpoint of slurmrestd was asked "
		   "once</li>\n</ul>\n</body>\n</html>\n",
		   version_number, routes->telemetry_path);
}

void routes_done(struct routes *routes)
{
	buf_done(&routes->landing);
}

static void landing(struct routes *routes, const struct web_request *request,
		    struct web_reply *reply)
{
	(void)request;
	reply->type = html_type;
	reply->bytes = routes->landing.bytes;
	reply->len = routes->landing.len;
	web_reply_header(reply, "Content-Security-Policy",
			 "default-src 'none'; style-src 'unsafe-inline'");
}

/* What follows the telemetry path: "nodes" of /metrics/nodes. */
static struct text part_of(const struct routes *routes, const char *path)
{
	const char *part = path + strlen(routes->telemetry_path);
	return text_of(*part == '/' ? part + 1 : part);
}

static void metrics(struct routes *routes, const struct web_request *request,
		    struct web_reply *reply)
{
	scrape_respond(&routes->scrape, request, part_of(routes, request->path), reply);
	web_reply_header(reply, "Process-Start-Time-Unix", routes->start_time); /* as client_golang has it */
}

static void plan(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	const char *cluster = web_request_query(request, "cluster", 0);
	struct edition *edition = edition_borrow(routes->scrape.board);
	struct buf text = BUF_INIT;
	if (edition)
		edition_plan(edition, text_of(cluster ? cluster : ""), &text);
	edition_unref(edition);
	if (!text.len)
		return cluster && edition ? web_reply_text(reply, 404, "there is no such cluster\n")
					  : web_reply_text(reply, 503, not_ready);
	web_reply_text(reply, 200, text.bytes);
	reply->owner = text.bytes;
	reply->release = free;
}

static void healthy(struct routes *routes, const struct web_request *request,
		    struct web_reply *reply)
{
	(void)routes, (void)request;
	web_reply_text(reply, 200, "healthy\n");
}

static void ready(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	(void)request;
	struct edition *edition = edition_borrow(routes->scrape.board);
	bool is_ready = edition && edition_is_complete(edition);
	edition_unref(edition);
	web_reply_text(reply, is_ready ? 200 : 503, is_ready ? "ready\n" : not_ready);
}

static void reload(struct routes *routes, const struct web_request *request,
		   struct web_reply *reply)
{
	(void)request;
	struct error err = {""};
	if (!routes->reload)
		return web_reply_text(reply, 403, "reloading is not enabled\n");
	if (routes->reload(routes->reload_context, &err))
		return web_reply_text(reply, 200, "reloaded\n");
	struct buf text = BUF_INIT;
	buf_printf(&text, "not reloaded: %s\n", err.text);
	web_reply_text(reply, 500, text.bytes);
	reply->owner = text.bytes;
	reply->release = free;
}

static const struct route {
	const char *path; /* NULL: the telemetry path, and its parts */
	bool is_post;     /* else GET and HEAD */
	void (*respond)(struct routes *routes, const struct web_request *request,
			struct web_reply *reply);
} table[] = {
	{"/", false, landing},
	{"/plan", false, plan},
	{"/-/healthy", false, healthy},
	{"/-/ready", false, ready},
	{"/-/reload", true, reload},
	{NULL, false, metrics}, /* and what is under it */
};

static bool fits(const struct route *route, const char *method)
{
	return route->is_post ? strcmp(method, "POST") == 0
			      : strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static bool is_at(const struct routes *routes, const struct route *route, const char *path)
{
	size_t len = strlen(routes->telemetry_path);
	if (route->path)
		return strcmp(route->path, path) == 0;
	return strncmp(routes->telemetry_path, path, len) == 0 &&
	       (path[len] == '\0' || (path[len] == '/' && path[len + 1]));
}

void routes_respond(void *context, const struct web_request *request, struct web_reply *reply)
{
	struct routes *routes = context;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct route *route = &table[i];
		if (!is_at(routes, route, request->path))
			continue;
		if (fits(route, request->method))
			return route->respond(routes, request, reply);
		web_reply_text(reply, 405, route->is_post ? "only POST\n" : "only GET and HEAD\n");
		return web_reply_header(reply, "Allow", route->is_post ? "POST" : "GET, HEAD");
	}
	web_reply_text(reply, 404, "not found\n");
}

void routes_config_read(void *routes, const struct error *why)
{
	(void)routes;
	if (why)
		log_line(LOG_LEVEL_ERROR, "the web configuration stays as it was", "error", why->text, NULL);
	else
		log_line(LOG_LEVEL_INFO, "the web configuration was read again", NULL);
}
