/* The records of one answer as they are: for what needs no totals (shares, reservations, licences). */
#pragma once

#include "base/arena.h"

struct record_list {
	struct arena arena; /* the texts */
	char *items;        /* `count` records of `size` bytes */
	size_t size, count, capacity;
};

struct record_list *record_list_new(size_t size);

/* Copies the record; text_offsets are those of its struct text members, SIZE_MAX at the end. */
void record_list_add(struct record_list *list, const void *record, const size_t *text_offsets);

void record_list_free(struct record_list *list); /* NULL is fine */
