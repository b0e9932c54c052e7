#include "events/steps_waiting.h"

#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

static void grow(struct steps_waiting *waiting)
{
	size_t capacity = waiting->capacity ? 2 * waiting->capacity : FIRST_CAPACITY;
	struct steps_wait *items = memory_new(capacity * sizeof *waiting->items);
	for (size_t i = 0; i < waiting->count; i++)
		items[i] = *steps_waiting_get(waiting, i);
	free(waiting->items);
	*waiting = (struct steps_waiting){items, 0, waiting->count, capacity};
}

void steps_waiting_add(struct steps_waiting *waiting, const struct run *run)
{
	if (waiting->count == waiting->capacity)
		grow(waiting);
	size_t at = (waiting->first + waiting->count++) % waiting->capacity;
	waiting->items[at] = (struct steps_wait){run->key, run->end_time};
}

const struct steps_wait *steps_waiting_get(const struct steps_waiting *waiting, size_t position)
{
	return &waiting->items[(waiting->first + position) % waiting->capacity];
}

void steps_waiting_drop(struct steps_waiting *waiting)
{
	waiting->first = (waiting->first + 1) % waiting->capacity;
	waiting->count--;
}

static int compare(const void *left, const void *right)
{
	const struct steps_wait *a = left, *b = right;
	return a->end_time < b->end_time ? -1 : a->end_time > b->end_time;
}

void steps_waiting_sort(struct steps_waiting *waiting)
{
	if (waiting->count)
		qsort(waiting->items, waiting->count, sizeof *waiting->items, compare);
}

void steps_waiting_done(struct steps_waiting *waiting)
{
	free(waiting->items);
	*waiting = (struct steps_waiting){.count = 0};
}
