/* Asks a Prometheus, or what answers like one (VictoriaMetrics, Thanos, Mimir): its /api/v1/query. One request at a time; used by one
 * thread. */
#pragma once

#include "usage/vector.h"

struct prometheus_options {
	const char *url; /* http://host:port/prefix, or https:; borrowed during prometheus_new */
	const char
		*ca_file; /* certificates (PEM) that the server's must come from; NULL: those that the system trusts */
	const char
		*authorization_file; /* its text is the header Authorization: "Bearer ..." or "Basic ..."; NULL: none */
	long timeout_s;
};

struct prometheus;

struct prometheus *prometheus_new(const struct prometheus_options *options, struct error *err);

/* What the expression is at that time, Unix seconds: an instant vector, of one sample a series, or a range vector. */
bool prometheus_ask(struct prometheus *prometheus, const char *expression, int64_t time, series_fn *take, void *context,
		    struct error *err);

/* What it warned of last, such as a part of the stores that did not answer; "": nothing. */
const char *prometheus_warning(const struct prometheus *prometheus);

void prometheus_free(struct prometheus *prometheus); /* NULL is fine */
