/* Divides a scarce budget: tasks that ask for little get it, the others share the rest by weight. */
#pragma once

#include <stddef.h>

struct demand {
	double asked, weight, granted;
};

/* Fills in `granted`. The sum is at most `available`, and less only if no task asks for more. */
void demands_divide(struct demand *demands, size_t count, double available);
