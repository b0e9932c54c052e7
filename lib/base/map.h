/* A hash map from text to a zeroed value of one size, both kept in an arena.
 *
 * The hash is seeded once per process: users choose many of the names that end up here and must not
 * be able to choose collisions. Entries keep their order of arrival and their address. */
#pragma once

#include "base/arena.h"

struct map_entry {
	struct text key; /* NUL-terminated copy in the arena */
	void *value;
	uint64_t hash;
};

struct map {
	struct arena *arena; /* borrowed, outlives the map */
	size_t value_size;
	struct map_entry *entries; /* in order of arrival */
	size_t count, capacity;
	uint32_t *slots; /* open addressing: entry number + 1, or 0 */
	size_t slot_count;
};

void map_init(struct map *map, struct arena *arena, size_t value_size);
void *map_find(const struct map *map, struct text key); /* NULL if absent */
void *map_add(struct map *map, struct text key); /* finds, or adds a zeroed value */
void map_done(struct map *map); /* the arena keeps keys and values */

/* Entry numbers in the order of their keys; free() gives it back. */
size_t *map_sorted(const struct map *map);

uint64_t map_hash(struct text key);
