#include "base/id_map.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

/* Odd, so that its multiples reach each slot once. */
#define SLOT_STEP UINT64_C(0x9e3779b97f4a7c15)

static size_t home_of(const struct id_map *map, uint32_t id)
{
	struct text key = {(const char *)&id, sizeof id};
	return map_hash(key) & (map->slot_count - 1);
}

/* The slot that holds the ID, or the empty one where it belongs; there is always an empty one. */
static struct id_slot *slot_of(const struct id_map *map, uint32_t id)
{
	size_t at = home_of(map, id);
	while (map->slots[at].value && map->slots[at].id != id)
		at = (at + 1) & (map->slot_count - 1);
	return &map->slots[at];
}

static void grow(struct id_map *map)
{
	struct id_map old = *map;
	map->slot_count = old.slot_count ? old.slot_count * 2 : 16;
	map->slots = memory_new(map->slot_count * sizeof *map->slots);
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].value)
			*slot_of(map, old.slots[i].id) = old.slots[i];
	free(old.slots);
}

/* Moves back entries that probing had placed beyond the slot that becomes empty. */
static void remove_slot(struct id_map *map, struct id_slot *slot)
{
	size_t mask = map->slot_count - 1, hole = (size_t)(slot - map->slots);
	for (size_t at = (hole + 1) & mask; map->slots[at].value; at = (at + 1) & mask) {
		size_t home = home_of(map, map->slots[at].id);
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		map->slots[hole] = map->slots[at];
		hole = at;
	}
	map->slots[hole] = (struct id_slot){0};
	map->count--;
}

uint32_t id_map_find(const struct id_map *map, uint32_t id)
{
	return map->count ? slot_of(map, id)->value : 0;
}

void id_map_set(struct id_map *map, uint32_t id, uint32_t value)
{
	if (value && (map->count + 1) * 4 > map->slot_count * 3)
		grow(map);
	struct id_slot *slot = map->slot_count ? slot_of(map, id) : NULL;
	if (slot && slot->value && !value) {
		remove_slot(map, slot);
	} else if (value) {
		map->count += !slot->value;
		*slot = (struct id_slot){id, value};
	}
}

const struct id_slot *id_map_slot(const struct id_map *map, size_t i)
{
	return &map->slots[i * SLOT_STEP & (map->slot_count - 1)];
}

void id_map_done(struct id_map *map)
{
	free(map->slots);
	*map = (struct id_map){0};
}
