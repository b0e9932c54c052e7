#include "web/server.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* libmicrohttpd parses, and speaks TLS. Sockets are accepted, limited and closed here: its own limits turn away whoever
 * comes when it is full, and its only time limit is one of silence, which a byte now and then gets around. */
enum {
	ACCEPTED_AT_ONCE = 64,
	/* Dropped connections are its own until it has looked at them. */
	MHD_CONNECTIONS_MAX = CONNECTIONS_MAX + 4 * ACCEPTED_AT_ONCE,
	CONNECTION_MEMORY_BYTES = 32 * 1024, /* request line and headers; larger ones are 414 or 431 */
	TICK_MS = 1000,
	EVENTS = 32,
};
static const uint64_t stop_time_ns = UINT64_C(1000000000);

static void on_connection(void *context, struct MHD_Connection *handle, void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = context;
	struct connection *connection = *socket_context;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		connections_remove(&server->connections, connection);
		return;
	}
	int socket = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	connection = connections_add(&server->connections, socket, clock_monotonic_ns());
	connection->handle = handle;
	*socket_context = connection;
}

static void on_completed(void *context, struct MHD_Connection *handle, void **request,
			 enum MHD_RequestTerminationCode code)
{
	(void)request, (void)code;
	struct http_server *server = context;
	struct connection *connection = http_request_connection(handle);
	connection->has_begun = connection->is_checked = connection->is_granted = false;
	connections_enter(&server->connections, connection, CONNECTION_RESTS, clock_monotonic_ns());
}

static void accept_some(struct http_server *server, int listener)
{
	for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
		struct sockaddr_storage address = {0};
		socklen_t len = sizeof address;
		int client = accept4(listener, (struct sockaddr *)&address, &len,
				     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (client < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (client < 0) {
			if (errno != EAGAIN) /* out of descriptors or memory: it would only fail again at once */
				usleep(10000);
			return;
		}
		connections_make_room(&server->connections);
		/* On failure it has closed the socket. */
		MHD_add_connection(server->plain, client, (struct sockaddr *)&address, len);
	}
}

static bool has_work(struct MHD_Daemon *daemon)
{
	MHD_UNSIGNED_LONG_LONG timeout;
	return MHD_get_timeout(daemon, &timeout) == MHD_YES && timeout == 0;
}

static void serve_once(struct http_server *server, bool accepts)
{
	struct epoll_event events[EVENTS];
	int wait_ms = has_work(server->plain)			? 0
		      : server->connections.count || !accepts ? TICK_MS
								: -1;
	int count = epoll_wait(server->poll, events, EVENTS, accepts ? wait_ms : wait_ms ? 10 : 0);
	for (int i = 0; i < count; i++) {
		uint64_t drained;
		if (events[i].data.fd == server->wake && read(server->wake, &drained, sizeof drained) < 0)
			continue;
		for (unsigned l = 0; accepts && l < server->listeners.count; l++)
			if (events[i].data.fd == server->listeners.sockets[l])
				accept_some(server, events[i].data.fd);
	}
	MHD_run(server->plain);
	connections_drop_overdue(&server->connections, clock_monotonic_ns());
}

static void *serve(void *context)
{
	struct http_server *server = context;
	while (!atomic_load(&server->is_stopping))
		serve_once(server, true);
	listen_close(&server->listeners);
	uint64_t end = clock_monotonic_ns() + stop_time_ns;
	do {
		connections_drop_others(&server->connections);
		serve_once(server, false);
	} while (server->connections.count && clock_monotonic_ns() < end);
	return NULL;
}

static bool watch(struct http_server *server, int descriptor)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
	return descriptor >= 0 && epoll_ctl(server->poll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static struct MHD_Daemon *start_daemon(struct http_server *server)
{
	struct MHD_Daemon *daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, http_request, server,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)MHD_CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (!daemon || !watch(server, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd)) {
		if (daemon)
			MHD_stop_daemon(daemon);
		return NULL;
	}
	return daemon;
}

struct http_server *http_server_start(struct listeners *listeners, web_respond *respond, void *context,
				      struct error *err)
{
	struct http_server *server = NEW(struct http_server);
	server->respond = respond;
	server->context = context;
	server->listeners = *listeners;
	listeners->count = 0;
	server->poll = epoll_create1(EPOLL_CLOEXEC);
	server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bool is_watched = watch(server, server->wake);
	for (unsigned i = 0; i < server->listeners.count; i++)
		is_watched = watch(server, server->listeners.sockets[i]) && is_watched;
	int code = 0;
	if (is_watched && (server->plain = start_daemon(server)))
		server->is_started =
			(code = pthread_create(&server->thread, NULL, serve, server)) == 0;
	if (server->is_started)
		return server;
	error_set(err, "the server does not start: %s",
		  code ? strerror(code) : is_watched ? "libmicrohttpd" : strerror(errno));
	http_server_stop(server);
	return NULL;
}

void http_server_stop(struct http_server *server)
{
	if (!server)
		return;
	if (server->is_started) {
		uint64_t one = 1;
		atomic_store(&server->is_stopping, true);
		if (write(server->wake, &one, sizeof one) == sizeof one)
			pthread_join(server->thread, NULL);
	}
	listen_close(&server->listeners);
	if (server->plain)
		MHD_stop_daemon(server->plain);
	close(server->wake);
	close(server->poll);
	free(server);
}
