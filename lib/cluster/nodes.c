#include "cluster/nodes.h"

#include "base/memory.h"
#include "model/tres.h"

#include <stdlib.h>

static struct node_usage *partition_of(struct nodes_section *section, struct text name)
{
	struct map *map = &section->partitions;
	char room[LABEL_MAX + 1];
	size_t before = map->count;
	struct node_usage *usage = map_add(map, label_of(name, room));
	if (map->count != before) {
		usage->label[0] = map->entries[before].key;
		map_init(&usage->gres, &section->arena, sizeof(struct gres_count));
	}
	return usage;
}

static void keep_seen(struct node_usage *usage, const struct node_usage *seen)
{
	usage->flags_seen = seen->flags_seen;
	gres_count_keep(&usage->gres, &seen->gres);
}

struct nodes_section *nodes_section_new(const struct nodes_section *previous,
					const struct map *partitions)
{
	struct nodes_section *section = NEW(struct nodes_section);
	map_init(&section->cluster.gres, &section->arena, sizeof(struct gres_count));
	map_init(&section->partitions, &section->arena, sizeof(struct node_usage));
	if (previous)
		keep_seen(&section->cluster, &previous->cluster);
	for (size_t i = 0; partitions && i < partitions->count; i++) {
		struct text name = partitions->entries[i].key;
		const struct node_usage *seen =
			previous ? map_find(&previous->partitions, name) : NULL;
		struct node_usage *usage = partition_of(section, name);
		if (seen)
			keep_seen(usage, seen);
	}
	return section;
}

/* Splits a node's total into allocated, idle and other, as sinfo does (cpus_alloc, cpus_idle,
 * cpus_other): what is not allocated on a node that is drained or down is other. */
static void split(uint64_t into[SHARES], uint64_t total, uint64_t allocated, bool is_unusable)
{
	uint64_t rest = total > allocated ? total - allocated : 0;
	into[SHARE_ALLOCATED] += allocated;
	into[is_unusable ? SHARE_OTHER : SHARE_IDLE] += rest;
}

static uint64_t or_zero(uint64_t number)
{
	return number_is_known(number) ? number : 0;
}

/* The same for GRES: used ones are moved out of the rest. A node may list one kind twice (by socket). */
static void add_gres(struct map *map, const struct node *node, bool is_unusable)
{
	enum share rest_share = is_unusable ? SHARE_OTHER : SHARE_IDLE;
	struct text configured = node->gres, used = node->gres_used;
	struct gres gres;
	while (gres_next(&configured, &gres))
		gres_count_of(map, gres.name, gres.type)->count[rest_share] += gres.count;
	while (gres_next(&used, &gres)) {
		if (!gres.count) /* 22.05 lists "gpu:0" on nodes that have none */
			continue;
		uint64_t *count = gres_count_of(map, gres.name, gres.type)->count;
		count[SHARE_ALLOCATED] += gres.count;
		count[rest_share] -= gres.count < count[rest_share] ? gres.count : count[rest_share];
	}
}

static void add_to(struct node_usage *usage, const struct node *node)
{
	bool is_unusable = node_is_unusable(node);
	usage->nodes[node->state]++;
	usage->flags_seen |= node->flags;
	for (uint64_t flags = node->flags; flags; flags &= flags - 1)
		usage->flagged[__builtin_ctzll(flags)]++;
	split(usage->cpus, or_zero(node->cpus), or_zero(node->allocated_cpus), is_unusable);
	split(usage->memory, or_zero(node->memory), or_zero(node->allocated_memory), is_unusable);
	add_gres(&usage->gres, node, is_unusable);
}

void nodes_section_add(struct nodes_section *section, const struct node *node)
{
	struct text partitions = node->partitions, name;
	add_to(&section->cluster, node);
	while (text_next(&partitions, ',', &name))
		add_to(partition_of(section, name), node);
}

void nodes_section_unfold(struct nodes_section *section)
{
	map_done(&section->other.gres);
	section->other = (struct node_usage){0};
	arena_clear(&section->other_arena);
	section->has_other = false;
}

struct node_usage *nodes_section_other(struct nodes_section *section)
{
	if (!section->has_other) {
		section->other.label[0] = LABEL_OTHER;
		map_init(&section->other.gres, &section->other_arena, sizeof(struct gres_count));
		section->has_other = true;
	}
	return &section->other;
}

void nodes_section_free(struct nodes_section *section)
{
	if (!section)
		return;
	nodes_section_unfold(section);
	arena_done(&section->other_arena);
	for (size_t i = 0; i < section->partitions.count; i++)
		map_done(&((struct node_usage *)section->partitions.entries[i].value)->gres);
	map_done(&section->partitions);
	map_done(&section->cluster.gres);
	arena_done(&section->arena);
	free(section);
}
