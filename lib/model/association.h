/* An association, as `sacctmgr show association` has it. It is of an account (`user` is empty), of a user in an
 * account, or of a user in an account in one partition. Texts and lists are borrowed.
 *
 * Group limits are an association's own. The others are those that apply to it: where it sets none, slurmdbd fills in
 * those of the account above. */
#pragma once

#include "model/limit.h"

struct association {
	struct text cluster, account, user, partition;
	struct text parent; /* the account above an account; empty for root and for users */
	struct limit_set limits;
};
