/* Reads the options, builds the parts, waits for a signal, and takes them down again. */
#include "base/clock.h"
#include "base/version.h"
#include "config/help.h"
#include "config/manual.h"
#include "config/setup.h"
#include "doctor/doctor.h"
#include "metrics/catalogue.h"
#include "page/board.h"
#include "page/edition.h"
#include "page/process.h"
#include "poll/fleet.h"
#include "sandbox/sandbox.h"
#include "serve/routes.h"
#include "slurmscope/notify.h"
#include "web/listen.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 }; /* of doctor, for wrong options; its 1 means that an examination failed */

static int fail(const struct error *err)
{
	log_line(LOG_LEVEL_ERROR, err->text, NULL);
	return EXIT_FAILURE;
}

static int print(struct buf *text)
{
	struct error err;
	bool is_whole = fwrite(text->bytes, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
	if (!is_whole)
		error_set(&err, "standard output: %s", strerror(errno));
	buf_done(text);
	return is_whole ? EXIT_SUCCESS : fail(&err);
}

struct daemon {
	struct setup *setup; /* in force */
	struct fleet *fleet;
	struct page_board board;
	struct sandbox sandbox;
};

static bool enter_sandbox(struct daemon *daemon, struct error *err)
{
	struct setup *setup = daemon->setup;
	bool is_entered = sandbox_enter(&daemon->sandbox, setup->clusters, setup->cluster_count, err);
	sandbox_log(&daemon->sandbox);
	return is_entered;
}

static int once(struct daemon *daemon)
{
	struct error err;
	bool all_answered = fleet_poll_all(daemon->fleet);
	struct edition *edition = page_board_borrow_edition(&daemon->board);
	struct rendition *page = edition_render(edition, &(struct rendition_options){0}, UINT64_MAX, &err);
	struct buf text = BUF_INIT;
	buf_add_text(&text, buf_text(&page->bytes));
	rendition_release(page);
	edition_release(edition);
	int status = print(&text);
	return all_answered ? status : EXIT_FAILURE;
}

/* What the process would run with if it read all options again; NULL: something is wrong. */
static struct setup *read_again(const struct setup *setup, const struct sandbox *sandbox, struct error *err)
{
	struct setup *again = setup_again(setup, err);
	if (again && sandbox_allows(sandbox, again->clusters, again->cluster_count, err))
		return again;
	setup_release(again);
	return NULL;
}

/* Reads and applies all that can be applied; what is wrong changes nothing. */
static void reload(struct daemon *daemon)
{
	struct error err;
	notify("RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_monotonic_ns() / 1000);
	struct setup *setup = read_again(daemon->setup, &daemon->sandbox, &err);
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

/* The next signal; 0: none came within that time. 0 ns: for as long as it takes. */
static int wait_for_signal(const sigset_t *signals, uint64_t ns)
{
	const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	int number = ns ? sigtimedwait(signals, NULL, &time) : sigwaitinfo(signals, NULL);
	return number > 0 ? number : 0;
}

/* Until a signal wants it to end, whose number is returned. Meanwhile systemd's watchdog is fed. */
static int wait_for_end(struct daemon *daemon, struct http_server *server, const sigset_t *signals)
{
	const uint64_t watchdog_ns = notify_watchdog_ns(), retry_ns = UINT64_C(10000000000);
	for (;;) {
		uint64_t ns = watchdog_ns / 3;
		if (!fleet_start(daemon->fleet) && (!ns || ns > retry_ns))
			ns = retry_ns;
		int number = wait_for_signal(signals, ns);
		if (number == SIGHUP)
			reload(daemon);
		else if (number)
			return number;
		bool makes_progress =
			fleet_makes_progress(daemon->fleet) && http_server_makes_progress(server, clock_monotonic_ns());
		if (watchdog_ns && makes_progress)
			notify("WATCHDOG=1");
	}
}

struct reload {
	const struct setup *setup; /* of the start, for its arguments: the main thread changes the one in force */
	const struct sandbox *sandbox;
};

/* Of POST /-/reload, in the server's thread: says what is wrong, and leaves the rest to the main thread. */
static bool ask_to_reload(void *context, struct error *err)
{
	const struct reload *reload = context;
	struct setup *setup = read_again(reload->setup, reload->sandbox, err);
	bool is_right = setup != NULL;
	setup_release(setup);
	kill(getpid(), SIGHUP);
	return is_right;
}

/* Also those that were opened before one that cannot be: the process ends then. */
static bool listen_all(const struct config *config, struct listeners *listeners, struct error *err)
{
	if (config->systemd_socket)
		return listen_inherit(listeners, err);
	for (size_t i = 0; i < config->listen_addresses.count; i++)
		if (!listen_open(listeners, config->listen_addresses.values[i], err))
			return false;
	return true;
}

static void log_addresses(const struct listeners *listeners, const char *path)
{
	char name[160];
	for (unsigned i = 0; i < listeners->count; i++) {
		listen_name(listeners->sockets[i], name, sizeof name);
		log_line(LOG_LEVEL_INFO, "serving", "version", version_number, "address", name, "path", path, NULL);
	}
}

static int serve(struct daemon *daemon)
{
	struct error err;
	const struct config *config = &daemon->setup->process;
	struct http_server_setup web = {
		.config_path = config->web_config_file, .respond = routes_respond, .config_read = routes_config_read};
	sigset_t signals; /* blocked here, so in every thread: only sigwait sees them */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (!listen_all(config, &web.listeners, &err) || !enter_sandbox(daemon, &err))
		return fail(&err);
	struct listeners listeners = web.listeners; /* their names; the server's from now on */
	struct reload reload = {daemon->setup, &daemon->sandbox};
	struct routes routes = {.scrape = {&daemon->board, config->openmetrics_created},
				.telemetry_path = config->telemetry_path,
				.sandbox = &daemon->sandbox,
				.reload = config->enable_lifecycle ? ask_to_reload : NULL,
				.reload_context = &reload};
	routes_init(&routes);
	web.context = &routes;
	struct http_server *server = http_server_start(&web, &err);
	atomic_store(&daemon->board.server, server);
	if (!server || !fleet_take(daemon->fleet, daemon->setup, &err)) {
		atomic_store(&daemon->board.server, NULL);
		http_server_stop(server);
		return fail(&err);
	}
	log_addresses(&listeners, config->telemetry_path);
	notify("READY=1");
	int number = wait_for_end(daemon, server, &signals);
	notify("STOPPING=1");
	log_line(LOG_LEVEL_INFO, "stopping", "signal", strsignal(number), NULL);
	atomic_store(&daemon->board.server, NULL);
	http_server_stop(server);
	return EXIT_SUCCESS;
}

static int run(struct setup *setup)
{
	struct error err;
	struct daemon daemon = {.setup = setup_hold(setup)};
	signal(SIGPIPE, SIG_IGN);
	page_board_init(&daemon.board);
	page_board_note_reload(&daemon.board, NULL, clock_now());
	setup_log_exposure(setup);
	daemon.fleet = fleet_new(&daemon.board);
	int status = !setup->process.once						     ? serve(&daemon)
		     : enter_sandbox(&daemon, &err) && fleet_take(daemon.fleet, setup, &err) ? once(&daemon)
											     : fail(&err);
	fleet_free(daemon.fleet);
	page_board_done(&daemon.board);
	setup_release(daemon.setup);
	sandbox_done(&daemon.sandbox);
	return status;
}

/* What the options say is to be done. */
static int act(struct setup *setup)
{
	struct error err;
	struct buf out = BUF_INIT;
	const struct config *config = &setup->process;
	if (config->help)
		help_write(config->help, help_width(STDOUT_FILENO), &out);
	else if (config->version)
		buf_printf(&out, "slurmscope %s%s%s (%s)\n", version_number, *version_revision ? " " : "",
			   version_revision, version_compiler);
	else if (config->list_metrics)
		catalogue_list(&out);
	else if (config->example_config)
		config_example(&out);
	else if (config->print_manual)
		manual_write((enum manual)config->print_manual, &out);
	else if (config->print_config)
		setup_print(setup, &out);
	else if (!config->check_config)
		return run(setup);
	else if (!setup_check(setup, &err))
		return fail(&err);
	else
		buf_add_string(&out, "the configuration is valid\n");
	return print(&out);
}

/* Each cluster in turn. */
static int examine(const struct setup *setup, bool is_strict)
{
	struct report to = {.out = stdout};
	doctor_examine_process(&setup->process, &to);
	for (size_t i = 0; i < setup->cluster_count; i++) {
		if (setup->has_names)
			printf("%s\n", setup->clusters[i].name);
		doctor_examine(&setup->clusters[i], &to);
	}
	report_end(&to);
	bool is_well = !to.counts[VERDICT_FAIL] && !(is_strict && to.counts[VERDICT_WARN]);
	return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct error err;
	bool is_read;
	process_guard();
	bool is_doctor = argc > 1 && strcmp(argv[1], "doctor") == 0;
	bool is_strict = is_doctor && argc > 2 && strcmp(argv[2], "--strict") == 0;
	int words = is_doctor + is_strict; /* before the options */
	struct setup *setup = setup_new(argc - words, argv + words, &is_read, &err);
	log_setup((enum log_level)setup->process.log_level, (enum log_format)setup->process.log_format);
	int status = !is_read				 ? (fail(&err), is_doctor ? EXIT_USAGE : EXIT_FAILURE)
		     : is_doctor && !setup->process.help ? examine(setup, is_strict)
							 : act(setup);
	setup_release(setup);
	return status;
}
