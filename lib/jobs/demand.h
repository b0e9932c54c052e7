/* What jobs that could start ask for, by partition: how much of each shape, and what is idle on nodes where none of them
 * fits. They wait only for resources or their turn (class `startable`). A job that names several partitions counts in each
 * of them. Made again for each page, from one look at each job and at each node. */
#pragma once

#include "entities/nodes.h"
#include "jobs/job_table.h"
#include "jobs/node_need.h"

/* Jobs of further shapes count in the shape `other`. */
enum { DEMAND_SHAPES_MAX = 64 };

/* Jobs that need GPUs of the same type on each node, and of the same class of numbers. */
struct demand_shape {
	struct text type, gpus; /* labels; type is empty as in node_need */
};

struct demand_row {
	uint64_t jobs, nodes, cpus, memory, gpus;
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
	struct map partitions; /* label -> struct demand: partitions that have such jobs */
	struct demand *other; /* of partitions without a row of their own; NULL: there is none */
};

struct demands *demands_new(const struct job_table *table);
void demands_free(struct demands *demands); /* NULL is fine */

/* Compares the jobs with what is idle: stranded.c. */
void demands_compare(struct demands *demands, const struct nodes_section *nodes);

/* The partition is one of those without a row of their own. */
void demands_fold(struct demands *demands, const struct demand *demand);
