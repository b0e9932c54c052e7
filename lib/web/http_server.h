/* An HTTP server in a thread of its own (libmicrohttpd). It knows no pages: a function of the caller's makes the
 * replies. */
#pragma once

#include "base/error.h"
#include "web/listen.h"
#include "web/web_files.h"

#include <stdatomic.h>
#include <stddef.h>

struct web_tenant; /* tenants.h */

struct web_request {
	bool sees_everything;
	const struct web_tenant *tenant; /* else who asks; NULL: nobody who may see anything */
	const char *method; /* any, also such that do not exist */
	const char *path;
	uint64_t arrived_ns; /* clock_monotonic_ns: it was here by then; others may have been served since */
	void *connection; /* the server's */
};

/* The value of a header, or the nth of those of a query parameter (from 0); NULL: there is none. They
 * live as long as the request. */
const char *web_request_header(const struct web_request *request, const char *name);
const char *web_request_query(const struct web_request *request, const char *name, unsigned nth);

enum { WEB_REPLY_HEADERS_MAX = 8 };

struct web_reply {
	unsigned status; /* 200 unless it is set */
	const char *type; /* Content-Type */
	const char *encoding; /* Content-Encoding; NULL: none */
	const char *bytes; /* stay as they are until release(owner) */
	size_t len;
	void (*release)(void *owner); /* called by the server's thread; NULL: the bytes are static */
	void *owner;
	struct {
		const char *name, *value; /* copied */
	} headers[WEB_REPLY_HEADERS_MAX]; /* more of them, up to the first without a name */
};

/* A reply of plain text that is static. */
void web_reply_text(struct web_reply *reply, unsigned status, const char *text);
void web_reply_header(struct web_reply *reply, const char *name, const char *value);

/* Called by the server's thread, which serves everybody: it must not wait. */
typedef void web_respond(void *context, const struct web_request *request, struct web_reply *reply);

struct http_server;

/* What the server's thread is at: clock_monotonic_ns of the round that is under way; 0: it waits for clients. Another
 * process may look at it. */
struct http_progress {
	atomic_uint_least64_t busy_since_ns;
};

struct http_server_setup {
	struct listeners listeners; /* the server owns them from now on, even if it fails to start */
	struct web_files *files; /* of --web.config.file; NULL: there is none. Taken and wiped at the start. */
	struct http_progress *progress; /* borrowed; NULL: nobody looks at it */
	web_respond *respond;
	/* Of http_server_take_files. NULL: the new one is in force; else why it is not, and the one before still is. */
	void (*config_read)(void *context, const struct error *why);
	void *context; /* borrowed */
	bool audits; /* logs who asks for what (audit.h) */
};

struct http_server *http_server_start(struct http_server_setup *setup, struct error *err);

/* Stops the server. Clients have a second to read answers that are under way. NULL is fine. */
void http_server_stop(struct http_server *server);

/* Another web configuration, where there was one at the start. Takes the files. Any thread may call it. */
void http_server_take_files(struct http_server *server, struct web_files *files);

/* False: the server's thread has been at one thing for 30 s, and answers nobody. `now_ns` is clock_monotonic_ns. */
bool http_progress_is_made(const struct http_progress *progress, uint64_t now_ns);

/* Checks a web configuration file, and the files that it names. */
bool http_server_check_config(const char *path, struct error *err);

struct web_facts {
	bool has_config, is_config_good; /* the newest file is the one in force */
	double config_read; /* Unix seconds, of the one in force */
	int64_t certificate_expiry; /* Unix seconds; 0: no TLS */
	uint64_t connections;
	uint64_t crowded_out, overdue; /* connections dropped: to make room, or because they were too slow */
	uint64_t refused, limited, busy; /* requests: 401, 429, 503 */
};

/* Any thread may ask. */
void http_server_facts(struct http_server *server, struct web_facts *ret_facts);
