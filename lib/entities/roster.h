/* Which entities of one kind have rows of their own: those that use the most, up to a limit. Of the poller's thread.
 *
 * Use is the CPUs that an entity's running jobs hold and its pending jobs ask for. An entity that has a row keeps it
 * until another uses more than twice as much. Rows that come and go from poll to poll would leave gaps in graphs. Idle
 * entities lose their rows first. */
#pragma once

#include "base/map.h"

struct roster {
	struct arena shown_arena, offers_arena;
	struct map shown; /* keys of those with a row */
	struct map offers; /* key -> struct roster_use, until the next choice */
	bool is_chosen; /* false before the first choice: all have a row */
};

struct roster_use {
	uint64_t cpus; /* of running and pending jobs */
	uint64_t ties; /* decides between equal CPUs: jobs, or, of idle accounts and users, past use */
};

void roster_init(struct roster *roster);
void roster_done(struct roster *roster);

/* A candidate for the next choice. If it is offered twice, its larger use counts. Copies the key. */
void roster_offer(struct roster *roster, struct text key, struct roster_use use);

/* Chooses `max` of what was offered since the last choice. */
void roster_choose(struct roster *roster, uint64_t max);

bool roster_shows(const struct roster *roster, struct text key);
