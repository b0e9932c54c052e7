#include "discovery/job_frontiers.h"

enum {
	WINDOW_MAX = 1024, /* IDs without jobs cost next to nothing, and a request's rows are limited by rows_max */
	/* Unless few jobs are new, a round asks for IDs one by one until it has found this many jobs. Each may be the
	 * first of a large array. Five arrays of 20,000 tasks in one request took more than two minutes
	 * (SLURMRESTD.md, "Several leaders"). */
	SINGLY = 64,
	GAP_MAX = 10000, /* an ID further away from a frontier than this belongs to another frontier */
	KNOWN_SKIPPED_MAX = 100000, /* known IDs skipped at a time: after a wrap-around of IDs, all may be in use */
	STEP_MAX = 1 << 22, /* IDs; no Slurm has more jobs */
};

void job_frontiers_done(struct job_frontiers *frontiers)
{
	job_probes_done(&frontiers->probes);
}

/* The ID that Slurm gives `ids` after this one. IDs begin again after the last one. */
static uint64_t after(const struct job_frontiers *frontiers, uint64_t id, uint64_t ids)
{
	uint64_t local = id & JOB_LOCAL_ID_MASK, last = frontiers->last_id;
	uint64_t left = local < last ? last - local : 0;
	local = ids <= left ? local + ids : frontiers->first_id + ids - left - 1;
	return (id & ~JOB_LOCAL_ID_MASK) | local;
}

static uint64_t following(const struct job_frontiers *frontiers, uint64_t id)
{
	return after(frontiers, id, 1);
}

/* How many IDs Slurm gives from `from` on until it comes to `to`; both are of one cluster. */
static uint64_t distance(const struct job_frontiers *frontiers, uint64_t from, uint64_t to)
{
	uint64_t first = frontiers->first_id, last = frontiers->last_id;
	from &= JOB_LOCAL_ID_MASK;
	to &= JOB_LOCAL_ID_MASK;
	if (to >= from)
		return to - from;
	return (from < last ? last - from : 0) + 1 + (to > first ? to - first : 0);
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

/* The round looks at all IDs from `next` on, again. */
static void look_again(struct job_frontier *frontier)
{
	frontier->at = frontier->next;
	frontier->looked = 0;
	frontier->at_once = 1;
}

static void pass(const struct job_frontiers *frontiers, struct job_frontier *frontier, uint64_t next)
{
	uint64_t passed = distance(frontiers, frontier->next, next);
	frontier->given -= passed < frontier->given ? passed : frontier->given;
	frontier->next = frontier->at = next;
	if (frontier->looked)
		look_again(frontier);
}

/* Slurm gave the ID before this one last. */
static void move(const struct job_frontiers *frontiers, struct job_frontier *frontier, uint64_t next)
{
	pass(frontiers, frontier, next);
	frontier->passed_from = next;
}

void job_frontiers_advance(struct job_frontiers *frontiers, uint64_t id)
{
	uint64_t next = following(frontiers, id);
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (id < frontier->next && frontier->next - id <= GAP_MAX)
			return;
		if (id >= frontier->next && id - frontier->next <= GAP_MAX) {
			move(frontiers, frontier, next);
			move_to_end(frontiers, i);
			return;
		}
	}
	make_room(frontiers, job_origin(id));
	frontiers->items[frontiers->count++] = (struct job_frontier){
		.next = next, .passed_from = next, .at = next, .window = JOB_WINDOW_MIN, .at_once = 1};
}

void job_frontiers_note_free(struct job_frontiers *frontiers, uint64_t id)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		uint64_t from = frontier->passed_from;
		if (job_origin(id) != job_origin(from) ||
		    distance(frontiers, from, id) >= distance(frontiers, from, frontier->next))
			continue;
		frontier->given += frontier->given ? distance(frontiers, id, frontier->next) : 0;
		frontier->next = id;
		look_again(frontier);
	}
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
		uint64_t above = distance(frontiers, frontier->next, id);
		if (job_origin(id) != job_origin(frontier->next) || above > GAP_MAX)
			continue;
		if (above >= frontier->given) {
			frontier->given = above + 1;
			widen(frontier, frontier->given + JOB_WINDOW_MIN);
			look_again(frontier);
			move_to_end(frontiers, i);
		}
		return;
	}
	job_frontiers_advance(frontiers, id);
}

uint64_t job_frontiers_top_of(const struct job_frontiers *frontiers, unsigned origin)
{
	uint64_t top = 0;
	for (size_t i = 0; i < frontiers->count; i++) {
		const struct job_frontier *frontier = &frontiers->items[i];
		uint64_t next = after(frontiers, frontier->next, frontier->given);
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
		look_again(frontier);
		frontier->is_done = false;
		frontier->found = 0;
	}
	job_frontiers_begin_steps(frontiers);
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

/* Slurm leaves out IDs in use. */
static void pass_known(struct job_frontiers *frontiers, struct job_frontier *frontier, const struct job_table *table)
{
	for (int i = 0; i < KNOWN_SKIPPED_MAX && is_known(table, frontier->next); i++)
		pass(frontiers, frontier, following(frontiers, frontier->next));
}

static uint64_t ask_at(struct job_frontiers *frontiers, struct job_frontier *frontier, const struct job_table *table,
		       struct buf *query)
{
	pass_known(frontiers, frontier, table);
	uint64_t id = frontier->at;
	uint64_t ids = 0, known = 0;
	frontier->probes_from = frontiers->probes.count;
	for (; ids < frontier->at_once && known < KNOWN_SKIPPED_MAX; id = following(frontiers, id)) {
		if (is_known(table, id)) {
			known++;
			continue;
		}
		if (!job_query_add(query, id))
			break;
		job_probes_add(&frontiers->probes, id);
		ids++;
	}
	frontier->covered_to = id;
	frontier->probes_to = frontiers->probes.count;
	return ids;
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
static void note_empty(struct job_frontiers *frontiers, struct job_frontier *frontier)
{
	frontier->looked += frontier->probes_to - frontier->probes_from;
	frontier->at = frontier->covered_to;
	frontier->is_done = frontier->looked >= frontier->window;
	if (!frontier->is_done) {
		uint64_t rest = frontier->window - frontier->looked;
		frontier->at_once = rest < WINDOW_MAX ? rest : WINDOW_MAX;
		return;
	}
	frontier->window = JOB_WINDOW_MIN;
	if (frontier->given) /* the jobs up to there are gone */
		move(frontiers, frontier, after(frontiers, frontier->next, frontier->given));
}

/* The last ID of the request under way that has a job; 0: none has. */
static uint64_t last_found(const struct job_frontiers *frontiers, const struct job_frontier *frontier,
			   const struct job_answer *answer)
{
	for (size_t i = frontier->probes_to; i-- > frontier->probes_from;)
		if (job_answer_has(answer, frontiers->probes.ids[i]))
			return frontiers->probes.ids[i];
	return 0;
}

/* Slurm gave this ID. The empty ones below it may have been asked for before that, and have jobs since. */
static void note_found(struct job_frontiers *frontiers, struct job_frontier *frontier, uint64_t id, uint64_t rows,
		       uint64_t array_rows)
{
	uint64_t asked = frontier->probes_to - frontier->probes_from, at_once = frontier->at_once;
	uint64_t next = following(frontiers, id);
	if (frontier->looked && distance(frontiers, frontier->next, frontier->at) > frontier->given) {
		frontier->given = distance(frontiers, frontier->next, next);
		look_again(frontier);
		return;
	}
	move(frontiers, frontier, next);
	frontier->found++;
	uint64_t ids = job_probes_next(at_once, asked, rows, frontiers->rows_max, array_rows);
	bool is_one = array_rows && frontier->found < SINGLY;
	frontier->at_once = is_one ? 1 : ids < WINDOW_MAX ? ids : WINDOW_MAX;
}

static bool settle(struct job_frontiers *frontiers, struct job_frontier *frontier, const struct job_answer *answer,
		   uint64_t rows, uint64_t array_rows)
{
	uint64_t last = last_found(frontiers, frontier, answer);
	if (last)
		note_found(frontiers, frontier, last, rows, array_rows);
	else
		note_empty(frontiers, frontier);
	frontier->probes_from = frontier->probes_to = 0;
	return last;
}

void job_frontiers_settle(struct job_frontiers *frontiers, const struct job_answer *answer, uint64_t rows,
			  uint64_t array_rows)
{
	size_t moved = frontiers->count;
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (frontier->probes_from < frontier->probes_to &&
		    settle(frontiers, frontier, answer, rows, array_rows))
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

void job_frontiers_begin_steps(struct job_frontiers *frontiers)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		frontiers->items[i].step = 1;
		frontiers->items[i].is_narrowing = false;
	}
}

uint64_t job_frontiers_next_step(struct job_frontiers *frontiers, const struct job_table *table)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (!frontier->step || job_origin(frontier->next))
			continue;
		pass_known(frontiers, frontier, table);
		frontiers->recorded = i;
		return after(frontiers, frontier->next, frontier->given + frontier->step - 1);
	}
	return 0;
}

uint64_t job_frontiers_next_record(struct job_frontiers *frontiers, const struct job_table *table)
{
	for (size_t i = 0; i < frontiers->count; i++) {
		struct job_frontier *frontier = &frontiers->items[i];
		if (frontier->is_done || job_origin(frontier->next))
			continue;
		pass_known(frontiers, frontier, table);
		frontiers->recorded = i;
		if (frontier->given)
			return frontier->next;
		frontier->is_done = true;
		frontier->window = JOB_WINDOW_MIN;
	}
	return 0;
}

/* IDs without jobs lie between those of jobs, as some have gone. So a short step is no end. */
static void note_step(struct job_frontier *frontier, bool is_there)
{
	frontier->given += is_there ? frontier->step : 0;
	frontier->is_narrowing |= frontier->step >= STEP_MAX || (!is_there && frontier->step > frontier->window);
	if (!frontier->is_narrowing)
		frontier->step *= 2;
	else
		frontier->step = frontier->given ? frontier->step / 2 : 0;
}

void job_frontiers_note_record(struct job_frontiers *frontiers, bool is_there)
{
	struct job_frontier *frontier = &frontiers->items[frontiers->recorded];
	if (frontier->step)
		note_step(frontier, is_there);
	else if (!is_there) /* Slurm gave it, so the job has gone */
		move(frontiers, frontier, following(frontiers, frontier->next));
}

uint64_t job_frontiers_given(const struct job_frontiers *frontiers)
{
	uint64_t given = 0;
	for (size_t i = 0; i < frontiers->count; i++)
		given += frontiers->items[i].given;
	return given;
}
