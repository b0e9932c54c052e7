/* How slurmrestd is asked, seen from its side of loopback: which paths, how often, on how many connections. */
#include "check.h"
#include "slurmrest/client.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEERS_MAX = 64, SEEN_MAX = 4096, STALE_ENDS = 12 };

/* A slurmrestd that only knows its nodes, of which it has none. The lock is of all that follows it. */
struct fake {
	int listener, stop;
	pthread_t thread;
	struct sockaddr_in address;
	pthread_mutex_t lock;
	const char *release, *versions; /* that it serves: "v0.0.42 v0.0.45" */
	const char *header; /* of its answers: "Date: ...\r\n" */
	const char *status, *body; /* NULL: as it should be */
	const char *refusal; /* to whom does not show the token d.e.f; NULL: anybody is welcome */
	const char *token_file; /* the token is put there after a refusal; NULL: never */
	bool closes_when_reused; /* instead of answering */
	unsigned connections;
	char user[32]; /* of the last request; empty: it names none */
	char seen[SEEN_MAX]; /* "v0.0.45? v0.0.45/nodes ": the first looks for the version */
};

struct peer {
	int socket;
	unsigned served;
};

static void write_token(const char *path, const char *token)
{
	FILE *file = fopen(path, "w");
	if (!file || fputs(token, file) < 0 || fclose(file) != 0)
		abort();
}

static void reply(const struct fake *fake, const struct peer *peer, bool is_probe, bool is_found, bool is_refused)
{
	char body[256] = "", answer[1024];
	if (is_found && is_probe)
		snprintf(body, sizeof body, "{\"errors\":[{\"error_number\":9000}]}");
	else if (is_found && is_refused)
		snprintf(body, sizeof body, "%s", fake->refusal);
	else if (is_found && fake->body)
		snprintf(body, sizeof body, "%s", fake->body);
	else if (is_found)
		snprintf(body, sizeof body, "{\"nodes\":[],\"meta\":{\"slurm\":{\"release\":\"%s\"}}}", fake->release);
	int len = snprintf(answer, sizeof answer, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s",
			   !is_found	  ? "404 NOT FOUND"
			   : is_probe	  ? "422 UNPROCESSABLE CONTENT"
			   : fake->status ? fake->status
					  : "200 OK",
			   fake->header, strlen(body), body);
	if (send(peer->socket, answer, (size_t)len, MSG_NOSIGNAL) != len)
		abort();
}

/* One request, which comes in one piece; false: the connection is to end. */
static bool answer(struct fake *fake, struct peer *peer)
{
	char request[2048] = "", version[16] = "", path[64] = "";
	if (recv(peer->socket, request, sizeof request - 1, 0) <= 0)
		return false;
	if (peer->served && fake->closes_when_reused)
		return false;
	peer->served++;
	sscanf(request, "GET /slurm/%15[^/]/%63s", version, path);
	bool is_probe = strcmp(path, "job/x") == 0;
	bool is_refused = fake->refusal && !is_probe && !strstr(request, "\r\nX-SLURM-USER-TOKEN: d.e.f\r\n");
	const char *user = strstr(request, "\r\nX-SLURM-USER-NAME: ");
	fake->user[0] = '\0';
	if (user)
		sscanf(user, "\r\nX-SLURM-USER-NAME: %31s", fake->user);
	size_t len = strlen(fake->seen);
	snprintf(fake->seen + len, sizeof fake->seen - len, "%s%s%s ", version, is_probe ? "" : "/",
		 is_probe ? "?" : path);
	if (is_refused && fake->token_file)
		write_token(fake->token_file, "d.e.f");
	reply(fake, peer, is_probe, strstr(fake->versions, version) != NULL, is_refused);
	return true;
}

static void serve_peers(struct fake *fake, struct pollfd *polls, struct peer *peers, nfds_t *count)
{
	for (nfds_t i = 2; i < *count; i++) {
		if (!polls[i].revents || answer(fake, &peers[i]))
			continue;
		close(peers[i].socket);
		peers[i] = peers[--*count];
		polls[i] = polls[*count];
		i--;
	}
}

static void *serve(void *context)
{
	struct fake *fake = context;
	struct pollfd polls[PEERS_MAX] = {{.fd = fake->stop, .events = POLLIN},
					  {.fd = fake->listener, .events = POLLIN}};
	struct peer peers[PEERS_MAX] = {{0}};
	nfds_t count = 2;
	while (poll(polls, count, -1) > 0 && !polls[0].revents) {
		bool is_new = polls[1].revents && count < PEERS_MAX;
		pthread_mutex_lock(&fake->lock);
		serve_peers(fake, polls, peers, &count);
		if (is_new) {
			fake->connections++;
			peers[count] = (struct peer){.socket = accept(fake->listener, NULL, NULL)};
			polls[count] = (struct pollfd){.fd = peers[count].socket, .events = POLLIN};
			count++;
		}
		pthread_mutex_unlock(&fake->lock);
	}
	while (count > 2)
		close(peers[--count].socket);
	return NULL;
}

/* *ret_end: to be closed to end it. */
static void fake_start(struct fake *fake, int *ret_end)
{
	socklen_t len = sizeof fake->address;
	int ends[2];
	*fake = (struct fake){.release = "24.11.5", .versions = "v0.0.42", .header = ""};
	pthread_mutex_init(&fake->lock, NULL);
	fake->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	fake->listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(fake->listener, (struct sockaddr *)&fake->address, len) == 0 && listen(fake->listener, 16) == 0);
	getsockname(fake->listener, (struct sockaddr *)&fake->address, &len);
	CHECK(pipe(ends) == 0);
	fake->stop = ends[0];
	*ret_end = ends[1];
	CHECK(pthread_create(&fake->thread, NULL, serve, fake) == 0);
}

static void fake_end(struct fake *fake, int end)
{
	close(end);
	pthread_join(fake->thread, NULL);
	close(fake->stop);
	close(fake->listener);
	pthread_mutex_destroy(&fake->lock);
}

/* What it does from now on; what it has seen is forgotten. */
static void fake_becomes(struct fake *fake, const char *release, const char *versions)
{
	pthread_mutex_lock(&fake->lock);
	fake->release = release;
	fake->versions = versions;
	fake->seen[0] = '\0';
	pthread_mutex_unlock(&fake->lock);
}

static void fake_says(struct fake *fake, const char *status, const char *body)
{
	pthread_mutex_lock(&fake->lock);
	fake->status = status;
	fake->body = body;
	pthread_mutex_unlock(&fake->lock);
}

static void check_seen(struct fake *fake, const char *want)
{
	pthread_mutex_lock(&fake->lock);
	CHECK_STRING(fake->seen, want);
	fake->seen[0] = '\0';
	pthread_mutex_unlock(&fake->lock);
}

static void check_connections(struct fake *fake, unsigned want, bool closes_when_reused)
{
	pthread_mutex_lock(&fake->lock);
	CHECK_NUMBER(fake->connections, want);
	fake->closes_when_reused = closes_when_reused;
	pthread_mutex_unlock(&fake->lock);
}

static void take_none(void *context, const void *record)
{
	(void)context, (void)record;
}

static void check_fetch(struct client *client, struct http_reply *ret_reply)
{
	const struct fetch fetch = {.endpoint = ENDPOINT_NODES, .take = take_none};
	struct answer answer;
	struct error err = {""};
	CHECK_STRING(fetch_result_names[client_fetch(client, &fetch, &answer, ret_reply, &err)], "ok");
}

static struct client_options options_of(const struct fake *fake, const char *version)
{
	static char url[64];
	snprintf(url, sizeof url, "http://127.0.0.1:%u", ntohs(fake->address.sin_port));
	return (struct client_options){.http = {.url = url, .timeout_s = 60}, .version = version};
}

static struct client *client_of(const struct fake *fake)
{
	static struct vocabulary vocabulary;
	const struct client_options options = options_of(fake, NULL);
	struct error err = {""};
	struct client *client = client_new(&options, token_none(), &vocabulary, &err);
	CHECK_STRING(err.text, "");
	return client;
}

#define PROBES_TO_42 "v0.0.46? v0.0.45? v0.0.44? v0.0.43? v0.0.42? "

/* Versions are looked for once: after the start and after each upgrade. */
static void test_upgrade(void)
{
	static const struct {
		const char *name, *release, *versions, *want;
	} rows[] = {
		{"the start", "24.11.5", "v0.0.41 v0.0.42", PROBES_TO_42 "v0.0.42/nodes "},
		{"nothing new", "24.11.5", "v0.0.41 v0.0.42", "v0.0.42/nodes "},
		{"an upgrade, but nothing newer", "25.05.1", "v0.0.41 v0.0.42", "v0.0.42/nodes " PROBES_TO_42},
		{"as before", "25.05.1", "v0.0.41 v0.0.42", "v0.0.42/nodes "},
		{"and again", "25.05.1", "v0.0.41 v0.0.42", "v0.0.42/nodes "},
		{"an upgrade that serves a newer one", "25.11.0", "v0.0.42 v0.0.44",
		 "v0.0.42/nodes v0.0.46? v0.0.45? v0.0.44? "},
		{"it is used", "25.11.0", "v0.0.42 v0.0.44", "v0.0.44/nodes "},
		{"back again: what was found is as new as it gets", "24.11.5", "v0.0.41 v0.0.42",
		 "v0.0.44/nodes " PROBES_TO_42 "v0.0.42/nodes "},
		{"and it stays", "24.11.5", "v0.0.41 v0.0.42", "v0.0.42/nodes "},
	};
	struct fake fake;
	int end;
	fake_start(&fake, &end);
	struct client *client = client_of(&fake);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct http_reply reply;
		check_row(rows[i].name);
		fake_becomes(&fake, rows[i].release, rows[i].versions);
		check_fetch(client, &reply);
		check_seen(&fake, rows[i].want);
	}
	client_free(client);
	fake_end(&fake, end);
}

/* The message says what is wrong with the one that it serves. */
static void test_unsupported(void)
{
	static const struct {
		const char *versions, *want;
	} rows[] = {
		{"v0.0.39", "slurmrestd serves v0.0.39 alone, which slurmscope does not read"},
		{"v0.0.36",
		 "slurmrestd serves no API version that slurmscope reads (v0.0.37, v0.0.38, v0.0.40 and later)"},
	};
	struct fake fake;
	int end;
	fake_start(&fake, &end);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fetch fetch = {.endpoint = ENDPOINT_NODES, .take = take_none};
		struct client *client = client_of(&fake);
		struct http_reply reply;
		struct answer answer;
		struct error err = {""};
		check_row(rows[i].versions);
		fake_becomes(&fake, "23.02.7", rows[i].versions);
		CHECK_NUMBER(client_fetch(client, &fetch, &answer, &reply, &err), FETCH_UNSUPPORTED);
		CHECK(text_starts_with(text_of(err.text), rows[i].want));
		client_free(client);
	}
	fake_end(&fake, end);
}

/* What a reload says of the API version holds from the next request on. */
static void test_configured_version(void)
{
	static const struct {
		const char *version, *want;
	} rows[] = {
		{NULL, "v0.0.46? v0.0.45? v0.0.45/nodes "},
		{"v0.0.42", "v0.0.42? v0.0.42/nodes "},
		{"v0.0.42", "v0.0.42/nodes "}, /* what is known stays */
		{"v0.0.45", "v0.0.45? v0.0.45/nodes "},
		{"v0.0.42", "v0.0.42? v0.0.42/nodes "},
		{NULL, "v0.0.46? v0.0.45? v0.0.45/nodes "},
		{NULL, "v0.0.45/nodes "},
	};
	struct fake fake;
	int end;
	fake_start(&fake, &end);
	fake_becomes(&fake, "26.05.5", "v0.0.42 v0.0.45");
	struct client *client = client_of(&fake);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct client_options options = options_of(&fake, rows[i].version);
		struct http_reply reply;
		struct error err = {""};
		check_row(rows[i].version ? rows[i].version : "any");
		CHECK(client_configure(client, &options, token_none(), &err));
		check_fetch(client, &reply);
		check_seen(&fake, rows[i].want);
	}
	client_free(client);
	fake_end(&fake, end);
}

/* Keep-alive may end just as the next request comes; the connection that is opened then is kept again. */
static void test_connection_is_kept(void)
{
	struct fake fake;
	struct http_reply reply;
	int end;
	fake_start(&fake, &end);
	fake_becomes(&fake, "24.11.5", "v0.0.45");
	struct client *client = client_of(&fake);
	check_row("it ends with each request");
	check_fetch(client, &reply);
	check_connections(&fake, 1, true);
	for (int i = 0; i < STALE_ENDS; i++)
		check_fetch(client, &reply);
	check_connections(&fake, 1 + STALE_ENDS, false);
	check_row("it is kept again");
	for (int i = 0; i < STALE_ENDS; i++)
		check_fetch(client, &reply);
	check_connections(&fake, 1 + STALE_ENDS, false);
	client_free(client);
	fake_end(&fake, end);
}

/* What a reply is said to have is its own, not that of the one before. */
static void test_headers(void)
{
	static const struct {
		const char *header, *server;
		int64_t date;
	} rows[] = {
		{"", "", 0},
		{"Date: Thu, 01 Jan 1970 00:16:40 GMT\r\nServer: nginx\r\nVia: 1.1 gate\r\n", "1.1 gate", 1000},
		{"Server: nginx\r\n", "nginx", 0},
		{"date:Thu, 01 Jan 1970 00:16:41 GMT\r\n", "", 1001},
		{"Date: yesterday\r\n", "", 0},
		{"Date: Thu, 01 Jan 1970 00:16:42 GMT\r\nDated: x\r\nVia: \r\n", "", 1002},
		{"", "", 0},
	};
	struct fake fake;
	int end;
	fake_start(&fake, &end);
	struct client *client = client_of(&fake);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct http_reply reply;
		check_row(rows[i].header);
		pthread_mutex_lock(&fake.lock);
		fake.header = rows[i].header;
		pthread_mutex_unlock(&fake.lock);
		check_fetch(client, &reply);
		CHECK_NUMBER(reply.date, rows[i].date);
		CHECK_STRING(reply.server, rows[i].server);
	}
	client_free(client);
	fake_end(&fake, end);
}

/* What is made of an answer that came whole. */
static void test_results(void)
{
	static const char ok[] = "200 OK", bad[] = "500 INTERNAL ERROR",
			  refused[] = "511 Network Authentication Required";
	static const struct {
		const char *status, *body, *want;
	} rows[] = {
		{ok, "{\"nodes\":[]}", "ok"}, /* there are none */
		{ok, "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\"]}]}", "ok"},
		{ok, "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\"]},{}]}", "ok"},
		{ok, "{\"nodes\":[{},{}]}", "invalid"},
		{ok, "{\"nodes\":[]", "invalid"},
		{ok, "{}", "invalid"},
		{ok, "", "invalid"},
		{ok, "<html>", "invalid"},
		/* 22.05: nothing was found */
		{ok, "{\"nodes\":[],\"errors\":[{\"error_number\":9003}]}", "ok"},
		{ok, "{\"nodes\":[],\"errors\":[{\"error_number\":9003},{\"error_number\":1800}]}", "slurm_error"},
		{ok, "{\"nodes\":[],\"errors\":[{\"error_number\":2002}]}", "forbidden"},
		{ok, "{\"nodes\":[],\"errors\":[{\"error_number\":1007}]}", "unauthorized"},
		{ok, "{\"nodes\":[],\"errors\":[{\"error_number\":2017}]}", "not_found"},
		{ok, "{\"nodes\":[],\"errors\":[{\"error_number\":2017},{\"error_number\":1800}]}", "slurm_error"},
		/* an empty list with a warning and no time says nothing of what there is */
		{ok, "{\"nodes\":[],\"warnings\":[{}],\"last_update\":{\"number\":0}}", "empty"},
		{ok, "{\"nodes\":[],\"warnings\":[{}],\"last_update\":{\"number\":7}}", "ok"},
		{ok, "{\"nodes\":[],\"last_update\":{\"number\":0}}", "ok"},
		{"304 NOT MODIFIED", "", "http_error"}, /* nobody asked whether */
		{bad, "{\"nodes\":[]}", "http_error"},
		{bad, "Bad luck", "http_error"},
		{bad, "{\"nodes\":[],\"errors\":[{\"error_number\":2017}]}", "not_found"}, /* 22.05 */
		{bad, "{\"nodes\":[],\"errors\":[{\"error_number\":2002}]}", "forbidden"},
		{bad, "{\"nodes\":[],\"errors\":[{\"error_number\":1007}]}", "unauthorized"},
		{refused, "Authentication failure", "unauthorized"},
		{"401 UNAUTHORIZED", "", "unauthorized"},
		{"403 Forbidden", "", "unauthorized"},
		{"302 Found", "", "http_error"},
	};
	struct fake fake;
	int end;
	fake_start(&fake, &end);
	struct client *client = client_of(&fake);
	struct http_reply reply;
	check_fetch(client, &reply);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fetch fetch = {.endpoint = ENDPOINT_NODES, .take = take_none};
		struct answer answer;
		struct error err = {""};
		check_row(rows[i].body);
		fake_says(&fake, rows[i].status, rows[i].body);
		enum fetch_result got = client_fetch(client, &fetch, &answer, &reply, &err);
		CHECK_STRING(fetch_result_names[got], rows[i].want);
		CHECK((err.text[0] == '\0') == fetch_succeeded(got));
	}
	check_row("none after one that was no JSON");
	fake_says(&fake, ok, "<html>");
	const struct fetch fetch = {.endpoint = ENDPOINT_NODES, .take = take_none};
	struct answer answer;
	struct error err;
	CHECK_STRING(fetch_result_names[client_fetch(client, &fetch, &answer, &reply, &err)], "invalid");
	fake_end(&fake, end);
	CHECK_STRING(fetch_result_names[client_fetch(client, &fetch, &answer, &reply, &err)], "unreachable");
	client_free(client);
}

static void count_record(void *context, const void *record)
{
	(void)record;
	++*(unsigned *)context;
}

/* A token may be rotated while it is on its way. Then it is asked once more, unless that would bring records twice. */
static void test_rotated_token(void)
{
#define REFUSED(nodes) "{\"nodes\":[" nodes "],\"errors\":[{\"error_number\":1007}]}"
#define NODE "{\"name\":\"n1\",\"state\":[\"IDLE\"]}"
	static const struct {
		const char *name, *refusal;
		bool is_rotated;
		const char *want, *seen;
		unsigned records;
	} rows[] = {
		{"rotated", REFUSED(""), true, "ok", "v0.0.42/nodes v0.0.42/nodes ", 1},
		{"rotated, but there were records", REFUSED(NODE), true, "unauthorized", "v0.0.42/nodes ", 1},
		{"the same one", REFUSED(""), false, "unauthorized", "v0.0.42/nodes ", 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct vocabulary vocabulary;
		char path[] = "/tmp/test-client-XXXXXX";
		struct fake fake;
		struct http_reply reply;
		struct answer answer;
		struct error err = {""};
		unsigned records = 0;
		int end;
		check_row(rows[i].name);
		close(mkstemp(path));
		write_token(path, "a.b.c");
		fake_start(&fake, &end);
		const struct client_options options = options_of(&fake, NULL);
		struct client *client = client_new(&options, token_from_file(path), &vocabulary, &err);
		check_fetch(client, &reply);
		check_seen(&fake, PROBES_TO_42 "v0.0.42/nodes ");
		pthread_mutex_lock(&fake.lock);
		fake.refusal = rows[i].refusal;
		fake.token_file = rows[i].is_rotated ? path : NULL;
		fake.body = "{\"nodes\":[" NODE "]}";
		pthread_mutex_unlock(&fake.lock);
		const struct fetch fetch = {.endpoint = ENDPOINT_NODES, .take = count_record, .context = &records};
		CHECK_STRING(fetch_result_names[client_fetch(client, &fetch, &answer, &reply, &err)], rows[i].want);
		check_seen(&fake, rows[i].seen);
		CHECK_NUMBER(records, rows[i].records);
		client_free(client);
		fake_end(&fake, end);
		unlink(path);
	}
}

/* What is asked, and what an answer changes for the next request. */
static void test_requests(void)
{
#define UNCHANGED "{\"nodes\":[],\"warnings\":[{}],\"last_update\":{\"number\":0}}"
	static const char gone[] = "404 NOT FOUND";
	static const struct {
		const char *name, *versions;
		struct fetch fetch;
		const char *status, *body, *want, *seen, *next; /* `next`: what a request for nodes asks then */
	} rows[] = {
		{"since",
		 "v0.0.42",
		 {ENDPOINT_NODES, .since = 5},
		 NULL,
		 UNCHANGED,
		 "unchanged",
		 "v0.0.42/nodes?update_time=5 ",
		 "v0.0.42/nodes "},
		{"since never",
		 "v0.0.42",
		 {ENDPOINT_NODES, .since = 0},
		 NULL,
		 UNCHANGED,
		 "empty",
		 "v0.0.42/nodes ",
		 "v0.0.42/nodes "},
		{"304",
		 "v0.0.42",
		 {ENDPOINT_NODES, .since = 5},
		 "304 NOT MODIFIED",
		 "",
		 "unchanged",
		 "v0.0.42/nodes?update_time=5 ",
		 "v0.0.42/nodes "},
		{"since, and more",
		 "v0.0.42",
		 {ENDPOINT_JOBS, .since = 5},
		 NULL,
		 "{\"jobs\":[]}",
		 "ok",
		 "v0.0.42/jobs?flags=ALL&update_time=5 ",
		 "v0.0.42/nodes "},
		{"since, but not by this version",
		 "v0.0.41",
		 {ENDPOINT_NODES, .since = 5},
		 NULL,
		 "{\"nodes\":[]}",
		 "ok",
		 "v0.0.41/nodes ",
		 "v0.0.41/nodes "},
		{"a job",
		 "v0.0.42",
		 {ENDPOINT_JOB, .item = "7"},
		 NULL,
		 "{\"jobs\":[]}",
		 "ok",
		 "v0.0.42/job/7?flags=LOCAL ",
		 "v0.0.42/nodes "},
		{"a job with detail",
		 "v0.0.42",
		 {ENDPOINT_JOB, .item = "7", .with_detail = true},
		 NULL,
		 "{\"jobs\":[]}",
		 "ok",
		 "v0.0.42/job/7?flags=LOCAL&flags=DETAIL ",
		 "v0.0.42/nodes "},
		{"no such job",
		 "v0.0.42",
		 {ENDPOINT_JOB, .item = "7"},
		 gone,
		 "{\"jobs\":[],\"errors\":[{\"error_number\":2017}]}",
		 "not_found",
		 "v0.0.42/job/7?flags=LOCAL ",
		 "v0.0.42/nodes "},
		{"a path that may be missing",
		 "v0.0.42",
		 {ENDPOINT_SHARES, .since = 0},
		 gone,
		 "no",
		 "unsupported",
		 "v0.0.42/shares ",
		 "v0.0.42/nodes "},
		{"the same path, and it is there",
		 "v0.0.42",
		 {ENDPOINT_SHARES, .since = 0},
		 gone,
		 "{\"shares\":{\"shares\":[]}}",
		 "http_error",
		 "v0.0.42/shares ",
		 "v0.0.42/nodes "},
		{"a path that is always there",
		 "v0.0.42",
		 {ENDPOINT_NODES, .since = 0},
		 gone,
		 "no",
		 "http_error",
		 "v0.0.42/nodes " PROBES_TO_42 "v0.0.42/nodes ",
		 PROBES_TO_42 "v0.0.42/nodes "},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fake fake;
		struct http_reply reply;
		struct answer answer;
		struct error err = {""};
		int end;
		fake_start(&fake, &end);
		fake_becomes(&fake, "24.11.5", rows[i].versions);
		struct client *client = client_of(&fake);
		struct fetch fetch = rows[i].fetch;
		fetch.take = take_none;
		check_fetch(client, &reply);
		check_row(rows[i].name);
		fake_becomes(&fake, "24.11.5", rows[i].versions);
		fake_says(&fake, rows[i].status, rows[i].body);
		CHECK_STRING(fetch_result_names[client_fetch(client, &fetch, &answer, &reply, &err)], rows[i].want);
		check_seen(&fake, rows[i].seen);
		fake_says(&fake, NULL, NULL);
		check_fetch(client, &reply);
		check_seen(&fake, rows[i].next);
		client_free(client);
		fake_end(&fake, end);
	}
}

/* A long query is not repeated whole where it is explained why it failed. */
static void test_long_query(void)
{
	struct fake fake;
	struct http_reply reply;
	struct answer answer;
	struct error err;
	int end;
	fake_start(&fake, &end);
	struct client *client = client_of(&fake);
	check_fetch(client, &reply);
	fake_says(&fake, "500 BAD", "no");
	for (int digits = 72; digits < 74; digits++) {
		char query[100];
		snprintf(query, sizeof query, "?job_id=%0*d", digits, 1);
		const struct fetch fetch = {.endpoint = ENDPOINT_NODES, .take = take_none, .query = query};
		check_row(query);
		CHECK_STRING(fetch_result_names[client_fetch(client, &fetch, &answer, &reply, &err)], "http_error");
		CHECK((strstr(err.text, "0...") != NULL) == (strlen("/slurm/v0.0.42/nodes") + strlen(query) > 100));
	}
	client_free(client);
	fake_end(&fake, end);
}

/* Who asks: the configured user, else the token's; nobody is named without a token. A token that has expired explains what 22.05
 * does not say. */
static void test_users(void)
{
#define NO_END "e30.eyJzdW4iOiJhbm4ifQ.x" /* {"sun":"ann"} */
#define EXPIRED "e30.eyJzdW4iOiJhbm4iLCJleHAiOjF9.x" /* {"sun":"ann","exp":1} */
	static const struct {
		const char *name, *token, *user, *seen, *want;
	} rows[] = {
		{"the token's", NO_END, NULL, "ann", "http_error"},
		{"the configured one", NO_END, "bob", "bob", "http_error"},
		{"no token", NULL, "bob", "", "http_error"},
		{"an expired token", EXPIRED, NULL, "ann", "unauthorized"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct vocabulary vocabulary;
		char path[] = "/tmp/test-client-XXXXXX";
		struct fake fake;
		struct http_reply reply;
		struct answer answer;
		struct error err = {""};
		int end;
		check_row(rows[i].name);
		close(mkstemp(path));
		write_token(path, rows[i].token ? rows[i].token : "");
		fake_start(&fake, &end);
		struct client_options options = options_of(&fake, NULL);
		options.user = rows[i].user;
		struct token *token = rows[i].token ? token_from_file(path) : token_none();
		struct client *client = client_new(&options, token, &vocabulary, &err);
		check_fetch(client, &reply);
		fake_says(&fake, "500 INTERNAL ERROR", "Bad luck");
		const struct fetch fetch = {.endpoint = ENDPOINT_NODES, .take = take_none};
		CHECK_STRING(fetch_result_names[client_fetch(client, &fetch, &answer, &reply, &err)], rows[i].want);
		client_free(client);
		fake_end(&fake, end);
		CHECK_STRING(fake.user, rows[i].seen);
		unlink(path);
	}
}

int main(void)
{
	test_results();
	test_upgrade();
	test_unsupported();
	test_configured_version();
	test_connection_is_kept();
	test_headers();
	test_rotated_token();
	test_requests();
	test_long_query();
	test_users();
	return check_done();
}
