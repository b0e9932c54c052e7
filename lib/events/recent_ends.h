/* Jobs that ended lately and may have rows of their own: at most `max` of those that ended within `keep_s`. Failures have
 * half of the rows, and both halves take what the other one leaves. In each half those come first that weigh most
 * (job_weight), times the seconds that they ran; of equals the older ID. An ID has one row: that of its latest run.
 *
 * Those that are pushed out do not come back. Of one thread. */
#pragma once

#include "base/id_map.h"
#include "events/job_end.h"

struct recent_end {
	uint32_t raw_id;
	uint32_t array_job_id; /* 0: none */
	uint32_t array_task_id; /* UINT32_MAX: none */
	uint32_t owner, tres; /* numbers in the pools of the events */
	uint32_t name, sluid, state, failed_node; /* likewise, texts; 0: empty */
	/* Numbers may be unset. What it held is, if it never started. Times are Unix seconds, memory is in bytes. */
	uint64_t submit_time, eligible_time, start_time, end_time;
	uint64_t run_seconds; /* without those in which it was suspended */
	uint64_t time_limit; /* or infinite */
	uint64_t cpus, memory, nodes;
	uint64_t exit_code, exit_signal; /* of a script that ended by itself */
	uint64_t peak_memory, energy; /* of its steps; joules */
	double used_cpu_seconds; /* likewise; below 0: not known */
	double weight;
	bool is_failure;
	bool is_changed, is_stored; /* since it was stored; in the state file */
};

/* One with all that it has in the pools, for the state file. Texts are borrowed. */
struct ended_record {
	struct recent_end end;
	struct job_owner owner;
	struct text tres, name, sluid, state, failed_node;
};

/* Of those without rows: their number, and how many had an eligible time, a start, a limit, kinds of GRES. */
struct ends_left_out {
	uint64_t jobs, eligible, start, limit, gres;
};

enum { RECENT_ENDS_PARTS = 60 };

struct recent_ends {
	struct owners *owners; /* borrowed, as are the texts */
	struct text_pool *texts;
	uint64_t max; /* 0: none */
	int64_t keep_s;
	int64_t now; /* of the last recent_ends_settle */
	struct recent_end *items;
	size_t count, capacity; /* at most twice `max` */
	struct id_map positions; /* raw ID -> position + 1 */
	struct {
		int64_t part; /* of time: a 60th of keep_s */
		struct ends_left_out left_out;
	} parts[RECENT_ENDS_PARTS + 2];
	struct ends_left_out left_out; /* as of the last recent_ends_settle */
	uint32_t *removed; /* raw IDs, since they were stored */
	size_t removed_count, removed_capacity;
};

/* How many may have rows, and for how long. */
void recent_ends_limit(struct recent_ends *ends, uint64_t max, int64_t keep_s);

void recent_ends_add(struct recent_ends *ends, const struct job_end *end, int64_t submit_time);

/* What the steps of that run used; nothing happens if it has no row. */
void recent_ends_take_steps(struct recent_ends *ends, uint32_t raw_id, int64_t end_time, const struct job_steps *steps);

/* Leaves those that have rows at that time. */
void recent_ends_settle(struct recent_ends *ends, int64_t now);

/* For the state file. A record that has an ID of a known one is skipped. */
struct ended_record recent_ends_record(const struct recent_ends *ends, size_t position);
void recent_ends_restore(struct recent_ends *ends, const struct ended_record *record);
void recent_ends_stored(struct recent_ends *ends);

void recent_ends_done(struct recent_ends *ends); /* empty; gives all back to the pools */
