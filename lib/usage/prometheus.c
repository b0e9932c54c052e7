#include "usage/prometheus.h"

#include "base/buf.h"
#include "base/memory.h"
#include "base/quote.h"
#include "slurmrest/http.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { AUTHORIZATION_BYTES_MAX = 64 * 1024 };

struct prometheus {
	struct http *http;
	char *path; /* of the API, below the host */
	struct buf authorization;
	char warning[256];
};

static bool read_authorization(struct prometheus *prometheus, const char *file, struct error *err)
{
	FILE *in = fopen(file, "re");
	if (!in)
		return error_set(err, "%s: %s", file, strerror(errno));
	struct buf *to = &prometheus->authorization;
	to->len = fread(buf_reserve(to, AUTHORIZATION_BYTES_MAX), 1, AUTHORIZATION_BYTES_MAX, in);
	bool is_read = !ferror(in);
	fclose(in);
	while (to->len && isspace((unsigned char)to->bytes[to->len - 1]))
		to->len--;
	to->bytes[to->len] = '\0';
	for (size_t i = 0; i < to->len; i++)
		if (iscntrl((unsigned char)to->bytes[i]))
			return error_set(err, "%s: more than one line", file);
	return (is_read && to->len) || error_set(err, "%s: there is no text in it", file);
}

/* The API is below the path that the URL has, where Prometheus runs behind a prefix. */
struct prometheus *prometheus_new(const struct prometheus_options *options, struct error *err)
{
	struct prometheus *prometheus = NEW(struct prometheus);
	const char *scheme = strstr(options->url, "://");
	const char *path = scheme ? strchr(scheme + 3, '/') : NULL;
	size_t host_len = path ? (size_t)(path - options->url) : strlen(options->url);
	char *host = memory_copy(options->url, host_len);
	struct text prefix = text_of(path ? path : "");
	while (prefix.len && prefix.bytes[prefix.len - 1] == '/')
		prefix.len--;
	struct buf api = BUF_INIT;
	buf_add_text(&api, prefix);
	buf_add_string(&api, "/api/v1/query");
	prometheus->path = api.bytes;
	const struct http_options http = {.url = host, .ca_file = options->ca_file, .timeout_s = options->timeout_s};
	bool is_made =
		(!options->authorization_file || read_authorization(prometheus, options->authorization_file, err)) &&
		(prometheus->http = http_new(&http, err));
	free(host);
	if (is_made)
		return prometheus;
	prometheus_free(prometheus);
	return NULL;
}

static bool take_bytes(void *context, long status, const char *bytes, size_t len)
{
	(void)status;
	return vector_reader_feed(context, bytes, len);
}

/* What went wrong, in the order in which it can be known. */
static bool judge(struct vector_reader *reader, enum http_result result, const struct http_reply *reply,
		  struct error *err)
{
	bool is_refusal;
	struct error why;
	if (result == HTTP_TIMEOUT)
		return error_set(err, "Prometheus: no answer in time");
	if (result != HTTP_REFUSED && result != HTTP_ANSWERED)
		return error_prefix(err, "Prometheus");
	if (vector_reader_finish(reader, &is_refusal, &why))
		return true;
	if (is_refusal)
		return error_set(err, "Prometheus refuses: %s", why.text);
	if (reply->status && reply->status != 200)
		return error_set(err, "Prometheus answers with HTTP status %ld", reply->status);
	return error_set(err, "not an answer of Prometheus: %s", why.text);
}

bool prometheus_ask(struct prometheus *prometheus, const char *expression, int64_t time, series_fn *take, void *context,
		    struct error *err)
{
	const struct http_header headers[] = {{"Authorization", prometheus->authorization.bytes}, {NULL, NULL}};
	struct vector_reader *reader = vector_reader_new(take, context);
	struct buf path = BUF_INIT;
	struct http_reply reply = {0};
	buf_printf(&path, "%s?time=%" PRId64 "&query=", prometheus->path, time);
	quote_url(&path, text_of(expression));
	enum http_result result = http_get(prometheus->http, path.bytes, headers, take_bytes, reader, &reply, err);
	bool is_right = judge(reader, result, &reply, err);
	snprintf(prometheus->warning, sizeof prometheus->warning, "%s", vector_reader_warning(reader));
	vector_reader_free(reader);
	buf_done(&path);
	return is_right;
}

const char *prometheus_warning(const struct prometheus *prometheus)
{
	return prometheus->warning;
}

void prometheus_free(struct prometheus *prometheus)
{
	if (!prometheus)
		return;
	http_free(prometheus->http);
	if (prometheus->authorization.bytes)
		explicit_bzero(prometheus->authorization.bytes, prometheus->authorization.capacity);
	buf_done(&prometheus->authorization);
	free(prometheus->path);
	free(prometheus);
}
