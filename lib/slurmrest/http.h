/* GET over one kept-alive connection to slurmrestd; the only user of libcurl.
 *
 * No redirects, no proxy but the one that is asked for, http and https only. slurmrestd goes on computing for a client that has
 * gone, so the time limit is generous. Used by one thread; `stop` may be set by another. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the next bytes of the body of an answer with that status; false ends the transfer. */
typedef bool http_body_fn(void *context, long status, const char *bytes, size_t len);

enum http_result {
	HTTP_ANSWERED, /* whole answer, whatever its status */
	HTTP_UNREACHABLE, /* no connection, or it broke before the answer was whole */
	HTTP_TIMEOUT,
	HTTP_REFUSED, /* by http_body_fn */
	HTTP_STOPPED, /* by `stop` */
};

/* Of HTTP_UNREACHABLE: how far it came. */
enum http_trouble {
	HTTP_NO_TROUBLE,
	HTTP_NO_HOST, /* the name is not known */
	HTTP_NO_CONNECTION,
	HTTP_NO_TLS, /* the handshake, or whom the certificate names */
	HTTP_NO_ANSWER, /* none that is HTTP, or it was cut off */
};

struct http_reply {
	long status; /* 0 if none came */
	double seconds; /* from the request to the last byte */
	double own_seconds; /* of these we computed, slurmrestd was done before (SLURMRESTD.md, "How an answer is made") */
	uint64_t bytes; /* of the body */
	enum http_trouble trouble;
	int64_t date; /* Unix seconds, of the header Date; 0: none. slurmrestd sends neither this nor */
	char server[48]; /* Via or Server: these are a proxy's, or of something else altogether */
};

struct http_header {
	const char *name, *value; /* a NULL name ends a list; a NULL value leaves the header out */
};

struct http;

/* Strings are copied. */
struct http_options {
	const char *url; /* http://host:port, https://host:port or unix:/path */
	const char *ca_file; /* certificates (PEM) that the server's must come from; NULL: those that the
			       * system trusts */
	const char *cert_file, *key_file; /* what we show (PEM); NULL: nothing; key_file NULL: it is in cert_file */
	const char *server_name; /* that the server's certificate has; NULL: the URL's host */
	const char *proxy; /* http://host:port; NULL: none, whatever the environment says */
	long timeout_s;
	const atomic_bool *stop; /* NULL: never */
};

struct http *http_new(const struct http_options *options, struct error *err);

enum http_result http_get(struct http *http, const char *path, const struct http_header *headers, http_body_fn *take,
			  void *context, struct http_reply *ret_reply, struct error *err);

void http_free(struct http *http); /* NULL is fine */
