/* Divides what is scarce: those that ask for little get it, the others share the rest by weight. */
#pragma once

#include <stddef.h>

struct share {
	double asked, weight, granted;
};

/* Fills in `granted`. The sum is at most `available`, and less only if nobody asks for more. */
void share_divide(struct share *shares, size_t count, double available);
