/* Which entities of one kind have rows of their own: at most so many, those that use the most.
 *
 * Use is the CPUs that an entity's running jobs hold and its pending jobs ask for. One that has a row
 * keeps it until it is idle or another uses more than twice as much, so that rows do not come and go
 * from poll to poll; those that are idle are replaced first. */
#pragma once

#include "base/map.h"

struct roster {
	struct arena shown_arena, offers_arena;
	struct map shown;  /* keys of those with a row */
	struct map offers; /* key -> struct roster_use, until the next choice */
	bool is_chosen;    /* else all have a row */
};

struct roster_use {
	uint64_t cpus; /* of running and pending jobs */
	uint64_t ties; /* breaks ties: jobs, or past use */
};

void roster_init(struct roster *roster);
void roster_done(struct roster *roster);

/* A candidate for the next choice; offered twice, it has the larger use. */
void roster_offer(struct roster *roster, struct text key, struct roster_use use);

/* Chooses `max` of what was offered since the last choice. */
void roster_choose(struct roster *roster, uint64_t max);

bool roster_shows(const struct roster *roster, struct text key);
