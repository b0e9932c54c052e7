/* Answers scrapes: the format that is asked for, compressed or not, all of it or a part. */
#pragma once

#include "page/board.h"
#include "web/http_server.h"

struct scrape_options {
	struct page_board *board; /* borrowed */
	bool has_created; /* OpenMetrics with _created samples */
};

/* `part`: what follows the telemetry path, such as "nodes"; empty: what ?collect[]= says, or all. */
void scrape_respond(const struct scrape_options *options, const struct web_request *request, struct text part,
		    struct web_reply *reply);
