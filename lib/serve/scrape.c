#include "serve/scrape.h"

#include "metrics/family.h"
#include "page/edition.h"
#include "serve/negotiate.h"
#include "serve/tenant_scope.h"

#include <stdlib.h>

/* A reply is useless after the scraper gave up. So wait a little less than its timeout, to leave time for the way back. */
#define TIMEOUT_HEADER "X-Prometheus-Scrape-Timeout-Seconds"
static const double timeout_default_s = 10, timeout_share = 0.9;

static void refuse(struct web_reply *reply, unsigned status, struct buf *text)
{
	web_reply_text(reply, status, text->bytes);
	reply->owner = text->bytes;
	reply->release = free;
}

static void refuse_for_now(struct web_reply *reply, const struct error *why)
{
	struct buf text = BUF_INIT;
	buf_printf(&text, "%s\n", why->text);
	refuse(reply, 503, &text);
}

static bool add_part(struct text name, uint32_t *collect)
{
	for (unsigned i = 0; i < COLLECTED; i++)
		if (text_equal(text_of(collected_names[i]), name)) {
			*collect |= UINT32_C(1) << i;
			return true;
		}
	return false;
}

static bool refuse_part(struct web_reply *reply, struct text name)
{
	struct buf text = BUF_INIT;
	buf_add_string(&text, "there is no part \"");
	buf_add_text(&text, text_limit(name, 64));
	buf_add_string(&text, "\" of the metrics; there are:");
	for (unsigned i = 0; i < COLLECTED; i++)
		buf_printf(&text, "%s %s", i ? "," : "", collected_names[i]);
	buf_add_char(&text, '\n');
	refuse(reply, 400, &text);
	return false;
}

/* collect[]= as node_exporter has it; a cluster is a target of multi-target exporters. */
static bool read_parts(const struct web_request *request, struct text part, uint32_t *ret_collect,
		       struct web_reply *reply)
{
	*ret_collect = 0;
	if (part.len && !add_part(part, ret_collect))
		return refuse_part(reply, part);
	const char *name;
	for (unsigned i = 0; (name = web_request_query(request, "collect[]", i)); i++)
		if (!add_part(text_of(name), ret_collect))
			return refuse_part(reply, text_of(name));
	return true;
}

static const char *cluster_asked(const struct web_request *request)
{
	const char *cluster = web_request_query(request, "cluster", 0);
	return cluster ? cluster : web_request_query(request, "target", 0);
}

static uint64_t deadline_of(const struct web_request *request)
{
	const char *timeout = web_request_header(request, TIMEOUT_HEADER);
	double seconds = timeout ? strtod(timeout, NULL) : 0;
	if (!(seconds > 0 && seconds < 3600))
		seconds = timeout_default_s;
	return request->arrived_ns + (uint64_t)(seconds * timeout_share * 1e9);
}

/* The status, and the body if it is 200. */
static enum scrape_code render(struct edition *edition, struct rendition_options *options,
			       const struct web_request *request, struct web_reply *reply)
{
	const char *cluster = cluster_asked(request);
	options->page = cluster ? edition_page(edition, text_of(cluster)) : NULL;
	if (cluster && !options->page) {
		struct buf text = BUF_INIT;
		buf_printf(&text, "there is no cluster \"%.64s\", or slurmscope has no data of it yet\n", cluster);
		refuse(reply, 400, &text);
		return SCRAPE_BAD_REQUEST;
	}
	struct error why;
	struct rendition *rendition = edition_render(edition, options, deadline_of(request), &why);
	if (!rendition) {
		refuse_for_now(reply, &why);
		return SCRAPE_NOT_READY;
	}
	reply->bytes = rendition->bytes.len ? rendition->bytes.bytes : "";
	reply->len = rendition->bytes.len;
	reply->owner = rendition;
	reply->release = rendition_release;
	return SCRAPE_OK;
}

/* The edition, or what a tenant has of it, with a reference. NULL: the reply says why there is none. */
static struct edition *edition_for(const struct scrape_options *scrape, const struct web_request *request,
				   struct web_reply *reply)
{
	struct edition *all = page_board_borrow_edition(scrape->board);
	if (!all)
		web_reply_text(reply, 503, "not ready: slurmscope has not asked slurmrestd yet\n");
	if (!all || request->sees_everything)
		return all;
	struct scope scope;
	struct error why;
	tenant_scope(request->tenant, &scope);
	struct edition *scoped = edition_scoped(all, &scope, deadline_of(request), &why);
	scope_done(&scope);
	edition_release(all);
	if (!scoped)
		refuse_for_now(reply, &why);
	return scoped;
}

void scrape_respond(const struct scrape_options *scrape, const struct web_request *request, struct text part,
		    struct web_reply *reply)
{
	struct negotiated negotiated = negotiate(web_request_header(request, "Accept"));
	struct rendition_options options = {.format = {.format = negotiated.format, .has_created = scrape->has_created},
					    .is_gzip = negotiate_gzip(web_request_header(request, "Accept-Encoding"))};
	enum scrape_code code = SCRAPE_BAD_REQUEST;
	struct edition *edition = edition_for(scrape, request, reply);
	if (!edition) {
		code = SCRAPE_NOT_READY;
	} else if (read_parts(request, part, &options.format.collect, reply)) {
		code = render(edition, &options, request, reply);
	}
	edition_release(edition);
	page_board_count(scrape->board, negotiated.format, code);
	web_reply_header(reply, "Vary", "Accept, Accept-Encoding");
	if (code != SCRAPE_OK)
		return;
	reply->type = negotiated.type;
	reply->encoding = options.is_gzip ? "gzip" : NULL;
}
