/* The start of a poller that leads: for at most ten minutes slurmrestd may be busier (option budget.start), until all
 * jobs, their details and the reasons why they wait are known. Most numbers wait for details, and an administrator who
 * starts slurmscope for the first time waits for numbers. Pure: times are monotonic nanoseconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct start {
	uint64_t until_ns; /* when it ends at the latest; 0: it is over */
	bool is_warm; /* the state file had the jobs: it ends when they are verified, even if reasons are not known */
};

void start_begin(struct start *start, uint64_t now_ns);

/* Is it still the start? `is_complete`: all of that is known. Once over, a start stays over until another one begins:
 * the usual budgets are enough for jobs that come later. */
bool start_goes_on(struct start *start, bool is_complete, uint64_t now_ns);

double start_left_s(const struct start *start, uint64_t now_ns); /* an upper bound; 0: it is over */
