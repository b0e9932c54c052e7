#include "daemon/routes.h"

#include "base/log.h"
#include "daemon/process.h"
#include "daemon/status_routes.h"

#include <stdio.h>
#include <stdlib.h>

void routes_init(struct routes *routes)
{
	process_read(&routes->process);
	snprintf(routes->start_time, sizeof routes->start_time, "%.0f", routes->process.start_time);
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

static void healthy(struct routes *routes, const struct web_request *request,
		    struct web_reply *reply)
{
	(void)routes, (void)request;
	web_reply_text(reply, 200, "healthy\n");
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
	{"/", false, status_respond_page},
	{"/api/v1/status", false, status_respond_json},
	{"/plan", false, status_respond_plan},
	{"/style.css", false, status_respond_style},
	{"/icon.svg", false, status_respond_icon},
	{"/-/healthy", false, healthy},
	{"/-/ready", false, status_respond_ready},
	{"/-/reload", true, reload},
	{NULL, false, metrics}, /* and what is under it */
};

static bool fits(const struct route *route, const char *method)
{
	return route->is_post ? strcmp(method, "POST") == 0
			      : strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

bool routes_has(const char *path)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].path && strcmp(table[i].path, path) == 0)
			return true;
	return false;
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

void routes_config_read(void *context, const struct error *why)
{
	struct routes *routes = context;
	if (why)
		routes->web_config_error = *why;
	if (why)
		log_line(LOG_LEVEL_ERROR, "the web configuration stays as it was", "error", why->text, NULL);
	else
		log_line(LOG_LEVEL_INFO, "the web configuration was read again", NULL);
}
