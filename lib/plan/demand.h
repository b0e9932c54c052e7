/* Divides what is scarce: those that ask for little get it, the others share the rest by weight. */
#pragma once

#include <stddef.h>

struct demand {
	double asked, weight, granted;
};

/* Fills in `granted`. The sum is at most `available`, and less only if nobody asks for more. */
void demands_divide(struct demand *demands, size_t count, double available);
