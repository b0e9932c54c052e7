/* An ended job, each number of which differs from all others, so that a test sees which member went where. */
#pragma once

#include "events/recent_ends.h"

/* Its times are seconds after `epoch`. */
static inline struct recent_end ended_numbers(uint64_t epoch)
{
	return (struct recent_end){.raw_id = 31,
				   .array_job_id = 32,
				   .array_task_id = 33,
				   .submit_time = epoch + 34,
				   .eligible_time = epoch + 35,
				   .start_time = epoch + 36,
				   .end_time = epoch + 37,
				   .run_seconds = 38,
				   .time_limit = 39,
				   .cpus = 40,
				   .memory = 41,
				   .nodes = 42,
				   .exit_code = 43,
				   .exit_signal = 44,
				   .peak_memory = 45,
				   .energy = 46,
				   .used_cpu_seconds = 47};
}
