#include "entities/label.h"

#include "base/map.h"

#include <inttypes.h>
#include <stdio.h>

enum { HASH_DIGITS = 8 };

/* FNV-1a: it gives the same in every process, because labels must not change with a restart. */
static uint32_t hash_of(struct text name)
{
	uint64_t hash = 0xcbf29ce484222325;
	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.bytes[i]) * 0x100000001b3;
	return (uint32_t)(hash ^ hash >> 32);
}

struct text label_of(struct text name, char scratch[LABEL_MAX + 1])
{
	if (name.len <= LABEL_MAX && !text_equal(name, LABEL_OTHER))
		return name;
	struct text front = text_limit(name, LABEL_MAX - 1 - HASH_DIGITS);
	int len = snprintf(scratch, LABEL_MAX + 1, "%.*s~%08" PRIx32, (int)front.len, front.bytes, hash_of(name));
	return (struct text){scratch, (size_t)len};
}

struct text labels_once(struct text names, struct buf *once)
{
	struct arena arena = ARENA_INIT;
	struct text name;
	struct map seen;
	char scratch[LABEL_MAX + 1];
	map_init(&seen, &arena, 1);
	buf_clear(once);
	while (text_next(&names, ',', &name)) {
		size_t before = seen.count;
		struct text label = label_of(name, scratch);
		map_add(&seen, label);
		if (seen.count == before)
			continue;
		if (before)
			buf_add_char(once, ',');
		buf_add_text(once, label);
	}
	map_done(&seen);
	arena_done(&arena);
	return buf_text(once);
}

void label_key(struct buf *key, struct text name, const struct text *second)
{
	char scratch[LABEL_MAX + 1];
	buf_clear(key);
	buf_add_text(key, label_of(name, scratch));
	if (!second)
		return;
	buf_add_char(key, '\0');
	buf_add_text(key, label_of(*second, scratch));
}

struct text size_class(uint64_t size, char scratch[SIZE_CLASS_MAX])
{
	uint64_t first = 1;
	while (first <= size / 2)
		first *= 2;
	if (size < 2)
		snprintf(scratch, SIZE_CLASS_MAX, "%" PRIu64, size);
	else
		snprintf(scratch, SIZE_CLASS_MAX, "%" PRIu64 "-%" PRIu64, first, first - 1 + first);
	return text_of(scratch);
}
