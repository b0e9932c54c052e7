#include "entities/nodes.h"

#include "base/memory.h"

#include <stdlib.h>

static struct node_usage *partition_of(struct nodes_section *section, struct text name)
{
	struct map *map = &section->partitions;
	char scratch[LABEL_MAX + 1];
	size_t before = map->count;
	struct node_usage *usage = map_add(map, label_of(name, scratch));
	if (map->count != before) {
		usage->label[0] = map->entries[before].key;
		map_init(&usage->gres, &section->arena, sizeof(struct gres_count));
	}
	return usage;
}

static void keep_seen(struct node_usage *usage, const struct node_usage *seen)
{
	usage->flags_seen |= seen->flags_seen;
	gres_count_keep(&usage->gres, &seen->gres);
}

struct nodes_section *nodes_section_new(const struct nodes_section *previous, const struct map *partitions)
{
	struct nodes_section *section = NEW(struct nodes_section);
	map_init(&section->cluster.gres, &section->arena, sizeof(struct gres_count));
	map_init(&section->partitions, &section->arena, sizeof(struct node_usage));
	node_table_init(&section->table, &section->arena);
	if (previous)
		keep_seen(&section->cluster, &previous->cluster);
	for (size_t i = 0; partitions && i < partitions->count; i++) {
		struct text name = partitions->entries[i].key;
		const struct node_usage *seen = previous ? map_find(&previous->partitions, name) : NULL;
		struct node_usage *usage = partition_of(section, name);
		if (seen)
			keep_seen(usage, seen);
	}
	return section;
}

static void add_capacity(uint64_t into[CAPACITY_STATES], const uint64_t more[CAPACITY_STATES])
{
	for (int i = 0; i < CAPACITY_STATES; i++)
		into[i] += more[i];
}

static void add_to(struct node_usage *usage, const struct node_row *row)
{
	usage->nodes[row->node.state]++;
	usage->free += node_is_free(&row->node);
	usage->flags_seen |= node_flags_shown(&row->node);
	for (uint64_t flags = node_flags_shown(&row->node); flags; flags &= flags - 1)
		usage->flagged[__builtin_ctzll(flags)]++;
	add_capacity(usage->cpus, row->cpus);
	add_capacity(usage->memory, row->memory);
	usage->effective_cpus += number_is_known(row->node.effective_cpus) ? row->node.effective_cpus : 0;
	usage->effective_memory += number_is_known(row->node.effective_memory) ? row->node.effective_memory : 0;
	for (size_t i = 0; i < row->gres.count; i++) {
		const struct gres_count *gres = &row->gres.rows[i];
		uint128_add(gres_count_of(&usage->gres, gres->name, gres->type)->count, gres->count, CAPACITY_STATES);
	}
}

void nodes_section_add(struct nodes_section *section, const struct node *node)
{
	const struct node_row *row = node_table_add(&section->table, node);
	section->tells_effective |= number_is_known(node->effective_cpus);
	struct text partitions = row->node.partitions, name;
	add_to(&section->cluster, row);
	while (text_next(&partitions, ',', &name))
		add_to(partition_of(section, name), row);
}

static void unfold(struct nodes_section *section)
{
	map_done(&section->other.gres);
	section->other = (struct node_usage){0};
	arena_clear(&section->other_arena);
	section->has_other = false;
}

static bool is_in_other(const struct node_row *row, const struct roster *shown)
{
	struct text partitions = row->node.partitions, name;
	char scratch[LABEL_MAX + 1];
	while (text_next(&partitions, ',', &name))
		if (!roster_shows(shown, label_of(name, scratch)))
			return true;
	return false;
}

void nodes_section_fold(struct nodes_section *section, const struct roster *partitions)
{
	unfold(section);
	section->other.label[0] = LABEL_OTHER;
	map_init(&section->other.gres, &section->other_arena, sizeof(struct gres_count));
	for (size_t i = 0; i < section->partitions.count; i++) {
		if (roster_shows(partitions, section->partitions.entries[i].key))
			continue;
		keep_seen(&section->other, section->partitions.entries[i].value);
		section->has_other = true;
	}
	for (size_t i = 0; section->has_other && i < section->table.rows.count; i++)
		if (is_in_other(section->table.rows.entries[i].value, partitions))
			add_to(&section->other, section->table.rows.entries[i].value);
}

void nodes_section_free(void *old)
{
	struct nodes_section *section = old;
	if (!section)
		return;
	unfold(section);
	arena_done(&section->other_arena);
	for (size_t i = 0; i < section->partitions.count; i++)
		map_done(&((struct node_usage *)section->partitions.entries[i].value)->gres);
	map_done(&section->partitions);
	map_done(&section->cluster.gres);
	node_table_done(&section->table);
	arena_done(&section->arena);
	free(section);
}
