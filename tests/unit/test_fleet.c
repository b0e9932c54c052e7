/* The pollers of many clusters: that have to wait for a thread, and that end while slurmrestd does not answer. */
#include "base/clock.h"
#include "check.h"
#include "daemon/fleet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLUSTERS = 16, LOOKUP_S = 20 };
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

/* It ends while all wait for something that does not come. */
static void check_end(struct fleet *fleet, struct page_board *board)
{
	uint64_t begin = clock_monotonic_ns();
	fleet_free(fleet);
	CHECK((clock_monotonic_ns() - begin) / 1000000000 < 15);
	page_board_done(board);
}

static void wait_for_pages(struct page_board *board, size_t wanted)
{
	size_t count = 0;
	for (int i = 0; i < 600 && count < wanted; i++) {
		bool is_whole;
		struct page **pages = page_board_borrow(board, &count, &is_whole);
		for (size_t page = 0; page < count; page++)
			page_unref(pages[page]);
		free(pages);
		usleep(100000);
	}
	CHECK_NUMBER(count, wanted);
}

static void test_threads(void)
{
	check_row("too few threads");
	struct page_board board;
	struct error err = {""};
	struct fleet *fleet = fleet_of(&board, setup_of(3, "http://127.0.0.1:1"));
	atomic_store(&threads_left, 1);
	CHECK(!fleet_start(fleet));
	wait_for_pages(&board, 1);
	CHECK(fleet_makes_progress(fleet)); /* to start anew would make no threads */
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
	check_end(fleet, &board); /* also of one that never began */
}

static void test_silence(void)
{
	check_row("slurmrestds that do not answer");
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
	check_end(fleet, &board);
	for (int i = 0; i < CLUSTERS; i++)
		close(clients[i]);
	close(silent);
}

static void test_lookup(void)
{
	check_row("a name server that does not answer");
	struct page_board board;
	struct fleet *fleet = fleet_of(&board, setup_of(1, "http://slurmrestd.example:6820"));
	atomic_store(&threads_left, 1);
	CHECK(fleet_start(fleet));
	for (int i = 0; i < 6000 && !atomic_load(&lookups); i++)
		usleep(10000);
	CHECK(atomic_load(&lookups));
	check_end(fleet, &board);
}

int main(void)
{
	int file = mkstemp(path);
	if (file < 0)
		return 1;
	close(file);
	log_setup(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT);
	test_threads();
	test_silence();
	test_lookup();
	unlink(path);
	return check_done();
}
