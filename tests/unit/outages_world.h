/* Nodes whose outages are counted, for tests of outages. */
#pragma once

#include "events/events_record.h"
#include "events_memory.h"

struct world {
	struct caps caps;
	struct vocabulary vocabulary;
	struct node_causes causes;
	struct job_events *events;
};

static inline void world_init(struct world *world)
{
	*world = (struct world){.causes = {.count = 0}};
	caps_init(&world->caps);
	vocabulary_init(&world->vocabulary);
	world->events = job_events_new(&world->caps, &world->vocabulary, 0);
}

static inline void world_done(struct world *world)
{
	job_events_free(world->events);
	node_causes_done(&world->causes);
	vocabulary_done(&world->vocabulary);
	caps_done(&world->caps);
}

/* As after a kill: what is not in `memory` is lost. */
static inline void world_restart(struct world *world, const struct memory *memory, int64_t now)
{
	job_events_free(world->events);
	world->events = memory_read(memory, &world->caps, &world->vocabulary, now);
}

static inline void world_look(struct world *world, const struct node *nodes, size_t count, int64_t now)
{
	struct arena arena = ARENA_INIT;
	struct node_table table;
	node_table_init(&table, &arena);
	for (size_t i = 0; i < count; i++)
		node_table_add(&table, &nodes[i]);
	outages_look(&world->events->outages, &table, &world->causes, now);
	node_table_done(&table);
	arena_done(&arena);
}

static inline const struct outage *world_open(const struct world *world, const char *node)
{
	return map_find(&world->events->outages.open, text_of(node));
}

/* NULL: nothing counted. */
static inline const struct outage_sums *world_sums(const struct world *world, const char *partition, const char *kind,
						   const char *cause)
{
	const struct map *map = &world->events->outages.sums;
	for (size_t i = 0; i < map->count; i++) {
		const struct outage_sums *sums = map->entries[i].value;
		if (text_equal(sums->partition, text_of(partition)) && text_equal(sums->kind, text_of(kind)) &&
		    text_equal(sums->cause, text_of(cause)))
			return sums;
	}
	return NULL;
}

static inline double world_count(const struct world *world, const char *partition, const char *kind, const char *cause,
				 enum outage_count what)
{
	const struct outage_sums *sums = world_sums(world, partition, kind, cause);
	return sums ? sums->counts[what] : 0;
}
