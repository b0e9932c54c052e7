#include "base/text_pool.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

/* The slot that holds the text, or the empty one where it belongs; there is always an empty one. */
static uint32_t *slot_of(const struct text_pool *pool, struct text text, uint32_t hash)
{
	for (size_t at = hash;; at++) {
		uint32_t *slot = &pool->slots[at & (pool->slot_count - 1)];
		if (!*slot)
			return slot;
		const struct pooled_text *held = &pool->texts[*slot - 1];
		if (held->hash == hash && text_equal(text, (struct text){held->bytes, held->len}))
			return slot;
	}
}

static void grow_slots(struct text_pool *pool)
{
	size_t old_count = pool->slot_count;
	uint32_t *old = pool->slots;
	pool->slot_count = old_count ? old_count * 2 : 16;
	pool->slots = memory_new(pool->slot_count * sizeof *pool->slots);
	for (size_t i = 0; i < old_count; i++) {
		if (!old[i])
			continue;
		const struct pooled_text *held = &pool->texts[old[i] - 1];
		*slot_of(pool, (struct text){held->bytes, held->len}, held->hash) = old[i];
	}
	free(old);
}

static uint32_t new_number(struct text_pool *pool)
{
	uint32_t number = pool->first_free;
	if (number) {
		pool->first_free = pool->texts[number - 1].len;
		return number;
	}
	GROW(pool->texts, pool->count, pool->capacity);
	return (uint32_t)++pool->count;
}

uint32_t text_pool_hold(struct text_pool *pool, struct text text)
{
	if (!text.len)
		return 0;
	if (text.len > UINT32_MAX)
		text.len = UINT32_MAX;
	if ((pool->held + 1) * 4 > pool->slot_count * 3)
		grow_slots(pool);
	uint32_t hash = (uint32_t)map_hash(text);
	uint32_t *slot = slot_of(pool, text, hash);
	if (!*slot) {
		*slot = new_number(pool);
		pool->texts[*slot - 1] =
			(struct pooled_text){memory_copy(text.bytes, text.len), (uint32_t)text.len, 0, hash};
		pool->held++;
		pool->bytes += text.len;
	}
	pool->texts[*slot - 1].holds++;
	return *slot;
}

/* Moves back entries that probing had placed beyond the slot that becomes empty. */
static void empty_slot(struct text_pool *pool, uint32_t *slot)
{
	size_t mask = pool->slot_count - 1, hole = (size_t)(slot - pool->slots);
	for (size_t at = (hole + 1) & mask; pool->slots[at]; at = (at + 1) & mask) {
		size_t home = pool->texts[pool->slots[at] - 1].hash & mask;
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		pool->slots[hole] = pool->slots[at];
		hole = at;
	}
	pool->slots[hole] = 0;
}

bool text_pool_release(struct text_pool *pool, uint32_t number)
{
	struct pooled_text *held = number ? &pool->texts[number - 1] : NULL;
	if (!held || --held->holds)
		return false;
	empty_slot(pool, slot_of(pool, (struct text){held->bytes, held->len}, held->hash));
	pool->held--;
	pool->bytes -= held->len;
	free(held->bytes);
	*held = (struct pooled_text){.len = pool->first_free};
	pool->first_free = number;
	return true;
}

struct text text_pool_get(const struct text_pool *pool, uint32_t number)
{
	if (!number)
		return TEXT("");
	const struct pooled_text *held = &pool->texts[number - 1];
	return (struct text){held->bytes, held->len};
}

size_t text_pool_bytes(const struct text_pool *pool)
{
	enum { MALLOC_HEADER = 16 };
	return pool->capacity * sizeof *pool->texts + pool->slot_count * sizeof *pool->slots + pool->bytes +
	       pool->held * MALLOC_HEADER;
}

void text_pool_done(struct text_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++)
		free(pool->texts[i].bytes);
	free(pool->texts);
	free(pool->slots);
	*pool = (struct text_pool){0};
}
