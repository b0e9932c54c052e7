/* How many entities of a kind may have rows of their own, and which names may. All others are folded into the row
 * `other`. So a site with many users does not overload Prometheus, and names that nobody should see stay out. Of the
 * poller's thread. */
#pragma once

#include "entities/pattern.h"
#include "entities/usage.h"

struct cap {
	uint64_t max; /* rows besides `other` */
	struct pattern allow, deny; /* deny wins; if `allow` is not set, all names are allowed */
};

struct job_groups;

struct caps {
	struct cap kinds[ENTITY_KINDS];
	const struct job_groups *groups; /* of jobs, with limits of their own; borrowed; NULL: none */
};

void caps_init(struct caps *caps); /* no limits and no filters */
void caps_done(struct caps *caps);

/* May the entity have a row? A user's row shows the account, too, so both names must be allowed. */
bool caps_allow(const struct caps *caps, enum entity_kind kind, const struct text label[2]);

/* May the name be shown by itself, such as a user's in the row of an RPC? */
bool caps_allow_name(const struct caps *caps, enum entity_kind kind, struct text name);
