/* Who runs are of: account, user, partitions and QOS, and the tallies that count for them. An owner is known by a
 * number; it is held as long as a run has it. Of one thread. */
#pragma once

#include "base/text_pool.h"
#include "events/tallies.h"
#include "jobs/job_totals.h"

struct owners {
	struct text_pool keys;  /* an owner's number is its key's */
	struct owner_tallies {
		struct tally **items; /* owned; NULL: not looked up yet */
		size_t count;
	} *tallies;             /* by number - 1 */
	size_t capacity;
};

uint32_t owners_hold(struct owners *owners, const struct job_owner *owner);
void owners_release(struct owners *owners, uint32_t number);

/* The texts are borrowed until the owner is released. */
struct job_owner owners_get(const struct owners *owners, uint32_t number);

/* The tallies of the cluster, the account, the user, each partition and each QOS. */
const struct owner_tallies *owners_tallies(struct owners *owners, uint32_t number,
					   struct tallies *tallies);

void owners_forget_tallies(struct owners *owners); /* they are not valid any more */

void owners_done(struct owners *owners);
