/* One request after the other on a connection: who may ask, how often, and how much he may say. */
#include "base/clock.h"
#include "check.h"
#include "web/http_server.h"
#include "web/password_queue.h"
#include "web/web_config.h"

#include <arpa/inet.h>
#include <crypt.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MIB = 1024 * 1024, PATIENCE_MS = 60000, DROPPED = -1 };
#define S UINT64_C(1000000000)

/* "secret", and as many "x" as bcrypt looks at, at the least cost. */
#define HASH_SECRET "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
#define HASH_XXX "$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i"
#define RIGHT "Authorization: Basic YWxpY2U6c2VjcmV0\r\n" /* alice:secret */
#define WRONG "Authorization: Basic YWxpY2U6c2VjcmVU\r\n" /* alice:secreT */
#define NOBODY "Authorization: Basic Ym9iOnNlY3JldA==\r\n" /* bob:secret */
#define OPERATOR "Authorization: Basic Y2Fyb2w6c2VjcmV0\r\n" /* carol:secret */
#define NONE ""

static struct http_progress progress; /* of the server that runs */
static char path[] = "/tmp/slurmscope-web-requests-XXXXXX";

/* While `is_gated`, each comparison of a password says that it has begun, and waits until it is let through. */
static sem_t comparing, gate;
static atomic_bool is_gated, are_answers_gated, are_answers_huge, hmac_fails;
static atomic_uint comparisons;
static atomic_uint_least64_t arrived_ns; /* of the request that was answered last */

/* While nobody compares. */
static void close_gate(void)
{
	sem_init(&comparing, 0, 0);
	sem_init(&gate, 0, 0);
	is_gated = true;
}

char *__real_crypt_r(const char *phrase, const char *setting, struct crypt_data *data);
char *__wrap_crypt_r(const char *phrase, const char *setting, struct crypt_data *data);
char *__wrap_crypt_r(const char *phrase, const char *setting, struct crypt_data *data)
{
	comparisons++;
	if (is_gated) {
		sem_post(&comparing);
		sem_wait(&gate);
	}
	return __real_crypt_r(phrase, setting, data);
}

int __real_gnutls_hmac_fast(int algorithm, const void *key, size_t key_len, const void *bytes, size_t len,
			    void *digest);
int __wrap_gnutls_hmac_fast(int algorithm, const void *key, size_t key_len, const void *bytes, size_t len,
			    void *digest);
int __wrap_gnutls_hmac_fast(int algorithm, const void *key, size_t key_len, const void *bytes, size_t len, void *digest)
{
	return hmac_fails ? -1 : __real_gnutls_hmac_fast(algorithm, key, key_len, bytes, len, digest);
}

/* So does each answer while `are_answers_gated`. */
static void respond(void *context, const struct web_request *request, struct web_reply *reply)
{
	(void)context;
	arrived_ns = request->arrived_ns;
	if (are_answers_gated) {
		sem_post(&comparing);
		sem_wait(&gate);
	}
	web_reply_text(reply, 200, "hello\n");
	static char huge[16 * MIB];
	if (are_answers_huge)
		reply->bytes = huge, reply->len = sizeof huge;
}

static atomic_uint configs_read; /* after the first one of each server */

static void config_read(void *context, const struct error *why)
{
	(void)context;
	CHECK(!why);
	configs_read++;
}

static void read_config(const char *config, struct web_files *ret_files)
{
	FILE *file = fopen(path, "w");
	fputs(config ? config : "", file);
	fclose(file);
	web_files_read(path, ret_files);
}

static void reload(struct http_server *server, const char *config)
{
	struct web_files files;
	unsigned before = configs_read;
	read_config(config, &files);
	http_server_take_files(server, &files);
	for (int tries = 0; tries < PATIENCE_MS && configs_read == before; tries++)
		poll(NULL, 0, 1);
	CHECK(configs_read > before);
}

/* What the server says of its requests, as soon as it has said it of all of them. */
static void check_facts(struct http_server *server, uint64_t refused, uint64_t limited, uint64_t busy)
{
	struct web_facts facts = {0};
	for (int tries = 0;
	     tries < PATIENCE_MS && facts.refused + facts.limited + facts.busy < refused + limited + busy; tries++) {
		http_server_facts(server, &facts);
		poll(NULL, 0, 1);
	}
	CHECK_NUMBER(facts.refused, refused);
	CHECK_NUMBER(facts.limited, limited);
	CHECK_NUMBER(facts.busy, busy);
}

/* `config`: the web configuration; NULL: none. */
static struct http_server *serve(const char *config, struct sockaddr_in *ret_address)
{
	struct error err = {""};
	socklen_t len = sizeof *ret_address;
	struct web_files files;
	read_config(config, &files);
	struct http_server_setup setup = {
		.files = config ? &files : NULL, .progress = &progress, .respond = respond, .config_read = config_read};
	CHECK(listen_open(&setup.listeners, "127.0.0.1:0", 0, &err));
	getsockname(setup.listeners.sockets[0], (struct sockaddr *)ret_address, &len);
	struct http_server *server = http_server_start(&setup, &err);
	CHECK_STRING(err.text, "");
	web_files_done(&files);
	return server;
}

static int connect_from(const char *from, const struct sockaddr_in *address)
{
	const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
	const struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(from)};
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(bind(client, (const struct sockaddr *)&own, sizeof own) == 0);
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	CHECK(connect(client, (const struct sockaddr *)address, sizeof *address) == 0);
	return client;
}

static int connect_to(const struct sockaddr_in *address)
{
	return connect_from("127.0.0.1", address);
}

static bool say(int client, const char *bytes, size_t len)
{
	while (len) {
		ssize_t sent = send(client, bytes, len, MSG_NOSIGNAL);
		if (sent < 0)
			return false;
		bytes += sent;
		len -= (size_t)sent;
	}
	return true;
}

static bool is_whole(const char *answer)
{
	const char *body = strstr(answer, "\r\n\r\n"), *length = strstr(answer, "Content-Length: ");
	return body && length && strlen(body + 4) >= strtoul(length + strlen("Content-Length: "), NULL, 10);
}

/* The status of the next answer, which is read to its end; DROPPED: there is none. */
static int hear(int client)
{
	char answer[4096] = "";
	size_t len = 0;
	while (!is_whole(answer)) {
		ssize_t got = recv(client, answer + len, sizeof answer - 1 - len, 0);
		if (got <= 0)
			return DROPPED;
		len += (size_t)got;
		answer[len] = '\0';
	}
	return atoi(answer + strlen("HTTP/1.1 "));
}

static int ask(int client, const char *header)
{
	char request[2048];
	int len = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", header);
	return say(client, request, (size_t)len) ? hear(client) : DROPPED;
}

/* A right password lets one request in, and no other. */
static void test_each_request_has_to_be_allowed(void)
{
	static const struct {
		const char *header;
		int want;
	} rows[] = {
		{NONE, 401},  {RIGHT, 200}, /* looked at by the thread */
		{NONE, 401},  {WRONG, 401}, {RIGHT, 200}, /* it is known now */
		{RIGHT, 200}, {WRONG, 401}, {NOBODY, 401}, {RIGHT, 200}, {NONE, 401}, {NOBODY, 401},
	};
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n", &address);
	for (size_t first = 0; first < sizeof rows / sizeof *rows; first++) {
		int client = connect_to(&address);
		for (size_t i = first; i < sizeof rows / sizeof *rows; i++) {
			check_row(*rows[i].header ? rows[i].header : "no password");
			CHECK_NUMBER(ask(client, rows[i].header), rows[i].want);
		}
		close(client);
	}
	http_server_stop(server);
}

/* "alice:" and `xs` times "x", in base64. */
static const char *authorization_of(size_t xs, char *to)
{
	static const char *const ends[] = {"", "eA==", "eHg="};
	char *at = to + sprintf(to, "Basic YWxpY2U6");
	for (size_t i = 0; i < xs / 3; i++)
		at += sprintf(at, "eHh4");
	strcpy(at, ends[xs % 3]);
	return to;
}

static void test_longest_password(void)
{
	static const struct {
		size_t len;
		enum password_verdict want;
	} rows[] = {
		{CRYPT_MAX_PASSPHRASE_SIZE - 2, PASSWORD_LATER},
		{CRYPT_MAX_PASSPHRASE_SIZE - 1, PASSWORD_LATER},
		{CRYPT_MAX_PASSPHRASE_SIZE, PASSWORD_WRONG}, /* with its NUL it would be too long */
		{CRYPT_MAX_PASSPHRASE_SIZE + 1, PASSWORD_WRONG},
	};
	struct error err = {""};
	const struct web_user alice = {"alice", HASH_XXX};
	int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), mine;
	struct passwords *passwords = passwords_new(wake, &err);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char authorization[1024], name[32];
		enum password_verdict verdict = PASSWORD_BUSY;
		uint64_t awake;
		struct pollfd wakes = {.fd = wake, .events = POLLIN};
		sprintf(name, "%zu bytes", rows[i].len);
		check_row(name);
		authorization_of(rows[i].len, authorization);
		enum password_verdict got = passwords_look(passwords, &alice, 1, authorization, 0, &mine);
		CHECK_NUMBER(got, rows[i].want);
		if (got != PASSWORD_LATER)
			continue;
		CHECK(poll(&wakes, 1, PATIENCE_MS) == 1);
		CHECK(read(wake, &awake, sizeof awake) == sizeof awake);
		CHECK(passwords_next(passwords, &verdict) == &mine && verdict == PASSWORD_RIGHT);
		CHECK_NUMBER(passwords_look(passwords, &alice, 1, authorization, 0, &mine), PASSWORD_RIGHT);
	}
	passwords_free(passwords);
	close(wake);
}

/* Two wrong passwords on one connection, and the end comes while the first one is compared. */
static void test_end_while_passwords_wait(void)
{
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n", &address);
	int client = connect_to(&address);
	char requests[512];
	int len = sprintf(requests, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\nGET / HTTP/1.1\r\nHost: x\r\n%s\r\n", WRONG,
			  NOBODY);
	check_row("the end");
	close_gate();
	CHECK(say(client, requests, (size_t)len));
	sem_wait(&comparing);
	http_server_stop(server);
	int status = hear(client); /* the second request may have reset the connection */
	CHECK(status == 503 || status == DROPPED);
	close(client);
	is_gated = false;
	sem_post(&gate);
}

/* Waits until `want` of the clients have an answer. */
static void wait_for_answers(struct pollfd *clients, int count, int want)
{
	int got = 0;
	for (int tries = 0; tries < PATIENCE_MS / 10 && got < want; tries++) {
		got = poll(clients, (nfds_t)count, 0);
		if (got < want)
			poll(NULL, 0, 10);
	}
	CHECK_NUMBER(got, want);
}

/* A password that nobody has compared yet, while somebody else guesses as often as he can. */
static void test_flood_of_guesses(void)
{
	enum { GUESSES = 70 };
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n", &address);
	struct pollfd guessers[GUESSES];
	check_row("a flood of guesses");
	close_gate();
	for (int i = 0; i < GUESSES; i++) {
		char guess[256], header[320];
		snprintf(header, sizeof header, "Authorization: %s\r\n", authorization_of((size_t)i, guess));
		guessers[i] = (struct pollfd){.fd = connect_to(&address), .events = POLLIN};
		char request[512];
		int len = sprintf(request, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", header);
		CHECK(say(guessers[i].fd, request, (size_t)len));
		if (i == 0)
			sem_wait(&comparing);
	}
	wait_for_answers(guessers, GUESSES, 5); /* one is compared, 64 wait */
	int other = connect_from("127.0.0.2", &address);
	char request[512];
	int len = sprintf(request, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", RIGHT);
	CHECK(say(other, request, (size_t)len));
	wait_for_answers(guessers, GUESSES, 6); /* one makes room */
	sem_post(&gate); /* the guess that was being compared, */
	sem_post(&gate); /* and the newcomer's */
	CHECK_NUMBER(hear(other), 200);
	is_gated = false;
	sem_post(&gate);
	int answers[600] = {0};
	for (int i = 0; i < GUESSES; i++) {
		int status = hear(guessers[i].fd);
		answers[status > 0 && status < 600 ? status : 0]++;
		close(guessers[i].fd);
	}
	CHECK_NUMBER(answers[503], 6);
	CHECK_NUMBER(answers[401], GUESSES - 6);
	check_facts(server, GUESSES - 6, 0, 6);
	close(other);
	http_server_stop(server);
}

/* Waits until this number of passwords has a verdict. */
static void wait_for_verdicts(struct passwords *passwords, int wake, unsigned count)
{
	struct pollfd wakes = {.fd = wake, .events = POLLIN};
	enum password_verdict verdict;
	uint64_t awake;
	while (count && poll(&wakes, 1, PATIENCE_MS) == 1 && read(wake, &awake, sizeof awake) == sizeof awake)
		while (count && passwords_next(passwords, &verdict))
			count--;
	CHECK_NUMBER(count, 0);
}

/* A password that had to make room was not compared: it may be right. */
static void test_who_made_room(void)
{
	static const char by_alice[] = "Basic YWxpY2U6c2VjcmV0", by_carol[] = "Basic Y2Fyb2w6c2VjcmV0";
	static const struct web_user users[] = {{"alice", HASH_SECRET}, {"carol", HASH_SECRET}};
	struct error err = {""};
	int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), guesser, newcomer;
	struct passwords *passwords = passwords_new(wake, &err);
	enum password_verdict verdict = PASSWORD_LATER;
	check_row("who made room");
	close_gate();
	for (size_t i = 0; i <= PASSWORD_QUEUE_MAX; i++) { /* one is compared, the others wait */
		char guess[256];
		const char *said = i < PASSWORD_QUEUE_MAX ? authorization_of(i, guess) : by_carol;
		CHECK_NUMBER(passwords_look(passwords, users, 2, said, 1, &guesser), PASSWORD_LATER);
		if (i == 0)
			sem_wait(&comparing);
	}
	CHECK_NUMBER(passwords_look(passwords, users, 2, by_alice, 2, &newcomer), PASSWORD_LATER);
	CHECK(passwords_next(passwords, &verdict) == &guesser && verdict == PASSWORD_BUSY);
	is_gated = false;
	sem_post(&gate);
	wait_for_verdicts(passwords, wake, PASSWORD_QUEUE_MAX + 1);
	CHECK_NUMBER(passwords_look(passwords, users, 2, by_carol, 1, &guesser), PASSWORD_LATER);
	wait_for_verdicts(passwords, wake, 1);
	CHECK_NUMBER(passwords_look(passwords, users, 2, by_carol, 1, &guesser), PASSWORD_RIGHT);
	passwords_free(passwords);
	close(wake);
}

/* With another configuration all begin again. Clients that rest are closed, and the bucket is full. A password that is being compared with
 * the old one's is compared once more. */
static void test_reload(void)
{
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n"
					   "rate_limit: {interval: 1h, burst: 3}\n",
					   &address);
	int resting = connect_to(&address), waiting = connect_to(&address);
	char byte;
	static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n" RIGHT "\r\n";
	check_row("before");
	CHECK_NUMBER(ask(resting, NONE), 401);
	CHECK_NUMBER(ask(resting, WRONG), 401);
	close_gate();
	CHECK(say(waiting, request, sizeof request - 1));
	sem_wait(&comparing);
	CHECK_NUMBER(ask(resting, RIGHT), 429);
	check_facts(server, 2, 1, 0);
	check_row("after");
	reload(server, "basic_auth_users: {alice: " HASH_XXX "}\n"
		       "rate_limit: {interval: 1h, burst: 2}\n");
	CHECK_NUMBER(recv(resting, &byte, 1, 0), 0);
	is_gated = false;
	sem_post(&gate);
	CHECK_NUMBER(hear(waiting), 401);
	CHECK_NUMBER(ask(waiting, NONE), 401);
	CHECK_NUMBER(ask(waiting, NONE), 429);
	check_facts(server, 4, 2, 0);
	close(resting);
	close(waiting);
	http_server_stop(server);
}

/* A scraper's timeout runs while its password waits. */
static void test_arrival(void)
{
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n", &address);
	int client = connect_to(&address);
	char request[512];
	int len = sprintf(request, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", RIGHT);
	uint64_t before_ns = clock_monotonic_ns();
	check_row("the arrival");
	close_gate();
	CHECK(say(client, request, (size_t)len));
	sem_wait(&comparing);
	uint64_t waits_ns = clock_monotonic_ns();
	is_gated = false;
	sem_post(&gate);
	CHECK_NUMBER(hear(client), 200);
	CHECK(arrived_ns >= before_ns && arrived_ns <= waits_ns);
	before_ns = clock_monotonic_ns();
	CHECK_NUMBER(ask(client, RIGHT), 200);
	CHECK(arrived_ns >= before_ns); /* each request has its own */
	close(client);
	http_server_stop(server);
}

/* A wrong password is compared once, so that a scraper with an old one takes nobody's time. */
static void test_wrong_is_known(void)
{
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n", &address);
	int client = connect_to(&address);
	check_row("wrong again");
	unsigned before = comparisons;
	for (int i = 0; i < 5; i++)
		CHECK_NUMBER(ask(client, WRONG), 401);
	CHECK_NUMBER(comparisons - before, 1);
	for (int i = 0; i < 5; i++)
		CHECK_NUMBER(ask(client, RIGHT), 200);
	CHECK_NUMBER(comparisons - before, 2);
	close(client);
	http_server_stop(server);
}

/* More wrong ones than are remembered: the right one stays known. */
static void test_many_wrong(void)
{
	enum { MANY = 150 };
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n", &address);
	int client = connect_to(&address);
	char guess[256], header[320];
	unsigned before = comparisons;
	check_row("many wrong ones");
	CHECK_NUMBER(ask(client, RIGHT), 200);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(header, sizeof header, "Authorization: %s\r\n", authorization_of(i, guess));
		for (int again = 0; again < 2; again++)
			CHECK_NUMBER(ask(client, header), 401);
		CHECK_NUMBER(comparisons - before, i + 2);
	}
	CHECK_NUMBER(ask(client, RIGHT), 200);
	CHECK_NUMBER(comparisons - before, MANY + 1);
	close(client);
	http_server_stop(server);
}

/* All digests are alike then: none may stand for a right password. */
static void test_gnutls_in_its_error_state(void)
{
	struct sockaddr_in address;
	struct http_server *server = serve("basic_auth_users: {alice: " HASH_SECRET "}\n", &address);
	int client = connect_to(&address);
	hmac_fails = true;
	for (int i = 0; i < 3; i++) {
		check_row("GnuTLS fails");
		CHECK_NUMBER(ask(client, RIGHT), 200);
		CHECK_NUMBER(ask(client, WRONG), 401);
		CHECK_NUMBER(ask(client, NOBODY), 401);
	}
	close(client);
	http_server_stop(server);
	hmac_fails = false;
}

/* It hangs while it answers, as it would while it reads a file on a mount that hangs. */
static void test_progress(void)
{
	struct sockaddr_in address;
	struct http_server *server = serve(NULL, &address);
	int client = connect_to(&address);
	static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
	CHECK_NUMBER(ask(client, NONE), 200);
	check_row("at rest");
	CHECK(http_progress_is_made(&progress, clock_monotonic_ns()));
	check_row("while it answers");
	close_gate();
	are_answers_gated = true;
	CHECK(say(client, request, sizeof request - 1));
	sem_wait(&comparing);
	uint64_t now_ns = clock_monotonic_ns();
	CHECK(http_progress_is_made(&progress, now_ns - S));
	CHECK(!http_progress_is_made(&progress, now_ns + 30 * S));
	are_answers_gated = is_gated = false;
	sem_post(&gate);
	CHECK_NUMBER(hear(client), 200);
	check_row("it goes on");
	bool waits = false;
	for (int tries = 0; tries < PATIENCE_MS / 10 && !waits; tries++) {
		waits = http_progress_is_made(&progress, UINT64_MAX);
		poll(NULL, 0, waits ? 0 : 10);
	}
	CHECK(waits);
	close(client);
	http_server_stop(server);
}

static int post(int client, size_t len)
{
	static char body[2 * MIB];
	char head[128];
	int head_len = snprintf(head, sizeof head, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", len);
	return say(client, head, (size_t)head_len) && say(client, body, len) ? hear(client) : DROPPED;
}

static void test_bodies(void)
{
	static const struct {
		const char *name;
		size_t len;
		int want;
	} rows[] = {
		{"a small body", 1, 200},
		{"as much as may be", MIB, 200},
		{"again: each request may", MIB, 200},
		{"a byte more", MIB + 1, DROPPED},
		{"far more", 2 * MIB, DROPPED},
	};
	struct sockaddr_in address;
	struct http_server *server = serve(NULL, &address);
	int client = connect_to(&address);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		CHECK_NUMBER(post(client, rows[i].len), rows[i].want);
		if (rows[i].want != DROPPED)
			continue;
		close(client);
		client = connect_to(&address);
	}
	check_row("who comes then");
	CHECK_NUMBER(ask(client, NONE), 200);
	close(client);
	http_server_stop(server);
}

static void test_bucket(void)
{
	static const struct {
		const char *name;
		double at_s;
		unsigned asked, want;
	} rows[] = {
		{"full at first", 100, 5, 3},
		{"too early", 101.9, 1, 0},
		{"the next one", 102, 2, 1},
		{"two more", 106.1, 3, 2},
		{"an hour without a request saves no more than the burst", 3706, 5, 3},
		{"nor a day", 90106, 4, 3},
	};
	static const struct web_rate rate = {.interval_s = 2, .burst = 3}, without = {.burst = 3};
	struct web_bucket bucket = {.is_used = false};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned got = 0;
		check_row(rows[i].name);
		for (unsigned n = 0; n < rows[i].asked; n++)
			got += web_bucket_take(&bucket, &rate, (uint64_t)(rows[i].at_s * 1e9));
		CHECK_NUMBER(got, rows[i].want);
	}
	check_row("no limit");
	for (int i = 0; i < 10; i++)
		CHECK(web_bucket_take(&bucket, &without, 90107 * S));
}

/* The status of an answer that begins. */
static int begin_to_hear(int client)
{
	char line[sizeof "HTTP/1.1 200"] = "";
	return recv(client, line, sizeof line - 1, MSG_WAITALL) > 0 ? atoi(line + strlen("HTTP/1.1 ")) : DROPPED;
}

static int ask_for_huge(int client, const char *authorization)
{
	char request[256];
	snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", authorization);
	return say(client, request, strlen(request)) ? begin_to_hear(client) : DROPPED;
}

/* Who does not read his answers is refused more of them; others are not. */
static void test_answers_of_a_tenant(void)
{
	struct sockaddr_in address;
	int clients[TENANT_ANSWERS_MAX + 1], other;
	struct http_server *server =
		serve("basic_auth_users: {alice: '" HASH_SECRET "', bob: '" HASH_SECRET "', carol: '" HASH_SECRET "'}\n"
		      "tenants: {a: {users: [alice], sees: {users: [x]}}, "
		      "b: {users: [bob], sees: {users: [x]}}, c: {users: [carol], sees: everything}}\n",
		      &address);
	are_answers_huge = true;
	for (int i = 0; i <= TENANT_ANSWERS_MAX; i++) {
		clients[i] = connect_to(&address);
		CHECK_NUMBER(ask_for_huge(clients[i], RIGHT), i < TENANT_ANSWERS_MAX ? 200 : 429);
	}
	other = connect_to(&address);
	CHECK_NUMBER(ask_for_huge(other, NOBODY), 200);
	for (int i = 0; i <= TENANT_ANSWERS_MAX; i++)
		close(clients[i]);
	close(other);
	int status = 429;
	for (uint64_t end = clock_monotonic_ns() + 60 * S; status != 200 && clock_monotonic_ns() < end; usleep(10000)) {
		other = connect_to(&address);
		status = ask_for_huge(other, RIGHT);
		close(other);
	}
	CHECK_NUMBER(status, 200);
	check_row("an operator is refused none");
	for (int i = 0; i <= TENANT_ANSWERS_MAX; i++) {
		clients[i] = connect_to(&address);
		CHECK_NUMBER(ask_for_huge(clients[i], OPERATOR), 200);
	}
	for (int i = 0; i <= TENANT_ANSWERS_MAX; i++)
		close(clients[i]);
	check_row(NULL);
	are_answers_huge = false;
	http_server_stop(server);
}

int main(void)
{
	close(mkstemp(path));
	test_each_request_has_to_be_allowed();
	test_answers_of_a_tenant();
	test_longest_password();
	test_arrival();
	test_reload();
	test_wrong_is_known();
	test_many_wrong();
	test_gnutls_in_its_error_state();
	test_flood_of_guesses();
	test_who_made_room();
	test_end_while_passwords_wait();
	test_progress();
	test_bodies();
	test_bucket();
	unlink(path);
	return check_done();
}
