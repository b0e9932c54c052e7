#include "slurmscope/polling.h"

#include "base/clock.h"
#include "base/version.h"
#include "page/board.h"
#include "page/handover.h"
#include "poll/fleet.h"
#include "slurmscope/notify.h"
#include "web/web_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SERVER_ENDS_WITHIN_MS = 5000 };

/* Why it ends, if not by a signal, whose numbers are above 0. */
enum { SERVER_ENDED = -1, SERVER_TALKS_NONSENSE = -2 };

struct daemon {
	const struct polling *start;
	struct setup *setup; /* in force */
	struct fleet *fleet;
	struct page_board board;
	struct handover *handover;
	struct web_watch *watch; /* of the web configuration; NULL: there is none */
	int signals; /* a descriptor */
	bool is_served; /* the other process has begun */
	bool is_server_gone; /* and this is what waitpid said: */
	int server_status;
};

static int fail(const struct error *err)
{
	log_line(LOG_LEVEL_ERROR, err->text, NULL);
	return EXIT_FAILURE;
}

/* What the process would run with if it read all options again; NULL: something is wrong. */
static struct setup *read_again(const struct daemon *daemon, struct error *err)
{
	struct setup *again = setup_again(daemon->setup, err);
	if (again && sandbox_allows(daemon->start->sandbox, again->clusters, again->cluster_count, err))
		return again;
	setup_release(again);
	return NULL;
}

/* Reads and applies all that can be applied; what is wrong changes nothing. The client that asks gets its answer before
 * pollers end. That may take a second, and the server's thread would wait for it. */
static void reload(struct daemon *daemon, bool is_client_waiting)
{
	struct error err;
	notify("RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_monotonic_ns() / 1000);
	struct setup *setup = read_again(daemon, &err);
	if (is_client_waiting)
		handover_verdict(daemon->handover, setup ? NULL : &err);
	bool is_taken = setup && fleet_take(daemon->fleet, setup, &err);
	page_board_note_reload(&daemon->board, is_taken ? NULL : &err, clock_now());
	notify("READY=1");
	if (!is_taken) {
		log_line(LOG_LEVEL_ERROR, "the configuration is invalid; slurmscope goes on with the old one", "error",
			 err.text, NULL);
		setup_release(setup);
		return;
	}
	log_setup((enum log_level)setup->process.log_level, (enum log_format)setup->process.log_format);
	setup_warn_of_fixed(daemon->setup, setup);
	setup_log_exposure(setup);
	log_line(LOG_LEVEL_INFO, "the configuration was read again", NULL);
	setup_release(daemon->setup);
	daemon->setup = setup;
}

static void on_web_files(void *context, struct web_files *files)
{
	struct daemon *daemon = context;
	handover_web_files(daemon->handover, files);
}

static bool start(struct daemon *daemon, struct error *err)
{
	struct setup *setup = daemon->setup;
	struct web_files *files = daemon->start->web_files;
	return sandbox_enter_poller(daemon->start->sandbox, &setup->process, err) &&
	       fleet_take(daemon->fleet, setup, err) &&
	       (!files->count || (daemon->watch = web_watch_start(files, on_web_files, daemon, err)));
}

/* The signal that has come. */
static int signal_of(const struct daemon *daemon)
{
	struct signalfd_siginfo info;
	return read(daemon->signals, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

static bool makes_progress(struct daemon *daemon)
{
	uint64_t now = clock_monotonic_ns();
	return fleet_makes_progress(daemon->fleet) && handover_makes_progress(daemon->handover, now) &&
	       web_watch_makes_progress(daemon->watch, now);
}

/* What the other process says; why to end, or 0. */
static int hear(struct daemon *daemon)
{
	switch (handover_hear(daemon->handover)) {
	case HANDOVER_NOTHING:
		return 0;
	case HANDOVER_ENDED:
		return SERVER_ENDED;
	case HANDOVER_RELOAD:
		if (!daemon->setup->process.enable_lifecycle)
			break; /* nobody can have asked it for that */
		reload(daemon, true);
		return 0;
	default:
		break;
	}
	return SERVER_TALKS_NONSENSE;
}

/* Waits until a signal is there, or the serving process says something or ends; at most for this time, if any. */
static void wait_for(const struct daemon *daemon, const struct timespec *time, bool *ret_signal, bool *ret_link)
{
	struct pollfd descriptors[] = {{.fd = daemon->signals, .events = POLLIN},
				       {.fd = daemon->start->link, .events = POLLIN}};
	bool is_any = ppoll(descriptors, 2, time, NULL) > 0;
	*ret_signal = is_any && descriptors[0].revents;
	*ret_link = is_any && descriptors[1].revents;
}

/* Waits until there is something to do, at most this many nanoseconds, and does it. Returns why to end; 0: go on. */
static int wait_and_act(struct daemon *daemon, uint64_t ns)
{
	const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	bool is_signal, is_link;
	wait_for(daemon, &time, &is_signal, &is_link);
	int end = is_link ? hear(daemon) : 0;
	if (end)
		return end;
	int number = is_signal ? signal_of(daemon) : 0;
	if (number == SIGHUP)
		reload(daemon, false);
	return number == SIGHUP ? 0 : number;
}

/* Until there is a reason to end, which is returned. Meanwhile systemd's watchdog is fed, the process that serves hears
 * that this one polls, and threads that could not be made are tried again. */
static int wait_for_end(struct daemon *daemon)
{
	const uint64_t watchdog_ns = notify_watchdog_ns(), life_sign_ns = PAGE_BOARD_LIFE_SIGN_S * UINT64_C(1000000000);
	const uint64_t ns = watchdog_ns && watchdog_ns / 3 < life_sign_ns ? watchdog_ns / 3 : life_sign_ns;
	for (;;) {
		fleet_start(daemon->fleet);
		int number = wait_and_act(daemon, ns);
		if (number)
			return number;
		if (!makes_progress(daemon))
			continue;
		handover_lives(daemon->handover);
		if (watchdog_ns)
			notify("WATCHDOG=1");
	}
}

/* 0: it does; else why to end. */
static int wait_until_it_serves(struct daemon *daemon)
{
	bool is_signal = false, is_link = false;
	while (!is_signal && !is_link)
		wait_for(daemon, NULL, &is_signal, &is_link);
	if (is_signal)
		return signal_of(daemon);
	return handover_hear(daemon->handover) == HANDOVER_SERVES ? 0 : SERVER_ENDED;
}

static void log_addresses(const struct daemon *daemon)
{
	for (const char *const *address = daemon->start->addresses; *address; address++)
		log_line(LOG_LEVEL_INFO, "serving", "version", version_number, "address", *address, "path",
			 daemon->setup->process.telemetry_path, NULL);
}

/* False: it lives on, though it closed its end of the link or was to end. */
static bool has_ended(struct daemon *daemon)
{
	enum { LOOKS = 100 };
	for (int i = 0; i < LOOKS && !daemon->is_server_gone; i++) {
		daemon->is_server_gone =
			waitpid(daemon->start->server, &daemon->server_status, WNOHANG) == daemon->start->server;
		if (!daemon->is_server_gone)
			usleep(SERVER_ENDS_WITHIN_MS * 1000 / LOOKS);
	}
	return daemon->is_server_gone;
}

/* What kept it from beginning it has said itself. */
static void log_server_end(struct daemon *daemon, int why)
{
	char text[64] = "it said what it has no reason to say";
	bool has_said = false;
	if (why == SERVER_ENDED && !has_ended(daemon)) {
		snprintf(text, sizeof text, "it does not listen any more");
	} else if (why == SERVER_ENDED && WIFSIGNALED(daemon->server_status)) {
		int number = WTERMSIG(daemon->server_status);
		snprintf(text, sizeof text, "signal %d (%s)", number, strsignal(number));
	} else if (why == SERVER_ENDED) {
		int status = WEXITSTATUS(daemon->server_status);
		has_said = !daemon->is_served && status == EXIT_FAILURE;
		snprintf(text, sizeof text, "status %d", status);
	}
	if (!has_said)
		log_line(LOG_LEVEL_ERROR, "the process that serves has ended, and slurmscope ends with it", "why", text,
			 NULL);
}

/* Clients have a second to read answers that are under way. If it takes longer to end, the kernel ends it with us. False: it
 * ended badly, which is said. */
static bool end_server(struct daemon *daemon)
{
	struct pollfd descriptor = {.fd = daemon->start->link, .events = POLLIN};
	bool is_heard = true;
	handover_end(daemon->handover);
	while ((is_heard = poll(&descriptor, 1, SERVER_ENDS_WITHIN_MS) > 0) &&
	       handover_hear(daemon->handover) != HANDOVER_ENDED)
		continue;
	if (!is_heard || !has_ended(daemon) || !daemon->server_status)
		return true;
	log_server_end(daemon, SERVER_ENDED);
	return false;
}

static int work(struct daemon *daemon)
{
	struct error err;
	if (!start(daemon, &err))
		return fail(&err);
	int number = wait_until_it_serves(daemon);
	if (!number) {
		daemon->is_served = true;
		log_addresses(daemon);
		notify("READY=1");
		number = wait_for_end(daemon);
	}
	if (number < 0) {
		log_server_end(daemon, number);
		return EXIT_FAILURE;
	}
	notify("STOPPING=1");
	log_line(LOG_LEVEL_INFO, "stopping", "signal", strsignal(number), NULL);
	return EXIT_SUCCESS;
}

void polling_signals(sigset_t *ret_signals)
{
	sigemptyset(ret_signals);
	sigaddset(ret_signals, SIGINT);
	sigaddset(ret_signals, SIGTERM);
	sigaddset(ret_signals, SIGHUP);
}

static int open_signals(void)
{
	sigset_t signals;
	polling_signals(&signals);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

int polling_run(const struct polling *polling)
{
	struct daemon daemon = {.start = polling, .setup = setup_hold(polling->setup), .signals = open_signals()};
	page_board_init(&daemon.board);
	daemon.handover = handover_new(polling->link, polling->signs);
	daemon.board.handover = daemon.handover;
	daemon.fleet = fleet_new(&daemon.board);
	int status = work(&daemon);
	web_watch_stop(daemon.watch);
	if (status == EXIT_SUCCESS && !end_server(&daemon))
		status = EXIT_FAILURE;
	fleet_free(daemon.fleet);
	page_board_done(&daemon.board);
	handover_free(daemon.handover);
	setup_release(daemon.setup);
	close(daemon.signals);
	return status;
}
