/* Dividing what is scarce: who asks for little gets it, the others share the rest by weight. */
#pragma once

#include <stddef.h>

struct share {
	double asked, weight, granted;
};

/* Fills in `granted`; the sum is at most `available`, and less only if nobody asks for more. */
void share_divide(struct share *shares, size_t count, double available);
