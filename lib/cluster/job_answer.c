#include "cluster/job_answer.h"

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
	answer->rows[answer->count++] =
		(struct job_seen){task->id, array_task, task->flags, task->state};
}

static int compare(const void *left, const void *right)
{
	const struct job_seen *a = left, *b = right;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* A row comes twice if its id was asked for in two ways. */
static uint64_t count_tasks(const struct job_seen *rows, size_t count)
{
	uint64_t tasks = 0;
	for (size_t i = 0; i < count; i++)
		tasks += i == 0 || rows[i].task != rows[i - 1].task;
	return tasks;
}

static void apply_record(const struct job_seen *rows, size_t count, struct job_table *table,
			 struct id_map *tails, int64_t now)
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

void job_answer_apply(struct job_answer *answer, struct job_table *table, struct id_map *tails,
		      int64_t now)
{
	if (answer->count)
		qsort(answer->rows, answer->count, sizeof *answer->rows, compare);
	for (size_t at = 0, end; at < answer->count; at = end) {
		for (end = at; end < answer->count && answer->rows[end].id == answer->rows[at].id;)
			end++;
		apply_record(&answer->rows[at], end - at, table, tails, now);
	}
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
