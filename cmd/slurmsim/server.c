#include "slurmsim/server.h"

#include "base/clock.h"
#include "base/memory.h"
#include "slurmsim/answer.h"
#include "slurmsim/fatal.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	CONNECTIONS_MAX = 124, /* SLURMRESTD.md, "Connections" */
	CONNECTION_MEMORY_BYTES = 1 << 20, /* thousands of IDs in one request line */
};

struct server {
	struct MHD_Daemon *daemon;
	struct sim *sim;
	atomic_bool stops;
};

/* One request, from its first line until its answer is sent. */
struct exchange {
	char *uri;
	bool has_begun;
	struct answer answer;
	size_t sent; /* of answer.body */
	bool has_answer;
};

static void *on_uri(void *context, const char *uri, struct MHD_Connection *connection)
{
	(void)context, (void)connection;
	struct exchange *exchange = NEW(struct exchange);
	exchange->uri = memory_copy(uri, strlen(uri));
	return exchange;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
			 enum MHD_RequestTerminationCode code)
{
	(void)context, (void)connection, (void)code;
	struct exchange *exchange = *request;
	if (!exchange)
		return;
	if (exchange->has_answer)
		answer_done(&exchange->answer);
	free(exchange->uri);
	free(exchange);
	*request = NULL;
}

/* The next bytes of a long or a cut answer. */
static ssize_t read_answer(void *context, uint64_t at, char *to, size_t max)
{
	(void)at;
	struct exchange *exchange = context;
	struct answer *answer = &exchange->answer;
	if (exchange->sent == answer->body.len) {
		if (answer->fault.kind == FAULT_CUT)
			return MHD_CONTENT_READER_END_WITH_ERROR;
		exchange->sent = 0;
		if (!answer_more(answer))
			return MHD_CONTENT_READER_END_OF_STREAM;
	}
	size_t len = answer->body.len - exchange->sent;
	len = len < max ? len : max;
	memcpy(to, answer->body.bytes + exchange->sent, len);
	exchange->sent += len;
	return (ssize_t)len;
}

/* In short pieces, so that a frozen request does not keep the server from stopping. */
static void wait_s(const struct server *server, double seconds)
{
	uint64_t end = clock_monotonic_ns() + (uint64_t)(seconds * 1e9), now;
	while (!server->stops && (now = clock_monotonic_ns()) < end) {
		uint64_t piece = end - now < 50000000 ? end - now : 50000000;
		nanosleep(&(struct timespec){.tv_nsec = (long)piece}, NULL);
	}
}

/* 26.05 sends a second answer after an error, in plain text: here as a body longer than its length. Only of a body whose size
 * microhttpd does not know it leaves the length to us, and only HTTP 1.0 has such without chunks. */
static struct MHD_Response *make_response_twice(struct exchange *exchange)
{
	struct answer *answer = &exchange->answer;
	char length[32];
	snprintf(length, sizeof length, "%zu", answer->body.len);
	buf_printf(&answer->body,
		   "HTTP/1.1 %d ERROR\r\nConnection: Close\r\nContent-Length: %zu\r\n"
		   "Content-Type: text/plain\r\n\r\n%s",
		   answer->status, strlen(answer->plain), answer->plain);
	struct MHD_Response *response =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 64 << 10, read_answer, exchange, NULL);
	if (response) {
		MHD_set_response_options(response,
					 MHD_RF_HTTP_1_0_COMPATIBLE_STRICT | MHD_RF_INSANITY_HEADER_CONTENT_LENGTH,
					 MHD_RO_END);
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_LENGTH, length);
	}
	return response;
}

static struct MHD_Response *make_response(struct exchange *exchange)
{
	struct answer *answer = &exchange->answer;
	struct buf *body = &answer->body;
	if (answer->has_more || answer->fault.kind == FAULT_CUT) {
		uint64_t len = answer->has_more ? MHD_SIZE_UNKNOWN : body->len;
		if (answer->fault.kind == FAULT_CUT)
			body->len /= 2;
		return MHD_create_response_from_callback(len, 64 << 10, read_answer, exchange, NULL);
	}
	if (answer->plain && answer->status >= 400 &&
	    (answer->view.release >= RELEASE_26_05 || answer->fault.kind == FAULT_TWICE))
		return make_response_twice(exchange);
	return MHD_create_response_from_buffer(body->len, body->bytes, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_answer(struct server *server, struct exchange *exchange, struct MHD_Connection *connection)
{
	struct answer *answer = &exchange->answer;
	if (answer->delay_s > 0)
		wait_s(server, answer->delay_s);
	struct MHD_Response *response = make_response(exchange);
	if (!response)
		return MHD_NO;
	if (answer->type)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	if (answer->status >= 400)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "Close");
	enum MHD_Result result = MHD_queue_response(connection, (unsigned)answer->status, response);
	MHD_destroy_response(response);
	return result;
}

/* /sim/truth (?jobs: each by itself, too), /sim/stats, /sim/CONTROL: plain, and without a token: the address is this machine's
 * own. */
static enum MHD_Result send_control(struct sim *sim, const char *path, struct MHD_Connection *connection)
{
	struct buf out = BUF_INIT;
	bool is_done = true;
	pthread_mutex_lock(&sim->lock);
	sim_advance(sim);
	if (strcmp(path, "truth") == 0 || strcmp(path, "truth?jobs") == 0)
		truth_write(sim, path[strlen("truth")], &out);
	else if (strcmp(path, "stats") == 0)
		stats_write(sim, &out);
	else
		is_done = control_do(sim, path, &out);
	pthread_mutex_unlock(&sim->lock);
	struct MHD_Response *response = MHD_create_response_from_buffer(out.len, out.bytes, MHD_RESPMEM_MUST_COPY);
	buf_done(&out);
	enum MHD_Result result = MHD_queue_response(connection, is_done ? MHD_HTTP_OK : MHD_HTTP_BAD_REQUEST, response);
	MHD_destroy_response(response);
	return result;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *upload, size_t *upload_size, void **request)
{
	(void)url, (void)version, (void)upload;
	struct server *server = context;
	struct exchange *exchange = *request;
	if (!exchange->has_begun) { /* an answer before the body is read would close the connection
				     */
		exchange->has_begun = true;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (strncmp(exchange->uri, "/sim/", 5) == 0)
		return send_control(server->sim, exchange->uri + 5, connection);
	char *query = strchr(exchange->uri, '?');
	if (query)
		*query++ = '\0';
	const char *bearer = header(connection, MHD_HTTP_HEADER_AUTHORIZATION);
	struct request asked = {.method = method,
				.path = exchange->uri,
				.query = query ? query : "",
				.token = header(connection, "X-SLURM-USER-TOKEN"),
				.bearer = bearer && strncmp(bearer, "Bearer ", 7) == 0 ? bearer + 7 : NULL,
				.accept = header(connection, MHD_HTTP_HEADER_ACCEPT)};
	answer_make(server->sim, &asked, &exchange->answer);
	exchange->has_answer = true;
	return send_answer(server, exchange, connection);
}

static int listen_unix(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path)
		fatal("%s: too long for a socket", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	unlink(path);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 64))
		fatal("%s: %m", path);
	return listener;
}

static int bind_loopback(struct sockaddr_in *in)
{
	socklen_t len = sizeof *in;
	int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
	setsockopt(bound, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bound < 0 || bind(bound, (struct sockaddr *)in, sizeof *in) ||
	    getsockname(bound, (struct sockaddr *)in, &len))
		fatal("127.0.0.1:%u: %m", ntohs(in->sin_port));
	return bound;
}

int server_listen(const char *address, char ret_name[128])
{
	static int kept = -1; /* never listens: the port stays ours while connections are refused */
	char name[128];
	snprintf(name, sizeof name, "%s", address);
	memcpy(ret_name, name, sizeof name);
	if (strncmp(name, "unix:", 5) == 0)
		return listen_unix(name + 5);
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	if (strncmp(name, "127.0.0.1:", 10) != 0)
		fatal("%s: only 127.0.0.1:PORT and unix:/path are listened on", name);
	in.sin_port = htons((uint16_t)atoi(name + 10));
	if (kept < 0)
		kept = bind_loopback(&in);
	int listener = bind_loopback(&in);
	if (listen(listener, 64))
		fatal("%s: %m", name);
	snprintf(ret_name, 128, "127.0.0.1:%u", ntohs(in.sin_port));
	return listener;
}

struct server *server_start(struct sim *sim, int listener)
{
	struct server *server = NEW(struct server);
	server->sim = sim;
	server->daemon =
		MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
					 MHD_USE_SUPPRESS_DATE_NO_CLOCK | MHD_USE_ITC,
				 0, NULL, NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET, listener,
				 MHD_OPTION_URI_LOG_CALLBACK, on_uri, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed,
				 NULL, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
				 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES, MHD_OPTION_END);
	if (!server->daemon)
		fatal("libmicrohttpd does not start");
	return server;
}

void server_stop(struct server *server)
{
	server->stops = true;
	MHD_stop_daemon(server->daemon);
	free(server);
}
