/* The nodes section: totals of one answer, built aside and swapped in when the answer is complete. */
#pragma once

#include "entities/node_table.h"
#include "entities/roster.h"

struct nodes_section {
	struct arena arena;
	struct node_usage cluster;
	struct map partitions; /* name -> struct node_usage */
	struct node_usage other; /* of partitions that have no row of their own */
	bool has_other;
	bool tells_effective; /* this version of slurmrestd tells what jobs can get */
	struct arena other_arena;
	struct node_table table;
};

/* A new empty section. It has the flags and GRES that `previous` (or NULL) has seen, at zero. Its partitions are those
 * of `partitions`, if not NULL, and those that nodes name. */
struct nodes_section *nodes_section_new(const struct nodes_section *previous, const struct map *partitions);

/* Adds one node: in each partition that it is in, and once in the cluster. */
void nodes_section_add(struct nodes_section *section, const struct node *node);

/* Makes the row of all partitions that have none of their own. A node in several of them counts there once. */
void nodes_section_fold(struct nodes_section *section, const struct roster *partitions);

void nodes_section_free(void *section); /* NULL is fine; void for callbacks */
