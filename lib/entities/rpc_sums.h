/* RPC statistics as counters that never fall, for as long as the process lives. Slurm's own start again with the daemon,
 * and when an operator clears them (`sdiag --reset`, `sacctmgr clear stats`). */
#pragma once

#include "base/map.h"
#include "entities/running_sum.h"
#include "model/list.h"

struct rpc_sum {
	struct running_sum count, time_us, dropped;
	bool has_dropped;
	uint64_t queued; /* now; unset if the version does not report it */
};

struct rpc_sums {
	struct arena arena;
	struct map rows; /* name -> struct rpc_sum */
};

enum { RPC_ROWS_MAX = 1000 }; /* further names (users, at a large site) are left out */

void rpc_sums_init(struct rpc_sums *sums);

/* Takes the list of struct rpc. Rows of one name count together. `is_reset`: all of Slurm's counts began again since the
 * last list. A count that fell shows the same for its own row. */
void rpc_sums_set(struct rpc_sums *sums, const struct list *rpcs, bool is_reset);

/* Is a count of the list smaller than it was? */
bool rpc_sums_fell(const struct rpc_sums *sums, const struct list *rpcs);
void rpc_sums_done(struct rpc_sums *sums);
