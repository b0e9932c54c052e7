/* The tallies of all entities. Whether an entity has one of its own is decided at its first event, or before, and stays
 * so; all others share the row `other`. If an entity loses its row, its counts are forgotten. They are not added to
 * `other`, because queries that ask how much `other` grew would count them a second time. So no counter ever falls;
 * some end. A node's may begin again at zero after that. Of one thread. */
#pragma once

#include "entities/caps.h"
#include "entities/roster.h"
#include "events/tally.h"

struct tallies {
	struct arena arenas[TALLY_KINDS]; /* of `kinds` */
	struct map kinds[TALLY_KINDS]; /* key -> struct tally */
	struct arena arena; /* of these two */
	struct tally *others[TALLY_KINDS]; /* NULL: no entity shares it */
	struct map folded[TALLY_KINDS]; /* keys of entities that had no row at an event, or lost it */
	struct arena forgotten_arena;
	struct map forgotten[TALLY_KINDS]; /* key -> struct tally: they may be in the store still */
	const struct caps *caps; /* borrowed */
};

void tallies_init(struct tallies *tallies, const struct caps *caps); /* with the cluster's */
void tallies_done(struct tallies *tallies);

/* The tally that counts for it: its own, made if there is room and the caps allow it, or the one of all others. Names
 * become labels. `second`: a user's account, a queue's QOS, else empty. A node always has one. For a new node, those
 * that have not grown for the longest may be forgotten, so tallies of other nodes are not valid any more. */
struct tally *tallies_of(struct tallies *tallies, int kind, struct text name, struct text second);

/* The tally of a group's row, by its key (job_groups.h). */
struct tally *tallies_of_group(struct tallies *tallies, int kind, struct text key);

/* A counter that begins with its first event hides that event from rate(). So whatever has a row has its counters from
 * the start, at zero. The values of a group come and go. If it has no room for new ones, those without a row are
 * forgotten, and may begin again at zero. Then it returns true: pointers to tallies are not valid. */
bool tallies_show(struct tallies *tallies, const struct roster rosters[JOB_KINDS]);

/* The caps changed, or all was restored: forgets the entities that they do not let be named. The number of rows is only
 * checked when one is made. After that, pointers to tallies are not valid, nor is the list of those that share `other`. */
void tallies_screen(struct tallies *tallies);

/* Has the cluster counted any of it? */
bool tallies_have(const struct tallies *tallies, enum tally_what what);

/* How many entities lost their row, or would have one without caps, as far as slurmscope noticed since the start. */
size_t tallies_folded(const struct tallies *tallies, int kind);

void tallies_stored(struct tallies *tallies); /* what is forgotten is not in the store */

/* For the store: by the labels that were stored. */
struct tally *tallies_restore(struct tallies *tallies, int kind, struct text label, struct text second);
struct tally *tallies_restore_group(struct tallies *tallies, int kind, struct text key);
