/* The scheduler section: diag as it is, and its sums as counters that never fall. */
#pragma once

#include "entities/rpc_sums.h"
#include "entities/running_sum.h"
#include "model/controller.h"

/* Sums that start again at midnight UTC, at a restart and at `sdiag --reset`, seen by req_time_start. */
enum sum {
	SUM_CYCLES,
	SUM_CYCLE_US,
	SUM_DEPTH,
	SUM_BACKFILL_CYCLES,
	SUM_BACKFILL_US,
	SUM_BACKFILL_DEPTH,
	SUM_BACKFILL_DEPTH_TRIED,
	SUM_BACKFILL_QUEUE_LENGTH,
	SUM_BACKFILL_TABLE_SIZE,
	SUM_BACKFILL_JOBS, /* continues past midnight, as RPCs do */
	SUM_BACKFILL_HET_JOBS,
	SUM_EXITS, /* one for each of exit_names */
	SUM_BACKFILL_EXITS = SUM_EXITS + EXITS,
	SUMS = SUM_BACKFILL_EXITS + BACKFILL_EXITS,
};

struct scheduler_section {
	struct diag diag; /* without its lists */
	bool is_known; /* diag holds an answer that is young enough */
	uint64_t reset_time;
	struct running_sum sums[SUMS];
	bool has_sum[SUMS]; /* the version reports it */
	struct rpc_sums rpcs_by_type, rpcs_by_user;
	struct map pending_rpcs; /* message type -> uint64_t; zero once seen */
	struct arena arena;
};

void scheduler_section_init(struct scheduler_section *section);
void scheduler_section_set(struct scheduler_section *section, const struct diag *diag);
uint64_t scheduler_section_sum(const struct scheduler_section *section, enum sum sum);
void scheduler_section_done(struct scheduler_section *section);
