/* Which jobs that wait are asked for their details again, since why they wait changes without any change of state: after
 * hold and release, when a dependency is met, when a limit is reached. There may be more of them than the budgets can
 * renew, so those come first whose reason is most likely another one by now. Of one thread. */
#pragma once

#include "jobs/job_table.h"

/* A round renews so many at most. Where more wait, the most urgent ones are chosen anew for each round. */
enum { JOB_REASONS_MAX = 1000 };

struct job_reasons {
	struct job_urgent {
		uint64_t urgency;
		uint32_t id, details_time;
	} items[JOB_REASONS_MAX]; /* while they are chosen: the least urgent is the first (a heap) */
	size_t count;
};

/* One that waits and has details. Keeps it if it is among the most urgent of those that were offered. */
void job_reasons_offer(struct job_reasons *reasons, const struct job_table *table, const struct job_view *row);

/* The most urgent first. */
void job_reasons_sort(struct job_reasons *reasons);
