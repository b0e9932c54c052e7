#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 16 * 1024 };

struct arena_block {
	struct arena_block *older;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static struct arena_block *block_new(size_t size, struct arena_block *older)
{
	struct arena_block *block = memory_resize(NULL, 1, sizeof *block + size);
	*block = (struct arena_block){.older = older, .size = size};
	return block;
}

void *arena_new(struct arena *arena, size_t size)
{
	size_t need = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct arena_block *block = arena->blocks;
	if (!block || block->size - block->used < need) {
		block = block_new(need > BLOCK_BYTES ? need : BLOCK_BYTES, arena->blocks);
		arena->blocks = block;
		arena->bytes += sizeof *block + block->size;
	}
	void *memory = block->bytes + block->used;
	block->used += need;
	return memset(memory, 0, size);
}

struct text arena_copy(struct arena *arena, struct text text)
{
	char *copy = arena_new(arena, text.len + 1);
	if (text.len)
		memcpy(copy, text.bytes, text.len);
	return (struct text){copy, text.len};
}

/* What arena_append has for a text of that length, with its NUL: a power of two, so that it moves seldom. */
static size_t room_of(size_t len)
{
	size_t room = 32;
	while (room <= len)
		room *= 2;
	return room;
}

void arena_append(struct arena *arena, struct text *text, char separator, struct text more)
{
	size_t before = text->len, gap = before > 0, len = before + gap + more.len;
	char *bytes = (char *)text->bytes;
	if (!more.len && !before)
		return;
	if (!before || room_of(len) != room_of(before)) {
		bytes = arena_new(arena, room_of(len));
		if (before)
			memcpy(bytes, text->bytes, before);
	}
	if (gap)
		bytes[before] = separator;
	if (more.len)
		memcpy(bytes + before + gap, more.bytes, more.len);
	*text = (struct text){bytes, len};
}

struct text arena_without_nul(struct arena *arena, struct text text)
{
	size_t nuls = 0;
	for (size_t i = 0; i < text.len; i++)
		nuls += !text.bytes[i];
	if (!nuls)
		return text;
	char *copy = arena_new(arena, text.len + 2 * nuls + 1), *to = copy;
	for (size_t i = 0; i < text.len; i++)
		if (text.bytes[i])
			*to++ = text.bytes[i];
		else
			to = (char *)memcpy(to, "\xef\xbf\xbd", 3) + 3;
	return (struct text){copy, (size_t)(to - copy)};
}

static void free_older(struct arena_block *block)
{
	while (block) {
		struct arena_block *older = block->older;
		free(block);
		block = older;
	}
}

bool arena_has(const struct arena *arena, const void *at)
{
	const struct arena_block *block = arena->blocks;
	while (block &&
	       !((uintptr_t)at >= (uintptr_t)block->bytes && (uintptr_t)at < (uintptr_t)block->bytes + block->used))
		block = block->older;
	return block != NULL;
}

void arena_clear(struct arena *arena)
{
	if (!arena->blocks)
		return;
	free_older(arena->blocks->older);
	arena->blocks->older = NULL;
	arena->blocks->used = 0;
	arena->bytes = sizeof *arena->blocks + arena->blocks->size;
}

void arena_done(struct arena *arena)
{
	free_older(arena->blocks);
	*arena = (struct arena)ARENA_INIT;
}
