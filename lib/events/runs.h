/* The runs whose events are being counted: those that live, and those that ended lately, because slurmdbd may report
 * them again. Its key is the job's ID, or its array's ID with the task, and the time of its submission. A requeue makes
 * a new run, because it moves that time (SLURMRESTD.md, "What slurmdbd knows when"). Of one thread. */
#pragma once

#include "base/id_map.h"

#include <stdbool.h>

#define RUN_NO_TASK UINT32_MAX

struct run_key {
	uint32_t id; /* the array's, or the job's own */
	uint32_t task; /* RUN_NO_TASK: none, or the unsplit rest of an array */
	int64_t submit_time; /* Unix seconds */
};

bool run_key_equal(const struct run_key *a, const struct run_key *b);

enum run_bit {
	RUN_STARTED = 1 << 1, /* its start is counted, or was before birth; so is the submission of each run */
	RUN_ENDED = 1 << 2, /* its end is counted, or was before birth */
	RUN_RUNS = 1 << 3, /* it ran when last looked at: its time is counted until then */
	RUN_WANTS_STEPS = 1 << 4, /* it ended; what it used is still to be read */
	RUN_IS_CHANGED = 1 << 5, /* since it was stored */
	RUN_IS_STORED = 1 << 6,
	RUN_IS_REST = 1 << 7, /* the unsplit rest of an array */
};

struct run {
	struct run_key key;
	uint32_t raw_id;
	uint16_t bits; /* enum run_bit */
	bool is_used;
	uint64_t tasks; /* of a rest: tasks whose submission was counted and that have no run of their own */
	uint32_t owner, tres; /* numbers in pools (owners.h, text_pool.h) */
	uint64_t cpus, memory; /* that it holds; bytes */
	int64_t began; /* Unix seconds: start, or last resumed. Of a rest: earlier numbers of its tasks are too old */
	int64_t ran_before; /* seconds, until it was last suspended */
	int64_t counted; /* counted seconds of its run time; after its end: the excess */
	int64_t size_since; /* its time since then is counted with the size that it has now; 0: all its time is */
	int64_t forecast; /* the first start that slurmctld forecast for it, as far as one was seen; 0: none */
	int64_t end_time; /* once it has ended */
	int64_t gone_since; /* when slurmctld first did not know it any more; 0: slurmctld knows it */
	uint32_t next; /* the next run with this head, position + 1; 0: none */
	uint32_t row; /* where the job's row was in the table, position + 1; it may be another job's by now */
};

struct runs {
	struct run *items; /* by position */
	size_t count, capacity, used;
	uint32_t free; /* position + 1 of a run that is not used; its `next` is the next such */
	struct id_map heads; /* hash of ID and task -> position + 1 */
	struct run_key *removed; /* since they were stored */
	size_t removed_count, removed_capacity;
};

struct run *runs_find(const struct runs *runs, const struct run_key *key);

/* Adds a run, zero but for its key. Pointers to other runs are not valid any more. */
struct run *runs_add(struct runs *runs, const struct run_key *key);

/* Removes the run; the pointer is not valid any more. The caller has given back its owner and tres before. */
void runs_remove(struct runs *runs, struct run *run);

/* The next run of the same ID and task; NULL gives the first. Returns NULL if there is none. */
struct run *runs_next(const struct runs *runs, uint32_t id, uint32_t task, const struct run *run);

void runs_done(struct runs *runs); /* empty again, as when zeroed */
