/* The inside of a shape, as the reader walks it: private to lib/json. */
#pragma once

#include "json/shape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct shape_slot {
	const char *name; /* owned by the shape */
	size_t len;
	struct shape_node *node; /* NULL: the slot is empty */
	bool is_alias; /* the node is another slot's */
};

/* One value of the document on the way to a wanted one, or wanted itself. */
struct shape_node {
	int id; /* -1: only walked through */
	struct shape_node *element; /* for its elements, if it is an array; NULL: none is wanted */
	struct shape_slot *slots; /* its members when it is an object: an open hash table, */
	size_t mask; /* a power of two minus one; there is always an empty slot */
	size_t count;
};

/* Most keys are not wanted, so a miss has to be cheap. The table is at most a quarter full, so a miss mostly meets an
 * empty slot. Then no bytes between the first and the last are compared. */
static inline size_t shape_hash(const char *name, size_t len)
{
	if (len == 0)
		return 0;
	size_t first = (unsigned char)name[0], middle = (unsigned char)name[len / 2],
	       last = (unsigned char)name[len - 1];
	return len + first * 5 + middle * 3 + (last << 4) + (last >> 2);
}

/* What is wanted of the member `name` of an object: NULL if nothing. */
static inline const struct shape_node *shape_member(const struct shape_node *node, const char *name, size_t len)
{
	for (size_t i = shape_hash(name, len) & node->mask; node->slots[i].node; i = (i + 1) & node->mask) {
		const struct shape_slot *slot = &node->slots[i];
		if (slot->len == len && memcmp(slot->name, name, len) == 0)
			return slot->node;
	}
	return NULL;
}

/* The node of the document itself. */
const struct shape_node *shape_root(const struct json_shape *shape);
