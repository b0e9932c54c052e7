/* Which pending jobs to ask for again, because their reason changes without any change of state. Examples are hold and
 * release, a dependency that is met, or a limit that is reached. There may be more of them than the budgets can renew.
 * So those come first whose reason has most likely changed. Of one thread. */
#pragma once

#include "jobs/job_table.h"

/* A round renews at most this many. If more wait, each round chooses the most urgent ones. */
enum { JOB_REASONS_MAX = 1000 };

struct job_reasons {
	struct job_urgent {
		uint64_t urgency;
		uint32_t id, details_time;
	} items[JOB_REASONS_MAX]; /* while they are chosen: the least urgent is the first (a heap) */
	size_t count;
};

/* `row` is a pending job with details. Keeps it if it is among the most urgent of those that were offered. */
void job_reasons_offer(struct job_reasons *reasons, const struct job_table *table, const struct job_view *row);

/* The most urgent first. */
void job_reasons_sort(struct job_reasons *reasons);
