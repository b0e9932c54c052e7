/* The elements of a list within a record; borrowed like the record's texts. */
#pragma once

#include <stddef.h>

struct list {
	const void *items;
	size_t count;
};
