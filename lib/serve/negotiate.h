/* Which format a scraper wants, by RFC 9110's rules and Prometheus' habits
 * (https://prometheus.io/docs/instrumenting/content_negotiation/). Pure. */
#pragma once

#include "base/buf.h"
#include "metrics/formats.h"

struct negotiated {
	enum format format;
	const char *type; /* Content-Type; static */
};

/* `accept` may be NULL. If it names no format that slurmscope has, the answer is the text format, as other exporters do. */
struct negotiated negotiate(const char *accept);

/* Does Accept-Encoding, NULL if there is none, allow gzip? */
bool negotiate_gzip(const char *accept_encoding);
