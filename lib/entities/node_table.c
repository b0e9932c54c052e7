#include "entities/node_table.h"

#include <stdlib.h>

void node_table_init(struct node_table *table, struct arena *arena)
{
	*table = (struct node_table){.arena = arena};
	map_init(&table->rows, arena, sizeof(struct node_row));
	map_init(&table->texts, arena, sizeof(struct text));
	map_init(&table->lists, arena, sizeof(struct text));
}

/* The table's own copy of the text. */
static void keep(struct node_table *table, struct text *text, size_t max)
{
	if (!text->len) /* also if `bytes` is NULL */
		return;
	size_t before = table->texts.count;
	struct text *kept = map_add(&table->texts, text_limit(*text, max));
	if (table->texts.count != before)
		*kept = table->texts.entries[before].key;
	*text = *kept;
}

/* The same for a name that other rows use as a label, too. */
static void keep_label(struct node_table *table, struct text *name)
{
	char scratch[LABEL_MAX + 1];
	*name = label_of(*name, scratch);
	keep(table, name, LABEL_MAX);
}

/* An answer may name a partition or a feature twice. A node counts once in each, and the page has each series once. */
static void keep_list(struct node_table *table, struct text *names)
{
	if (!names->len)
		return;
	size_t before = table->lists.count;
	struct text *kept = map_add(&table->lists, *names);
	if (table->lists.count != before) {
		struct buf once = BUF_INIT;
		*kept = arena_copy(table->arena, labels_once(*names, &once));
		buf_done(&once);
	}
	*names = *kept;
}

static void keep_texts(struct node_table *table, struct node_row *row)
{
	struct node *node = &row->node;
	node->gres = node->gres_used = node->gres_drained = TEXT("");
	keep_list(table, &node->partitions);
	keep_list(table, &node->features);
	keep_list(table, &node->active_features);
	keep(table, &node->version, NODE_TEXT_MAX);
	keep(table, &node->architecture, NODE_TEXT_MAX);
	keep(table, &node->os, NODE_TEXT_MAX);
	keep(table, &node->reason, NODE_TEXT_MAX);
	keep(table, &node->reason_user, NODE_TEXT_MAX);
	keep(table, &node->comment, NODE_TEXT_MAX);
	if (node->reservation.len)
		keep_label(table, &node->reservation);
	for (size_t i = 0; i < row->gres.count; i++) {
		keep_label(table, &row->gres.rows[i].name);
		keep_label(table, &row->gres.rows[i].type);
	}
}

static uint64_t or_zero(uint64_t number)
{
	return number_is_known(number) ? number : 0;
}

/* Splits a node's total into allocated, idle and other, as sinfo does (cpus_alloc, cpus_idle, cpus_other). On a drained
 * node, or one that is down, everything that is not allocated is other. */
static void split(uint64_t into[CAPACITY_STATES], uint64_t total, uint64_t allocated, bool is_unusable)
{
	uint64_t rest = or_zero(total) > or_zero(allocated) ? total - or_zero(allocated) : 0;
	into[CAPACITY_ALLOCATED] = or_zero(allocated);
	into[is_unusable ? CAPACITY_OTHER : CAPACITY_IDLE] = rest;
}

static uint64_t available(const uint64_t states[CAPACITY_STATES], uint64_t effective)
{
	uint64_t allocated = states[CAPACITY_ALLOCATED], idle = states[CAPACITY_IDLE];
	uint64_t rest = effective > allocated ? effective - allocated : 0;
	return number_is_known(effective) && rest < idle ? rest : idle;
}

const struct node_row *node_table_add(struct node_table *table, const struct node *node)
{
	char scratch[LABEL_MAX + 1];
	size_t before = table->rows.count;
	struct node_row *row = map_add(&table->rows, label_of(node->name, scratch));
	struct text name = table->rows.count != before ? table->rows.entries[before].key : row->node.name;
	bool is_unusable = node_is_unusable(node);
	*row = (struct node_row){.node = *node, .gres = node_gres_read(table->arena, node)};
	row->node.name = name;
	split(row->cpus, node->cpus, node->allocated_cpus, is_unusable);
	split(row->memory, node->memory, node->allocated_memory, is_unusable);
	row->available_cpus = available(row->cpus, node->effective_cpus);
	row->available_memory = available(row->memory, node->effective_memory);
	keep_texts(table, row);
	return row;
}

void node_table_sort(struct node_table *table)
{
	free(table->order);
	table->order = map_sorted(&table->rows);
}

const struct node_row *node_table_at(const struct node_table *table, size_t position)
{
	return table->rows.entries[table->order[position]].value;
}

void node_table_done(struct node_table *table)
{
	map_done(&table->rows);
	map_done(&table->texts);
	map_done(&table->lists);
	free(table->order);
	table->order = NULL;
}
