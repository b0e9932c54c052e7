/* One line of sshare: the fairshare of an account or of a user in it. Texts are borrowed. */
#pragma once

#include "base/text.h"
#include "model/number.h"

struct fairshare {
	struct text name; /* of the account or user */
	struct text parent; /* the account above; empty for root's */
	struct text partition; /* of a user's association; mostly empty */
	bool is_user;
	uint64_t shares; /* raw; unset for FairShare=parent and for root */
	double shares_normalized; /* these are NAN where Slurm gives none */
	uint64_t usage; /* raw, decayed TRES seconds, as weighed by the partition (billing) */
	struct text tres_usage; /* the same of each TRES, what is 0 left out: "cpu=1513,mem=3077517,billing=1513" */
	double usage_normalized, usage_effective;
	double factor;
	double level; /* INFINITY: no usage at all */
};
