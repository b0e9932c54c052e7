/* The tallies of all entities. Who has one of its own is decided when the first event comes, or before it, and stays
 * so; all others share the row `other`, so that no counter ever falls. Of one thread. */
#pragma once

#include "cluster/caps.h"
#include "cluster/roster.h"
#include "events/tally.h"

struct tallies {
	struct arena arena;
	struct map kinds[TALLY_KINDS];      /* key -> struct tally */
	struct tally *others[TALLY_KINDS];  /* NULL: nobody is in there */
	const struct caps *caps;            /* borrowed */
};

void tallies_init(struct tallies *tallies, const struct caps *caps); /* with the cluster's */
void tallies_done(struct tallies *tallies);

/* The tally that counts for it: its own, made if there is room and the caps allow it, or the one of all others. Names
 * become labels. `second`: a user's account, a queue's QOS, else empty. */
struct tally *tallies_of(struct tallies *tallies, int kind, struct text name, struct text second);

/* A counter that begins with its first event hides it from rate(): who has a row has counters, at zero. */
void tallies_show(struct tallies *tallies, const struct roster rosters[ENTITY_KINDS]);

/* For the store: by the labels that were stored. */
struct tally *tallies_restore(struct tallies *tallies, int kind, struct text label,
			      struct text second);
