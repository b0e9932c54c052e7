/* When a cluster's counters were there: the times of samples of one of them, and the gaps between. Pure. */
#pragma once

#include "usage/growth.h"
#include "usage/usage.h"

struct timeline {
	double begin; /* of the first sample that is known, Unix seconds; 0: none */
	double last; /* the latest so far */
};

/* Takes samples in any order, later than all before; sorts them. Notes each gap of GROWTH_ALIVE_S or more that reaches into the
 * span of `use`. */
void timeline_take(struct timeline *timeline, struct usage *use, struct text cluster, struct sample *samples,
		   size_t count);

/* Notes what is missing after the last sample. */
void timeline_end(const struct timeline *timeline, struct usage *use, struct text cluster);

/* " of CLUSTER" for notes; "" where the series do not name it. */
struct timeline_of {
	char text[280];
};
struct timeline_of timeline_of(struct text cluster);
