/* Listening sockets, and who has to go when there are too many connections or one takes too long. */
#include "check.h"
#include "web/connections.h"
#include "web/handshake_turns.h"
#include "web/listen.h"
#include "web/password_queue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define S UINT64_C(1000000000)

static void test_addresses(void)
{
	static const struct {
		const char *address, *want; /* NULL: is one */
	} rows[] = {
		{":9341", NULL},
		{"127.0.0.1:0", NULL},
		{"[::1]:9341", NULL},
		{"localhost:80", NULL},
		{"unix:/run/slurmscope.sock", NULL},
		{"unix:/run/slurmscope.sock,mode=600", NULL},
		{"9341", "9341: expected :port, host:port, [address]:port or unix:/path"},
		{"::1:9341", "::1:9341: write an IPv6 address in brackets, such as [::1]:9341"},
		{"host:", "host:: expected :port, host:port, [address]:port or unix:/path"},
		{":65536", ":65536: expected :port, host:port, [address]:port or unix:/path"},
		{":-1", ":-1: expected :port, host:port, [address]:port or unix:/path"},
		{":http", ":http: expected :port, host:port, [address]:port or unix:/path"},
		{"unix:relative", "unix:relative: expected unix:/path of at most 107 bytes"},
		{"unix:", "unix:: expected unix:/path of at most 107 bytes"},
		{"unix:/a,mode=", "unix:/a,mode=: the mode is not an octal number such as 660"},
		{"unix:/a,mode=668", "unix:/a,mode=668: the mode is not an octal number such as 660"},
		{"unix:/a,mode=-1", "unix:/a,mode=-1: the mode is not an octal number such as 660"},
		{"unix:/a,mode=1777", "unix:/a,mode=1777: the mode is not an octal number such as 660"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""};
		check_row(rows[i].address);
		CHECK(listen_check(rows[i].address, &err) == !rows[i].want);
		CHECK_STRING(err.text, rows[i].want ? rows[i].want : "");
	}
}

static char folder[] = "/tmp/slurmscope-web-XXXXXX";

static mode_t mode_of(const char *path)
{
	struct stat status = {0};
	return lstat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static void test_unix(void)
{
	struct error err = {""};
	struct listeners listeners = {.count = 0};
	char address[128], wide[128], path[64], name[128];
	snprintf(path, sizeof path, "%s/socket", folder);
	snprintf(address, sizeof address, "unix:%s", path);
	snprintf(wide, sizeof wide, "unix:%s,mode=666", path);

	check_row("a new socket");
	CHECK(listen_open(&listeners, address, 0, &err));
	CHECK_NUMBER(mode_of(path), 0660);
	listen_name(listeners.sockets[0], name, sizeof name);
	CHECK_STRING(name, address);
	check_row("a socket in use");
	CHECK(!listen_open(&listeners, address, 0, &err));
	CHECK(strstr(err.text, "Address already in use") != NULL);
	CHECK_NUMBER(listeners.count, 1);
	listen_close(&listeners);
	check_row("a stale socket");
	CHECK_NUMBER(mode_of(path), 0660);
	CHECK(listen_open(&listeners, wide, 0, &err));
	CHECK_NUMBER(mode_of(path), 0666);
	listen_close(&listeners);
	unlink(path);
	check_row("a file is not removed");
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(!listen_open(&listeners, address, 0, &err));
	CHECK(strstr(err.text, "File exists") != NULL);
	CHECK_NUMBER(mode_of(path), 0600);
	unlink(path);
	check_row("no such folder");
	CHECK(!listen_open(&listeners, "unix:/no/such/folder/socket", 0, &err));
	CHECK(strstr(err.text, "No such file") != NULL);
}

/* Lets go of the socket that it is given, a little later. */
static void *let_go(void *listeners)
{
	usleep(200 * 1000);
	listen_close(listeners);
	return NULL;
}

/* As after a slurmscope that was killed. */
static void test_patience(void)
{
	enum { PATIENCE_MS = 60 * 1000 };
	struct error err = {""};
	struct listeners before = {.count = 0}, after = {.count = 0};
	char address[128];
	pthread_t thread;
	CHECK(listen_open(&before, "127.0.0.1:0", 0, &err));
	listen_name(before.sockets[0], address, sizeof address);
	check_row("in use for good");
	CHECK(!listen_open(&after, address, 100, &err));
	CHECK(strstr(err.text, "Address already in use") != NULL);
	check_row("in use for a moment");
	CHECK(pthread_create(&thread, NULL, let_go, &before) == 0);
	CHECK(listen_open(&after, address, PATIENCE_MS, &err));
	CHECK_NUMBER(after.count, 1);
	pthread_join(thread, NULL);
	listen_close(&after);
}

static void set_number(const char *name, long number)
{
	char text[32];
	snprintf(text, sizeof text, "%ld", number);
	setenv(name, text, 1);
}

/* As systemd does it: the sockets are 3, 4... This process has none of these open. */
static void test_inherited(void)
{
	struct error err = {""};
	struct listeners listeners = {.count = 0}, opened = {.count = 0};
	check_row("none");
	CHECK(!listen_inherit(&listeners, &err));
	CHECK(strstr(err.text, "systemd passed no socket") != NULL);
	check_row("somebody else's");
	set_number("LISTEN_PID", getpid() + 1L);
	set_number("LISTEN_FDS", 2);
	err.text[0] = '\0';
	CHECK(!listen_inherit(&listeners, &err));
	CHECK(strstr(err.text, "systemd passed no socket") != NULL);
	check_row("two");
	CHECK(listen_open(&opened, "127.0.0.1:0", 0, &err));
	CHECK(listen_open(&opened, "127.0.0.1:0", 0, &err));
	CHECK_NUMBER(opened.sockets[0], 3);
	CHECK_NUMBER(opened.sockets[1], 4);
	set_number("LISTEN_PID", getpid());
	fcntl(3, F_SETFL, 0);
	CHECK(listen_inherit(&listeners, &err));
	CHECK_NUMBER(listeners.count, 2);
	CHECK(fcntl(3, F_GETFL) & O_NONBLOCK);
	CHECK(fcntl(3, F_GETFD) & FD_CLOEXEC);
	CHECK(getenv("LISTEN_FDS") == NULL);
	check_row("no listening socket");
	listeners.count = 0;
	int plain = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(dup2(plain, 4) == 4);
	set_number("LISTEN_PID", getpid());
	set_number("LISTEN_FDS", 2);
	CHECK(!listen_inherit(&listeners, &err));
	CHECK(strstr(err.text, "file descriptor 4 from systemd is not a listening") != NULL);
	check_row("too many");
	listeners.count = 0;
	set_number("LISTEN_FDS", LISTENERS_MAX + 1);
	CHECK(!listen_inherit(&listeners, &err));
	close(plain);
	listen_close(&opened);
}

/* Both ends of a connection. */
static struct connection *connect_one(struct connections *connections, int *ret_client, uint64_t now)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
		exit(EXIT_FAILURE);
	*ret_client = ends[1];
	return connections_add(connections, ends[0], now);
}

static bool is_cut(int client)
{
	char byte;
	return recv(client, &byte, 1, 0) == 0;
}

static void test_crowd(void)
{
	struct connections connections = {0};
	static struct connection *all[CONNECTIONS_MAX + 10];
	static int clients[CONNECTIONS_MAX + 10];
	check_row("crowd");
	for (int i = 0; i < CONNECTIONS_MAX; i++) {
		connections_make_room(&connections);
		all[i] = connect_one(&connections, &clients[i], (uint64_t)i);
	}
	CHECK_NUMBER(connections.crowded_out, 0);
	/* The first one asks for something: it is the newest then. */
	connections_enter(&connections, all[0], CONNECTION_READS, 1000);
	all[0]->tenant = all[1]->tenant = 5;
	CHECK_NUMBER(connections_reading(&connections, 5), 1);
	CHECK_NUMBER(connections_reading(&connections, 6), 0);
	for (int i = CONNECTIONS_MAX; i < CONNECTIONS_MAX + 10; i++) {
		connections_make_room(&connections);
		all[i] = connect_one(&connections, &clients[i], (uint64_t)i);
	}
	CHECK_NUMBER(connections.count, CONNECTIONS_MAX);
	CHECK_NUMBER(connections.crowded_out, 10);
	CHECK(!is_cut(clients[0]));
	for (int i = 1; i <= 10; i++)
		CHECK(is_cut(clients[i]));
	CHECK(!is_cut(clients[11]));
	/* It may still move before libmicrohttpd has closed it: that changes nothing. */
	connections_enter(&connections, all[1], CONNECTION_RESTS, 2000);
	CHECK_NUMBER(connections.count, CONNECTIONS_MAX);
	check_row("the end");
	connections_close_phase(&connections, CONNECTION_ASKS);
	CHECK_NUMBER(connections.count, 1);
	CHECK(!is_cut(clients[0]));
	CHECK(is_cut(clients[11]));
	for (int i = 0; i < CONNECTIONS_MAX + 10; i++) {
		close(clients[i]);
		close(all[i]->socket);
		connections_remove(&connections, all[i]);
	}
	CHECK_NUMBER(connections.count, 0);
	CHECK(!connections.oldest && !connections.newest);
}

/* The oldest connections are of somebody who has few; somebody else fills the table. */
static void test_crowd_of_one_source(void)
{
	enum { FEW = 5, MORE = 20 };
	struct connections connections = {0};
	static struct connection *all[CONNECTIONS_MAX + MORE];
	static int clients[CONNECTIONS_MAX + MORE];
	check_row("a crowd of one source");
	for (int i = 0; i < CONNECTIONS_MAX + MORE; i++) {
		connections_make_room(&connections);
		all[i] = connect_one(&connections, &clients[i], (uint64_t)i);
		all[i]->source = i < FEW ? 7 : 9;
	}
	CHECK_NUMBER(connections.count, CONNECTIONS_MAX);
	for (int i = 0; i < CONNECTIONS_MAX + MORE; i++)
		CHECK(is_cut(clients[i]) == (i >= FEW && i < FEW + MORE));
	check_row("all have as many: the oldest");
	for (int i = 0; i < CONNECTIONS_MAX + MORE; i++)
		all[i]->source = (uint64_t)i;
	connections_make_room(&connections);
	CHECK(is_cut(clients[0]) && !is_cut(clients[1]));
	for (int i = 0; i < CONNECTIONS_MAX + MORE; i++) {
		close(clients[i]);
		close(all[i]->socket);
		connections_remove(&connections, all[i]);
	}
}

static int accepted_from(const char *own, struct listeners *listeners, int *ret_client)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof address;
	getsockname(listeners->sockets[0], (struct sockaddr *)&address, &len);
	*ret_client = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = own ? inet_addr(own) : 0};
	CHECK(!own || bind(*ret_client, (struct sockaddr *)&from, sizeof from) == 0);
	CHECK(connect(*ret_client, (struct sockaddr *)&address, len) == 0);
	struct pollfd comes = {.fd = listeners->sockets[0], .events = POLLIN};
	CHECK(poll(&comes, 1, 60000) == 1);
	return accept(listeners->sockets[0], NULL, NULL);
}

static void test_sources(void)
{
	struct error err = {""};
	struct listeners listeners = {.count = 0};
	uint64_t sources[3];
	static const char *const own[] = {"127.0.0.1", "127.0.0.2", "127.0.0.2"};
	check_row("sources");
	CHECK(listen_open(&listeners, "127.0.0.1:0", 0, &err));
	for (int i = 0; i < 3; i++) {
		int client, socket = accepted_from(own[i], &listeners, &client);
		sources[i] = connections_source(socket);
		close(socket);
		close(client);
	}
	CHECK(sources[0] && sources[1] && sources[0] != sources[1] && sources[1] == sources[2]);
	listen_close(&listeners);
}

/* Who comes ("a" is a source), and in which order they are compared. */
static void test_turns(void)
{
	static const struct {
		const char *come, *want;
	} rows[] = {
		{"aaa", "aaa"},	      {"aaabbb", "ababab"}, {"aaaab", "abaaa"},
		{"abcabc", "abcabc"}, {"aaaa.bb", "babaa"}, /* after one comparison */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct password_queue queue;
		char got[16] = "";
		size_t len = 0;
		struct password_job *job;
		memset(&queue, 0, sizeof queue);
		check_row(rows[i].come);
		for (const char *at = rows[i].come; *at; at++)
			if (*at == '.')
				password_queue_release(password_queue_begin(&queue));
			else
				CHECK(password_queue_add(&queue, &(struct password_job){.source = (uint64_t)*at}));
		while ((job = password_queue_begin(&queue)) && len < sizeof got - 1) {
			got[len++] = (char)job->source;
			password_queue_release(job);
		}
		CHECK_STRING(got, rows[i].want);
	}
}

static unsigned add_jobs(struct password_queue *queue, uint64_t source, unsigned jobs)
{
	unsigned taken = 0;
	for (unsigned i = 0; i < jobs; i++)
		taken += password_queue_add(queue, &(struct password_job){.source = source});
	return taken;
}

static void test_full_queue(void)
{
	static struct password_queue queue;
	struct password_job *job;
	unsigned busy = 0;
	check_row("a full queue");
	CHECK_NUMBER(add_jobs(&queue, 1, 100), PASSWORD_QUEUE_MAX);
	CHECK(!password_queue_done(&queue));
	CHECK_NUMBER(add_jobs(&queue, 2, 100), PASSWORD_QUEUE_MAX / 2); /* until both have as many */
	CHECK_NUMBER(add_jobs(&queue, 1, 1), 0);
	while ((job = password_queue_done(&queue))) {
		CHECK(job->source == 1 && job->verdict == PASSWORD_BUSY);
		password_queue_release(job);
		busy++;
	}
	CHECK_NUMBER(busy, PASSWORD_QUEUE_MAX / 2);
	check_row("a thousand sources: there is no place without an end");
	unsigned taken = 0;
	for (uint64_t source = 3; source < 1003; source++)
		taken += add_jobs(&queue, source, 1);
	CHECK_NUMBER(taken, PASSWORD_QUEUE_MAX - 2);
	for (busy = 0; (job = password_queue_any(&queue)); busy++)
		password_queue_release(job);
	CHECK_NUMBER(busy, 2 * PASSWORD_QUEUE_MAX - 2);
}

static void test_overdue(void)
{
	static const struct {
		const char *name;
		enum connection_phase phase;
		uint64_t seconds;
		bool counts; /* who rests does no harm */
	} rows[] = {
		{"asks", CONNECTION_ASKS, 10, true},
		{"waits", CONNECTION_WAITS, 60, true},
		{"reads", CONNECTION_READS, 60, true},
		{"rests", CONNECTION_RESTS, 330, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct connections connections = {0};
		int client, other;
		check_row(rows[i].name);
		struct connection *slow = connect_one(&connections, &client, 0);
		connections_enter(&connections, slow, rows[i].phase, 5 * S);
		struct connection *young = connect_one(&connections, &other, (4 + rows[i].seconds) * S);
		connections_drop_overdue(&connections, (5 + rows[i].seconds) * S - 1);
		CHECK(!is_cut(client));
		connections_drop_overdue(&connections, (5 + rows[i].seconds) * S);
		CHECK(is_cut(client));
		CHECK(!is_cut(other));
		CHECK_NUMBER(connections.overdue, rows[i].counts);
		CHECK_NUMBER(connections.crowded_out, 0);
		close(client), close(slow->socket);
		close(other), close(young->socket);
		connections_remove(&connections, slow);
		connections_remove(&connections, young);
	}
}

static struct connection *arrive(struct connections *connections, int *ret_client, uint64_t source, const char *sent,
				 size_t len)
{
	struct connection *connection = connect_one(connections, ret_client, source);
	connection->source = source;
	connections_enter(connections, connection, CONNECTION_ARRIVES, source);
	CHECK(send(*ret_client, sent, len, 0) == (ssize_t)len);
	return connection;
}

/* As the server does it with those that are chosen. */
static size_t let_in(struct handshake_turns *turns, struct connections *connections, char *ret_sources)
{
	handshake_turns_choose(turns, connections);
	for (unsigned i = 0; i < turns->count; i++) {
		ret_sources[i] = (char)turns->chosen[i]->source;
		connections_enter(connections, turns->chosen[i], CONNECTION_ASKS, 0);
	}
	return turns->count;
}

static void close_all(struct connections *connections, int *clients, size_t count)
{
	connections_close_phase(connections, CONNECTION_ARRIVES);
	for (size_t i = 0; i < count; i++)
		close(clients[i]);
	for (struct connection *next, *at = connections->oldest; at; at = next) {
		next = at->newer;
		close(at->socket);
		connections_remove(connections, at);
	}
	CHECK_NUMBER(connections->count, 0);
}

/* Who comes ("a" is a source), and in which order their handshakes begin. */
static void test_handshakes_in_turn(void)
{
	static const struct {
		const char *come, *want;
	} rows[] = {
		{"", ""}, {"a", "a"}, {"aaa", "aaa"}, {"aaaaab", "abaaaa"}, {"aaabbb", "ababab"}, {"abcabc", "abcabc"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct connections connections = {0};
		struct handshake_turns turns = {0};
		int clients[8];
		char got[16] = "";
		size_t count = strlen(rows[i].come), had = 0, few;
		check_row(rows[i].want);
		for (size_t c = 0; c < count; c++)
			arrive(&connections, &clients[c], (unsigned char)rows[i].come[c], "\26\3\1\0\1x", 6);
		while ((few = let_in(&turns, &connections, got + had))) {
			had += few;
			CHECK(turns.are_more == (had < count));
		}
		CHECK_STRING(got, rows[i].want);
		close_all(&connections, clients, count);
	}
}

static void test_whose_hello_has_come(void)
{
	static const struct {
		const char *name, *sent;
		size_t len;
		bool is_ready;
	} rows[] = {
		{"nothing", "", 0, false},
		{"a part of the header", "\26\3\1\0", 4, false},
		{"the header", "\26\3\1\0\2", 5, false},
		{"all but the last byte", "\26\3\1\0\2x", 6, false},
		{"the record", "\26\3\1\0\2xy", 7, true},
		{"and more", "\26\3\1\0\2xyz", 8, true},
		{"a record of 256 bytes, cut", "\26\3\1\1\0xy", 7, false},
		{"no TLS: libmicrohttpd refuses it", "G", 1, true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct connections connections = {0};
		struct handshake_turns turns = {0};
		int client;
		char got[TURNS];
		check_row(rows[i].name);
		arrive(&connections, &client, 'a', rows[i].sent, rows[i].len);
		CHECK_NUMBER(let_in(&turns, &connections, got), rows[i].is_ready);
		CHECK(!turns.are_more);
		close_all(&connections, &client, 1);
	}
	check_row("the client went away");
	struct connections connections = {0};
	struct handshake_turns turns = {0};
	int client;
	char got[TURNS];
	arrive(&connections, &client, 'a', "", 0);
	shutdown(client, SHUT_WR);
	CHECK_NUMBER(let_in(&turns, &connections, got), 1);
	close_all(&connections, &client, 1);
}

static void test_late_hellos(void)
{
	struct connections connections = {0};
	struct handshake_turns turns = {0};
	int clients[2];
	char got[TURNS];
	check_row("late hellos");
	struct connection *one = arrive(&connections, &clients[0], 'a', "\26\3\1\0\1x", 6),
			  *late = arrive(&connections, &clients[1], 'b', "\26\3\1\0\2x", 6);
	CHECK_NUMBER(let_in(&turns, &connections, got), 1);
	for (int i = 0; i < LATE_HELLOS; i++)
		CHECK(handshake_turns_allow(&turns, late));
	CHECK(!handshake_turns_allow(&turns, late));
	CHECK(handshake_turns_allow(&turns, one));
	check_row("a turn is for one hello");
	CHECK(!handshake_turns_allow(&turns, one));
	check_row("another round");
	CHECK_NUMBER(let_in(&turns, &connections, got), 0);
	CHECK(handshake_turns_allow(&turns, one));
	close_all(&connections, clients, 2);
}

/* Who waits for a handshake makes room, and is closed in time, like all others. */
static void test_who_arrives_may_be_dropped(void)
{
	struct connections connections = {0};
	int clients[2];
	check_row("who waits for too long");
	arrive(&connections, &clients[0], 'a', "", 0);
	arrive(&connections, &clients[1], 'b', "", 0)->since_ns = 5 * S;
	connections_drop_overdue(&connections, 11 * S);
	CHECK(is_cut(clients[0]) && !is_cut(clients[1]));
	CHECK_NUMBER(connections.count, 1);
	CHECK_NUMBER(connections.overdue, 1);
	close_all(&connections, clients, 2);
}

int main(void)
{
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	struct rlimit descriptors; /* a crowd has more of them than a shell's usual 1,024 */
	CHECK(getrlimit(RLIMIT_NOFILE, &descriptors) == 0);
	descriptors.rlim_cur = descriptors.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &descriptors) == 0);
	close_range(3, ~0U, 0); /* whatever the caller has left open: sockets are inherited from 3 on */
	test_inherited();
	test_addresses();
	test_unix();
	test_patience();
	test_crowd();
	test_crowd_of_one_source();
	test_sources();
	test_turns();
	test_handshakes_in_turn();
	test_whose_hello_has_come();
	test_late_hellos();
	test_who_arrives_may_be_dropped();
	test_full_queue();
	test_overdue();
	rmdir(folder);
	return check_done();
}
