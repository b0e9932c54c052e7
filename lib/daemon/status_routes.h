/* What is served of each cluster's status: pages for people, JSON, the plan, readiness. Of the server's thread. */
#pragma once

#include "daemon/routes.h"

void status_respond_page(struct routes *routes, const struct web_request *request,
			 struct web_reply *reply); /* "/": all clusters, or the only one */
void status_respond_cluster(struct routes *routes, const struct web_request *request,
			    struct web_reply *reply); /* "/cluster/NAME" */
void status_respond_json(struct routes *routes, const struct web_request *request,
			 struct web_reply *reply);
void status_respond_plan(struct routes *routes, const struct web_request *request,
			 struct web_reply *reply);
void status_respond_ready(struct routes *routes, const struct web_request *request,
			  struct web_reply *reply);
void status_respond_style(struct routes *routes, const struct web_request *request,
			  struct web_reply *reply);
void status_respond_icon(struct routes *routes, const struct web_request *request,
			 struct web_reply *reply);
