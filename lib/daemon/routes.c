#include "daemon/routes.h"

#include "daemon/version.h"

#include <stdlib.h>

static const char text_type[] = "text/plain; charset=utf-8";
static const char html_type[] = "text/html; charset=utf-8";
static const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";
static const char not_ready[] = "not ready: slurmrestd was not asked yet\n";

void routes_init(struct routes *routes)
{
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

static void plan(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	(void)request;
	if (!lend_page(routes, reply))
		return;
	const struct page *page = reply->owner;
	reply->type = text_type;
	reply->bytes = page->plan;
	reply->len = page->plan_len;
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
	struct page *page = page_slot_borrow(routes->slot);
	bool is_ready = page && page->is_complete;
	page_unref(page);
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
	const char *path; /* NULL: the telemetry path */
	bool is_post;     /* else GET and HEAD */
	void (*respond)(struct routes *routes, const struct web_request *request,
			struct web_reply *reply);
} table[] = {
	{NULL, false, metrics},
	{"/", false, landing},
	{"/plan", false, plan},
	{"/-/healthy", false, healthy},
	{"/-/ready", false, ready},
	{"/-/reload", true, reload},
};

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
		if (strcmp(route->path ? route->path : routes->telemetry_path, request->path) != 0)
			continue;
		if (fits(route, request->method))
			return route->respond(routes, request, reply);
		web_reply_text(reply, 405, route->is_post ? "only POST\n" : "only GET and HEAD\n");
		return web_reply_header(reply, "Allow", route->is_post ? "POST" : "GET, HEAD");
	}
	web_reply_text(reply, 404, "not found\n");
}
