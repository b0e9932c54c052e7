#include "jobs/job_table.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct job_table *job_table_new(void)
{
	struct job_table *table = NEW(struct job_table);
	table->totals = job_totals_new(NULL);
	return table;
}

void job_table_count_groups(struct job_table *table, const struct caps *caps)
{
	assert(!table->position_count);
	table->pools.caps = table->totals->caps = caps;
}

void job_table_free(struct job_table *table)
{
	if (!table)
		return;
	free(table->rows);
	id_map_done(&table->positions);
	id_map_done(&table->split_pending);
	text_pool_done(&table->pools.texts);
	owners_done(&table->pools.groups);
	job_extras_done(&table->extras);
	job_totals_free(table->totals);
	job_unstored_end(&table->unstored);
	free(table);
}

struct job_row *job_table_row(const struct job_table *table, uint32_t id)
{
	uint32_t position = id_map_find(&table->positions, id);
	return position ? &table->rows[position - 1] : NULL;
}

static bool has_details(const struct job_row *row)
{
	return row->bits & ROW_HAS_DETAILS;
}

void job_table_note_now(struct job_table *table, int64_t now)
{
	table->changes++;
	table->now = now;
}

static void note_changed(struct job_table *table, const struct job_row *row)
{
	job_unstored_note(&table->unstored, (size_t)(row - table->rows));
}

/* Adds, or takes off, what only rows with details count in. */
static void count_details(struct job_table *table, const struct job_row *row, bool is_added)
{
	const struct job_contribution contribution = job_row_contribution(row, &table->pools);
	const struct owner_list *usages = job_totals_of(table->totals, &table->pools.groups, row->group);
	for (size_t i = 0; i < usages->count; i++) {
		if (is_added)
			job_usage_add(usages->items[i], &contribution);
		else
			job_usage_take_off(usages->items[i], &contribution);
	}
	uint64_t sign = is_added ? 1 : UINT64_MAX; /* unsigned numbers wrap */
	if (row->bits & ROW_IS_CUT && !(row->bits & ROW_IS_COUNTED))
		table->totals->undercounted += sign;
	if (row->array_task_id != UINT32_MAX && row->state == JOB_PENDING)
		id_map_set(&table->split_pending, row->array_job_id,
			   id_map_find(&table->split_pending, row->array_job_id) + (uint32_t)sign);
}

static void count(struct job_table *table, const struct job_row *row, bool is_added)
{
	struct job_totals *totals = table->totals;
	uint64_t sign = is_added ? 1 : UINT64_MAX, times = row->tasks * sign;
	totals->records += sign;
	totals->jobs += times;
	table->rows_pending += row->state == JOB_PENDING ? sign : 0;
	if (has_details(row)) {
		count_details(table, row, is_added);
		return;
	}
	job_totals_cluster(totals)->jobs[row->state] += times;
	totals->jobs_without_details += times;
	table->rows_without_details += sign;
}

static struct job_row *new_row(struct job_table *table, uint32_t id)
{
	size_t position = table->first_free;
	if (position) {
		table->first_free = table->rows[position - 1].tasks;
	} else {
		GROW(table->rows, table->position_count, table->capacity);
		position = ++table->position_count;
	}
	id_map_set(&table->positions, id, (uint32_t)position);
	return &table->rows[position - 1];
}

void job_table_place(struct job_table *table, const struct job_row *row)
{
	assert(row->state < NAMES_MAX);
	struct job_row *known = job_table_row(table, row->id);
	job_table_note_now(table, row->seen_time);
	if (known && job_row_equal(known, row)) {
		known->seen_time = row->seen_time;
		known->details_time = row->details_time;
		job_row_release(row, &table->pools);
		return;
	}
	if (known) {
		count(table, known, false);
		job_row_release(known, &table->pools);
	} else {
		known = new_row(table, row->id);
	}
	*known = *row;
	count(table, known, true);
	note_changed(table, known);
}

bool job_table_put(struct job_table *table, const struct job *job, int64_t now)
{
	struct job_row row;
	if (!job_row_make(&row, &table->pools, job, now))
		return false;
	job_row_keep_count(&row, job_table_row(table, row.id));
	job_table_place(table, &row);
	return true;
}

static void place_without_details(struct job_table *table, uint32_t id, int state, uint64_t flags, int64_t now)
{
	const struct job_row row = {.id = id,
				    .array_task_id = UINT32_MAX,
				    .state = (uint8_t)state,
				    .flags = flags,
				    .tasks = 1,
				    .tasks_listed = 1,
				    .seen_time = (uint32_t)now,
				    .bits = ROW_WANTS_DETAILS | ROW_IS_USED};
	job_table_place(table, &row);
}

bool job_table_set_state(struct job_table *table, uint64_t id, int state, uint64_t flags, int64_t now)
{
	assert(state >= 0 && state < NAMES_MAX);
	if (id >= UINT32_MAX)
		return false;
	struct job_row *row = job_table_row(table, (uint32_t)id);
	if (!row) {
		place_without_details(table, (uint32_t)id, state, flags, now);
		return true;
	}
	job_table_note_now(table, now);
	row->seen_time = (uint32_t)now;
	if (row->state == state && row->flags == flags)
		return true;
	count(table, row, false);
	bool was_configuring = (row->flags & ~flags) >> JOB_FLAG_CONFIGURING & 1;
	if (row->state != state || was_configuring) /* a job whose nodes had to boot starts after that */
		row->bits |= ROW_WANTS_DETAILS;
	row->state = (uint8_t)state;
	row->flags = flags;
	count(table, row, true);
	note_changed(table, row);
	return true;
}

bool job_table_set_tasks(struct job_table *table, uint64_t id, uint64_t tasks)
{
	struct job_row *row = id < UINT32_MAX ? job_table_row(table, (uint32_t)id) : NULL;
	if (!row || row->array_task_id != UINT32_MAX)
		return false;
	table->changes++;
	const struct job_row before = *row;
	count(table, row, false);
	row->tasks = tasks ? tasks : row->tasks_listed;
	row->bits &= (uint8_t)~ROW_IS_COUNTED;
	row->bits |= tasks ? ROW_IS_COUNTED : 0;
	row->bits |= tasks > 1 && !has_details(row) ? ROW_IS_UNSPLIT : 0;
	count(table, row, true);
	if (!job_row_equal(row, &before)) /* most rounds bring the same number again */
		note_changed(table, row);
	return true;
}

void job_table_forget_reason(struct job_table *table, uint64_t id)
{
	struct job_row *row = id < UINT32_MAX ? job_table_row(table, (uint32_t)id) : NULL;
	uint32_t unknown = text_pool_hold(&table->pools.texts, TEXT("Unknown"));
	if (!row || row->reason == unknown) {
		text_pool_release(&table->pools.texts, unknown);
		return;
	}
	table->changes++;
	count(table, row, false);
	text_pool_release(&table->pools.texts, row->reason);
	row->reason = unknown;
	row->class = (uint8_t)reason_class_of(TEXT("Unknown"));
	count(table, row, true);
	note_changed(table, row);
}

bool job_table_remove(struct job_table *table, uint64_t id)
{
	struct job_row *row = id < UINT32_MAX ? job_table_row(table, (uint32_t)id) : NULL;
	if (!row)
		return false;
	table->changes++;
	count(table, row, false);
	job_row_release(row, &table->pools);
	id_map_set(&table->positions, row->id, 0);
	job_unstored_note_removed(&table->unstored, row->id);
	*row = (struct job_row){.tasks = table->first_free};
	table->first_free = (size_t)(row - table->rows) + 1;
	return true;
}

void job_table_take(struct job_table *table, struct job_table *from)
{
	struct job_table own = *table;
	*table = *from;
	table->extras = own.extras;
	table->changes += own.changes + 1;
	own.extras = from->extras;
	*from = own;
	job_table_free(from);
}

bool job_table_at(const struct job_table *table, size_t position, struct job_view *ret_view)
{
	const struct job_row *row = &table->rows[position];
	if (!job_row_is_used(row))
		return false;
	*ret_view = (struct job_view){
		.id = row->id,
		.array_job_id = row->array_job_id,
		.array_task_id = row->array_task_id == UINT32_MAX ? NUMBER_UNSET : row->array_task_id,
		.state = row->state,
		.flags = row->flags,
		.submit_time = row->submit_time,
		.nodes = row->nodes,
		.tasks = row->tasks,
		.tasks_listed = row->tasks_listed,
		.seen_time = row->seen_time,
		.details_time = row->details_time,
		.has_details = has_details(row),
		.details_wanted = row->bits & ROW_WANTS_DETAILS,
		.is_unsplit = row->bits & ROW_IS_UNSPLIT,
		.is_cut = row->bits & ROW_IS_CUT,
		.is_lent = row->bits & ROW_IS_LENT,
		.is_counted = row->bits & ROW_IS_COUNTED,
	};
	return true;
}

bool job_table_find(const struct job_table *table, uint64_t id, struct job_view *ret_view)
{
	const struct job_row *row = id < UINT32_MAX ? job_table_row(table, (uint32_t)id) : NULL;
	return row && job_table_at(table, (size_t)(row - table->rows), ret_view);
}

struct text job_table_reason(const struct job_table *table, uint64_t id)
{
	const struct job_row *row = id < UINT32_MAX ? job_table_row(table, (uint32_t)id) : NULL;
	return text_pool_get(&table->pools.texts, row ? row->reason : 0);
}

struct job_counts job_table_counts(const struct job_table *table)
{
	const uint64_t *states = job_totals_cluster(table->totals)->jobs;
	return (struct job_counts){.rows = table->positions.count,
				   .rows_without_details = table->rows_without_details,
				   .rows_pending = table->rows_pending,
				   .jobs = table->totals->jobs,
				   .pending = states[JOB_PENDING],
				   .running = states[JOB_RUNNING],
				   .jobs_without_details = table->totals->jobs_without_details};
}

uint64_t job_table_split_pending(const struct job_table *table, uint64_t array_job_id)
{
	return array_job_id < UINT32_MAX ? id_map_find(&table->split_pending, (uint32_t)array_job_id) : 0;
}
