/* The start of a poller that leads: slurmrestd may be kept busier (option budget.start) until all jobs, their details and why
 * they wait are known, for ten minutes at most. Most numbers wait for details, and an admin who waits looks at slurmscope for the
 * first time. Pure: times are monotonic nanoseconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct start {
	uint64_t until_ns; /* it ends then at the latest; 0: it is over */
	bool is_warm; /* the state file had the jobs: it ends when they are verified, why they wait was known before or not */
};

void start_begin(struct start *start, uint64_t now_ns);

/* Is it still the start? `is_complete`: all of that is known. Once it is over, it stays so until another
 * one begins: jobs that come later are new, and the usual budgets suffice for them. */
bool start_goes_on(struct start *start, bool is_complete, uint64_t now_ns);

double start_left_s(const struct start *start, uint64_t now_ns); /* at most; 0: it is over */
