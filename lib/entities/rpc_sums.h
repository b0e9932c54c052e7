/* RPC statistics as counters that never fall, for as long as the process lives. Slurm's own start again
 * with the daemon and at `sdiag --reset`, seen by a count that fell. */
#pragma once

#include "base/map.h"
#include "entities/running_sum.h"
#include "model/list.h"

struct rpc_sum {
	struct running_sum count, time_us, dropped;
	bool has_dropped;
	uint64_t queued; /* now; unset where the version does not tell */
};

struct rpc_sums {
	struct arena arena;
	struct map rows; /* name -> struct rpc_sum */
};

enum { RPC_ROWS_MAX = 1000 }; /* further names (users, at a large site) are left out */

void rpc_sums_init(struct rpc_sums *sums);
void rpc_sums_set(struct rpc_sums *sums, const struct list *rpcs); /* of struct rpc */
void rpc_sums_done(struct rpc_sums *sums);
