#include "entities/roster.h"

#include "base/memory.h"

#include <stdlib.h>

struct candidate {
	struct text key;
	struct roster_use use;
	bool was_shown;
};

void roster_init(struct roster *roster)
{
	*roster = (struct roster){0};
	map_init(&roster->shown, &roster->shown_arena, 1);
	map_init(&roster->offers, &roster->offers_arena, sizeof(struct roster_use));
}

void roster_done(struct roster *roster)
{
	map_done(&roster->shown);
	map_done(&roster->offers);
	arena_done(&roster->shown_arena);
	arena_done(&roster->offers_arena);
}

void roster_offer(struct roster *roster, struct text key, struct roster_use use)
{
	struct roster_use *offer = map_add(&roster->offers, key);
	offer->cpus = use.cpus > offer->cpus ? use.cpus : offer->cpus;
	offer->ties = use.ties > offer->ties ? use.ties : offer->ties;
}

static int descending(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The CPUs of an entity that has a row count twice (see roster.h). Of equals the one with a row comes first, then the
 * one with more `ties`. The key decides last, so that the order is the same in each poll. */
static int by_right_to_a_row(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = descending(a->use.cpus << a->was_shown, b->use.cpus << b->was_shown);
	if (!order)
		order = descending(a->was_shown, b->was_shown);
	if (!order)
		order = descending(a->use.ties, b->use.ties);
	return order ? order : text_compare(a->key, b->key);
}

static struct candidate *candidates(const struct roster *roster)
{
	const struct map *offers = &roster->offers;
	struct candidate *all = memory_resize(NULL, offers->count, sizeof *all);
	for (size_t i = 0; i < offers->count; i++) {
		all[i] = (struct candidate){.key = offers->entries[i].key,
					    .use = *(struct roster_use *)offers->entries[i].value};
		all[i].was_shown = map_find(&roster->shown, all[i].key);
	}
	qsort(all, offers->count, sizeof *all, by_right_to_a_row);
	return all;
}

void roster_choose(struct roster *roster, uint64_t max)
{
	struct candidate *all = candidates(roster);
	map_done(&roster->shown);
	arena_clear(&roster->shown_arena);
	for (size_t i = 0; i < roster->offers.count && i < max; i++)
		map_add(&roster->shown, all[i].key);
	free(all);
	map_done(&roster->offers);
	arena_clear(&roster->offers_arena);
	roster->is_chosen = true;
}

bool roster_shows(const struct roster *roster, struct text key)
{
	return !roster->is_chosen || map_find(&roster->shown, key);
}
