/* Reads the options, builds the parts, waits for a signal, and takes them down again. */
#include "daemon/config.h"
#include "daemon/edition.h"
#include "daemon/poller.h"
#include "daemon/process.h"
#include "daemon/routes.h"
#include "daemon/version.h"
#include "metrics/catalogue.h"
#include "web/listen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const struct error *err)
{
	log_line(LOG_LEVEL_ERROR, err->text, NULL);
	return EXIT_FAILURE;
}

static int print(struct buf *text)
{
	size_t written = fwrite(text->bytes, 1, text->len, stdout);
	bool is_whole = written == text->len && fflush(stdout) == 0;
	buf_done(text);
	return is_whole ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int once(struct poller *poller, struct page_slot *slot)
{
	bool all_answered = poller_poll_all(poller);
	struct edition *edition = edition_borrow(slot->board);
	struct rendition *page = edition_render(edition, &(struct rendition_options){0}, UINT64_MAX);
	struct buf text = BUF_INIT;
	buf_add_text(&text, buf_text(&page->bytes));
	rendition_unref(page);
	edition_unref(edition);
	int status = print(&text);
	return all_answered ? status : EXIT_FAILURE;
}

static int serve(const struct config *config, struct poller *poller, struct page_slot *slot)
{
	struct error err;
	struct listeners listeners = {.count = 0};
	sigset_t signals; /* blocked here, so in every thread: only sigwait sees them */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	int signal_number;
	if (!listen_open(&listeners, config->listen_address, &err))
		return fail(&err);
	char name[160];
	listen_name(listeners.sockets[0], name, sizeof name);
	struct routes routes = {.scrape.board = slot->board, .telemetry_path = config->telemetry_path};
	struct http_server *server = http_server_start(&listeners, routes_respond, &routes, &err);
	if (!server || !poller_start(poller, &err)) {
		http_server_stop(server);
		return fail(&err);
	}
	log_line(LOG_LEVEL_INFO, "serving", "version", version_number, "address", name, "path",
		 config->telemetry_path, NULL);
	sigwait(&signals, &signal_number);
	log_line(LOG_LEVEL_INFO, "stopping", "signal", strsignal(signal_number), NULL);
	poller_stop(poller);
	http_server_stop(server);
	return EXIT_SUCCESS;
}

static int run(const struct config *config)
{
	struct error err;
	struct page_board board;
	struct page_slot slot;
	signal(SIGPIPE, SIG_IGN);
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	struct poller *poller = poller_new(config, &slot, &err);
	int status = !poller	  ? fail(&err)
		     : config->once ? once(poller, &slot)
				    : serve(config, poller, &slot);
	poller_free(poller);
	page_slot_done(&slot);
	page_board_done(&board);
	return status;
}

int main(int argc, char **argv)
{
	struct config config;
	struct error err;
	struct buf out = BUF_INIT;
	process_guard();
	bool is_parsed = config_parse(&config, argc, argv, &err);
	log_setup((enum log_level)config.log_level, (enum log_format)config.log_format);
	if (!is_parsed)
		return fail(&err);
	if (config.help)
		config_help(&out);
	else if (config.version)
		buf_printf(&out, "slurmscope %s%s%s (%s)\n", version_number,
			   *version_revision ? " " : "", version_revision, version_compiler);
	else if (config.list_metrics)
		catalogue_list(&out);
	else if (!config.check_config)
		return run(&config);
	else if (!config_check(&config, &err))
		return fail(&err);
	else
		buf_add_string(&out, "the configuration is valid\n");
	return print(&out);
}
