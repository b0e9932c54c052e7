#include "entities/node_gres.h"

#include "model/tres.h"

static struct gres_count *find(const struct node_gres *list, const struct gres *gres)
{
	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->rows[i].name, gres->name) && text_equal(list->rows[i].type, gres->type))
			return &list->rows[i];
	return NULL;
}

static struct gres_count *row_of(struct node_gres *list, const struct gres *gres)
{
	struct gres_count *row = find(list, gres);
	if (row)
		return row;
	row = &list->rows[list->count++];
	*row = (struct gres_count){.name = gres->name, .type = gres->type};
	return row;
}

/* Moves units of one kind from one share to another. If the node has none of the type, it moves units of other types.
 * Returns how many units were missing. */
static uint64_t move(struct node_gres *list, const struct gres *gres, enum capacity_state from, enum capacity_state to)
{
	bool is_any_type = !find(list, gres);
	uint64_t left = gres->count;
	for (size_t i = 0; i < list->count && left; i++) {
		struct gres_count *row = &list->rows[i];
		if (!text_equal(row->name, gres->name) || (!is_any_type && !text_equal(row->type, gres->type)))
			continue;
		uint64_t moved = left < row->count[from] ? left : row->count[from];
		row->count[from] -= moved;
		row->count[to] += moved;
		left -= moved;
	}
	return left;
}

/* An upper bound of the kinds that a list names. */
static size_t entries(struct text list)
{
	size_t count = list.len != 0;
	for (size_t i = 0; i < list.len; i++)
		count += list.bytes[i] == ',';
	return count;
}

struct node_gres node_gres_read(struct arena *arena, const struct node *node)
{
	struct text configured = node->gres, used = node->gres_used, drained = node->gres_drained;
	size_t most = entries(configured) + entries(used);
	struct node_gres list = {most ? arena_new(arena, most * sizeof *list.rows) : NULL, 0};
	enum capacity_state rest = node_is_unusable(node) ? CAPACITY_OTHER : CAPACITY_IDLE;
	struct gres gres;
	while (gres_next(&configured, &gres))
		row_of(&list, &gres)->count[rest] += gres.count;
	while (gres_next(&used, &gres)) {
		gres.count = move(&list, &gres, rest, CAPACITY_ALLOCATED);
		if (gres.count) /* 22.05 lists "gpu:0" on nodes that have none */
			row_of(&list, &gres)->count[CAPACITY_ALLOCATED] += gres.count;
	}
	while (gres_next(&drained, &gres))
		move(&list, &gres, CAPACITY_IDLE, CAPACITY_OTHER);
	return list;
}
