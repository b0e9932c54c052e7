#include "base/map.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

static uint64_t seed[2];
static pthread_once_t seed_once = PTHREAD_ONCE_INIT;

static void seed_draw(void)
{
	if (getrandom(seed, sizeof seed, 0) != (ssize_t)sizeof seed)
		seed[0] = (uintptr_t)&seed, seed[1] = (uintptr_t)seed_draw; /* address randomisation */
}

static inline uint64_t rotate(uint64_t word, int bits)
{
	return (word << bits) | (word >> (64 - bits));
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1], v[1] = rotate(v[1], 13) ^ v[0], v[0] = rotate(v[0], 32);
	v[2] += v[3], v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3], v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1], v[1] = rotate(v[1], 17) ^ v[2], v[2] = rotate(v[2], 32);
}

/* SipHash-1-3 (Aumasson and Bernstein): keyed, and short keys cost about 20 ns. */
uint64_t map_hash(struct text key)
{
	pthread_once(&seed_once, seed_draw);
	uint64_t v[4] = {seed[0] ^ 0x736f6d6570736575, seed[1] ^ 0x646f72616e646f6d, seed[0] ^ 0x6c7967656e657261,
			 seed[1] ^ 0x7465646279746573};
	const char *bytes = key.bytes;
	size_t left = key.len;
	for (; left >= 8; left -= 8, bytes += 8) {
		uint64_t word;
		memcpy(&word, bytes, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	uint64_t last = (uint64_t)key.len << 56;
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
	v[3] ^= last;
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	sip_round(v), sip_round(v), sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void map_init(struct map *map, struct arena *arena, size_t value_size)
{
	*map = (struct map){.arena = arena, .value_size = value_size};
}

/* The slot that holds the key, or the empty one where it belongs; there is always an empty one. */
static uint32_t *slot_of(const struct map *map, struct text key, uint64_t hash)
{
	for (size_t at = hash;; at++) {
		uint32_t *slot = &map->slots[at & (map->slot_count - 1)];
		if (!*slot)
			return slot;
		const struct map_entry *entry = &map->entries[*slot - 1];
		if (entry->hash == hash && text_equal(entry->key, key))
			return slot;
	}
}

static void grow_slots(struct map *map)
{
	free(map->slots);
	map->slot_count = map->slot_count ? map->slot_count * 2 : 16;
	map->slots = memory_new(map->slot_count * sizeof *map->slots);
	for (size_t i = 0; i < map->count; i++)
		*slot_of(map, map->entries[i].key, map->entries[i].hash) = (uint32_t)i + 1;
}

void *map_find(const struct map *map, struct text key)
{
	if (!map->count)
		return NULL;
	uint32_t slot = *slot_of(map, key, map_hash(key));
	return slot ? map->entries[slot - 1].value : NULL;
}

void *map_add(struct map *map, struct text key)
{
	uint64_t hash = map_hash(key);
	if (map->count * 2 >= map->slot_count)
		grow_slots(map);
	uint32_t *slot = slot_of(map, key, hash);
	if (!*slot) {
		GROW(map->entries, map->count, map->capacity);
		map->entries[map->count++] =
			(struct map_entry){arena_copy(map->arena, key), arena_new(map->arena, map->value_size), hash};
		*slot = (uint32_t)map->count;
	}
	return map->entries[*slot - 1].value;
}

void map_done(struct map *map)
{
	free(map->entries);
	free(map->slots);
	*map = (struct map){.arena = map->arena, .value_size = map->value_size};
}

static int by_key(const void *a, const void *b, void *entries)
{
	const struct map_entry *all = entries;
	return text_compare(all[*(const size_t *)a].key, all[*(const size_t *)b].key);
}

size_t *map_sorted(const struct map *map)
{
	size_t *order = memory_resize(NULL, map->count, sizeof *order);
	for (size_t i = 0; i < map->count; i++)
		order[i] = i;
	qsort_r(order, map->count, sizeof *order, by_key, map->entries);
	return order;
}
