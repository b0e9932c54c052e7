#include "daemon/routes.h"

#include "daemon/status_routes.h"

#include <stdlib.h>

static const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";
static const char not_ready[] = "not ready: slurmrestd was not asked yet\n";

/* The page that is there; false, and the reply, while there is none. */
static bool lend_page(struct routes *routes, struct web_reply *reply)
{
	struct page *page = page_slot_borrow(routes->slot);
	if (!page) {
		web_reply_text(reply, 503, not_ready);
		return false;
	}
	reply->owner = page;
	reply->release = page_unref;
	return true;
}

static void metrics(struct routes *routes, const struct web_request *request,
		    struct web_reply *reply)
{
	(void)request;
	if (!lend_page(routes, reply))
		return;
	atomic_fetch_add(&routes->slot->scrapes, 1);
	const struct page *page = reply->owner;
	reply->type = metrics_type;
	reply->bytes = page->bytes;
	reply->len = page->len;
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
	const char *path; /* NULL: the telemetry path; ends with "/": one name may follow */
	bool is_post;     /* else GET and HEAD */
	void (*respond)(struct routes *routes, const struct web_request *request,
			struct web_reply *reply);
} table[] = {
	{NULL, false, metrics},
	{"/", false, status_respond_page},
	{"/cluster/", false, status_respond_cluster},
	{"/api/v1/status", false, status_respond_json},
	{"/plan", false, status_respond_plan},
	{"/style.css", false, status_respond_style},
	{"/icon.svg", false, status_respond_icon},
	{"/-/healthy", false, healthy},
	{"/-/ready", false, status_respond_ready},
	{"/-/reload", true, reload},
};

static bool leads_to(const struct route *route, const char *telemetry_path, const char *asked)
{
	size_t len = route->path ? strlen(route->path) : 0;
	if (len > 1 && route->path[len - 1] == '/')
		return strncmp(asked, route->path, len) == 0 && asked[len] && !strchr(asked + len, '/');
	return strcmp(asked, route->path ? route->path : telemetry_path) == 0;
}

bool routes_has(const char *path)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (leads_to(&table[i], "", path))
			return true;
	return false;
}

static bool fits(const struct route *route, const char *method)
{
	return route->is_post ? strcmp(method, "POST") == 0
			      : strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

void routes_respond(void *context, const struct web_request *request, struct web_reply *reply)
{
	struct routes *routes = context;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct route *route = &table[i];
		if (!leads_to(route, routes->telemetry_path, request->path))
			continue;
		if (fits(route, request->method))
			return route->respond(routes, request, reply);
		web_reply_text(reply, 405, route->is_post ? "only POST\n" : "only GET and HEAD\n");
		return web_reply_header(reply, "Allow", route->is_post ? "POST" : "GET, HEAD");
	}
	web_reply_text(reply, 404, "not found\n");
}
