#include "web/server.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <gnutls/abstract.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* libmicrohttpd parses, and speaks TLS. This file accepts, limits and closes sockets. libmicrohttpd's own limit turns
 * away every client that comes when it is full. Its only time limit is one of silence, which a client gets around with
 * a byte now and then. */
enum {
	ACCEPTED_AT_ONCE = 64,
	/* Dropped connections are its own until it has looked at them. */
	MHD_CONNECTIONS_MAX = CONNECTIONS_MAX + 4 * ACCEPTED_AT_ONCE,
	CONNECTION_MEMORY_BYTES = 32 * 1024, /* request line and headers; larger ones are 414 or 431 */
	TICK_MS = 1000,
	STOPPING_TICK_MS = 10,
	EVENTS = 32,
	HANGS_AFTER_S = 30, /* a round takes milliseconds, and some tenths of a second with large pages */
};
static const uint64_t second_ns = UINT64_C(1000000000);

static void take_config(struct http_server *server, struct web_config *config)
{
	web_config_free(server->config);
	server->config = config;
	server->generation++;
	server->facts.config_read = clock_now();
	server->facts.certificate_expiry = config->tls ? tls_expiry(config->tls) : 0;
	server->bucket = (struct web_bucket){.is_used = false};
	/* Idle connections still use the old TLS settings: close them, so that clients reconnect. */
	connections_close_phase(&server->connections, CONNECTION_RESTS);
}

/* Of files that somebody has brought. */
static void take_files(struct http_server *server)
{
	struct error err;
	pthread_mutex_lock(&server->lock);
	struct web_files files = server->files;
	server->files.count = 0;
	pthread_mutex_unlock(&server->lock);
	if (!files.count)
		return;
	struct web_config *config = web_config_read(&files, &err);
	web_files_done(&files);
	server->facts.is_config_good = config != NULL;
	if (config)
		take_config(server, config);
	server->setup.config_read(server->setup.context, config ? NULL : &err);
}

static bool may_go_on(void *context)
{
	struct connection *connection = context;
	return handshake_turns_allow(connection->turns, connection);
}

static void greet(struct http_server *server, struct MHD_Connection *handle, struct connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	if (!info || !info->tls_session)
		return;
	connection->client = (struct tls_client){tls_hold(server->config->tls), may_go_on, connection};
	tls_greet(&connection->client, info->tls_session);
}

static void on_connection(void *context, struct MHD_Connection *handle, void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = context;
	struct connection *connection = *socket_context;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) { /* its TLS session has ended, too */
		tls_release(connection->client.tls);
		connections_remove(&server->connections, connection);
		return;
	}
	connection = server->entering;
	server->entering = NULL;
	connection->handle = handle;
	*socket_context = connection;
	greet(server, handle, connection);
}

/* A request line is read. The first request's time has run since the connection was accepted. */
static void *on_request(void *context, const char *uri, struct MHD_Connection *handle)
{
	struct http_server *server = context;
	struct connection *connection = http_request_connection(handle);
	int cut = (int)sizeof connection->target - 4;
	if (server->audit)
		snprintf(connection->target, sizeof connection->target, strlen(uri) > (size_t)cut ? "%.*s..." : "%.*s",
			 cut, uri);
	if (connection->phase == CONNECTION_RESTS)
		connections_enter(&server->connections, connection, CONNECTION_ASKS, clock_monotonic_ns());
	return NULL;
}

static void on_completed(void *context, struct MHD_Connection *handle, void **request,
			 enum MHD_RequestTerminationCode code)
{
	(void)request, (void)code;
	struct http_server *server = context;
	struct connection *connection = http_request_connection(handle);
	connection->has_begun = connection->is_checked = false;
	connection->body_bytes = 0;
	connections_enter(&server->connections, connection, CONNECTION_RESTS, clock_monotonic_ns());
	if (connection->client.tls != (server->config ? server->config->tls : NULL))
		connections_close(&server->connections, connection);
}

static bool has_tls(const struct http_server *server)
{
	return server->config && server->config->tls;
}

/* Gives the connection and its socket to libmicrohttpd. */
static void let_in(struct http_server *server, struct connection *connection)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof address;
	getpeername(connection->socket, (struct sockaddr *)&address, &len);
	connections_enter(&server->connections, connection, CONNECTION_ASKS, clock_monotonic_ns());
	server->entering = connection;
	MHD_add_connection(has_tls(server) ? server->secure : server->plain, connection->socket,
			   (struct sockaddr *)&address, len);
	if (!server->entering)
		return;
	server->entering = NULL; /* it had no room, and closed the socket */
	connections_remove(&server->connections, connection);
}

/* Without TLS, or if the kernel cannot watch the socket, a connection does not wait. */
static bool waits_for_its_turn(struct http_server *server, int socket)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = socket};
	return has_tls(server) && epoll_ctl(server->poll, EPOLL_CTL_ADD, socket, &event) == 0;
}

static void arrive(struct http_server *server, int socket)
{
	uint64_t now = clock_monotonic_ns();
	struct connection *connection = connections_add(&server->connections, socket, now);
	connection->turns = &server->turns;
	if (waits_for_its_turn(server, socket))
		connections_enter(&server->connections, connection, CONNECTION_ARRIVES, now);
	else
		let_in(server, connection);
}

static void let_some_in(struct http_server *server)
{
	handshake_turns_choose(&server->turns, &server->connections);
	for (unsigned i = 0; i < server->turns.count; i++) {
		epoll_ctl(server->poll, EPOLL_CTL_DEL, server->turns.chosen[i]->socket, NULL);
		let_in(server, server->turns.chosen[i]);
	}
}

static void accept_some(struct http_server *server, int listener)
{
	for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
		int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (client < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (client < 0) {
			if (errno != EAGAIN) /* out of descriptors or memory: it would only fail again at once */
				usleep(10000);
			return;
		}
		connections_make_room(&server->connections);
		arrive(server, client);
	}
}

static bool has_work(struct MHD_Daemon *daemon)
{
	MHD_UNSIGNED_LONG_LONG timeout;
	return daemon && MHD_get_timeout(daemon, &timeout) == MHD_YES && timeout == 0;
}

static void resume(struct connection *connection, enum password_verdict verdict)
{
	connection->is_checked = true;
	connection->verdict = verdict;
	MHD_resume_connection(connection->handle);
}

static void on_wake(struct http_server *server)
{
	uint64_t drained;
	struct connection *connection;
	enum password_verdict verdict;
	if (read(server->wake, &drained, sizeof drained) < 0 || !server->passwords)
		return;
	while ((connection = passwords_next(server->passwords, &verdict)))
		resume(connection, verdict);
}

static void publish_facts(struct http_server *server)
{
	server->facts.connections = server->connections.count;
	server->facts.crowded_out = server->connections.crowded_out;
	server->facts.overdue = server->connections.overdue;
	pthread_mutex_lock(&server->lock);
	server->published = server->facts;
	pthread_mutex_unlock(&server->lock);
}

static void serve_once(struct http_server *server, int tick_ms)
{
	struct epoll_event events[EVENTS];
	bool is_busy = server->turns.are_more || has_work(server->plain) || has_work(server->secure);
	atomic_store(&server->progress->busy_since_ns, 0);
	int count = epoll_wait(server->poll, events, EVENTS, is_busy ? 0 : tick_ms);
	atomic_store(&server->progress->busy_since_ns, clock_monotonic_ns());
	for (int i = 0; i < count; i++) {
		if (events[i].data.fd == server->wake)
			on_wake(server);
		for (unsigned l = 0; l < server->setup.listeners.count; l++)
			if (events[i].data.fd == server->setup.listeners.sockets[l])
				accept_some(server, events[i].data.fd);
	}
	let_some_in(server);
	MHD_run(server->plain);
	if (server->secure)
		MHD_run(server->secure);
	connections_drop_overdue(&server->connections, clock_monotonic_ns());
}

static void finish(struct http_server *server)
{
	struct connection *connection;
	uint64_t end = clock_monotonic_ns() + second_ns;
	listen_close(&server->setup.listeners);
	while (server->passwords && (connection = passwords_give_up(server->passwords)))
		resume(connection, PASSWORD_BUSY);
	do {
		connections_close_phase(&server->connections, CONNECTION_ARRIVES);
		connections_close_phase(&server->connections, CONNECTION_ASKS);
		connections_close_phase(&server->connections, CONNECTION_RESTS);
		serve_once(server, STOPPING_TICK_MS);
	} while (server->connections.count && clock_monotonic_ns() < end);
}

static void *serve(void *context)
{
	struct http_server *server = context;
	publish_facts(server);
	while (!atomic_load(&server->is_stopping)) {
		bool has_time = !server->connections.count && !audit_waits(server->audit);
		serve_once(server, has_time ? -1 : TICK_MS);
		if (server->audit)
			audit_tick(server->audit, clock_monotonic_ns());
		take_files(server);
		publish_facts(server);
	}
	finish(server);
	return NULL;
}

static bool watch(struct http_server *server, int descriptor)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
	return descriptor >= 0 && epoll_ctl(server->poll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/* libmicrohttpd insists on a callback for the certificate; on_connection sets each session's certificate earlier. */
static int no_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
			  const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **certificates,
			  unsigned *certificate_count, gnutls_privkey_t *key)
{
	(void)session, (void)authorities, (void)count, (void)algorithms, (void)algorithm_count;
	(void)certificates, (void)certificate_count, (void)key;
	return -1;
}

static struct MHD_Daemon *start_daemon(struct http_server *server, bool is_secure)
{
	struct MHD_Daemon *daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME |
			(is_secure ? (unsigned)MHD_USE_TLS : 0),
		0, NULL, NULL, http_request, server, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
		MHD_OPTION_URI_LOG_CALLBACK, on_request, server, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)MHD_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_MEMORY_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
		is_secure ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, no_certificate, MHD_OPTION_END);
	if (!daemon || !watch(server, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd)) {
		if (daemon)
			MHD_stop_daemon(daemon);
		return NULL;
	}
	return daemon;
}

static bool start_config(struct http_server *server, struct error *err)
{
	if (!server->setup.files)
		return true;
	struct web_config *config = web_config_read(server->setup.files, err);
	web_files_done(server->setup.files);
	if (!config)
		return false;
	take_config(server, config);
	server->facts.has_config = server->facts.is_config_good = true;
	server->passwords = passwords_new(server->wake, err);
	server->secure = start_daemon(server, true);
	return server->passwords && (server->secure || error_set(err, "this libmicrohttpd was built without TLS"));
}

static bool start(struct http_server *server, struct error *err)
{
	server->poll = epoll_create1(EPOLL_CLOEXEC);
	server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bool is_watched = watch(server, server->wake);
	for (unsigned i = 0; i < server->setup.listeners.count; i++)
		is_watched = watch(server, server->setup.listeners.sockets[i]) && is_watched;
	if (!is_watched)
		return error_set(err, "epoll: %s", strerror(errno));
	if (!start_config(server, err))
		return false;
	server->plain = start_daemon(server, false);
	if (!server->plain)
		return error_set(err, "libmicrohttpd cannot start");
	int code = pthread_create(&server->thread, NULL, serve, server);
	server->is_started = code == 0;
	return code == 0 || error_set(err, "cannot start the server's thread: %s", strerror(code));
}

struct http_server *http_server_start(struct http_server_setup *setup, struct error *err)
{
	struct http_server *server = NEW(struct http_server);
	server->setup = *setup;
	server->audit = setup->audits ? audit_new() : NULL;
	server->progress = setup->progress ? setup->progress : &server->own_progress;
	setup->listeners.count = 0;
	pthread_mutex_init(&server->lock, NULL);
	if (start(server, err))
		return server;
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
		while (write(server->wake, &one, sizeof one) < 0 && errno != EAGAIN) /* then the thread is awake */
			;
		pthread_join(server->thread, NULL);
	}
	listen_close(&server->setup.listeners);
	if (server->plain)
		MHD_stop_daemon(server->plain);
	if (server->secure)
		MHD_stop_daemon(server->secure);
	passwords_free(server->passwords);
	audit_free(server->audit);
	web_config_free(server->config);
	web_files_done(&server->files);
	pthread_mutex_destroy(&server->lock);
	close(server->wake);
	close(server->poll);
	free(server);
}

void http_server_take_files(struct http_server *server, struct web_files *files)
{
	const uint64_t one = 1;
	pthread_mutex_lock(&server->lock);
	web_files_done(&server->files);
	server->files = *files;
	files->count = 0;
	pthread_mutex_unlock(&server->lock);
	(void)!write(server->wake, &one, sizeof one); /* full: it is awake */
}

bool http_progress_is_made(const struct http_progress *progress, uint64_t now_ns)
{
	uint64_t since_ns = atomic_load(&progress->busy_since_ns);
	return !since_ns || now_ns < since_ns + HANGS_AFTER_S * second_ns;
}

bool http_server_check_config(const char *path, struct error *err)
{
	struct web_files files;
	web_files_read(path, &files);
	struct web_config *config = web_config_read(&files, err);
	web_files_done(&files);
	web_config_free(config);
	return config != NULL;
}

void http_server_facts(struct http_server *server, struct web_facts *ret_facts)
{
	pthread_mutex_lock(&server->lock);
	*ret_facts = server->published;
	pthread_mutex_unlock(&server->lock);
}
