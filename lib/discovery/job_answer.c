#include "discovery/job_answer.h"

#include "base/memory.h"
#include "model/number.h"

#include <stdlib.h>

void job_answer_take(struct job_answer *answer, const struct job_task *task)
{
	struct text rest = task->name, number = text_cut(&rest, '_');
	uint64_t array_task = NUMBER_UNSET;
	if (number.len < task->name.len && !text_to_u64(rest, &array_task))
		array_task = NUMBER_UNSET;
	GROW(answer->rows, answer->count, answer->capacity);
	answer->rows[answer->count++] = (struct job_seen){task->id, array_task, task->flags, task->state};
}

static int compare(const void *left, const void *right)
{
	const struct job_seen *a = left, *b = right;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* A row comes twice if its ID was asked for in two ways. */
static uint64_t count_tasks(const struct job_seen *rows, size_t count)
{
	uint64_t tasks = 0;
	for (size_t i = 0; i < count; i++)
		tasks += i == 0 || rows[i].task != rows[i - 1].task;
	return tasks;
}

static void apply_record(const struct job_seen *rows, size_t count, struct job_table *table, struct id_map *tails,
			 int64_t now)
{
	uint64_t id = rows->id, tasks = count_tasks(rows, count), tail = rows[count - 1].task;
	struct job_view view;
	if (!job_table_set_state(table, id, rows->state, rows->flags, now))
		return;
	bool is_rest = tasks > 1 || (job_table_find(table, id, &view) && view.is_unsplit);
	if (is_rest)
		job_table_set_tasks(table, id, tasks);
	bool has_tail = is_rest && tail < UINT32_MAX;
	id_map_set(tails, (uint32_t)id, has_tail ? (uint32_t)tail + 1 : 0);
}

/* Did an array's first record bring the row? Then nobody asked for the row, or it comes twice, because somebody did. */
static bool was_brought(const struct job_answer *answer, size_t at, const struct id_map *asked)
{
	return at < answer->count && id_map_find(asked, (uint32_t)answer->rows[at].id) != 2;
}

/* The record of an array's first job comes once, among its tasks (SLURMRESTD.md, "jobs/state"). A job beside them may
 * look like it. A request by its task does not bring such a job; the next one asks for it by its ID. `asked` gets 1 +
 * how often each ID came. */
static void find_leaders(const struct job_answer *answer, struct id_map *asked, struct id_map *leaders)
{
	bool has_others = false;
	for (size_t i = 0; i < answer->count; i++) {
		uint32_t id = (uint32_t)answer->rows[i].id, seen = id_map_find(asked, id);
		has_others |= !seen;
		if (seen)
			id_map_set(asked, id, seen + 1);
	}
	for (size_t i = 0; has_others && i < answer->count; i++) {
		const struct job_seen *row = &answer->rows[i];
		if (!was_brought(answer, i, asked) && row->task < UINT32_MAX &&
		    (was_brought(answer, i + 1, asked) || (i && was_brought(answer, i - 1, asked))))
			id_map_set(leaders, (uint32_t)row->id, (uint32_t)row->task + 1);
	}
}

static void add_leaders(const struct id_map *leaders, struct id_map *tails)
{
	for (size_t i = 0; i < leaders->slot_count; i++)
		if (leaders->slots[i].value)
			id_map_set(tails, leaders->slots[i].id, leaders->slots[i].value);
}

void job_answer_apply(struct job_answer *answer, struct job_table *table, struct id_map *asked, struct id_map *tails,
		      int64_t now)
{
	struct id_map leaders = {0};
	if (asked)
		find_leaders(answer, asked, &leaders);
	if (answer->count)
		qsort(answer->rows, answer->count, sizeof *answer->rows, compare);
	for (size_t at = 0, end; at < answer->count; at = end) {
		for (end = at; end < answer->count && answer->rows[end].id == answer->rows[at].id;)
			end++;
		apply_record(&answer->rows[at], end - at, table, tails, now);
	}
	add_leaders(&leaders, tails);
	id_map_done(&leaders);
}

bool job_answer_has(const struct job_answer *answer, uint64_t id)
{
	size_t low = 0, high = answer->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (answer->rows[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < answer->count && answer->rows[low].id == id;
}
