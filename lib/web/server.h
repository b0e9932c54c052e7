/* What http_server.c and http_request.c share, and nobody else sees. */
#pragma once

#include "web/connections.h"
#include "web/http_server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

struct http_server {
	struct MHD_Daemon *plain;
	struct connections connections;
	struct listeners listeners;
	int poll; /* epoll: the listeners, libmicrohttpd's own epoll, wake */
	int wake; /* eventfd */
	pthread_t thread;
	bool is_started;
	atomic_bool is_stopping;
	web_respond *respond;
	void *context;
};

/* A callback of libmicrohttpd: the headers are read, a piece of a body, or the whole request. */
enum MHD_Result http_request(void *server, struct MHD_Connection *connection, const char *url,
			     const char *method, const char *version, const char *upload,
			     size_t *upload_size, void **request);

struct connection *http_request_connection(struct MHD_Connection *connection);
