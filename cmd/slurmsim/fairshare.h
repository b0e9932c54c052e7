/* Fairshare as Slurm's fair_tree.c has it: use and shares count among siblings, and a user's factor is a rank among all.
 * Of a moment: it is made for one answer. */
#pragma once

#include "slurmsim/world.h"

struct fairshare {
	double *usage; /* of each account with all below it, in CPU seconds */
	double *shares; /* of each account's own association */
	double *level_shares; /* of all accounts and users directly below it */
	double *factors; /* of each association; 0: it is no user's */
};

struct fairshare *fairshare_new(const struct world *world);
void fairshare_free(struct fairshare *fairshare);
