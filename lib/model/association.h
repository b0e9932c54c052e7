/* An association, as `sacctmgr show association` has it: of an account (`user` is empty), of a user in
 * an account, or of a user in an account in one partition. Texts and lists are borrowed.
 *
 * Group limits are an association's own; the others are what applies to it: where it sets none itself,
 * slurmdbd fills in those of the account above. */
#pragma once

#include "model/limit.h"

struct association {
	struct text cluster, account, user, partition;
	struct text parent; /* the account above an account; empty for root and for users */
	struct limit_set limits;
};
