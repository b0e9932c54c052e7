/* How much a counter grew, from its samples: exactly, where PromQL's increase() extrapolates. Pure.
 *
 * Several series may be of one counter: one target after another when two slurmscopes take turns, or two at once. The counter
 * is where the one that is ahead is. One that lags, but lives, changes nothing. A counter that began again counts from 0; what
 * it lost nobody knows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sample {
	double time; /* Unix seconds */
	double value;
	uint32_t series; /* number of its series, the same for the same series as long as the struct growth lives */
};

enum {
	/* A series without a sample for so long is no more: Prometheus' own lookback, seconds. */
	GROWTH_ALIVE_S = 300,
};

struct growth {
	double value; /* where the counter is; NAN: no sample yet */
	uint32_t series; /* that was ahead last */
	double time; /* of its latest sample */
	double total; /* that it grew by */
	unsigned restarts; /* times that it began again */
	double restart_time; /* of the last of these, Unix seconds */
};

#define GROWTH_INIT ((struct growth){.value = NAN})

/* Takes samples in any order, later than all before; sorts them. The first sample of a new counter counts whole. If it is of
 * `begin` or before, it does not: then the counter is older than what we know of it. */
void growth_take(struct growth *growth, struct sample *samples, size_t count, double begin);
