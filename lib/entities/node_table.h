/* The nodes of one answer, each by itself. A node takes about 600 bytes; a text that many share is kept once. */
#pragma once

#include "entities/label.h"
#include "entities/node_gres.h"

/* Bytes that are kept of free text, such as a node's reason or the name of its operating system. */
enum { NODE_TEXT_MAX = LABEL_MAX };

struct node_row {
	struct node node; /* without its GRES strings; its partitions and features as labels, each once */
	uint64_t cpus[CAPACITY_STATES], memory[CAPACITY_STATES];
	uint64_t available_cpus, available_memory; /* the part of what is idle that a job can get */
	struct node_gres gres;
};

struct node_table {
	struct arena *arena; /* borrowed, outlives the table */
	struct map rows; /* name as a label -> struct node_row */
	struct map texts; /* each text that is kept */
	struct map lists; /* of partitions or features, as Slurm has them -> struct text, as rows have them */
	size_t *order; /* of the rows, by name; NULL until node_table_sort */
};

void node_table_init(struct node_table *table, struct arena *arena);
const struct node_row *node_table_add(struct node_table *table, const struct node *node);
void node_table_sort(struct node_table *table); /* once, after the last node: pages read them many times */
const struct node_row *node_table_at(const struct node_table *table, size_t position);
void node_table_done(struct node_table *table); /* the arena keeps the rows */
