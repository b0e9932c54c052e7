/* A histogram with fixed bounds, counted in one thread. */
#pragma once

#include <stdint.h>

enum { HISTOGRAM_BUCKETS_MAX = 24 };

struct histogram {
	const double *bounds; /* ascending, +Inf left out; static */
	unsigned bound_count;
	uint64_t buckets[HISTOGRAM_BUCKETS_MAX + 1]; /* not cumulative; the last is +Inf */
	double sum;
};

static inline void histogram_observe(struct histogram *histogram, double value)
{
	unsigned bucket = 0;
	while (bucket < histogram->bound_count && value > histogram->bounds[bucket])
		bucket++;
	histogram->buckets[bucket]++;
	histogram->sum += value;
}
