/* What jobs that could start ask for, by partition: how much of each shape, and what is idle on nodes where none of them
 * fits. They wait only for resources or their turn (class `startable`). A job that names several partitions counts in each
 * of them, and once in the row `other` of those without a row. Made again for each page, from one look at each job and at
 * each node. */
#pragma once

#include "entities/nodes.h"
#include "entities/roster.h"
#include "jobs/job_table.h"
#include "jobs/node_need.h"

/* Jobs of further shapes count in the shape `other`. */
enum { DEMAND_SHAPES_MAX = 64 };

/* Jobs that need GPUs of the same type on each node, and of the same class of numbers. */
struct demand_shape {
	struct text type, gpus; /* labels; type is empty as in node_need */
};

struct demand_row {
	uint128 jobs, nodes, cpus, memory, gpus;
};

struct demand {
	struct text label; /* the partition */
	struct demand_row rows[DEMAND_SHAPES_MAX + 1]; /* by shape */
	struct node_needs needs, gpu_needs; /* of all jobs; of those with GPUs */
	bool is_compared, are_gpus_compared; /* with nodes; else the two below are not known */
	uint64_t stranded_cpus;
	struct map stranded_gpus; /* struct gres_count, by CAPACITY_IDLE */
};

struct demands {
	struct arena arena; /* everything below */
	struct map shapes; /* struct demand_shape; their order is that of `rows` */
	const struct roster *shown;
	struct map partitions; /* label -> struct demand: partitions that have such jobs, and a row of their own */
	struct demand *other; /* of partitions without a row of their own; NULL: there is none */
};

/* Borrows `shown`, which says which partitions have a row of their own. */
struct demands *demands_new(const struct job_table *table, const struct roster *shown);
void demands_free(struct demands *demands); /* NULL is fine */

/* Compares the jobs with what is idle: stranded.c. */
void demands_compare(struct demands *demands, const struct nodes_section *nodes);

/* That of a partition; NULL: it has no such jobs. `name` is a label. */
struct demand *demands_find(const struct demands *demands, struct text name);
