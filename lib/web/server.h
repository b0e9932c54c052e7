/* What http_server.c and http_request.c share, and nobody else sees. */
#pragma once

#include "web/audit.h"
#include "web/connections.h"
#include "web/handshake_turns.h"
#include "web/http_server.h"
#include "web/web_config.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

struct http_server {
	struct http_server_setup setup;
	struct MHD_Daemon *plain, *secure; /* secure: only with a configuration */
	struct connections connections;
	struct handshake_turns turns;
	struct connection *entering; /* libmicrohttpd is being given it; NULL: none, or it has taken it */
	int poll; /* epoll: the listeners, libmicrohttpd's own epolls, wake */
	int wake; /* eventfd: the server must stop, or a password has been checked */
	pthread_t thread;
	bool is_started;
	atomic_bool is_stopping;
	struct http_progress own_progress, *progress;
	struct passwords *passwords; /* NULL: no configuration */
	struct web_config *config; /* likewise */
	unsigned generation; /* of the configuration */
	struct web_bucket bucket;
	struct audit *audit; /* NULL: there is none */
	struct web_facts facts;
	pthread_mutex_t lock; /* of what other threads read or bring */
	struct web_facts published;
	struct web_files files; /* that the server's thread has not looked at yet */
};

/* A callback of libmicrohttpd: the headers are read, a piece of a body, or the whole request. */
enum MHD_Result http_request(void *server, struct MHD_Connection *connection, const char *url, const char *method,
			     const char *version, const char *upload, size_t *upload_size, void **request);

struct connection *http_request_connection(struct MHD_Connection *connection);
