#include "discovery/job_leaders.h"

#include "base/memory.h"
#include "model/number.h"

#include <stdlib.h>

/* Tasks of the largest array whose leader is asked for. 20,000 rows took 1.16 s of slurmrestd, 40,000 took 6.8 s
 * (SLURMRESTD.md, "Several leaders"). A larger array's tasks are asked for by themselves. */
enum { TASKS_MAX = 25000 };

void job_leaders_done(struct job_leaders *leaders)
{
	id_map_done(&leaders->known);
	free(leaders->unasked);
}

void job_leaders_begin(struct job_leaders *leaders, const struct job_table *table)
{
	struct job_view row;
	id_map_done(&leaders->known);
	leaders->unasked_count = 0;
	leaders->sample = 0;
	leaders->largest_task = 0;
	for (size_t i = 0; i < table->position_count; i++)
		if (job_table_at(table, i, &row) && row.array_job_id)
			job_leaders_learn(leaders, row.array_job_id);
}

bool job_leaders_has(const struct job_leaders *leaders, uint64_t id)
{
	return id_map_find(&leaders->known, (uint32_t)id);
}

void job_leaders_learn(struct job_leaders *leaders, uint64_t array_job_id)
{
	uint32_t id = (uint32_t)array_job_id;
	if (id_map_find(&leaders->known, id))
		return;
	id_map_set(&leaders->known, id, 1);
	GROW(leaders->unasked, leaders->unasked_count, leaders->unasked_capacity);
	leaders->unasked[leaders->unasked_count++] = id;
}

/* Is it the only row of a record that is a task, of an array that is not known? */
static bool is_sample(const struct job_answer *answer, size_t at, const struct id_map *tails,
		      const struct job_table *table)
{
	const struct job_seen *row = &answer->rows[at];
	bool is_alone = (at == 0 || answer->rows[at - 1].id != row->id) &&
			(at + 1 == answer->count || answer->rows[at + 1].id != row->id);
	struct job_view view;
	return is_alone && row->task != NUMBER_UNSET && !id_map_find(tails, (uint32_t)row->id) &&
	       job_table_find(table, row->id, &view) && !view.array_job_id;
}

void job_leaders_sample(struct job_leaders *leaders, const struct job_answer *answer, const struct id_map *tails,
			const struct job_table *table)
{
	leaders->sample = 0;
	for (size_t i = 0; i < answer->count; i++) {
		uint64_t task = answer->rows[i].task;
		if (task != NUMBER_UNSET && task > leaders->largest_task)
			leaders->largest_task = task;
		if (is_sample(answer, i, tails, table))
			leaders->sample = (uint32_t)answer->rows[i].id;
	}
}

uint64_t job_leaders_take_sample(struct job_leaders *leaders)
{
	uint64_t sample = leaders->sample;
	leaders->sample = 0;
	return sample;
}

uint64_t job_leaders_next(struct job_leaders *leaders, const struct job_table *table)
{
	struct job_view view;
	while (leaders->unasked_count && leaders->largest_task < TASKS_MAX) {
		uint32_t id = leaders->unasked[--leaders->unasked_count];
		if (!job_table_find(table, id, &view))
			return id;
	}
	return 0;
}
