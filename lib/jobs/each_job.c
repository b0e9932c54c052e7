#include "jobs/each_job.h"

#include "base/memory.h"
#include "model/hostlist.h"

#include <stdlib.h>

/* Within each rank: jobs with rows first, then those whose details are complete, then the others. */
enum { HAS_ROW, HAS_EXTRA, HAS_NEITHER, RIGHTS_OF_RANK, RIGHTS = RIGHTS_OF_RANK * JOB_RANKS };

/* RIGHTS: it has no right to a row. If a row's details are another task's, we do not know what the job holds. */
static int right_of(const struct job_table *table, const struct job_row *row)
{
	bool is_known = row->bits & ROW_HAS_DETAILS && !(row->bits & ROW_IS_LENT);
	enum job_rank rank = job_rank_of(row->state, row->flags);
	if (!is_known || rank == JOB_RANKS)
		return RIGHTS;
	const struct job_extra *extra = job_extras_find(&table->extras, row->id);
	return RIGHTS_OF_RANK * (int)rank + (!extra ? HAS_NEITHER : extra->has_row ? HAS_ROW : HAS_EXTRA);
}

struct cut {
	int right; /* jobs with less right have no row */
	uint64_t left; /* how many jobs with this right get one */
};

static struct cut find_cut(const struct each_job *each, const struct job_table *table)
{
	uint64_t counts[RIGHTS + 1] = {0};
	for (size_t i = 0; i < table->position_count; i++)
		if (job_row_is_used(&table->rows[i]))
			counts[right_of(table, &table->rows[i])]++;
	struct cut cut = {0, each->max};
	while (cut.right < RIGHTS && counts[cut.right] <= cut.left)
		cut.left -= counts[cut.right++];
	return cut;
}

static void choose_rows(struct each_job *each, const struct job_table *table)
{
	struct cut cut = find_cut(each, table);
	each->count = each->cut_off_count = 0;
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		int right = job_row_is_used(row) ? right_of(table, row) : RIGHTS;
		if (right == RIGHTS)
			continue;
		if (right > cut.right || (right == cut.right && !cut.left)) {
			GROW(each->cut_off, each->cut_off_count, each->cut_off_capacity);
			each->cut_off[each->cut_off_count++] = (uint32_t)i;
			continue;
		}
		cut.left -= right == cut.right;
		GROW(each->rows, each->count, each->capacity);
		each->rows[each->count++] = (struct each_job_row){
			.position = (uint32_t)i,
			.holds_nodes = right / RIGHTS_OF_RANK != RANK_PENDING,
		};
	}
}

/* Forgets jobs that have gone, and notes which jobs have a row. */
static void note_rows(const struct each_job *each, struct job_table *table)
{
	struct job_extras *extras = &table->extras;
	for (size_t i = extras->count; i-- > 0;) {
		struct job_extra *extra = extras->items[i];
		const struct job_row *row = job_table_row(table, extra->id);
		extra->has_row = false;
		if (!row || job_rank_of(row->state, row->flags) == JOB_RANKS)
			job_extras_remove(extras, extra->id);
	}
	for (size_t i = 0; i < each->count; i++) {
		uint32_t id = table->rows[each->rows[i].position].id;
		struct job_extra *extra = job_extras_find(extras, id);
		if (extra)
			extra->has_row = true;
	}
}

struct held {
	const struct node_table *nodes;
	uint32_t count;
	uint64_t cpus; /* of the nodes, all of them */
	bool are_known;
};

static void add_node(void *context, struct text name)
{
	struct held *held = context;
	char scratch[LABEL_MAX + 1];
	const struct node_row *row = held->nodes ? map_find(&held->nodes->rows, label_of(name, scratch)) : NULL;
	held->count++;
	held->are_known &= row && number_is_known(row->node.cpus);
	held->cpus += held->are_known ? row->node.cpus : 0;
}

static void look_at_nodes(struct each_job_row *row, const struct job_table *table, const struct node_table *nodes,
			  uint64_t *left)
{
	const struct job_row *job = &table->rows[row->position];
	struct held held = {.nodes = nodes, .are_known = true};
	row->are_nodes_cut = !hostlist_each(text_pool_get(&table->pools.texts, job->node_list), left, add_node, &held);
	row->nodes = held.count;
	row->cpus = !held.are_known || !held.count || row->are_nodes_cut ? CPUS_NOT_KNOWN
		    : held.cpus == job->cpus				 ? CPUS_ALL
									 : CPUS_SOME;
}

/* Jobs that have such rows already come first. */
static void choose_node_rows(struct each_job *each, const struct job_table *table)
{
	uint64_t left = each->node_rows_max;
	for (int had = 1; had >= 0; had--) {
		for (size_t i = 0; i < each->count; i++) {
			struct each_job_row *row = &each->rows[i];
			struct job_extra *extra = job_extras_find(&table->extras, table->rows[row->position].id);
			if (!row->holds_nodes || (extra && extra->has_node_rows) != had)
				continue;
			row->has_node_rows = !row->are_nodes_cut && row->nodes <= left;
			left -= row->has_node_rows ? row->nodes : 0;
		}
	}
	for (size_t i = 0; i < each->count; i++) {
		struct job_extra *extra = job_extras_find(&table->extras, table->rows[each->rows[i].position].id);
		if (extra)
			extra->has_node_rows = each->rows[i].has_node_rows;
	}
}

/* Is it unknown which CPUs the job holds on which node, and has nobody asked for that yet? */
static bool lacks_nodes(const struct each_job_row *row, const struct job_extra *extra)
{
	return row->holds_nodes && row->cpus != CPUS_ALL && job_nodes_need_detail(row->nodes) && !extra->node_count &&
	       !extra->is_detailed;
}

/* All jobs' details come first, then what is missing of jobs with rows. */
static void want_what_is_missing(const struct each_job *each, const struct job_table *table)
{
	for (size_t i = 0; i < each->count && !table->rows_without_details; i++) {
		struct job_row *row = &table->rows[each->rows[i].position];
		const struct job_extra *extra = job_extras_find(&table->extras, row->id);
		if (!extra || lacks_nodes(&each->rows[i], extra))
			row->bits |= ROW_WANTS_DETAILS;
	}
}

void each_job_choose(struct each_job *each, struct job_table *table, const struct node_table *nodes)
{
	if (!each->max)
		return;
	choose_rows(each, table);
	note_rows(each, table);
	uint64_t left = HOSTLIST_ANSWER_MAX;
	for (size_t i = 0; i < each->count; i++)
		if (each->rows[i].holds_nodes)
			look_at_nodes(&each->rows[i], table, nodes, &left);
	choose_node_rows(each, table);
	want_what_is_missing(each, table);
}

void each_job_done(struct each_job *each)
{
	free(each->rows);
	free(each->cut_off);
	*each = (struct each_job){.max = each->max, .node_rows_max = each->node_rows_max};
}
