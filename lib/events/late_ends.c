#include "events/late_ends.h"

#include "base/memory.h"

#include <stdlib.h>

bool late_ends_add(struct late_ends *late, const struct late_end *end)
{
	if (late->count == LATE_ENDS_MAX)
		return false;
	GROW(late->items, late->count, late->capacity);
	late->items[late->count++] = *end;
	return true;
}

void late_ends_remove(struct late_ends *late, uint32_t raw_id, int64_t submit_time)
{
	for (size_t i = 0; i < late->count; i++)
		if (late->items[i].raw_id == raw_id && late->items[i].key.submit_time == submit_time) {
			late->items[i] = late->items[--late->count];
			return;
		}
}

int64_t late_ends_first(const struct late_ends *late, int64_t none)
{
	int64_t first = none;
	for (size_t i = 0; i < late->count; i++)
		if (late->items[i].end < first)
			first = late->items[i].end;
	return first;
}

void late_ends_done(struct late_ends *late)
{
	free(late->items);
	*late = (struct late_ends){.count = 0};
}
