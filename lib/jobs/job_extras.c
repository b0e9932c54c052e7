#include "jobs/job_extras.h"

#include "base/memory.h"
#include "entities/label.h"
#include "jobs/job_row.h"
#include "model/tres.h"

#include <stdlib.h>

enum job_stage job_stage_of(int state, uint64_t flags)
{
	bool completes = flags >> JOB_FLAG_COMPLETING & 1;
	if (state == JOB_PENDING)
		return STAGE_PENDING;
	return state == JOB_RUNNING || state == JOB_SUSPENDED || completes ? STAGE_HOLDING : STAGE_ENDED;
}

static struct text keep(char **to, struct text text)
{
	struct text kept = {*to, text.len};
	if (text.len)
		memcpy(*to, text.bytes, text.len);
	*to += text.len;
	return kept;
}

static double weight_of(const struct job *job)
{
	bool is_cut;
	uint64_t cpus = number_is_known(job->cpus) ? job->cpus : 0;
	return job_weight(tres_count(job_tres(job), TEXT("billing")), cpus) * (double)job_count(job, &is_cut);
}

/* One piece of memory holds the struct, its nodes, their names and its own names. */
static struct job_extra *extra_new(const struct job *job)
{
	const struct job_node *nodes = job->nodes_held.items;
	size_t count = job->nodes_held.count <= JOB_DETAIL_NODES_MAX ? job->nodes_held.count : 0;
	struct text name = text_limit(job->name, LABEL_MAX), sluid = text_limit(job->sluid, LABEL_MAX);
	struct text failed_node = text_limit(job->failed_node, LABEL_MAX);
	size_t bytes = name.len + sluid.len + failed_node.len;
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
		.start_time = job->start_time,
		.node_count_told = job->nodes,
		.cpus_told = job->cpus,
		.name = keep(&to, name),
		.sluid = keep(&to, sluid),
		.failed_node = keep(&to, failed_node),
		.exit_code = job->exit_code,
		.exit_signal = job->exit_signal,
		.nodes = kept,
		.node_count = count,
		.weight = weight_of(job),
		.has_untold_gpus = job->has_untold_gpus,
		.is_detailed = job->is_detailed,
		.stage = job_stage_of(job->state, job->flags),
	};
	return extra;
}

/* An earlier record said what it holds of each node, and it still holds the same. */
static void keep_nodes(struct job *job, const struct job_extra *known)
{
	bool is_same = known->stage == STAGE_HOLDING && known->start_time == job->start_time &&
		       known->node_count_told == job->nodes && known->cpus_told == job->cpus;
	if (!is_same || job->nodes_held.count)
		return;
	job->nodes_held = (struct list){known->nodes, known->node_count};
	job->is_detailed |= known->is_detailed;
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
	extras->counts[gone->stage]--;
	free(gone);
}

void job_extras_move(struct job_extras *extras, struct job_extra *extra, enum job_stage stage)
{
	extras->counts[extra->stage]--;
	extras->counts[stage]++;
	extra->stage = stage;
}

static int by_right_to_a_row(const void *left, const void *right)
{
	const struct job_extra *a = *(struct job_extra *const *)left;
	const struct job_extra *b = *(struct job_extra *const *)right;
	if (a->has_row != b->has_row)
		return a->has_row ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Removes a third of them at a time, so that this does not run for every job. */
static void make_room(struct job_extras *extras, enum job_stage stage)
{
	if (extras->counts[stage] < 3 * extras->max[stage])
		return;
	size_t kept = 0, kept_of_stage = 2 * extras->max[stage];
	qsort(extras->items, extras->count, sizeof *extras->items, by_right_to_a_row);
	id_map_done(&extras->positions);
	extras->counts[stage] = 0;
	for (size_t i = 0; i < extras->count; i++) {
		struct job_extra *extra = extras->items[i];
		if (extra->stage == stage && extras->counts[stage] == kept_of_stage) {
			free(extra);
			continue;
		}
		extras->counts[stage] += extra->stage == stage;
		extras->items[kept++] = extra;
		id_map_set(&extras->positions, extra->id, (uint32_t)kept);
	}
	extras->count = kept;
}

void job_extras_put(struct job_extras *extras, const struct job *job)
{
	enum job_stage stage = job_stage_of(job->state, job->flags);
	if (!number_is_known(job->id) || job->id >= UINT32_MAX)
		return;
	uint32_t id = (uint32_t)job->id;
	if (!extras->max[stage]) {
		job_extras_remove(extras, id);
		return;
	}
	const struct job_extra *known = job_extras_find(extras, id);
	if (!known && extras->before)
		known = job_extras_find(extras->before, id);
	struct job told = *job;
	if (known)
		keep_nodes(&told, known);
	struct job_extra *extra = extra_new(&told);
	extra->has_row = known && known->has_row;
	extra->has_node_rows = known && known->has_node_rows;
	job_extras_remove(extras, id);
	make_room(extras, stage);
	GROW(extras->items, extras->count, extras->capacity);
	extras->items[extras->count++] = extra;
	extras->counts[stage]++;
	id_map_set(&extras->positions, id, (uint32_t)extras->count);
}

struct job_extras job_extras_begin(const struct job_extras *before)
{
	struct job_extras list = {.before = before};
	memcpy(list.max, before->max, sizeof list.max);
	return list;
}

void job_extras_replace(struct job_extras *before, struct job_extras *list)
{
	job_extras_done(before);
	*before = *list;
	before->before = NULL;
	*list = (struct job_extras){.before = NULL};
}

size_t job_extras_bytes(const struct job_extras *extras)
{
	size_t bytes = extras->capacity * sizeof *extras->items + extras->positions.slot_count * sizeof(struct id_slot);
	for (size_t i = 0; i < extras->count; i++) {
		const struct job_extra *extra = extras->items[i];
		bytes += sizeof *extra + extra->name.len + extra->sluid.len + extra->failed_node.len;
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
	*extras = job_extras_begin(extras);
	extras->before = NULL;
}
