/* The scheduler section: diag as it is, and its sums as counters that never fall. */
#pragma once

#include "model/controller.h"

/* A counter of ours over a sum of Slurm's that starts again at midnight UTC, at a restart and at
 * `sdiag --reset`: what was counted before the last reset, plus the sum now. */
struct running_sum {
	uint64_t base, last;
};

enum sum {
	SUM_CYCLES,
	SUM_CYCLE_US,
	SUM_BACKFILL_CYCLES,
	SUM_BACKFILL_US,
	SUM_BACKFILL_JOBS,
	SUMS,
};

struct scheduler_section {
	struct diag diag;
	bool is_known; /* diag holds an answer that is young enough */
	uint64_t reset_time;
	struct running_sum sums[SUMS];
	uint64_t sums_seen; /* bits: the version tells this sum */
};

void scheduler_section_set(struct scheduler_section *section, const struct diag *diag);
uint64_t scheduler_section_sum(const struct scheduler_section *section, enum sum sum);
