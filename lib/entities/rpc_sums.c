#include "entities/rpc_sums.h"

#include "entities/label.h"
#include "model/rpc.h"

void rpc_sums_init(struct rpc_sums *sums)
{
	*sums = (struct rpc_sums){0};
	map_init(&sums->rows, &sums->arena, sizeof(struct rpc_sum));
}

static void set_one(struct rpc_sum *sum, const struct rpc *rpc)
{
	bool is_reset = rpc->count < sum->count.last;
	running_sum_set(&sum->count, rpc->count, is_reset);
	if (number_is_known(rpc->time_us))
		running_sum_set(&sum->time_us, rpc->time_us, is_reset);
	sum->has_dropped = number_is_known(rpc->dropped);
	if (sum->has_dropped)
		running_sum_set(&sum->dropped, rpc->dropped, is_reset);
	sum->queued = rpc->queued;
}

static void reset(struct rpc_sum *sum)
{
	running_sum_reset(&sum->count);
	running_sum_reset(&sum->time_us);
	running_sum_reset(&sum->dropped);
}

void rpc_sums_set(struct rpc_sums *sums, const struct list *rpcs, bool is_reset)
{
	const struct rpc *rpc = rpcs->items;
	for (size_t i = 0; is_reset && i < sums->rows.count; i++)
		reset(sums->rows.entries[i].value);
	for (size_t i = 0; i < rpcs->count; i++, rpc++) {
		if (!rpc->name.len || !number_is_known(rpc->count))
			continue;
		char scratch[LABEL_MAX + 1];
		struct text name = label_of(rpc->name, scratch);
		if (sums->rows.count < RPC_ROWS_MAX || map_find(&sums->rows, name))
			set_one(map_add(&sums->rows, name), rpc);
	}
}

bool rpc_sums_fell(const struct rpc_sums *sums, const struct list *rpcs)
{
	const struct rpc *rpc = rpcs->items;
	for (size_t i = 0; i < rpcs->count; i++, rpc++) {
		char scratch[LABEL_MAX + 1];
		const struct rpc_sum *sum = map_find(&sums->rows, label_of(rpc->name, scratch));
		if (sum && rpc->count < sum->count.last)
			return true;
	}
	return false;
}

void rpc_sums_done(struct rpc_sums *sums)
{
	map_done(&sums->rows);
	arena_done(&sums->arena);
}
