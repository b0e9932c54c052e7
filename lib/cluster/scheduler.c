#include "cluster/scheduler.h"

/* Versions before v0.0.40 (v0.0.41 for the main scheduler) give the mean, but not the sum. */
static uint64_t sum_or_mean(uint64_t sum, uint64_t mean, uint64_t count)
{
	if (number_is_known(sum))
		return sum;
	return number_is_known(mean) && number_is_known(count) ? mean * count : NUMBER_UNSET;
}

static void advance(struct scheduler_section *section, enum sum which, uint64_t now, bool is_reset)
{
	struct running_sum *sum = &section->sums[which];
	if (!number_is_known(now))
		return;
	section->sums_seen |= UINT64_C(1) << which;
	/* A mean that was rounded down may make the product fall a little without any reset. */
	if (is_reset)
		sum->base += sum->last;
	else if (now < sum->last)
		return;
	sum->last = now;
}

void scheduler_section_set(struct scheduler_section *section, const struct diag *diag)
{
	bool is_reset = section->reset_time && diag->reset_time != section->reset_time;
	section->diag = *diag;
	section->is_known = true;
	section->reset_time = diag->reset_time;
	advance(section, SUM_CYCLES, diag->cycles, is_reset);
	advance(section, SUM_CYCLE_US,
		sum_or_mean(diag->cycle_sum_us, diag->cycle_mean_us, diag->cycles), is_reset);
	advance(section, SUM_BACKFILL_CYCLES, diag->backfill_cycles, is_reset);
	advance(section, SUM_BACKFILL_US,
		sum_or_mean(diag->backfill_sum_us, diag->backfill_mean_us, diag->backfill_cycles),
		is_reset);
	/* This one outlives midnight: it starts again only with slurmctld or `sdiag --reset`. */
	advance(section, SUM_BACKFILL_JOBS, diag->backfill_jobs,
		is_reset && number_is_known(diag->backfill_jobs) &&
			diag->backfill_jobs < section->sums[SUM_BACKFILL_JOBS].last);
}

uint64_t scheduler_section_sum(const struct scheduler_section *section, enum sum sum)
{
	if (!(section->sums_seen & UINT64_C(1) << sum))
		return NUMBER_UNSET;
	return section->sums[sum].base + section->sums[sum].last;
}
