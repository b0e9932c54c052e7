/* Memory that is given back all at once. A section of the cluster, a record being decoded: whatever
 * lives and dies together is allocated from one arena, so that nothing is freed piece by piece. */
#pragma once

#include "base/text.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
};

#define ARENA_INIT                                                                                                     \
	{                                                                                                              \
		NULL                                                                                                   \
	}

void *arena_new(struct arena *arena, size_t size); /* zeroed, aligned for any type */
struct text arena_copy(struct arena *arena, struct text text); /* NUL-terminated as well */
void arena_clear(struct arena *arena); /* forgets everything, keeps one block for the next use */
void arena_done(struct arena *arena);
size_t arena_bytes(const struct arena *arena); /* held from the system; for tests */
