/* Nodes, CPUs, memory and GRES of the cluster and of each partition, and how partitions are configured. For operators
 * and planners: what is there, in use, idle and out of service? From the sections of nodes and partitions
 * (entities/nodes.h, entities/partitions.h); slurmscope splits nodes into shares as sinfo does. */
#include "metrics/family.h"

#include <stdlib.h>

const char *const capacity_state_names[CAPACITY_STATES] = {
	[CAPACITY_ALLOCATED] = "allocated", [CAPACITY_IDLE] = "idle", [CAPACITY_OTHER] = "other"};

static void emit_states(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)family;
	const struct node_usage *usage = item;
	family_named(out, "state", &facts->cluster->vocabulary.node_states, NODE_STATES, 0, usage->nodes);
}

static void emit_flags(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)family;
	const struct node_usage *usage = item;
	family_named(out, "flag", &facts->cluster->vocabulary.node_flags, 0, usage->flags_seen, usage->flagged);
}

static void emit_gres(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	family_gres(out, &((const struct node_usage *)item)->gres, capacity_state_names, CAPACITY_STATES);
}

static void emit_effective(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	if (facts->cluster->nodes->tells_effective)
		emit_number(out, facts, family, item);
}

static const struct family node_families[] = {
	{"slurm_{X}_nodes", GAUGE, "state",
	 "Nodes of the {X} by base state; the sum over state is the number of nodes.", emit_states, 0, 0, 0},
	{"slurm_{X}_nodes_flagged", GAUGE, "flag",
	 "Nodes of the {X} that have the flag. A node with DRAIN is drained if it has no jobs, and draining if it has "
	 "some.",
	 emit_flags, 0, 0, 0},
	{"slurm_{X}_nodes_free", GAUGE, NULL,
	 "Nodes of the {X} that any job can get: idle, responding, and not draining, failing, completing, "
	 "reserved, in maintenance or planned for another job. Nodes about to reboot or power down do not count. Nodes "
	 "that are powered down do, because Slurm wakes them.",
	 emit_number, offsetof(struct node_usage, free), 1, 0},
	{"slurm_{X}_cpus", GAUGE, "state",
	 "CPUs of the {X}'s nodes: allocated, idle, and other (idle on drained or down nodes), as sinfo "
	 "counts them.",
	 emit_capacity, offsetof(struct node_usage, cpus), 0, 0},
	{"slurm_{X}_memory_bytes", GAUGE, "state",
	 "Memory of the {X}'s nodes: allocated to jobs, idle, and other (on drained or down nodes).", emit_capacity,
	 offsetof(struct node_usage, memory), 0, 0},
	{"slurm_{X}_effective_cpus", GAUGE, NULL,
	 "CPUs of the {X}'s nodes that jobs can get: all but those of CoreSpecCount and CpuSpecList.", emit_effective,
	 offsetof(struct node_usage, effective_cpus), 1, 0},
	{"slurm_{X}_effective_memory_bytes", GAUGE, NULL,
	 "Memory of the {X}'s nodes that jobs can get: RealMemory less MemSpecLimit.", emit_effective,
	 offsetof(struct node_usage, effective_memory), 1, 0},
	{"slurm_{X}_gres", GAUGE, "gres,type,state",
	 "Generic resources of the {X}'s nodes, such as GPUs, by name and type.", emit_gres, 0, 0, 0},
};

static void each_node_usage(struct family_sink *sink, int kind)
{
	const struct nodes_section *nodes = sink->facts->cluster->nodes;
	if (!nodes)
		return;
	if (kind == ENTITY_CLUSTER) {
		family_item(sink, &nodes->cluster);
		return;
	}
	size_t *order = map_sorted(&nodes->partitions);
	for (size_t i = 0; i < nodes->partitions.count; i++) {
		const struct node_usage *usage = nodes->partitions.entries[order[i]].value;
		family_entity_row(sink, kind, usage->label[0], usage->label);
		family_item(sink, usage);
	}
	free(order);
	if (nodes->has_other) {
		family_other_row(sink, kind);
		family_item(sink, &nodes->other);
	}
}

const struct family_group node_group = {
	.collect = COLLECT_NODES,
	GROUP_FAMILIES(node_families),
	.kinds = 1u << ENTITY_CLUSTER | 1u << ENTITY_PARTITION,
	.origin = {.source = "nodes"},
	.owners = OWNER_PARTITION,
	.each = each_node_usage,
};

static void emit_partition_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
				const void *item)
{
	(void)facts, (void)family;
	const struct partition *partition = item;
	if (partition->has_flags)
		exposition_label(out, "default", text_of(partition->is_default ? "true" : "false"));
	exposition_integer(out, 1);
}

static void emit_partition_state(struct exposition *out, const struct page_facts *facts, const struct family *family,
				 const void *item)
{
	(void)family;
	const struct partition *partition = item;
	if (partition->state < 0)
		return;
	exposition_label(out, "state", text_of(facts->cluster->vocabulary.partition_states.name[partition->state]));
	exposition_integer(out, 1);
}

static const struct family partition_families[] = {
	{"slurm_partition_info", GAUGE, "default",
	 "The partitions, and whether each is the default one (API versions v0.0.40 to v0.0.44 do not report that); "
	 "always 1.",
	 emit_partition_info, 0, 0, 0},
	{"slurm_partition_state", GAUGE, "state",
	 "The state that the partition is in (up, down, drain, inactive); always 1.", emit_partition_state, 0, 0, 0},
	{"slurm_partition_max_time_seconds", GAUGE, NULL,
	 "The longest time limit that a job may ask for; absent if unlimited.", emit_number,
	 offsetof(struct partition, max_time), 1, 0},
	{"slurm_partition_default_time_seconds", GAUGE, NULL,
	 "The time limit of jobs that do not ask for one; absent if none is set.", emit_number,
	 offsetof(struct partition, default_time), 1, 0},
	{"slurm_partition_max_nodes", GAUGE, NULL,
	 "The largest number of nodes that a job may have; absent if unlimited.", emit_number,
	 offsetof(struct partition, max_nodes), 1, 0},
	{"slurm_partition_priority_tier", GAUGE, NULL, "The partition's PriorityTier.", emit_number,
	 offsetof(struct partition, priority_tier), 1, 0},
	{"slurm_partition_priority_job_factor", GAUGE, NULL, "The partition's PriorityJobFactor.", emit_number,
	 offsetof(struct partition, priority_job_factor), 1, 0},
};

static void each_partition(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct map *partitions = cluster_partitions(sink->facts->cluster);
	if (!partitions)
		return;
	size_t *order = map_sorted(partitions);
	for (size_t i = 0; i < partitions->count; i++) {
		const struct partition *partition = partitions->entries[order[i]].value;
		const struct text label[2] = {partition->name};
		family_entity_row(sink, ENTITY_PARTITION, partition->name, label);
		family_item(sink, partition);
	}
	free(order);
}

const struct family_group partition_group = {.collect = COLLECT_PARTITIONS,
					     GROUP_FAMILIES(partition_families),
					     .labels = "partition",
					     .origin = {.source = "partitions"},
					     .owners = OWNER_PARTITION,
					     .each = each_partition};
