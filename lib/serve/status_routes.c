#include "serve/status_routes.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/version.h"
#include "page/process.h"
#include "serve/tenant_scope.h"
#include "status/jobs_request.h"
#include "status/pages.h"
#include "status/scoped_status.h"

#include <stdlib.h>

static const char not_begun[] = "not ready: slurmscope has not asked slurmrestd yet\n";
enum { REFRESH_MIN_S = 5, REFRESH_MAX_S = 3600 };
/* Limit on the bytes of pages that clients are still reading; tenants may take half of it. Each page is made for one client, who may never read it. */
enum { MADE_BYTES_MAX = 16 * 1024 * 1024 };

struct made {
	struct buf bytes;
	size_t *sum; /* of all that are there, this one included */
};

static void made_free(void *owner)
{
	struct made *made = owner;
	*made->sum -= made->bytes.len;
	buf_done(&made->bytes);
	free(made);
}

/* The pages that are there, for as long as something is made of them. */
struct held_pages {
	struct page **pages;
	size_t count;
	bool is_whole; /* there is one of each cluster */
	const struct status **clusters;
	struct status **scoped; /* what a tenant has of each page; owned; NULL: all is shown */
	struct error config_error;
	struct status_site site;
};

static void give_back(struct held_pages *held)
{
	for (size_t i = 0; held->scoped && i < held->count; i++)
		status_free(held->scoped[i]);
	for (size_t i = 0; i < held->count; i++)
		page_release(held->pages[i]);
	free(held->pages);
	free(held->scoped);
	free(held->clusters);
}

/* Of a cluster of which the tenant has nothing it is NULL. */
static void take_scope(struct held_pages *held, const struct web_tenant *tenant)
{
	struct scope scope;
	tenant_scope(tenant, &scope);
	held->scoped = memory_new((held->count + 1) * sizeof *held->scoped);
	for (size_t i = 0; i < held->count; i++)
		if (scope_has_cluster(&scope, text_of(held->pages[i]->status->name)))
			held->scoped[i] = scoped_status(held->pages[i]->status, &scope);
	scope_done(&scope);
	held->site.is_scoped = true;
}

/* Those that ?cluster= names, or all. */
static void take_clusters(struct held_pages *held, const char *name)
{
	size_t seen = 0;
	held->clusters = memory_new((held->count + 1) * sizeof *held->clusters);
	for (size_t i = 0; i < held->count; i++) {
		const struct status *status = held->scoped ? held->scoped[i] : held->pages[i]->status;
		if (!status)
			continue;
		seen++;
		if (!name || strcmp(status->name, name) == 0)
			held->clusters[held->site.cluster_count++] = status;
	}
	held->site.clusters = held->clusters;
	held->site.chosen = seen > 1 ? name : NULL;
}

static unsigned refresh_of(const struct web_request *request)
{
	const char *asked = web_request_query(request, "refresh", 0);
	uint64_t seconds;
	bool is_fit =
		asked && text_to_u64(text_of(asked), &seconds) && seconds >= REFRESH_MIN_S && seconds <= REFRESH_MAX_S;
	return is_fit ? (unsigned)seconds : 0;
}

static void take_configuration(struct held_pages *held, struct routes *routes)
{
	struct status_site *site = &held->site;
	struct http_server *server = atomic_load(&routes->scrape.board->server);
	struct web_facts facts = {0};
	bool is_newest = page_board_config(routes->scrape.board, &site->configuration.read, &held->config_error);
	site->configuration.is_there = true;
	site->configuration.is_newest = is_newest;
	site->configuration.error = is_newest ? NULL : held->config_error.text;
	if (!server) /* it is being started */
		return;
	http_server_facts(server, &facts);
	site->web_configuration =
		(struct status_configuration){facts.has_config, facts.is_config_good, facts.config_read,
					      facts.is_config_good ? NULL : routes->web_config_error.text};
	site->certificate_expiry = (double)facts.certificate_expiry;
}

/* False, and the reply, while there is no page, and where there is no such cluster. */
static bool view_open(struct held_pages *held, struct routes *routes, const struct web_request *request,
		      struct web_reply *reply)
{
	process_read(&routes->scrape.board->source, &routes->process);
	*held = (struct held_pages){.pages = NULL};
	held->site = (struct status_site){
		.now = clock_now(),
		.version = version_number,
		.revision = version_revision,
		.metrics_path = routes->telemetry_path,
		.refuses_calls = routes->sandbox->has_calls,
		.landlock_abi = (uint64_t)routes->sandbox->landlock_abi,
		.started = routes->process.start_time,
		.cpu_seconds = routes->process.cpu_seconds,
		.resident_bytes = routes->process.resident_bytes,
		.scrapes = page_board_scrapes(routes->scrape.board),
		.refresh_s = refresh_of(request),
	};
	take_configuration(held, routes);
	held->pages = page_board_borrow(routes->scrape.board, &held->count, &held->is_whole);
	if (!request->sees_everything)
		take_scope(held, request->tenant);
	take_clusters(held, web_request_query(request, "cluster", 0));
	if (held->site.cluster_count)
		return true;
	if (held->count)
		web_reply_text(reply, 404, "there is no such cluster\n");
	else
		web_reply_text(reply, 503, not_begun);
	give_back(held);
	return false;
}

/* Replies with what was made, which it takes, and gives the pages back. */
static void view_close(struct held_pages *held, struct routes *routes, struct web_reply *reply, const struct buf *bytes,
		       const char *type)
{
	struct made *made = NEW(struct made);
	*made = (struct made){*bytes, &routes->made_bytes};
	routes->made_bytes += bytes->len;
	give_back(held);
	reply->type = type;
	reply->bytes = bytes->bytes;
	reply->len = bytes->len;
	reply->owner = made;
	reply->release = made_free;
	web_reply_header(reply, "Cache-Control", "no-store");
}

/* False: there is nothing to write of, and the reply says so. */
static bool respond(struct routes *routes, const struct web_request *request, struct web_reply *reply,
		    const struct jobs_query *query, void (*write)(const struct status_site *site, struct buf *out),
		    const char *type)
{
	struct held_pages held;
	struct buf made = BUF_INIT;
	if (routes->made_bytes >= (size_t)MADE_BYTES_MAX / (request->sees_everything ? 1 : 2)) {
		web_reply_text(reply, 503, "clients read too many pages: try again later\n");
		return false;
	}
	if (!view_open(&held, routes, request, reply))
		return false;
	held.site.query = query;
	write(&held.site, &made);
	view_close(&held, routes, reply, &made, type);
	return true;
}

static void write_page(const struct status_site *site, struct buf *out)
{
	if (site->cluster_count > 1)
		pages_overview(site, out);
	else
		pages_cluster(site, out);
}

static void respond_html(struct routes *routes, const struct web_request *request, struct web_reply *reply,
			 const struct jobs_query *query, void (*write)(const struct status_site *site, struct buf *out))
{
	if (!respond(routes, request, reply, query, write, "text/html; charset=utf-8"))
		return;
	web_reply_header(reply, "Content-Security-Policy", pages_policy);
	web_reply_header(reply, "Referrer-Policy", "no-referrer");
}

void status_respond_page(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	respond_html(routes, request, reply, NULL, write_page);
}

void status_respond_json(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	respond(routes, request, reply, NULL, pages_json, "application/json");
}

static const char *parameter_of(void *context, const char *name)
{
	return web_request_query(context, name, 0);
}

/* False, and the reply: the request asks for something that there is not. */
static bool read_query(const struct web_request *request, struct jobs_query *query, struct web_reply *reply)
{
	struct web_request copy = *request;
	struct buf why = BUF_INIT;
	if (jobs_query_read(query, parameter_of, &copy, &why))
		return true;
	buf_add_char(&why, '\n');
	web_reply_text(reply, 400, why.bytes);
	reply->owner = why.bytes;
	reply->release = free;
	return false;
}

void status_respond_jobs(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	struct jobs_query query;
	if (read_query(request, &query, reply))
		respond_html(routes, request, reply, &query, pages_jobs);
}

void status_respond_jobs_json(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	struct jobs_query query;
	if (read_query(request, &query, reply))
		respond(routes, request, reply, &query, pages_jobs_json, "application/json");
}

void status_respond_plan(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	respond(routes, request, reply, NULL, pages_plan, "text/plain; charset=utf-8");
}

void status_respond_ready(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	struct held_pages held;
	struct buf made = BUF_INIT;
	if (!view_open(&held, routes, request, reply))
		return;
	buf_add_string(&made, "not ready: ");
	bool is_not = pages_not_ready(&held.site, &made);
	if (!is_not && !held.is_whole) {
		is_not = true;
		buf_add_string(&made, "slurmscope has not asked a cluster yet");
	}
	reply->status = is_not ? 503 : 200;
	if (!is_not)
		buf_clear(&made);
	buf_add_string(&made, is_not ? "\n" : "ready\n");
	view_close(&held, routes, reply, &made, "text/plain; charset=utf-8");
}

static void reply_asset(struct web_reply *reply, const char *bytes, size_t len, const char *type)
{
	reply->type = type;
	reply->bytes = bytes;
	reply->len = len;
	web_reply_header(reply, "Cache-Control", "max-age=3600");
}

void status_respond_style(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	(void)routes, (void)request;
	reply_asset(reply, pages_style, pages_style_len, "text/css; charset=utf-8");
}

void status_respond_icon(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	(void)routes, (void)request;
	reply_asset(reply, pages_icon, pages_icon_len, "image/svg+xml");
}
