/* The runs whose events are being counted: those that live, and those that ended lately, so that what slurmdbd
 * tells again is known. A run is known by the job's id, or its array's with the task, and the time of its
 * submission; a requeue makes a new run, for it moves that time (SLURMRESTD.md, "What slurmdbd knows when"). Of
 * one thread. */
#pragma once

#include "base/id_map.h"

#include <stdbool.h>

#define RUN_NO_TASK UINT32_MAX

struct run_key {
	uint32_t id;   /* the array's, or the job's own */
	uint32_t task; /* RUN_NO_TASK: none, or the unsplit rest of an array */
	int64_t submit_time; /* Unix seconds */
};

bool run_key_equal(const struct run_key *a, const struct run_key *b);

enum run_bit {
	RUN_STARTED = 1 << 1,   /* counted, or before we began to count; so is the submission of each run */
	RUN_ENDED = 1 << 2,     /* likewise */
	RUN_RUNS = 1 << 3,      /* it ran when last looked at: what it has used is counted up to then */
	RUN_WANTS_STEPS = 1 << 4, /* ended; how much it used is still to be read */
	RUN_IS_CHANGED = 1 << 5,  /* since it was stored */
	RUN_IS_STORED = 1 << 6,
	RUN_IS_REST = 1 << 7,     /* of an array, unsplit */
};

struct run {
	struct run_key key;
	uint32_t raw_id;
	uint16_t bits;         /* enum run_bit */
	bool is_used;
	uint64_t tasks;        /* of a rest: tasks whose submission was counted and that have no run of their own */
	uint32_t owner, tres;  /* numbers of pools */
	uint64_t cpus, memory; /* that it holds; bytes */
	int64_t began;         /* Unix seconds: start, or when it was last resumed; of a rest: what was told
				* of its tasks until then is too old */
	int64_t ran_before;    /* seconds, until it was last suspended */
	int64_t counted;       /* seconds of its run time that are counted; of an ended one: too many of them */
	int64_t size_since;    /* what is counted from then on is of what it holds now; 0: all that is counted */
	int64_t end_time;      /* of an ended one */
	int64_t gone_since;    /* slurmctld does not know it any more; 0: it does */
	uint32_t next;         /* of the same id and task: position + 1 */
	uint32_t row;          /* where the job's row was in the table, position + 1; it may be another's by now */
};

struct runs {
	struct run *items; /* by position */
	size_t count, capacity, used;
	uint32_t free;       /* position + 1 of one that is not used; its `next` is the next */
	struct id_map heads; /* hash of id and task -> position + 1 */
	struct run_key *removed; /* since they were stored */
	size_t removed_count, removed_capacity;
};

struct run *runs_find(const struct runs *runs, const struct run_key *key);

/* A new one, zero but for its key. Moves the others: pointers to them are not valid any more. */
struct run *runs_add(struct runs *runs, const struct run_key *key);

/* It may not be used any more. What it holds of pools was given back. */
void runs_remove(struct runs *runs, struct run *run);

/* The next run of the same id and task, from NULL on; NULL: there is none. */
struct run *runs_next(const struct runs *runs, uint32_t id, uint32_t task, const struct run *run);

void runs_done(struct runs *runs); /* empty again, as when zeroed */
