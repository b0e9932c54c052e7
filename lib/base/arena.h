/* Memory that is freed all at once. What lives and dies together comes from one arena, such as a section of the cluster
 * or a record being decoded. So nothing is freed piece by piece. */
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
