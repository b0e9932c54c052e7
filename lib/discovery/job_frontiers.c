#include "discovery/job_frontiers.h"

enum {
	ARRAY_ROWS = 1000, /* MaxArraySize is 1001 by default; larger arrays seldom come in a row between two rounds */
	WINDOW_MAX = 1024, /* IDs without jobs cost next to nothing, and a request's rows are limited by rows_max */
	/* A round asks for IDs one by one until it has found this many jobs, since each may be the first of a large
	 * array. Five arrays of 20,000 tasks in one request took more than two minutes
	 * (SLURMRESTD.md, "Several leaders"). */
	SINGLY = 64,
	GAP_MAX = 10000, /* an ID further away from a frontier than this belongs to another frontier */
	KNOWN_SKIPPED_MAX = 100000, /* known IDs skipped at a time: after a wrap-around of IDs, all may be in use */
};

void job_frontiers_done(struct job_frontiers *frontiers)
{
	job_probes_done(&frontiers->probes);
}

/* The ID that Slurm gives after this one. */
static uint64_t following(const struct job_frontiers *frontiers, uint64_t id)
{
	uint64_t local = id & JOB_LOCAL_ID_MASK;
	local = local >= frontiers->last_id ? frontiers->first_id : local + 1;
	return (id & ~JOB_LOCAL_ID_MASK) | local;
}

static void move_to_end(struct job_frontiers *frontiers, size_t which)
{
	struct job_frontier moved = frontiers->items[which];
	for (size_t i = which; i + 1 < frontiers->count; i++)
		frontiers->items[i] = frontiers->items[i + 1];
	frontiers->items[frontiers->count - 1] = moved;
}

/* Removes the frontier that has not moved for longest, of one cluster or of all. */
static void make_room(struct job_frontiers *frontiers, unsigned origin)
{
	size_t oldest = 0, count = 0;
	for (size_t i = 0; i < frontiers->count; i++)
		if (job_origin(frontiers->items[i].next) == origin && count++ == 0)
			oldest = i;
	if (count < JOB_FRONTIERS_EACH_MAX && frontiers->count < JOB_FRONTIERS_MAX)
		return;
	move_to_end(frontiers, count < JOB_FRONTIERS_EACH_MAX ? 0 : oldest);
	frontiers->count--;
}

void job_frontiers_advance(struct job_frontiers *frontiers, uint64_t id)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (id < frontier->next && frontier->next - id <= GAP_MAX)
			return;
		if (id >= frontier->next && id - frontier->next <= GAP_MAX) {
			frontier->next = following(frontiers, id);
			move_to_end(frontiers, i);
			return;
		}
	}
	make_room(frontiers, job_origin(id));
	frontiers->items[frontiers->count++] =
		(struct job_frontier){.next = following(frontiers, id), .window = JOB_WINDOW_MIN, .at_once = 1};
}

static void widen(struct job_frontier *frontier, uint64_t window)
{
	if (frontier->window < window)
		frontier->window = window;
}

void job_frontiers_reach(struct job_frontiers *frontiers, uint64_t id)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (id < frontier->next || id - frontier->next > GAP_MAX || following(frontiers, id) <= id)
			continue;
		if (id >= frontier->given)
			frontier->given = id + 1;
		widen(frontier, frontier->given - frontier->next + JOB_WINDOW_MIN);
		move_to_end(frontiers, i);
		return;
	}
	job_frontiers_advance(frontiers, id);
}

uint64_t job_frontiers_top_of(const struct job_frontiers *frontiers, unsigned origin)
{
	uint64_t top = 0;
	for (size_t i = 0; i < frontiers->count; i++) {
		const struct job_frontier *frontier = &frontiers->items[i];
		uint64_t next = frontier->given > frontier->next ? frontier->given : frontier->next;
		if (job_origin(frontier->next) == origin && next > top)
			top = next;
	}
	return top;
}

uint64_t job_frontiers_top(const struct job_frontiers *frontiers)
{
	for (unsigned origin = JOB_ORIGINS; origin-- > 0;) {
		uint64_t top = job_frontiers_top_of(frontiers, origin);
		if (top)
			return top;
	}
	return 0;
}

void job_frontiers_begin(struct job_frontiers *frontiers)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		frontier->is_done = false;
		frontier->looked = frontier->found = 0;
		frontier->at_once = 1;
	}
}

uint64_t job_frontiers_work(const struct job_frontiers *frontiers, bool is_in_round)
{
	uint64_t ids = 0;
	for (size_t i = 0; i < frontiers->count; i++) {
		const struct job_frontier *frontier = &frontiers->items[i];
		if (!is_in_round)
			ids += frontier->window;
		else if (!frontier->is_done)
			ids += frontier->window - frontier->looked;
	}
	return ids;
}

void job_frontiers_widen(struct job_frontiers *frontiers)
{
	for (size_t i = 0; i < frontiers->count; i++)
		widen(&frontiers->items[i], WINDOW_MAX);
}

static bool is_known(const struct job_table *table, uint64_t id)
{
	struct job_view view;
	return job_table_find(table, id, &view);
}

static void move(struct job_frontier *frontier, uint64_t next)
{
	frontier->next = next;
	frontier->looked = 0;
}

static uint64_t ask_at(struct job_frontiers *frontiers, struct job_frontier *frontier, const struct job_table *table,
		       struct buf *query)
{
	for (int i = 0; i < KNOWN_SKIPPED_MAX && is_known(table, frontier->next); i++)
		move(frontier, following(frontiers, frontier->next));
	uint64_t id = frontier->next;
	for (uint64_t i = 0; i < frontier->looked; i++)
		id = following(frontiers, id);
	frontier->probes_from = frontiers->probes.count;
	frontier->covered = 0;
	for (; frontier->covered < frontier->at_once; frontier->covered++, id = following(frontiers, id)) {
		if (is_known(table, id))
			continue;
		if (!job_query_add(query, id))
			break;
		job_probes_add(&frontiers->probes, id);
	}
	frontier->probes_to = frontiers->probes.count;
	return frontier->covered;
}

void job_frontiers_ask_nothing(struct job_frontiers *frontiers)
{
	frontiers->probes.count = 0;
	for (size_t i = 0; i < frontiers->count; i++)
		frontiers->items[i].probes_from = frontiers->items[i].probes_to = 0;
}

uint64_t job_frontiers_ask(struct job_frontiers *frontiers, const struct job_table *table, uint64_t rows_max,
			   struct buf *query)
{
	uint64_t ids = 0;
	frontiers->rows_max = rows_max;
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (!frontier->is_done && ids < rows_max)
			ids += ask_at(frontiers, frontier, table, query);
	}
	return ids;
}

/* If the window is empty so far, the next request asks for all of its rest. Above jobs it asks for as many IDs as the
 * rows that came allow. */
static void note_empty(struct job_frontier *frontier)
{
	frontier->looked += frontier->covered;
	frontier->is_done = frontier->looked >= frontier->window;
	if (!frontier->is_done) {
		uint64_t rest = frontier->window - frontier->looked;
		frontier->at_once = rest < WINDOW_MAX ? rest : WINDOW_MAX;
		return;
	}
	frontier->window = JOB_WINDOW_MIN;
	if (frontier->given > frontier->next) /* the jobs up to there are gone */
		frontier->next = frontier->given;
	frontier->given = 0;
}

static bool settle(struct job_frontiers *frontiers, struct job_frontier *frontier, const struct job_answer *answer,
		   uint64_t rows)
{
	bool is_found = false;
	for (size_t i = frontier->probes_from; i < frontier->probes_to; i++) {
		if (!job_answer_has(answer, frontiers->probes.ids[i]))
			continue;
		is_found = true;
		move(frontier, following(frontiers, frontiers->probes.ids[i]));
	}
	frontier->found += is_found;
	if (is_found && frontier->found >= SINGLY) {
		uint64_t ids =
			job_probes_next(frontier->at_once, frontier->covered, rows, frontiers->rows_max, ARRAY_ROWS);
		frontier->at_once = ids < WINDOW_MAX ? ids : WINDOW_MAX;
	} else if (is_found) {
		frontier->at_once = 1;
	} else {
		note_empty(frontier);
	}
	frontier->probes_from = frontier->probes_to = 0;
	return is_found;
}

void job_frontiers_settle(struct job_frontiers *frontiers, const struct job_answer *answer, uint64_t rows)
{
	size_t moved = frontiers->count;
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (frontier->probes_from < frontier->probes_to && settle(frontiers, frontier, answer, rows))
			moved = i;
	}
	if (moved < frontiers->count)
		move_to_end(frontiers, moved);
}

void job_frontiers_forget(struct job_frontiers *frontiers)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (frontier->probes_from < frontier->probes_to)
			frontier->at_once = 1;
	}
}
