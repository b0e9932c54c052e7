#include "slurmscope/serving.h"

#include "base/clock.h"
#include "base/log.h"
#include "page/receiver.h"
#include "serve/routes.h"

#include <stdlib.h>

static int fail(const struct error *err)
{
	log_line(LOG_LEVEL_ERROR, err->text, NULL);
	return EXIT_FAILURE;
}

static int serve(const struct serving *serving, struct page_board *board, struct receiver *receiver)
{
	struct error err;
	const struct config *config = &serving->setup->process;
	struct routes routes = {.scrape = {board, config->openmetrics_created},
				.telemetry_path = config->telemetry_path,
				.sandbox = serving->sandbox,
				.reload = config->enable_lifecycle ? receiver_ask_to_reload : NULL,
				.reload_context = receiver};
	struct http_server_setup web = {.listeners = *serving->listeners,
					.files = serving->web_files->count ? serving->web_files : NULL,
					.progress = &serving->signs->progress,
					.respond = routes_respond,
					.config_read = routes_config_read,
					.audits = config->audit_log,
					.context = &routes};
	routes_init(&routes);
	struct http_server *server = http_server_start(&web, &err);
	if (!server)
		return fail(&err);
	atomic_store(&board->server, server);
	receiver_run(receiver, server);
	atomic_store(&board->server, NULL);
	http_server_stop(server);
	return EXIT_SUCCESS;
}

int serving_run(const struct serving *serving)
{
	struct error err;
	struct page_board board;
	page_board_init(&board);
	board.signs = serving->signs;
	process_close(&board.source);
	process_open_child(&board.source, serving->parent);
	page_board_note_reload(&board, NULL, clock_now());
	struct receiver *receiver = receiver_new(serving->link, &board);
	int status = sandbox_enter_server(serving->sandbox, &serving->setup->process, &err)
			     ? serve(serving, &board, receiver)
			     : fail(&err);
	receiver_free(receiver);
	page_board_done(&board);
	return status;
}
