/* Collects from all that the poller knows what people see (status/status.h). Of the poller's thread. */
#pragma once

#include "poll/event_poller.h"
#include "poll/job_poller.h"
#include "poll/role.h"
#include "poll/start.h"
#include "status/status.h"

struct status_sources {
	const struct asker *asker; /* leads to configuration, cluster, health and exporter */
	const struct plan *plan;
	const struct plan_task *tasks;
	const struct job_poller *jobs;
	const struct event_poller *events;
	const struct job_events *ends; /* that the page of metrics shows; NULL: none */
	const struct role *role; /* NULL: it leads, whatever ping says */
	bool leads;
	const char *waits_for; /* why it does not lead though it should; "": no reason */
	const struct plan_totals *totals;
	const struct start *start;
	const struct plan_action *action; /* what comes after this page; NULL: not known */
	const char *not_ready; /* why it is not ready; NULL: it is */
	uint64_t series, folded; /* of the page of metrics */
};

struct status *status_gather(const struct status_sources *sources);
