#include "jobs/job_extras.h"

#include "base/memory.h"
#include "entities/label.h"

#include <stdlib.h>

enum job_rank job_rank_of(int state, uint64_t flags)
{
	if (state == JOB_RUNNING || state == JOB_PENDING)
		return state == JOB_RUNNING ? RANK_RUNNING : RANK_PENDING;
	bool completes = flags >> JOB_FLAG_COMPLETING & 1;
	return state == JOB_SUSPENDED || completes ? RANK_HOLDING : JOB_RANKS;
}

static struct text keep(char **to, struct text text)
{
	struct text kept = {*to, text.len};
	if (text.len)
		memcpy(*to, text.bytes, text.len);
	*to += text.len;
	return kept;
}

/* One piece of memory holds the struct, its nodes, their names and its own names. */
static struct job_extra *extra_new(const struct job *job)
{
	const struct job_node *nodes = job->nodes_held.items;
	size_t count = job->nodes_held.count <= JOB_DETAIL_NODES_MAX ? job->nodes_held.count : 0;
	struct text name = text_limit(job->name, LABEL_MAX), sluid = text_limit(job->sluid, LABEL_MAX);
	size_t bytes = name.len + sluid.len;
	for (size_t i = 0; i < count; i++)
		bytes += nodes[i].name.len;
	struct job_extra *extra = memory_new(sizeof *extra + count * sizeof *nodes + bytes);
	struct job_node *kept = (struct job_node *)(extra + 1);
	char *to = (char *)(kept + count);
	for (size_t i = 0; i < count; i++)
		kept[i] = (struct job_node){keep(&to, nodes[i].name), nodes[i].cpus};
	*extra = (struct job_extra){
		.id = (uint32_t)job->id,
		.het_job_id = number_is_known(job->het_job_id) ? (uint32_t)job->het_job_id : 0,
		.priority = job->priority,
		.restarts = job->restarts,
		.name = keep(&to, name),
		.sluid = keep(&to, sluid),
		.nodes = kept,
		.node_count = count,
		.is_detailed = job->is_detailed,
		.rank = job_rank_of(job->state, job->flags),
	};
	return extra;
}

struct job_extra *job_extras_find(const struct job_extras *extras, uint32_t id)
{
	uint32_t position = id_map_find(&extras->positions, id);
	return position ? extras->items[position - 1] : NULL;
}

void job_extras_remove(struct job_extras *extras, uint32_t id)
{
	uint32_t position = id_map_find(&extras->positions, id);
	if (!position)
		return;
	struct job_extra *gone = extras->items[position - 1], *last = extras->items[--extras->count];
	extras->items[position - 1] = last;
	id_map_set(&extras->positions, last->id, position);
	id_map_set(&extras->positions, id, 0);
	free(gone);
}

static int by_right_to_a_row(const void *left, const void *right)
{
	const struct job_extra *a = *(struct job_extra *const *)left;
	const struct job_extra *b = *(struct job_extra *const *)right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->has_row != b->has_row)
		return a->has_row ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Removes half of them at a time, so that this does not run for every job. */
static void make_room(struct job_extras *extras)
{
	if (extras->count < 2 * extras->max)
		return;
	qsort(extras->items, extras->count, sizeof *extras->items, by_right_to_a_row);
	id_map_done(&extras->positions);
	for (size_t i = extras->max; i < extras->count; i++)
		free(extras->items[i]);
	extras->count = extras->max;
	for (size_t i = 0; i < extras->count; i++)
		id_map_set(&extras->positions, extras->items[i]->id, (uint32_t)i + 1);
}

void job_extras_put(struct job_extras *extras, const struct job *job)
{
	if (!extras->max || !number_is_known(job->id) || job->id >= UINT32_MAX)
		return;
	uint32_t id = (uint32_t)job->id;
	const struct job_extra *known = job_extras_find(extras, id);
	if (!known && extras->before)
		known = job_extras_find(extras->before, id);
	bool has_row = known && known->has_row, has_node_rows = known && known->has_node_rows;
	job_extras_remove(extras, id);
	if (job_rank_of(job->state, job->flags) == JOB_RANKS)
		return;
	make_room(extras);
	struct job_extra *extra = extra_new(job);
	extra->has_row = has_row;
	extra->has_node_rows = has_node_rows;
	GROW(extras->items, extras->count, extras->capacity);
	extras->items[extras->count++] = extra;
	id_map_set(&extras->positions, id, (uint32_t)extras->count);
}

struct job_extras job_extras_begin(const struct job_extras *before)
{
	return (struct job_extras){.max = before->max, .before = before};
}

void job_extras_replace(struct job_extras *before, struct job_extras *list)
{
	job_extras_done(before);
	*before = *list;
	before->before = NULL;
	*list = (struct job_extras){.max = 0};
}

size_t job_extras_bytes(const struct job_extras *extras)
{
	size_t bytes = extras->capacity * sizeof *extras->items + extras->positions.slot_count * sizeof(struct id_slot);
	for (size_t i = 0; i < extras->count; i++) {
		const struct job_extra *extra = extras->items[i];
		bytes += sizeof *extra + extra->name.len + extra->sluid.len;
		for (size_t n = 0; n < extra->node_count; n++)
			bytes += sizeof *extra->nodes + extra->nodes[n].name.len;
	}
	return bytes;
}

void job_extras_done(struct job_extras *extras)
{
	for (size_t i = 0; i < extras->count; i++)
		free(extras->items[i]);
	free(extras->items);
	id_map_done(&extras->positions);
	*extras = (struct job_extras){.max = extras->max};
}
