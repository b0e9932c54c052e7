/* HTTP requests through the real server and its routes. Whatever a client says, it gets well-formed answers or none,
 * the connection ends, and the next client is served. An odd first byte chooses the server that asks for a password. */
#include "world.h"

#include "serve/routes.h"

#include <errno.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

enum { PATIENCE_S = 20, QUIET_MS = 100, ANSWER_BYTES_MAX = 64 << 20 };

/* alice: secret, at bcrypt's least cost. */
static const char web_configuration[] =
	"basic_auth_users:\n  alice: $2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW\n"
	"http_server_config: {headers: {X-Frame-Options: deny, Content-Security-Policy: default-src 'self'}}\n";

static char folder[] = "/tmp/slurmscope-fuzz-http-XXXXXX";
static struct page_board board;
static struct page_slot slot;
static struct sandbox sandbox;
static struct routes routes = {.scrape = {&board, true}, .telemetry_path = "/metrics", .sandbox = &sandbox};
static struct http_server *servers[2];

static void socket_of(int which, char *path, size_t size)
{
	snprintf(path, size, "%s/%d", folder, which);
}

/* A job of each stage, with a name that is not to become markup. */
static struct status *new_status(void)
{
	static const char texts[] = "\0alice\0<script>\"'&\0Priority\0a[1-9],b\0gres/gpu:x=2";
	static const uint32_t at[] = {1, 7, 19, 28, 37};
	struct status *status = status_new(WORLD_NOW);
	struct status_job_rows *jobs = &status->job_rows;
	jobs->texts = arena_new(&status->arena, jobs->texts_len = sizeof texts);
	memcpy(jobs->texts, texts, sizeof texts);
	for (int stage = 0; stage < STATUS_STAGES; stage++) {
		struct status_job_set *set = &jobs->sets[stage];
		*set = (struct status_job_set){.is_known = true, .max = 9, .count = 5};
		set->rows = arena_new(&status->arena, set->count * sizeof *set->rows);
		for (uint32_t i = 0; i < set->count; i++)
			set->rows[i] = (struct status_job){.id = i + 1,
							   .array_job_id = 2,
							   .array_task_id = i,
							   .user = at[0],
							   .account = at[i],
							   .partition = at[i],
							   .name = at[1],
							   .reason = at[2],
							   .node_list = at[3],
							   .tres = at[4],
							   .start = WORLD_NOW};
	}
	return status;
}

static void publish(void)
{
	struct cluster cluster;
	struct samples page = {.text = BUF_INIT};
	cluster_init(&cluster);
	world_feed(&cluster, ENDPOINT_JOBS,
		   TEXT("{\"jobs\":[{\"job_id\":1,\"job_state\":[\"RUNNING\"],\"user_name\":\"alice\"}]}"));
	world_render(&cluster, NULL, &page);
	cluster_done(&cluster);
	page_slot_publish(&slot, page_new(&page, new_status()));
}

static void start(int which)
{
	struct web_files files = {.count = 0};
	char path[96], address[128], configuration[96];
	struct error err = {""};
	struct http_server_setup setup = {
		.respond = routes_respond, .config_read = routes_config_read, .context = &routes};
	socket_of(which, path, sizeof path);
	snprintf(address, sizeof address, "unix:%s", path);
	snprintf(configuration, sizeof configuration, "%s/web.yml", folder);
	FILE *file = fopen(configuration, "w");
	REQUIRE(file && fputs(web_configuration, file) >= 0 && fclose(file) == 0);
	web_files_read(configuration, &files);
	if (which)
		setup.files = &files;
	REQUIRE(listen_open(&setup.listeners, address, 0, &err));
	servers[which] = http_server_start(&setup, &err);
	if (!servers[which])
		fprintf(stderr, "%s\n", err.text);
	REQUIRE(servers[which]);
	web_files_done(&files);
}

static void stop(void)
{
	char path[96];
	for (int which = 0; which < 2; which++) {
		http_server_stop(servers[which]);
		socket_of(which, path, sizeof path);
		unlink(path);
	}
	page_slot_done(&slot);
	page_board_done(&board);
	snprintf(path, sizeof path, "%s/web.yml", folder);
	unlink(path);
	rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	REQUIRE(mkdtemp(folder));
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	publish();
	routes_init(&routes);
	start(0);
	start(1);
	atexit(stop);
	return 0;
}

static int connect_to(int which)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socket_of(which, address.sun_path, sizeof address.sun_path);
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	REQUIRE(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
	return client;
}

static void say(int client, struct text bytes)
{
	while (bytes.len) { /* it may hang up before it has read all */
		ssize_t sent = TEMP_FAILURE_RETRY(send(client, bytes.bytes, bytes.len, MSG_NOSIGNAL));
		if (sent <= 0)
			return;
		bytes = (struct text){bytes.bytes + sent, bytes.len - (size_t)sent};
	}
}

/* All that it says until it ends the connection. What follows the input ends most requests and then asks for the end; where it
 * does not, silence for QUIET_MS is taken for one. */
static void converse(int client, struct text request, struct buf *answer)
{
	ssize_t got = 1;
	say(client, request);
	say(client, TEXT("\r\n\r\nGET /-/healthy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
	while (got > 0) {
		struct pollfd waiting = {.fd = client, .events = POLLIN};
		if (TEMP_FAILURE_RETRY(poll(&waiting, 1, QUIET_MS)) == 0)
			return;
		char *to = buf_reserve(answer, 65536);
		got = TEMP_FAILURE_RETRY(recv(client, to, 65535, 0)); /* libFuzzer has a timer */
		answer->len += got > 0 ? (size_t)got : 0;
		REQUIRE(answer->len < ANSWER_BYTES_MAX);
	}
	REQUIRE(got == 0 || errno == ECONNRESET || errno == EPIPE);
}

/* The headers that libmicrohttpd, slurmscope and the web configuration above may send. */
static bool is_header(struct text name)
{
	static const char *const names[] = {"Content-Type",
					    "Content-Encoding",
					    "Content-Length",
					    "Connection",
					    "Date",
					    "Vary",
					    "Allow",
					    "Cache-Control",
					    "WWW-Authenticate",
					    "X-Content-Type-Options",
					    "X-Frame-Options",
					    "Content-Security-Policy",
					    "Process-Start-Time-Unix",
					    "Retry-After",
					    "Referrer-Policy",
					    "Refresh"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (name.len == strlen(names[i]) && strncasecmp(name.bytes, names[i], name.len) == 0)
			return true;
	return false;
}

static void check_answer(struct text rest)
{
	static const char *const statuses[] = {"100", "200", "400", "401", "403", "404", "405",
					       "411", "413", "414", "431", "501", "503", "505"};
	struct text line = text_cut(&rest, '\n'), status = {line.bytes + 9, 3};
	bool is_known = false;
	REQUIRE(line.len > 12 && text_starts_with(line, "HTTP/1."));
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		is_known = is_known || text_equal(status, text_of(statuses[i]));
	if (!is_known)
		fprintf(stderr, "%.*s\n", (int)line.len, line.bytes);
	REQUIRE(is_known);
	while ((line = text_cut(&rest, '\n')).len > 1) {
		struct text name = text_cut(&line, ':');
		if (!is_header(name))
			fprintf(stderr, "%.*s\n", (int)name.len, name.bytes);
		REQUIRE(is_header(name));
	}
	REQUIRE(text_equal(line, TEXT("\r")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_of(data, size);
	struct buf answer = BUF_INIT;
	int client = connect_to(input_byte(&input) & 1);
	converse(client, input_rest(&input), &answer);
	if (answer.len)
		check_answer(buf_text(&answer));
	close(client);
	buf_done(&answer);
	return 0;
}
