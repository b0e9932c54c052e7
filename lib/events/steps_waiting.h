/* Runs that ended and whose steps are still to be read, about in the order of their ends. A run that does not wait any
 * more is skipped, and dropped later: the caller sees that from the run. Of one thread. */
#pragma once

#include "events/runs.h"

struct steps_wait {
	struct run_key key;
	int64_t end_time; /* Unix seconds */
};

struct steps_waiting {
	struct steps_wait *items; /* a ring */
	size_t first, count, capacity;
};

void steps_waiting_add(struct steps_waiting *waiting, const struct run *run); /* which ended */
const struct steps_wait *steps_waiting_get(const struct steps_waiting *waiting, size_t position); /* 0: the oldest */
void steps_waiting_drop(struct steps_waiting *waiting); /* the oldest; there is one */
void steps_waiting_sort(struct steps_waiting *waiting); /* by end, where none was dropped yet */
void steps_waiting_done(struct steps_waiting *waiting); /* empty again, as when zeroed */
