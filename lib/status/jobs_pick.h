/* The jobs of one table that a query takes in, in its order. Any thread. */
#pragma once

#include "status/jobs_query.h"

struct jobs_picked {
	const struct status_job **items; /* owned: all that the query takes in */
	size_t count;
	uint64_t page, pages; /* pages: at least 1 */
	size_t from, to; /* of the page that was asked for; after the last one there is nothing */
};

/* The work is that of looking at each job of the stage, and of sorting those that are taken in. Those whose value is not
 * known come last. Of equals the older ID comes first. */
struct jobs_picked jobs_pick(const struct status_job_rows *jobs, enum status_stage stage,
			     const struct jobs_query *query, double now, size_t per_page);
void jobs_picked_done(struct jobs_picked *picked);
