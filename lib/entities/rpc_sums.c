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

static void add(uint64_t *sum, uint64_t number)
{
	if (number_is_known(number))
		*sum = number_is_known(*sum) ? *sum + number : number;
}

/* One row for each label, in the list's order: two users may have one name, and two long names one label. */
static struct map add_up(struct arena *arena, const struct list *rpcs)
{
	struct map rows;
	const struct rpc *rpc = rpcs->items;
	map_init(&rows, arena, sizeof(struct rpc));
	for (size_t i = 0; i < rpcs->count; i++, rpc++) {
		char scratch[LABEL_MAX + 1];
		if (!rpc->name.len || !number_is_known(rpc->count))
			continue;
		size_t before = rows.count;
		struct rpc *row = map_add(&rows, label_of(rpc->name, scratch));
		if (rows.count != before)
			*row = (struct rpc){.time_us = NUMBER_UNSET, .dropped = NUMBER_UNSET, .queued = NUMBER_UNSET};
		row->count += rpc->count;
		add(&row->time_us, rpc->time_us);
		add(&row->dropped, rpc->dropped);
		add(&row->queued, rpc->queued);
	}
	return rows;
}

void rpc_sums_set(struct rpc_sums *sums, const struct list *rpcs, bool is_reset)
{
	struct arena arena = ARENA_INIT;
	struct map rows = add_up(&arena, rpcs);
	for (size_t i = 0; is_reset && i < sums->rows.count; i++)
		reset(sums->rows.entries[i].value);
	for (size_t i = 0; i < rows.count; i++)
		if (sums->rows.count < RPC_ROWS_MAX || map_find(&sums->rows, rows.entries[i].key))
			set_one(map_add(&sums->rows, rows.entries[i].key), rows.entries[i].value);
	map_done(&rows);
	arena_done(&arena);
}

bool rpc_sums_fell(const struct rpc_sums *sums, const struct list *rpcs)
{
	struct arena arena = ARENA_INIT;
	struct map rows = add_up(&arena, rpcs);
	bool fell = false;
	for (size_t i = 0; i < rows.count && !fell; i++) {
		const struct rpc_sum *sum = map_find(&sums->rows, rows.entries[i].key);
		fell = sum && ((const struct rpc *)rows.entries[i].value)->count < sum->count.last;
	}
	map_done(&rows);
	arena_done(&arena);
	return fell;
}

void rpc_sums_done(struct rpc_sums *sums)
{
	map_done(&sums->rows);
	arena_done(&sums->arena);
}
