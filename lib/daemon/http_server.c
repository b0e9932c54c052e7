#include "daemon/http_server.h"

#include "base/memory.h"
#include "daemon/version.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <unistd.h>

/* The minimal profile: one epoll thread, no uploads, no upgrades, bounded memory and connections. */
enum {
	CONNECTIONS_MAX = 512,
	CONNECTIONS_PER_ADDRESS_MAX = 128,
	CONNECTION_TIMEOUT_S = 10,
	CONNECTION_MEMORY_BYTES = 32 * 1024,
};

struct http_server {
	struct MHD_Daemon *daemon;
	struct page_slot *slot;
	const char *telemetry_path;
	struct MHD_Response *landing, *healthy, *ready, *not_ready, *not_found, *not_allowed;
};

static const char text_type[] = "text/plain; charset=utf-8";
static const char html_type[] = "text/html; charset=utf-8";
static const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";

static struct MHD_Response *with_headers(struct MHD_Response *response, const char *type)
{
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	return response;
}

static struct MHD_Response *fixed(const char *body, const char *type)
{
	return with_headers(MHD_create_response_from_buffer(strlen(body), (void *)body,
							    MHD_RESPMEM_MUST_COPY),
			    type);
}

static struct MHD_Response *landing_page(const char *telemetry_path)
{
	struct buf body = BUF_INIT;
	buf_printf(&body,
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
		   version_number, telemetry_path);
	struct MHD_Response *response = fixed(body.bytes, html_type);
	MHD_add_response_header(response, "Content-Security-Policy",
				"default-src 'none'; style-src 'unsafe-inline'");
	buf_done(&body);
	return response;
}

/* The metrics, or what the planner does. */
static enum MHD_Result serve_page(struct http_server *server, struct MHD_Connection *connection,
				  bool is_plan)
{
	struct page *page = page_slot_borrow(server->slot);
	if (!page)
		return MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
					  server->not_ready);
	if (!is_plan)
		atomic_fetch_add(&server->slot->scrapes, 1);
	struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
		is_plan ? page->plan_len : page->len, is_plan ? page->plan : page->bytes, page_unref,
		page);
	if (!response) {
		page_unref(page);
		return MHD_NO;
	}
	with_headers(response, is_plan ? text_type : metrics_type);
	enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result serve_ready(struct http_server *server, struct MHD_Connection *connection)
{
	struct page *page = page_slot_borrow(server->slot);
	bool is_ready = page && page->is_complete;
	page_unref(page);
	return is_ready ? MHD_queue_response(connection, MHD_HTTP_OK, server->ready)
			: MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
					     server->not_ready);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **request)
{
	(void)version, (void)upload;
	struct http_server *server = context;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
					  server->not_allowed);
	/* The first call comes when the headers are read: an answer then would close the connection. */
	if (!*request) {
		*request = server;
		return MHD_YES;
	}
	if (*upload_size) { /* a body of a GET: not looked at */
		*upload_size = 0;
		return MHD_YES;
	}
	if (strcmp(url, server->telemetry_path) == 0)
		return serve_page(server, connection, false);
	if (strcmp(url, "/plan") == 0)
		return serve_page(server, connection, true);
	if (strcmp(url, "/-/ready") == 0)
		return serve_ready(server, connection);
	if (strcmp(url, "/-/healthy") == 0)
		return MHD_queue_response(connection, MHD_HTTP_OK, server->healthy);
	if (strcmp(url, "/") == 0)
		return MHD_queue_response(connection, MHD_HTTP_OK, server->landing);
	return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, server->not_found);
}

struct http_server *http_server_start(int listener, struct page_slot *slot,
				      const char *telemetry_path, struct error *err)
{
	struct http_server *server = NEW(struct http_server);
	server->slot = slot;
	server->telemetry_path = telemetry_path;
	server->landing = landing_page(telemetry_path);
	server->healthy = fixed("healthy\n", text_type);
	server->ready = fixed("ready\n", text_type);
	server->not_ready = fixed("not ready: slurmrestd was not asked yet\n", text_type);
	server->not_found = fixed("not found\n", text_type);
	server->not_allowed = fixed("only GET and HEAD\n", text_type);
	MHD_add_response_header(server->not_allowed, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	server->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, on_request, server,
		MHD_OPTION_LISTEN_SOCKET, listener,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_PER_ADDRESS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_TIMEOUT_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (server->daemon)
		return server;
	error_set(err, "libmicrohttpd does not start");
	close(listener);
	http_server_stop(server);
	return NULL;
}

void http_server_stop(struct http_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	MHD_destroy_response(server->landing);
	MHD_destroy_response(server->healthy);
	MHD_destroy_response(server->ready);
	MHD_destroy_response(server->not_ready);
	MHD_destroy_response(server->not_found);
	MHD_destroy_response(server->not_allowed);
	free(server);
}
