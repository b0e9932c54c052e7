/* The tallies of all entities. Who has one of its own is decided when the first event comes, or before it, and stays
 * so; all others share the row `other`. What had a row and is to have none is forgotten, and not added to `other`: it was
 * counted already, and would be so again at once by whoever asks how much `other` grew. So no counter ever falls, some
 * end. Of one thread. */
#pragma once

#include "entities/caps.h"
#include "entities/roster.h"
#include "events/tally.h"

struct tallies {
	struct arena arenas[TALLY_KINDS]; /* of `kinds` */
	struct map kinds[TALLY_KINDS]; /* key -> struct tally */
	struct arena arena; /* of these two */
	struct tally *others[TALLY_KINDS]; /* NULL: nobody is in there */
	struct map folded[TALLY_KINDS]; /* keys of those that had no row when something happened to them, or lost it */
	struct arena forgotten_arena;
	struct map forgotten[TALLY_KINDS]; /* key -> struct tally: they may be in the store still */
	const struct caps *caps; /* borrowed */
};

void tallies_init(struct tallies *tallies, const struct caps *caps); /* with the cluster's */
void tallies_done(struct tallies *tallies);

/* The tally that counts for it: its own, made if there is room and the caps allow it, or the one of all others. Names
 * become labels. `second`: a user's account, a queue's QOS, else empty. A node always has one; for a new one those that
 * have not grown for the longest may be forgotten: other nodes' tallies are not valid any more. */
struct tally *tallies_of(struct tallies *tallies, int kind, struct text name, struct text second);

/* A counter that begins with its first event hides it from rate(): who has a row has counters, at zero. */
void tallies_show(struct tallies *tallies, const struct roster rosters[ENTITY_KINDS]);

/* The caps are others, or all was restored: forgets whom they do not let be named. How many rows there may be is only
 * asked when one is made. No tally is valid any more, nor is who shares `other`. */
void tallies_screen(struct tallies *tallies);

/* How many have no row that had one, or would have one without caps; as far as it was noticed since the start. */
size_t tallies_folded(const struct tallies *tallies, int kind);

void tallies_stored(struct tallies *tallies); /* what is forgotten is not in the store */

/* For the store: by the labels that were stored. */
struct tally *tallies_restore(struct tallies *tallies, int kind, struct text label, struct text second);
