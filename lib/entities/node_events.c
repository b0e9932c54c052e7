#include "entities/node_events.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
	FORGOTTEN_MIN = 1000, /* vanished nodes that are remembered in any case */
	BOOT_SLACK_S = 60, /* slurmctld computes boot times from each new uptime, give or take a few seconds */
};

static bool has(const struct node_condition *condition, enum node_flag flag)
{
	return condition->flags >> flag & 1;
}

static bool is_out_of_service(const struct node_condition *condition)
{
	return condition->state == NODE_DOWN || condition->state == NODE_UNKNOWN || condition->state == NODE_ERROR ||
	       condition->state == NODE_FUTURE || has(condition, NODE_FLAG_DRAIN) || has(condition, NODE_FLAG_FAIL);
}

/* A reboot by Slurm is DOWN+REBOOT_ISSUED, with ASAP IDLE+DRAIN+REBOOT_REQUESTED before (24.11). */
static bool is_on_purpose(const struct node_condition *condition)
{
	return has(condition, NODE_FLAG_MAINT) || has(condition, NODE_FLAG_REBOOT_REQUESTED) ||
	       has(condition, NODE_FLAG_REBOOT_ISSUED) || has(condition, NODE_FLAG_POWERING_DOWN) ||
	       has(condition, NODE_FLAG_POWERED_DOWN) || has(condition, NODE_FLAG_POWERING_UP);
}

unsigned node_transitions(const struct node_condition *before, const struct node_condition *after)
{
	unsigned happened = 0;
	if (after->state == NODE_DOWN && before->state != NODE_DOWN)
		happened |= 1u << TO_DOWN;
	if (has(after, NODE_FLAG_DRAIN) && !has(before, NODE_FLAG_DRAIN))
		happened |= 1u << TO_DRAIN;
	if (has(after, NODE_FLAG_FAIL) && !has(before, NODE_FLAG_FAIL))
		happened |= 1u << TO_FAIL;
	if (after->state == NODE_IDLE && !is_out_of_service(after) && is_out_of_service(before))
		happened |= 1u << TO_IDLE;
	if (number_is_known(before->boot_time) && number_is_known(after->boot_time) &&
	    after->boot_time > before->boot_time + BOOT_SLACK_S)
		happened |= 1u << TO_REBOOT;
	return happened;
}

static void nodes_init(struct node_events *events)
{
	events->node_arena = NEW(struct arena);
	map_init(&events->nodes, events->node_arena, sizeof(struct node_history));
}

static void nodes_done(struct arena *arena, struct map *nodes)
{
	map_done(nodes);
	arena_done(arena);
	free(arena);
}

void node_events_init(struct node_events *events)
{
	*events = (struct node_events){0};
	nodes_init(events);
	map_init(&events->partitions, &events->arena, sizeof(struct node_counts));
}

static struct node_history *history_of(struct node_events *events, struct text name)
{
	size_t before = events->nodes.count;
	struct node_history *history = map_add(&events->nodes, name);
	if (events->nodes.count != before)
		history->name = events->nodes.entries[before].key;
	return history;
}

static struct node_counts *partition_of(struct node_events *events, struct text name)
{
	char scratch[LABEL_MAX + 1];
	size_t before = events->partitions.count;
	struct node_counts *partition = map_add(&events->partitions, label_of(name, scratch));
	if (events->partitions.count != before)
		partition->label[0] = events->partitions.entries[before].key;
	return partition;
}

static void add(uint64_t counts[NODE_TRANSITIONS], unsigned happened)
{
	for (int i = 0; i < NODE_TRANSITIONS; i++)
		counts[i] += happened >> i & 1;
}

static void note(struct node_events *events, const struct node *node)
{
	const struct node_condition now = {node->flags, node->boot_time, node->state};
	struct node_history *history = history_of(events, node->name);
	bool is_known = history->answer != 0;
	unsigned happened = 0;
	struct text partitions = node->partitions, name;
	history->answer = events->answers;
	if (!is_known || !is_on_purpose(&now)) {
		/* A node that is powered down has no boot time: keep the last known one, to compare the next one with
		 * it. */
		uint64_t boot_time =
			is_known && !number_is_known(now.boot_time) ? history->last.boot_time : now.boot_time;
		happened = is_known ? node_transitions(&history->last, &now) : 0;
		history->last = now;
		history->last.boot_time = boot_time;
	}
	add(history->counts, happened);
	add(events->cluster.counts, happened);
	while (text_next(&partitions, ',', &name)) /* finds or makes each */
		add(partition_of(events, name)->counts, happened);
}

static void forget_the_vanished(struct node_events *events)
{
	struct map old = events->nodes;
	struct arena *old_arena = events->node_arena;
	nodes_init(events);
	for (size_t i = 0; i < old.count; i++) {
		const struct node_history *history = old.entries[i].value;
		if (history->answer != events->answers)
			continue;
		struct node_history *copy = history_of(events, history->name);
		struct text name = copy->name;
		*copy = *history;
		copy->name = name;
	}
	nodes_done(old_arena, &old);
	free(events->order);
	events->order = NULL;
}

void node_events_note(struct node_events *events, const struct node_table *table)
{
	size_t known = table->rows.count, before = events->nodes.count;
	events->answers++;
	for (size_t i = 0; i < known; i++)
		note(events, &((const struct node_row *)table->rows.entries[i].value)->node);
	size_t vanished = events->nodes.count - known;
	if (vanished > known && vanished > FORGOTTEN_MIN)
		forget_the_vanished(events);
	if (events->nodes.count == before && events->order)
		return;
	free(events->order);
	events->order = map_sorted(&events->nodes);
}

void node_events_done(struct node_events *events)
{
	nodes_done(events->node_arena, &events->nodes);
	map_done(&events->partitions);
	arena_done(&events->arena);
	free(events->order);
}
