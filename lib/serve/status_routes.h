/* Answer with the clusters' status: pages for people, JSON, the plan, readiness; with ?cluster=NAME with that of one
 * cluster. Of the server's thread. */
#pragma once

#include "serve/routes.h"

void status_respond_page(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void status_respond_json(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void status_respond_plan(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void status_respond_ready(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void status_respond_jobs(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void status_respond_jobs_json(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void status_respond_style(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void status_respond_icon(struct routes *routes, const struct web_request *request, struct web_reply *reply);
