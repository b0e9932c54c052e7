#include "entities/scheduler.h"

enum {
	DAY_S = 86400,
	MIDNIGHT_S = 300, /* slurmctld checks every second whether midnight has passed, but locks may delay that */
};

void scheduler_section_init(struct scheduler_section *section)
{
	*section = (struct scheduler_section){0};
	rpc_sums_init(&section->rpcs_by_type);
	rpc_sums_init(&section->rpcs_by_user);
	map_init(&section->pending_rpcs, &section->arena, sizeof(uint64_t));
}

/* Versions before v0.0.40 (v0.0.41 for the main scheduler) give the mean, but not the sum. */
static uint64_t sum_or_mean(uint64_t sum, uint64_t mean, uint64_t count)
{
	if (number_is_known(sum))
		return sum;
	return number_is_known(mean) && number_is_known(count) ? mean * count : NUMBER_UNSET;
}

static void advance(struct scheduler_section *section, enum sum which, uint64_t now, bool is_reset)
{
	if (!number_is_known(now))
		return;
	section->has_sum[which] = true;
	running_sum_set(&section->sums[which], now, is_reset);
}

static bool backfill_jobs_fell(const struct scheduler_section *section, const struct diag *diag)
{
	return number_is_known(diag->backfill_jobs) && diag->backfill_jobs < section->sums[SUM_BACKFILL_JOBS].last;
}

/* Sums began again: did those, too, that continue past midnight UTC? These begin again only with slurmctld or at `sdiag
 * --reset`. If the last reset was at midnight, only a number that fell shows an earlier one. */
static bool is_lasting_reset(const struct scheduler_section *section, const struct diag *diag)
{
	bool was_midnight = diag->reset_time && diag->reset_time % DAY_S < MIDNIGHT_S;
	return !was_midnight || backfill_jobs_fell(section, diag) ||
	       rpc_sums_fell(&section->rpcs_by_type, &diag->rpcs_by_type) ||
	       rpc_sums_fell(&section->rpcs_by_user, &diag->rpcs_by_user);
}

static void set_lasting(struct scheduler_section *section, const struct diag *diag, bool is_reset)
{
	advance(section, SUM_BACKFILL_JOBS, diag->backfill_jobs, is_reset || backfill_jobs_fell(section, diag));
	rpc_sums_set(&section->rpcs_by_type, &diag->rpcs_by_type, is_reset);
	rpc_sums_set(&section->rpcs_by_user, &diag->rpcs_by_user, is_reset);
}

static void set_sums(struct scheduler_section *section, const struct diag *diag, bool is_reset)
{
	const struct {
		enum sum which;
		uint64_t now;
	} rows[] = {
		{SUM_CYCLES, diag->cycles},
		{SUM_CYCLE_US, sum_or_mean(diag->cycle_sum_us, diag->cycle_mean_us, diag->cycles)},
		{SUM_DEPTH, sum_or_mean(diag->depth_sum, diag->cycle_depth_mean, diag->cycles)},
		{SUM_BACKFILL_CYCLES, diag->backfill_cycles},
		{SUM_BACKFILL_US, sum_or_mean(diag->backfill_sum_us, diag->backfill_mean_us, diag->backfill_cycles)},
		{SUM_BACKFILL_DEPTH,
		 sum_or_mean(diag->backfill_depth_sum, diag->backfill_depth_mean, diag->backfill_cycles)},
		{SUM_BACKFILL_DEPTH_TRIED, diag->backfill_depth_tried_sum},
		{SUM_BACKFILL_QUEUE_LENGTH, diag->backfill_queue_length_sum},
		{SUM_BACKFILL_TABLE_SIZE, diag->backfill_table_size_sum},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		advance(section, rows[i].which, rows[i].now, is_reset);
	for (int i = 0; i < EXITS; i++)
		advance(section, (enum sum)(SUM_EXITS + i), diag->exits[i], is_reset);
	for (int i = 0; i < BACKFILL_EXITS; i++)
		advance(section, (enum sum)(SUM_BACKFILL_EXITS + i), diag->backfill_exits[i], is_reset);
	advance(section, SUM_BACKFILL_HET_JOBS, diag->backfill_het_jobs, is_reset);
}

static void set_pending(struct map *pending, const struct list *rpcs)
{
	const struct rpc *rpc = rpcs->items;
	for (size_t i = 0; i < pending->count; i++)
		*(uint64_t *)pending->entries[i].value = 0;
	for (size_t i = 0; i < rpcs->count; i++, rpc++) {
		if (!rpc->name.len || !number_is_known(rpc->count))
			continue;
		if (pending->count < RPC_ROWS_MAX || map_find(pending, rpc->name))
			*(uint64_t *)map_add(pending, rpc->name) += rpc->count;
	}
}

void scheduler_section_set(struct scheduler_section *section, const struct diag *diag)
{
	bool is_reset = section->reset_time && diag->reset_time != section->reset_time;
	set_sums(section, diag, is_reset);
	set_lasting(section, diag, is_reset && is_lasting_reset(section, diag));
	set_pending(&section->pending_rpcs, &diag->pending_rpcs);
	section->diag = *diag;
	section->diag.rpcs_by_type = section->diag.rpcs_by_user = section->diag.pending_rpcs = (struct list){NULL, 0};
	section->is_known = true;
	section->reset_time = diag->reset_time;
}

uint64_t scheduler_section_sum(const struct scheduler_section *section, enum sum sum)
{
	return section->has_sum[sum] ? running_sum_total(&section->sums[sum]) : NUMBER_UNSET;
}

void scheduler_section_done(struct scheduler_section *section)
{
	rpc_sums_done(&section->rpcs_by_type);
	rpc_sums_done(&section->rpcs_by_user);
	map_done(&section->pending_rpcs);
	arena_done(&section->arena);
}
