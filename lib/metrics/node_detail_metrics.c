/* Each node by itself, and what happened to nodes. For those who repair them: which node is out, since when, why, by
 * whom? --nodes.per-node sets how many families each node has. From the nodes that slurmctld lists
 * (entities/node_table.h), and from how they differ from the list before (entities/node_events.h). */
#include "metrics/family.h"

#include <stdlib.h>

static void emit_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	const struct node *node = &((const struct node_row *)item)->node;
	exposition_label(out, "slurm_version", node->version);
	exposition_label(out, "arch", node->architecture);
	exposition_label(out, "os", node->os);
	exposition_integer(out, 1);
}

static void emit_state(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)family;
	const struct node *node = &((const struct node_row *)item)->node;
	exposition_label(out, "state", text_of(facts->cluster->vocabulary.node_states.name[node->state]));
	exposition_integer(out, 1);
}

static void emit_flags(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)family;
	const struct node *node = &((const struct node_row *)item)->node;
	const struct names *names = &facts->cluster->vocabulary.node_flags;
	for (uint64_t flags = node_flags_shown(node); flags; flags &= flags - 1) {
		exposition_label(out, "flag", text_of(names->name[__builtin_ctzll(flags)]));
		exposition_integer(out, 1);
	}
}

static void emit_reason(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)family;
	const struct node *node = &((const struct node_row *)item)->node;
	if (!node->reason.len)
		return;
	struct text user = node->reason_user;
	bool is_denied = user.len && !caps_allow_name(&facts->cluster->caps, ENTITY_USER, user);
	exposition_label(out, "reason", node->reason);
	exposition_label(out, "user", is_denied ? LABEL_OTHER : user);
	exposition_integer(out, 1);
}

static void emit_reason_time(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	if (((const struct node_row *)item)->node.reason.len)
		emit_number(out, facts, family, item);
}

/* The text of an info family that has it as its one label. Nodes without a text have no row. */
static void emit_text(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts;
	const struct text *text = (const struct text *)((const char *)item + family->offset);
	if (!text->len)
		return;
	exposition_label(out, family->labels, *text);
	exposition_integer(out, 1);
}

enum { FEATURES_MAX = 64 }; /* of a node; more have no rows */

static void emit_features(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	const struct node *node = &((const struct node_row *)item)->node;
	struct text rest = node->features, feature;
	for (int i = 0; i < FEATURES_MAX && text_next(&rest, ',', &feature); i++) {
		exposition_label(out, "feature", feature);
		exposition_label(out, "active", text_of(text_lists(node->active_features, feature) ? "true" : "false"));
		exposition_integer(out, 1);
	}
}

static void emit_gres(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	const struct node_gres *gres = &((const struct node_row *)item)->gres;
	for (size_t i = 0; i < gres->count; i++)
		family_gres_kind(out, &gres->rows[i], capacity_state_names, CAPACITY_STATES);
}

static void emit_partitions(struct exposition *out, const struct page_facts *facts, const struct family *family,
			    const void *item)
{
	(void)family;
	struct text rest = ((const struct node_row *)item)->node.partitions, label;
	while (text_next(&rest, ',', &label)) {
		if (!roster_shows(&facts->cluster->rosters[ENTITY_PARTITION], label))
			continue;
		exposition_label(out, "partition", label);
		exposition_integer(out, 1);
	}
}

#define NODE_NUMBER(member) emit_number, offsetof(struct node_row, node.member)

static const struct family node_row_families[] = {
	{"slurm_node_info", GAUGE, "slurm_version,arch,os",
	 "The nodes; the version of slurmd and the system it runs on, once it has registered; always 1.", emit_info, 0,
	 0, 0},
	{"slurm_node_state", GAUGE, "state", "The base state that the node is in; always 1.", emit_state, 0, 0, 0},
	{"slurm_node_flag", GAUGE, "flag",
	 "The flags that the node has; a node with DRAIN is drained if it has no jobs, else draining; always 1.",
	 emit_flags, 0, 0, 0},
	{"slurm_node_reason_info", GAUGE, "reason,user",
	 "Why the node is out of service, cut at 256 bytes, and who set that reason; absent without a reason; always "
	 "1.",
	 emit_reason, 0, 0, 0},
	{"slurm_node_reason_timestamp_seconds", GAUGE, NULL, "When the node's reason was set.", emit_reason_time,
	 offsetof(struct node_row, node.reason_time), 1, 0},
};

static const struct family node_detail_families[] = {
	{"slurm_node_cpus", GAUGE, "state",
	 "CPUs of the node: allocated, idle, and other (idle on a drained or down node).", emit_capacity,
	 offsetof(struct node_row, cpus), 0, 0},
	{"slurm_node_real_memory_bytes", GAUGE, "state",
	 "Memory of the node as configured: allocated to jobs, idle, and other (on a drained or down "
	 "node).",
	 emit_capacity, offsetof(struct node_row, memory), 0, 0},
	{"slurm_node_effective_cpus", GAUGE, NULL,
	 "CPUs of the node that jobs can get: all but those of CoreSpecCount and CpuSpecList.",
	 NODE_NUMBER(effective_cpus), 1, 0},
	{"slurm_node_effective_memory_bytes", GAUGE, NULL,
	 "Memory of the node that jobs can get: RealMemory less MemSpecLimit.", NODE_NUMBER(effective_memory), 1, 0},
	{"slurm_node_free_memory_bytes", GAUGE, NULL, "Memory that the node's operating system calls free.",
	 NODE_NUMBER(free_memory), 1, 0},
	{"slurm_node_load1", GAUGE, NULL, "The node's load average of one minute.", NODE_NUMBER(load), 100, 0},
	{"slurm_node_gres", GAUGE, "gres,type,state",
	 "Generic resources of the node by name and type; other are drained ones, and all that are not "
	 "allocated on a drained or down node.",
	 emit_gres, 0, 0, 0},
	{"slurm_node_power_watts", GAUGE, NULL, "Power that the node draws, where an energy plugin collects it.",
	 NODE_NUMBER(power_watts), 1, 0},
	{"slurm_node_energy_joules_total", COUNTER, NULL,
	 "Energy that the node has used, where an energy plugin collects it.", NODE_NUMBER(energy_joules), 1, 0},
	{"slurm_node_boot_timestamp_seconds", GAUGE, NULL, "When the node was booted.", NODE_NUMBER(boot_time), 1, 0},
	{"slurm_node_slurmd_start_timestamp_seconds", GAUGE, NULL, "When the node's slurmd was started.",
	 NODE_NUMBER(slurmd_start_time), 1, 0},
	{"slurm_node_last_busy_timestamp_seconds", GAUGE, NULL,
	 "When the node last had a job, by Slurm's own account (LastBusyTime).", NODE_NUMBER(last_busy_time), 1, 0},
	{"slurm_node_partition_info", GAUGE, "partition", "The partitions that the node is in; always 1.",
	 emit_partitions, 0, 0, 0},
	{"slurm_node_reservation_info", GAUGE, "reservation",
	 "The active reservation that the node is in; absent without one; always 1.", emit_text,
	 offsetof(struct node_row, node.reservation), 0, 0},
	{"slurm_node_comment_info", GAUGE, "comment",
	 "The node's comment, cut at 256 bytes; absent without one; always 1.", emit_text,
	 offsetof(struct node_row, node.comment), 0, 0},
	{"slurm_node_feature_info", GAUGE, "feature,active",
	 "The features that the node may have (AvailableFeatures), the first 64, and whether it has each now "
	 "(ActiveFeatures); always 1.",
	 emit_features, 0, 0, 0},
};

static void each_row(struct family_sink *sink)
{
	const struct nodes_section *nodes = sink->facts->cluster->nodes;
	for (size_t i = 0; nodes && i < nodes->table.rows.count; i++) {
		const struct node_row *row = node_table_at(&nodes->table, i);
		exposition_base(sink->out);
		exposition_base_label(sink->out, "node", row->node.name);
		family_item(sink, row);
	}
}

static void each_row_unless_off(struct family_sink *sink, int kind)
{
	(void)kind;
	if (sink->facts->per_node != PER_NODE_OFF)
		each_row(sink);
}

static void each_row_if_full(struct family_sink *sink, int kind)
{
	(void)kind;
	if (sink->facts->per_node == PER_NODE_FULL)
		each_row(sink);
}

const struct family_group node_row_group = {.collect = COLLECT_NODES,
					    GROUP_FAMILIES(node_row_families),
					    .labels = "node",
					    .origin = {.source = "nodes"},
					    .each = each_row_unless_off};
const struct family_group node_detail_group = {.collect = COLLECT_NODES,
					       GROUP_FAMILIES(node_detail_families),
					       .labels = "node",
					       .origin = {.source = "nodes"},
					       .each = each_row_if_full};

/* Transitions, from the first answer on. Five for each node would be most of a large default page. Partitions without a
 * row are not added up in `other`, because that sum would fall when one gets a row. */

static const char *const transition_names[NODE_TRANSITIONS] = {
	[TO_DOWN] = "down", [TO_DRAIN] = "drain", [TO_FAIL] = "fail", [TO_IDLE] = "idle", [TO_REBOOT] = "reboot",
};

static void emit_transitions(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	(void)facts;
	family_listed(out, "to", transition_names, NODE_TRANSITIONS,
		      (const uint64_t *)((const char *)item + family->offset));
}

static const struct family node_event_families[] = {
	{"slurm_{X}_node_transitions_total", COUNTER, "to",
	 "Changes of the {X}'s nodes between two answers: went down, was drained, was set to fail, came back "
	 "idle from one of these, booted again. While Slurm reboots a node, or it is in maintenance "
	 "or power saving, nothing counts; what lasts longer counts afterwards.",
	 emit_transitions, offsetof(struct node_counts, counts), 0, 0},
};

static void each_event_counts(struct family_sink *sink, int kind)
{
	const struct node_events *events = &sink->facts->cluster->node_events;
	if (sink->facts->exporter)
		exposition_created(sink->out, sink->facts->exporter->begin);
	if (!events->answers)
		return;
	if (kind == ENTITY_CLUSTER) {
		family_item(sink, &events->cluster);
		return;
	}
	size_t *order = map_sorted(&events->partitions);
	for (size_t i = 0; i < events->partitions.count; i++) {
		const struct node_counts *counts = events->partitions.entries[order[i]].value;
		family_entity_row(sink, kind, counts->label[0], counts->label);
		family_item(sink, counts);
	}
	free(order);
}

const struct family_group node_event_group = {
	.collect = COLLECT_NODES,
	GROUP_FAMILIES(node_event_families),
	.kinds = 1u << ENTITY_CLUSTER | 1u << ENTITY_PARTITION,
	.origin = {.source = "nodes"},
	.owners = OWNER_PARTITION,
	.each = each_event_counts,
};

static const struct family node_transition_families[] = {
	{"slurm_node_transitions_total", COUNTER, "to",
	 "Changes of the node between two answers: went down, was drained, was set to fail, came back idle from "
	 "one of these, booted again. While Slurm reboots it, or it is in maintenance or power "
	 "saving, nothing counts; what lasts longer counts afterwards.",
	 emit_transitions, offsetof(struct node_history, counts), 0, 0},
};

static void each_history(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct node_events *events = &sink->facts->cluster->node_events;
	if (sink->facts->exporter)
		exposition_created(sink->out, sink->facts->exporter->begin);
	if (sink->facts->per_node != PER_NODE_FULL)
		return;
	for (size_t i = 0; i < events->nodes.count; i++) {
		const struct node_history *history = events->nodes.entries[events->order[i]].value;
		exposition_base(sink->out);
		exposition_base_label(sink->out, "node", history->name);
		family_item(sink, history);
	}
}

const struct family_group node_transition_group = {.collect = COLLECT_NODES,
						   GROUP_FAMILIES(node_transition_families),
						   .labels = "node",
						   .origin = {.source = "nodes"},
						   .each = each_history};
