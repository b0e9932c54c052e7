/* Ends that slurmdbd reported before they were complete, such as without the requeue of a job that was completing
 * (SLURMRESTD.md, "What slurmdbd knows when"). Where many jobs end, windows do not come back to them, so slurmscope
 * asks for each of them. Times are Unix seconds of slurmctld's clock. Of one thread. */
#pragma once

#include "events/runs.h"

enum { LATE_ENDS_MAX = 10000 };

struct late_end {
	struct run_key key;
	uint32_t raw_id;
	int64_t end;
	int64_t asked; /* when it was asked for last; 0: never */
};

struct late_ends {
	struct late_end *items;
	size_t count, capacity;
};

/* False: there are LATE_ENDS_MAX already. */
bool late_ends_add(struct late_ends *late, const struct late_end *end);
/* Removes it if it is there. The job's own ID identifies it, because slurmdbd may learn later that it is a task. */
void late_ends_remove(struct late_ends *late, uint32_t raw_id, int64_t submit_time);

int64_t late_ends_first(const struct late_ends *late,
			int64_t none); /* the time of the earliest; `none` if there is none */

void late_ends_done(struct late_ends *late); /* empty again, as when zeroed */
