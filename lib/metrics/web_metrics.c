/* The exporter's own server: its connections, the clients that it turned away, its certificate and configuration. For
 * slurmscope's administrator, when a scraper complains: was it refused, and why? From the server itself
 * (web/http_server.h), by `struct exporter_process`. */
#include "metrics/family.h"

static void emit_count(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)facts;
	exposition_integer(out, *(const uint64_t *)((const char *)item + family->offset));
}

static void emit_rows(struct exposition *out, const char *label, const struct exporter_count *rows, int count)
{
	for (int i = 0; i < count; i++) {
		exposition_label(out, label, text_of(rows[i].label));
		exposition_integer(out, rows[i].count);
	}
}

static void emit_dropped(struct exposition *out, const struct page_facts *facts, const struct family *family,
			 const void *item)
{
	(void)facts, (void)family;
	emit_rows(out, "reason", ((const struct exporter_web *)item)->dropped, EXPORTER_WEB_DROPPED);
}

static void emit_refused(struct exposition *out, const struct page_facts *facts, const struct family *family,
			 const void *item)
{
	(void)facts, (void)family;
	emit_rows(out, "code", ((const struct exporter_web *)item)->refused, EXPORTER_WEB_REFUSED);
}

static void emit_is_config_good(struct exposition *out, const struct page_facts *facts, const struct family *family,
				const void *item)
{
	(void)facts, (void)family;
	const struct exporter_web *web = item;
	if (web->has_config)
		exposition_integer(out, web->is_config_good);
}

static void emit_config_read(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	(void)facts, (void)family;
	const struct exporter_web *web = item;
	if (web->has_config)
		exposition_number(out, web->config_read);
}

static void emit_certificate_expiry(struct exposition *out, const struct page_facts *facts, const struct family *family,
				    const void *item)
{
	(void)facts, (void)family;
	const struct exporter_web *web = item;
	if (web->certificate_expiry)
		exposition_number(out, (double)web->certificate_expiry);
}

static const struct family web_families[] = {
	{"slurmscope_web_connections", GAUGE, NULL, "Open connections to the web server.", emit_count,
	 offsetof(struct exporter_web, connections), 0, 0},
	{"slurmscope_web_connections_dropped_total", COUNTER, "reason",
	 "Connections that the server closed. crowded: the oldest one, because all places were taken. slow: one that "
	 "took too long to send a request or read an answer.",
	 emit_dropped, 0, 0, 0},
	{"slurmscope_web_requests_refused_total", COUNTER, "code",
	 "Requests that the server refused: wrong password (401), rate limit (429), too many passwords waiting to be "
	 "checked (503).",
	 emit_refused, 0, 0, 0},
	{"slurmscope_web_config_last_reload_successful", GAUGE, NULL,
	 "Whether slurmscope uses the web configuration that the file has now; if not, it uses the one "
	 "before.",
	 emit_is_config_good, 0, 0, 0},
	{"slurmscope_web_config_last_reload_success_timestamp_seconds", GAUGE, NULL,
	 "When slurmscope read the web configuration that it uses.", emit_config_read, 0, 0, 0},
	{"slurmscope_web_certificate_expiry_timestamp_seconds", GAUGE, NULL,
	 "When the server's certificate expires; absent without TLS.", emit_certificate_expiry, 0, 0, 0},
};

static void each_web(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct exporter_process *process = sink->facts->process;
	if (!process->web.is_there)
		return;
	exposition_created(sink->out, process->start_time);
	family_item(sink, &process->web);
}

const struct family_group web_group = {.collect = COLLECT_EXPORTER, GROUP_FAMILIES(web_families), .each = each_web};
