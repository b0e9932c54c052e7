/* The one state and the flags of a job or node, out of the names that Slurm lists. */
#pragma once

#include "model/names.h"

/* Slurm lists the base state first, then flags. An unknown name becomes a new state if it comes first, else a new flag.
 * *state is -1 before. */
static inline void state_take(struct names *states, struct names *flags, int *state, uint64_t *bits, struct text name)
{
	if (!name.len)
		return;
	int number = names_find(states, name);
	if (number < 0 && *state < 0 && names_find(flags, name) < 0)
		number = names_learn(states, name);
	if (number >= 0) {
		if (*state < 0)
			*state = number;
		return;
	}
	number = names_learn(flags, name);
	if (number >= 0)
		*bits |= UINT64_C(1) << number;
}
