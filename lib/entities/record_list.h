/* The records of one answer as they are: for what needs no totals (shares, reservations, licences). It leaves out a
 * record with the key of an earlier one, because a page must not have the same series twice. */
#pragma once

#include "base/map.h"

struct record_list {
	struct arena arena; /* the texts */
	char *items; /* `count` records of `size` bytes */
	size_t size, count, capacity;
	struct map keys;
};

struct record_list *record_list_new(size_t size);

/* Copies the record; text_offsets are those of its struct text members, SIZE_MAX at the end. */
void record_list_add(struct record_list *list, struct text key, const void *record, const size_t *text_offsets);

void record_list_free(void *list); /* NULL is fine; void for callbacks */
