/* What jobs that could start ask for, and what is idle while none of them fits there. For autoscalers and planners: how many
 * machines of which shape would be used, and is what is idle of the wrong shape? From one look at all jobs and nodes
 * (jobs/demand.h). */
#include "metrics/family.h"

#include <stdlib.h>

static void emit_shapes(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	const struct map *shapes = &facts->cluster->demands->shapes;
	const struct demand *demand = item;
	size_t *order = map_sorted(shapes);
	for (size_t i = 0; i < shapes->count; i++) {
		const struct demand_shape *shape = shapes->entries[order[i]].value;
		const char *row = (const char *)&demand->rows[order[i]];
		const uint64_t number = uint128_shown(*(const uint128 *)(const void *)(row + family->offset));
		if (!number)
			continue;
		exposition_label(out, "type", shape->type);
		exposition_label(out, "gpus", shape->gpus);
		exposition_integer(out, number);
	}
	free(order);
}

static void emit_stranded_cpus(struct exposition *out, const struct page_facts *facts, const struct family *family,
			       const void *item)
{
	(void)facts, (void)family;
	const struct demand *demand = item;
	if (demand->is_compared)
		exposition_integer(out, demand->stranded_cpus);
}

static void emit_stranded_gpus(struct exposition *out, const struct page_facts *facts, const struct family *family,
			       const void *item)
{
	(void)facts, (void)family;
	const struct demand *demand = item;
	size_t *order = map_sorted(&demand->stranded_gpus);
	for (size_t i = 0; demand->are_gpus_compared && i < demand->stranded_gpus.count; i++) {
		const struct gres_count *gpus = demand->stranded_gpus.entries[order[i]].value;
		exposition_label(out, "type", gpus->type);
		exposition_integer(out, uint128_shown(gpus->count[CAPACITY_IDLE]));
	}
	free(order);
}

#define SHAPES " Labels as of slurm_partition_startable_jobs."

static const struct family demand_families[] = {
	{"slurm_partition_startable_jobs", GAUGE, "type,gpus",
	 "Pending jobs of the partition that wait only for resources or their turn, each array task counted. By how many "
	 "GPUs they need of each node at least (a class, such as 4-7), and of which type (empty: any, or several).",
	 emit_shapes, offsetof(struct demand_row, jobs), 0, 0},
	{"slurm_partition_startable_job_nodes", GAUGE, "type,gpus",
	 "Nodes that the partition's startable jobs ask for." SHAPES, emit_shapes, offsetof(struct demand_row, nodes),
	 0, 0},
	{"slurm_partition_startable_job_cpus", GAUGE, "type,gpus",
	 "CPUs that the partition's startable jobs ask for." SHAPES, emit_shapes, offsetof(struct demand_row, cpus), 0,
	 0},
	{"slurm_partition_startable_job_memory_bytes", GAUGE, "type,gpus",
	 "Memory that the partition's startable jobs ask for." SHAPES, emit_shapes, offsetof(struct demand_row, memory),
	 0, 0},
	{"slurm_partition_startable_job_gpus", GAUGE, "type,gpus",
	 "GPUs that the partition's startable jobs ask for." SHAPES, emit_shapes, offsetof(struct demand_row, gpus), 0,
	 0},
	{"slurm_partition_stranded_cpus", GAUGE, NULL,
	 "Idle CPUs on nodes where no startable job of the partition finds the CPUs, memory and GPUs that it needs of a "
	 "node at least. Nodes that get no jobs do not count. Features, time and exclusive use are not looked at. Absent "
	 "while no job is startable.",
	 emit_stranded_cpus, 0, 0, 0},
	{"slurm_partition_stranded_gpus", GAUGE, "type",
	 "Idle GPUs on nodes where no startable job of the partition that may use them finds what it needs of a node at "
	 "least. Absent while no startable job asks for GPUs.",
	 emit_stranded_gpus, 0, 0, 0},
};

static void each_demand(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct demands *demands = sink->facts->cluster->demands;
	if (!demands)
		return;
	size_t *order = map_sorted(&demands->partitions);
	for (size_t i = 0; i < demands->partitions.count; i++) {
		const struct demand *demand = demands->partitions.entries[order[i]].value;
		family_entity_row(sink, ENTITY_PARTITION, demand->label, &demand->label);
		family_item(sink, demand);
	}
	free(order);
	if (demands->other) {
		family_other_row(sink, ENTITY_PARTITION);
		family_item(sink, demands->other);
	}
}

const struct family_group demand_group = {.collect = COLLECT_JOBS,
					  GROUP_FAMILIES(demand_families),
					  .labels = "partition",
					  .origin = {.source = "jobs"},
					  .owners = OWNER_PARTITION,
					  .each = each_demand};
