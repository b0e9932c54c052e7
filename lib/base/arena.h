/* Memory that is freed all at once. What lives and dies together comes from one arena, such as a section of the cluster
 * or a record being decoded. So nothing is freed piece by piece. */
#pragma once

#include "base/text.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t bytes; /* held from the system */
};

#define ARENA_INIT                                                                                                     \
	{                                                                                                              \
		NULL, 0                                                                                                \
	}

void *arena_new(struct arena *arena, size_t size); /* zeroed, aligned for any type */
struct text arena_copy(struct arena *arena, struct text text); /* NUL-terminated as well */
/* Appends to a text that this function alone has made, from an empty one on; the separator comes between two parts.
 * NUL-terminated as well. What many calls cost is linear in what they append. */
void arena_append(struct arena *arena, struct text *text, char separator, struct text more);
/* U+0000 is valid in JSON, but ends a C string and is no part of any name: U+FFFD takes its place. The text itself if it
 * has none. */
struct text arena_without_nul(struct arena *arena, struct text text);
bool arena_has(const struct arena *arena, const void *at); /* does it point into it? For checks */
void arena_clear(struct arena *arena); /* forgets everything, keeps one block for the next use */
void arena_done(struct arena *arena);
