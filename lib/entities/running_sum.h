/* A counter of ours over a sum of Slurm's that starts again now and then. It is what was counted before the last reset,
 * plus the sum now. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct running_sum {
	uint64_t base, last;
};

/* Slurm's began again. */
static inline void running_sum_reset(struct running_sum *sum)
{
	sum->base += sum->last;
	sum->last = 0;
}

static inline void running_sum_set(struct running_sum *sum, uint64_t now, bool is_reset)
{
	if (is_reset)
		running_sum_reset(sum);
	else if (now < sum->last)
		return; /* count times rounded mean may fall a little without a reset */
	sum->last = now;
}

static inline uint64_t running_sum_total(const struct running_sum *sum)
{
	return sum->base + sum->last;
}
