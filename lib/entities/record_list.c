#include "entities/record_list.h"

#include "base/memory.h"

#include <stdlib.h>

struct record_list *record_list_new(size_t size)
{
	struct record_list *list = NEW(struct record_list);
	list->size = size;
	map_init(&list->keys, &list->arena, 1);
	return list;
}

void record_list_add(struct record_list *list, struct text key, const void *record, const size_t *text_offsets)
{
	if (map_find(&list->keys, key))
		return;
	map_add(&list->keys, key);
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 16;
		list->items = memory_resize(list->items, list->capacity, list->size);
	}
	char *copy = list->items + list->count++ * list->size;
	memcpy(copy, record, list->size);
	for (; *text_offsets != SIZE_MAX; text_offsets++) {
		struct text *text = (struct text *)(copy + *text_offsets);
		*text = arena_copy(&list->arena, *text);
	}
}

void record_list_free(void *old)
{
	struct record_list *list = old;
	if (!list)
		return;
	free(list->items);
	map_done(&list->keys);
	arena_done(&list->arena);
	free(list);
}
