#include "json/shape.h"

#include "base/memory.h"
#include "json/shape_node.h"

#include <assert.h>
#include <stdlib.h>

enum { SLOTS_PER_MEMBER = 4, SLOTS_MIN = 1 };

struct json_shape {
	struct shape_node root;
};

static struct shape_slot *slots_new(size_t count)
{
	return memory_new(count * sizeof(struct shape_slot));
}

static void node_init(struct shape_node *node)
{
	*node = (struct shape_node){.id = -1, .slots = slots_new(SLOTS_MIN)};
}

static struct shape_node *node_new(void)
{
	struct shape_node *node = NEW(struct shape_node);
	node_init(node);
	return node;
}

static void node_done(struct shape_node *node)
{
	if (node->element) {
		node_done(node->element);
		free(node->element);
	}
	for (size_t i = 0; i <= node->mask; i++) {
		if (!node->slots[i].node)
			continue;
		free((char *)node->slots[i].name);
		if (node->slots[i].is_alias)
			continue;
		node_done(node->slots[i].node);
		free(node->slots[i].node);
	}
	free(node->slots);
}

static void slots_put(struct shape_node *node, struct shape_slot slot)
{
	size_t i = shape_hash(slot.name, slot.len) & node->mask;
	while (node->slots[i].node)
		i = (i + 1) & node->mask;
	node->slots[i] = slot;
}

static void slots_grow(struct shape_node *node)
{
	struct shape_slot *old = node->slots;
	size_t old_count = node->mask + 1;
	node->slots = slots_new(old_count * 2);
	node->mask = old_count * 2 - 1;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].node)
			slots_put(node, old[i]);
	free(old);
}

static void slots_add(struct shape_node *node, struct shape_slot slot)
{
	while ((node->count + 1) * SLOTS_PER_MEMBER > node->mask + 1)
		slots_grow(node);
	node->count++;
	slots_put(node, slot);
}

static struct shape_node *member_of(struct shape_node *node, const char *name, size_t len)
{
	struct shape_node *found = (struct shape_node *)shape_member(node, name, len);
	if (found)
		return found;
	struct shape_slot slot = {memory_copy(name, len), len, node_new(), false};
	slots_add(node, slot);
	return slot.node;
}

static struct shape_node *element_of(struct shape_node *node)
{
	if (!node->element)
		node->element = node_new();
	return node->element;
}

struct json_shape *json_shape_new(void)
{
	struct json_shape *shape = NEW(struct json_shape);
	node_init(&shape->root);
	return shape;
}

void json_shape_want(struct json_shape *shape, const char *path, int id)
{
	assert(id >= 0);
	struct shape_node *node = &shape->root;
	while (*path) {
		if (strncmp(path, "[]", 2) == 0) {
			node = element_of(node);
			path += 2;
			continue;
		}
		if (*path == '.')
			path++;
		size_t len = strcspn(path, ".[");
		assert(len > 0);
		node = member_of(node, path, len);
		path += len;
	}
	assert(node->id < 0);
	node->id = id;
}

void json_shape_alias(struct json_shape *shape, const char *name, const char *other)
{
	struct shape_node *node = &shape->root;
	struct shape_node *wanted = (struct shape_node *)shape_member(node, name, strlen(name));
	assert(wanted && !shape_member(node, other, strlen(other)));
	slots_add(node, (struct shape_slot){memory_copy(other, strlen(other)), strlen(other), wanted, true});
}

void json_shape_free(struct json_shape *shape)
{
	if (!shape)
		return;
	node_done(&shape->root);
	free(shape);
}

const struct shape_node *shape_root(const struct json_shape *shape)
{
	return &shape->root;
}
