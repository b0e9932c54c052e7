#include "jobs/each_job.h"

#include "base/memory.h"
#include "model/hostlist.h"
#include "model/tres.h"

#include <stdlib.h>

/* slurmctld's clock may be ahead of ours, and time passes before we note when the details came. */
enum { PRESENT_S = 10 };

uint64_t each_job_forecast(const struct job_row *row)
{
	bool is_told = row->state == JOB_PENDING && number_is_known(row->start_time);
	bool is_to_come = is_told && row->start_time > (uint64_t)row->details_time + PRESENT_S;
	return is_to_come && row->start_time > row->eligible_time ? row->start_time : 0;
}

/* Who has a row */

/* What TRES texts say. Many jobs share few texts, so most texts are parsed once. */
struct tres_known {
	uint32_t text; /* its number in the pool */
	unsigned gres; /* kinds */
	uint64_t billing;
};

struct candidate {
	double weight;
	uint32_t id, position;
};

struct choice {
	const struct job_table *table;
	struct tres_known tres[1024]; /* by number */
	struct heap {
		struct candidate *items; /* the first is the next to lose its row */
		size_t count, capacity;
	} heaps[STAGE_ENDED];
};

static const struct tres_known *tres_of(struct choice *choice, const struct job_row *row)
{
	struct tres_known *known = &choice->tres[row->tres % (sizeof choice->tres / sizeof *choice->tres)];
	struct text tres = text_pool_get(&choice->table->pools.texts, row->tres);
	struct gres gres[TRES_GRES_MAX];
	if (known->text != row->tres)
		*known = (struct tres_known){row->tres, tres_gres(tres, gres), tres_count(tres, TEXT("billing"))};
	return known;
}

static double weight_of(struct choice *choice, const struct job_row *row)
{
	return job_weight(tres_of(choice, row)->billing, row->cpus) * (double)row->tasks;
}

/* The stage in which it may have a row. STAGE_ENDED: in none, as it has ended, or we do not know what it holds, as its
 * details are another task's. */
static enum job_stage stage_of(const struct job_row *row)
{
	bool is_known = job_row_is_used(row) && row->bits & ROW_HAS_DETAILS && !(row->bits & ROW_IS_LENT);
	return is_known ? job_stage_of(row->state, row->flags) : STAGE_ENDED;
}

static bool comes_before(const struct candidate *a, const struct candidate *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->id < b->id;
}

/* Moves the first to where it belongs, so that again none comes before those below it. */
static void sink(struct heap *heap)
{
	for (size_t at = 0, next; (next = 2 * at + 1) < heap->count; at = next) {
		if (next + 1 < heap->count && comes_before(&heap->items[next], &heap->items[next + 1]))
			next++;
		if (comes_before(&heap->items[next], &heap->items[at]))
			break;
		struct candidate moved = heap->items[at];
		heap->items[at] = heap->items[next];
		heap->items[next] = moved;
	}
}

static void rise(struct heap *heap, size_t at)
{
	for (size_t above; at && comes_before(&heap->items[above = (at - 1) / 2], &heap->items[at]); at = above) {
		struct candidate moved = heap->items[at];
		heap->items[at] = heap->items[above];
		heap->items[above] = moved;
	}
}

static void leave_out(struct each_job_set *set, struct choice *choice, const struct job_row *row)
{
	struct each_job_left_out *out = &set->left_out;
	out->jobs++;
	out->nodes += row->nodes;
	out->gres += row->bits & ROW_HAS_GRES ? tres_of(choice, row)->gres : 0;
	out->submit += row->submit_time > 0;
	out->eligible += row->eligible_time > 0;
	out->start += number_is_known(row->start_time) && row->start_time;
	out->limit += number_is_known(row->time_limit);
	out->memory += row->memory > 0;
	out->forecast += each_job_forecast(row) > 0;
}

static void consider(struct each_job_set *set, struct choice *choice, struct heap *heap, size_t position)
{
	const struct job_row *rows = choice->table->rows, *row = &rows[position];
	struct candidate candidate = {weight_of(choice, row), row->id, (uint32_t)position}, twice = candidate;
	twice.weight *= 2;
	bool may_fit = heap->count < set->max || comes_before(&twice, heap->items);
	const struct job_extra *extra = may_fit ? job_extras_find(&choice->table->extras, row->id) : NULL;
	if (extra && extra->has_row)
		candidate = twice;
	if (heap->count < set->max) {
		GROW(heap->items, heap->count, heap->capacity);
		heap->items[heap->count++] = candidate;
		rise(heap, heap->count - 1);
	} else if (may_fit && comes_before(&candidate, heap->items)) {
		leave_out(set, choice, &rows[heap->items->position]);
		*heap->items = candidate;
		sink(heap);
	} else {
		leave_out(set, choice, row);
	}
}

static int by_position(const void *left, const void *right)
{
	const struct each_job_row *a = left, *b = right;
	return a->position < b->position ? -1 : a->position > b->position;
}

static void take_rows(struct each_job_set *set, const struct heap *heap)
{
	free(set->rows);
	set->rows = heap->count ? memory_new(heap->count * sizeof *set->rows) : NULL;
	set->count = heap->count;
	for (size_t i = 0; i < heap->count; i++)
		set->rows[i].position = heap->items[i].position;
	if (set->count)
		qsort(set->rows, set->count, sizeof *set->rows, by_position);
}

static void choose_rows(struct each_job *each, struct choice *choice)
{
	const struct job_table *table = choice->table;
	for (int stage = 0; stage < STAGE_ENDED; stage++)
		each->sets[stage].left_out = (struct each_job_left_out){0};
	for (size_t i = 0; i < table->position_count; i++) {
		enum job_stage stage = stage_of(&table->rows[i]);
		if (stage != STAGE_ENDED && each->sets[stage].max)
			consider(&each->sets[stage], choice, &choice->heaps[stage], i);
	}
	for (int stage = 0; stage < STAGE_ENDED; stage++) {
		take_rows(&each->sets[stage], &choice->heaps[stage]);
		free(choice->heaps[stage].items);
	}
}

/* What is kept of them */

static struct job_extra *extra_of(const struct job_table *table, const struct each_job_row *row)
{
	return job_extras_find(&table->extras, table->rows[row->position].id);
}

/* Forgets jobs that have gone, and notes which jobs have a row. */
static void note_rows(const struct each_job *each, struct job_table *table, struct choice *choice)
{
	struct job_extras *extras = &table->extras;
	for (size_t i = extras->count; i-- > 0;) {
		struct job_extra *extra = extras->items[i];
		const struct job_row *row = job_table_row(table, extra->id);
		enum job_stage stage = row ? job_stage_of(row->state, row->flags) : JOB_STAGES;
		extra->has_row = false;
		if (!row || !extras->max[stage]) {
			job_extras_remove(extras, extra->id);
			continue;
		}
		if (stage != STAGE_ENDED)
			extra->weight = weight_of(choice, row);
		job_extras_move(extras, extra, stage);
	}
	for (int stage = 0; stage < STAGE_ENDED; stage++)
		for (size_t i = 0; i < each->sets[stage].count; i++) {
			struct job_extra *extra = extra_of(table, &each->sets[stage].rows[i]);
			if (extra)
				extra->has_row = true;
		}
}

/* Their nodes */

struct held {
	const struct node_table *nodes;
	uint32_t count;
	uint64_t cpus; /* of the nodes, all that jobs can get */
	bool are_known;
};

static void add_node(void *context, struct text name)
{
	struct held *held = context;
	char scratch[LABEL_MAX + 1];
	const struct node_row *row = held->nodes ? map_find(&held->nodes->rows, label_of(name, scratch)) : NULL;
	held->count++;
	held->are_known &= row && number_is_known(row->node.cpus);
	if (held->are_known)
		held->cpus += node_cpus_of_jobs(&row->node);
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
static void choose_node_rows(const struct each_job_set *set, const struct job_table *table, uint64_t left)
{
	for (int had = 1; had >= 0; had--) {
		for (size_t i = 0; i < set->count; i++) {
			struct each_job_row *row = &set->rows[i];
			struct job_extra *extra = extra_of(table, row);
			if ((extra && extra->has_node_rows) != had)
				continue;
			row->has_node_rows = !row->are_nodes_cut && row->nodes <= left;
			left -= row->has_node_rows ? row->nodes : 0;
		}
	}
	for (size_t i = 0; i < set->count; i++) {
		struct job_extra *extra = extra_of(table, &set->rows[i]);
		if (extra)
			extra->has_node_rows = set->rows[i].has_node_rows;
	}
}

static void choose_nodes(const struct each_job *each, const struct job_table *table, const struct node_table *nodes)
{
	const struct each_job_set *set = &each->sets[STAGE_HOLDING];
	uint64_t left = HOSTLIST_ANSWER_MAX;
	for (size_t i = 0; i < set->count; i++)
		look_at_nodes(&set->rows[i], table, nodes, &left);
	choose_node_rows(set, table, each->node_rows_max);
}

/* What is missing */

/* Is it unknown which CPUs the job holds on which node, and has nobody asked for that yet? A federation's job cannot be
 * asked for alone. */
static bool lacks_nodes(const struct each_job_row *row, const struct job_extra *extra)
{
	return row->cpus != CPUS_ALL && job_nodes_need_detail(row->nodes) && !extra->node_count &&
	       !extra->is_detailed && !job_origin(extra->id);
}

/* Is it unknown whether a suspended job still has its GPUs (job_reader.c)? */
static bool lacks_gpus(const struct job_row *row, const struct job_extra *extra)
{
	return row->state == JOB_SUSPENDED && extra->has_untold_gpus && !extra->is_detailed && !job_origin(extra->id);
}

/* All jobs' details come first, then what is missing of jobs with rows. */
static void want_what_is_missing(const struct each_job_set *set, const struct job_table *table)
{
	for (size_t i = 0; i < set->count && !table->rows_without_details; i++) {
		const struct job_extra *extra = extra_of(table, &set->rows[i]);
		struct job_row *row = &table->rows[set->rows[i].position];
		if (!extra || lacks_nodes(&set->rows[i], extra) || lacks_gpus(row, extra))
			row->bits |= ROW_WANTS_DETAILS;
	}
}

void each_job_choose(struct each_job *each, struct job_table *table, const struct node_table *nodes)
{
	struct choice choice = {.table = table};
	choose_rows(each, &choice);
	note_rows(each, table, &choice);
	choose_nodes(each, table, nodes);
	for (int stage = 0; stage < STAGE_ENDED; stage++)
		want_what_is_missing(&each->sets[stage], table);
}

void each_job_done(struct each_job *each)
{
	for (int stage = 0; stage < STAGE_ENDED; stage++) {
		struct each_job_set *set = &each->sets[stage];
		free(set->rows);
		*set = (struct each_job_set){.max = set->max};
	}
}
