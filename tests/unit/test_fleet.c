/* The pollers of many clusters: that have to wait for a thread, and that end while slurmrestd does not answer. */
#include "base/clock.h"
#include "check.h"
#include "poll/fleet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLUSTERS = 16, LOOKUP_S = 20, TRIES = 5 };
/* A request is given up within a second (poller.h), however many there are; the rest is for a busy machine. */
static const double end_max_s = 1.8;
static atomic_int threads_left;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
	if (atomic_fetch_sub(&threads_left, 1) <= 0)
		return EAGAIN;
	return __real_pthread_create(thread, attributes, run, context);
}

static atomic_int lookups;

/* libcurl's: nobody answers. */
int __attribute__((visibility("default")))
getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **ret_list)
{
	(void)host, (void)service, (void)hints, (void)ret_list;
	atomic_fetch_add(&lookups, 1);
	sleep(LOOKUP_S);
	return EAI_AGAIN;
}

static char path[] = "/tmp/test-fleet-XXXXXX";

static struct setup *setup_of(unsigned clusters, const char *url)
{
	static char *const arguments[] = {"slurmscope", "--config.file", path};
	struct error err = {""};
	bool is_read;
	FILE *file = fopen(path, "w");
	fprintf(file, "slurmrestd: {url: '%s'}\nclusters:\n", url);
	for (unsigned i = 0; i < clusters; i++)
		fprintf(file, "  c%u: {}\n", i);
	fclose(file);
	struct setup *setup = setup_new(3, arguments, &is_read, &err);
	CHECK_STRING(err.text, "");
	return setup;
}

static struct fleet *fleet_of(struct page_board *board, struct setup *setup)
{
	struct error err = {""};
	page_board_init(board);
	struct fleet *fleet = fleet_new(board);
	CHECK(fleet_take(fleet, setup, &err));
	setup_release(setup);
	return fleet;
}

/* How long its end takes, while all wait for something that does not come. */
static double end(struct fleet *fleet, struct page_board *board)
{
	uint64_t begin = clock_monotonic_ns();
	fleet_free(fleet);
	double seconds = (double)(clock_monotonic_ns() - begin) / 1e9;
	page_board_done(board);
	return seconds;
}

/* What the machine does to one of some tries is not ours. */
static void check_end(const char *row, double (*live)(void))
{
	double least_s = INFINITY;
	check_row(row);
	for (int i = 0; i < TRIES && least_s >= end_max_s; i++)
		least_s = fmin(least_s, live());
	printf("%s: ended in %.1f s\n", row, least_s);
	CHECK(least_s < end_max_s);
}

static void wait_for_pages(struct page_board *board, size_t wanted)
{
	size_t count = 0;
	for (int i = 0; i < 600 && count < wanted; i++) {
		bool is_whole;
		struct page **pages = page_board_borrow(board, &count, &is_whole);
		for (size_t page = 0; page < count; page++)
			page_release(pages[page]);
		free(pages);
		usleep(100000);
	}
	CHECK_NUMBER(count, wanted);
}

static double live_without_threads(void)
{
	struct page_board board;
	struct error err = {""};
	struct fleet *fleet = fleet_of(&board, setup_of(3, "http://127.0.0.1:1"));
	atomic_store(&threads_left, 1);
	CHECK(!fleet_start(fleet));
	wait_for_pages(&board, 1);
	CHECK(fleet_makes_progress(fleet)); /* to start again would make no threads */
	atomic_store(&threads_left, 2);
	CHECK(fleet_start(fleet));
	wait_for_pages(&board, 3);
	atomic_store(&threads_left, 0);
	struct setup *more = setup_of(5, "http://127.0.0.1:1");
	CHECK(fleet_take(fleet, more, &err));
	CHECK(!fleet_start(fleet));
	CHECK(fleet_take(fleet, more, &err)); /* nor is it forgotten when the same is read again */
	atomic_store(&threads_left, 1);
	CHECK(!fleet_start(fleet));
	wait_for_pages(&board, 4);
	setup_release(more);
	return end(fleet, &board); /* also of one that never began */
}

static double live_in_silence(void)
{
	struct page_board board;
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof address;
	int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), clients[CLUSTERS];
	CHECK(bind(silent, (struct sockaddr *)&address, len) == 0 && listen(silent, CLUSTERS) == 0);
	getsockname(silent, (struct sockaddr *)&address, &len);
	char url[64];
	snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(address.sin_port));
	struct fleet *fleet = fleet_of(&board, setup_of(CLUSTERS, url));
	atomic_store(&threads_left, CLUSTERS);
	CHECK(fleet_start(fleet));
	for (int i = 0; i < CLUSTERS; i++)
		CHECK((clients[i] = accept(silent, NULL, NULL)) >= 0);
	double seconds = end(fleet, &board);
	for (int i = 0; i < CLUSTERS; i++)
		close(clients[i]);
	close(silent);
	return seconds;
}

static double live_without_names(void)
{
	struct page_board board;
	struct fleet *fleet = fleet_of(&board, setup_of(1, "http://slurmrestd.example:6820"));
	atomic_store(&threads_left, 1);
	atomic_store(&lookups, 0);
	CHECK(fleet_start(fleet));
	for (int i = 0; i < 6000 && !atomic_load(&lookups); i++)
		usleep(10000);
	CHECK(atomic_load(&lookups));
	return end(fleet, &board);
}

int main(void)
{
	int file = mkstemp(path);
	if (file < 0)
		return 1;
	close(file);
	log_setup(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT);
	check_end("too few threads", live_without_threads);
	check_end("slurmrestds that do not answer", live_in_silence);
	check_end("a name server that does not answer", live_without_names);
	unlink(path);
	return check_done();
}
