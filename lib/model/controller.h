/* What slurmctld says of itself: ping and diag. Texts are borrowed. */
#pragma once

#include "model/number.h"
#include "model/vocabulary.h"

struct controller {
	struct text host;
	bool is_primary, is_up;
	uint64_t latency_us; /* of slurmrestd's own ping; unset before 23.11 */
};

/* Statistics as `sdiag` shows them. Sums start again at `reset_time`: at midnight UTC, at a restart,
 * and at `sdiag --reset`. */
struct diag {
	uint64_t reset_time; /* Unix seconds (req_time_start) */
	uint64_t threads, agent_queue, agents, agent_threads, dbd_queue;
	uint64_t jobs_pending, jobs_running; /* by task, as of jobs_time */
	uint64_t jobs_time;
	uint64_t cycles, cycle_sum_us, cycle_mean_us, cycle_last_us, cycle_max_us;
	uint64_t cycle_depth_mean, queue_length;
	uint64_t backfill_cycles, backfill_sum_us, backfill_mean_us, backfill_last_us, backfill_max_us;
	uint64_t backfill_depth_mean, backfill_queue_length, backfill_table_size;
	uint64_t backfill_jobs, backfill_last_cycle_time;
	bool backfill_is_active;
};
