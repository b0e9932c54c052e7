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

static void free_older(struct arena_block *block)
{
	while (block) {
		struct arena_block *older = block->older;
		free(block);
		block = older;
	}
}

void arena_clear(struct arena *arena)
{
	if (!arena->blocks)
		return;
	free_older(arena->blocks->older);
	arena->blocks->older = NULL;
	arena->blocks->used = 0;
}

void arena_done(struct arena *arena)
{
	free_older(arena->blocks);
	arena->blocks = NULL;
}

size_t arena_bytes(const struct arena *arena)
{
	size_t bytes = 0;
	for (const struct arena_block *block = arena->blocks; block; block = block->older)
		bytes += sizeof *block + block->size;
	return bytes;
}
