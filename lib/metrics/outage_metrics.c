/* How long nodes were out of service, in which way and why. For those who repair nodes and those who plan: what was lost, to
 * what, and how long does it take until a node is back? From what events count (events/outages.h). */
#include "metrics/family.h"

#include <stdlib.h>

static void label(struct exposition *out, const struct outage_sums *sums)
{
	exposition_label(out, "kind", sums->kind);
	exposition_label(out, "cause", sums->cause);
}

static void emit_count(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)facts;
	const struct outage_sums *sums = item;
	label(out, sums);
	exposition_number(out, sums->counts[family->offset]);
}

/* Most nodes have none. */
static void emit_gpu_seconds(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	if (((const struct outage_sums *)item)->counts[OUTAGE_GPU_SECONDS] > 0)
		emit_count(out, facts, family, item);
}

static void emit_durations(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	(void)facts, (void)family;
	const struct outage_sums *sums = item;
	label(out, sums);
	exposition_histogram(out, &sums->durations, NULL);
}

enum { OF_CLUSTER = 1 << ENTITY_CLUSTER, OF_PARTITION = 1 << ENTITY_PARTITION };

static const struct family outage_families[] = {
	{"slurm_{X}_node_outage_seconds_total", COUNTER, "kind,cause",
	 "Time for which nodes of the {X} were out of service, summed over nodes. Kinds are down, drained, draining and "
	 "maintenance. It grows while they are out.",
	 emit_count, OUTAGE_SECONDS, 0, 0},
	{"slurm_{X}_node_outage_cpu_seconds_total", COUNTER, "kind,cause",
	 "Time for which nodes of the {X} were out of service, times their CPUs that no job held.", emit_count,
	 OUTAGE_CPU_SECONDS, 0, 0},
	{"slurm_{X}_node_outage_gpu_seconds_total", COUNTER, "kind,cause",
	 "Time for which nodes of the {X} were out of service, times their GPUs that no job held; absent without GPUs.",
	 emit_gpu_seconds, OUTAGE_GPU_SECONDS, 0, 0},
	{"slurm_{X}_node_outage_memory_byte_seconds_total", COUNTER, "kind,cause",
	 "Time for which nodes of the {X} were out of service, times the bytes of their memory that no job held.",
	 emit_count, OUTAGE_MEMORY_BYTE_SECONDS, 0, 0},
	{"slurm_{X}_node_outages_ended_total", COUNTER, "kind,cause",
	 "Outages of the {X}'s nodes that ended with a return to service, by their worst kind (down, drained, draining, "
	 "maintenance) and last cause.",
	 emit_count, OUTAGE_ENDED, 0, OF_PARTITION},
	{"slurm_{X}_node_outage_duration_seconds", HISTOGRAM, "kind,cause",
	 "How long nodes were out of service that returned, by worst kind and last cause.", emit_durations, 0, 0,
	 OF_CLUSTER},
};

static void each_sums(struct family_sink *sink, int kind)
{
	if (!sink->facts->events || !sink->facts->events->outages.born)
		return;
	const struct outages *outages = &sink->facts->events->outages;
	exposition_created(sink->out, (double)outages->born);
	size_t *order = map_sorted(&outages->sums);
	for (size_t i = 0; i < outages->sums.count; i++) {
		const struct outage_sums *sums = outages->sums.entries[order[i]].value;
		if ((kind == ENTITY_CLUSTER) != !sums->partition.len)
			continue;
		family_entity_row(sink, kind, sums->partition, &sums->partition);
		family_item(sink, sums);
	}
	free(order);
}

const struct family_group outage_group = {
	.collect = COLLECT_NODES,
	GROUP_FAMILIES(outage_families),
	.kinds = OF_CLUSTER | OF_PARTITION,
	.owners = OWNER_PARTITION,
	.origin = {.source = "nodes"},
	.each = each_sums,
};

static void emit_start(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)facts, (void)family;
	const struct outage *outage = item;
	exposition_label(out, "kind", text_of(outage_kind_names[outage->kind]));
	exposition_label(out, "cause", outage->cause);
	exposition_number(out, (double)outage->began);
}

static const struct family node_outage_families[] = {
	{"slurm_node_outage_start_timestamp_seconds", GAUGE, "kind,cause",
	 "Since when the node is out of service, by what slurmctld says of it; its present kind (down, drained, draining, "
	 "maintenance) and cause. Absent while it is in service.",
	 emit_start, 0, 0, 0},
};

static void each_outage(struct family_sink *sink, int kind)
{
	(void)kind;
	if (!sink->facts->events || !sink->facts->cluster->nodes || sink->facts->per_node == PER_NODE_OFF)
		return;
	const struct map *open = &sink->facts->events->outages.open;
	size_t *order = map_sorted(open);
	for (size_t i = 0; i < open->count; i++) {
		const struct outage *outage = open->entries[order[i]].value;
		exposition_base(sink->out);
		exposition_base_label(sink->out, "node", outage->node);
		family_item(sink, outage);
	}
	free(order);
}

const struct family_group node_outage_group = {.collect = COLLECT_NODES,
					       GROUP_FAMILIES(node_outage_families),
					       .labels = "node",
					       .origin = {.source = "nodes"},
					       .each = each_outage};
