/* A hash map from one 32-bit number to another that is not 0: 8 bytes a slot, at most three in four of them
 * taken. Seeded like map.h, whose hash it uses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_slot {
	uint32_t id, value; /* value 0: the slot is empty */
};

struct id_map {
	struct id_slot *slots; /* open addressing, linear probing */
	size_t count, slot_count;
};

uint32_t id_map_find(const struct id_map *map, uint32_t id); /* 0 if absent */
void id_map_set(struct id_map *map, uint32_t id, uint32_t value); /* 0: removes */
/* Slot `i` of slot_count, empty or not. The order is not that of the hashes: maps that are filled in that order, one from the
 * other, probe longer and longer. */
const struct id_slot *id_map_slot(const struct id_map *map, size_t i);
void id_map_done(struct id_map *map); /* empty again, as when zeroed */
