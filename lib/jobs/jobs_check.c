#include "jobs/jobs_check.h"

#include "base/memory.h"
#include "jobs/job_totals_same.h"

#include <inttypes.h>
#include <stdlib.h>

struct recount {
	const struct job_table *table;
	struct job_totals *totals;
	struct id_map split_pending;
	uint32_t *text_holds, *group_holds; /* by number - 1 */
	uint64_t rows, rows_without_details, rows_pending;
};

static void recount_holds(struct recount *recount, const struct job_row *row)
{
	const uint32_t texts[] = {row->reason, row->tres, row->reservation, row->node_list, row->named, row->node_need};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i])
			recount->text_holds[texts[i] - 1]++;
	if (row->group)
		recount->group_holds[row->group - 1]++;
}

static void recount_row(struct recount *recount, const struct job_row *row)
{
	const struct job_table *table = recount->table;
	struct job_totals *totals = recount->totals;
	recount->rows++;
	recount->rows_pending += row->state == JOB_PENDING;
	recount_holds(recount, row);
	totals->records++;
	totals->jobs += row->tasks;
	if (!(row->bits & ROW_HAS_DETAILS)) {
		recount->rows_without_details++;
		totals->jobs_without_details += row->tasks;
		job_totals_cluster(totals)->jobs[row->state] += row->tasks;
		return;
	}
	const struct job_contribution contribution = job_row_contribution(row, &table->pools);
	const struct job_owner owner = owners_get(&table->pools.groups, row->group);
	const struct owner_list usages = job_totals_entities(totals, &owner);
	for (size_t i = 0; i < usages.count; i++)
		job_usage_add(usages.items[i], &contribution);
	free(usages.items);
	totals->undercounted += row->bits & ROW_IS_CUT && !(row->bits & ROW_IS_COUNTED);
	if (row->array_task_id != UINT32_MAX && row->state == JOB_PENDING)
		id_map_set(&recount->split_pending, row->array_job_id,
			   id_map_find(&recount->split_pending, row->array_job_id) + 1);
}

static bool same(const char *what, uint64_t got, uint64_t want, struct error *err)
{
	return got == want || error_set(err, "%s: %" PRIu64 " instead of %" PRIu64, what, got, want);
}

static bool same_split_pending(const struct id_map *got, const struct id_map *want, struct error *err)
{
	if (!same("arrays with split tasks", got->count, want->count, err))
		return false;
	for (size_t i = 0; i < want->slot_count; i++) {
		const struct id_slot *slot = &want->slots[i];
		if (slot->value && !same("split tasks", id_map_find(got, slot->id), slot->value, err))
			return false;
	}
	return true;
}

static bool same_holds(const struct text_pool *pool, const uint32_t *holds, struct error *err)
{
	for (size_t i = 0; i < pool->count; i++)
		if (!same("holders of a text", pool->texts[i].holds, holds[i], err))
			return false;
	return true;
}

static bool same_as(const struct recount *recount, struct error *err)
{
	const struct job_table *table = recount->table;
	return same("rows", table->positions.count, recount->rows, err) &&
	       same("rows without details", table->rows_without_details, recount->rows_without_details, err) &&
	       same("pending rows", table->rows_pending, recount->rows_pending, err) &&
	       same_split_pending(&table->split_pending, &recount->split_pending, err) &&
	       same_holds(&table->pools.texts, recount->text_holds, err) &&
	       same_holds(&table->pools.groups.keys, recount->group_holds, err) &&
	       job_totals_same(table->totals, recount->totals, err);
}

bool jobs_check(const struct job_table *table, struct error *err)
{
	struct recount recount = {
		.table = table,
		.totals = job_totals_zeroed(table->totals),
		.text_holds = memory_new(table->pools.texts.count * sizeof(uint32_t)),
		.group_holds = memory_new(table->pools.groups.keys.count * sizeof(uint32_t)),
	};
	bool ok = true;
	for (size_t i = 0; ok && i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (!job_row_is_used(row))
			continue;
		ok = job_table_row(table, row->id) == row || error_set(err, "job %" PRIu32 " is not found", row->id);
		recount_row(&recount, row);
	}
	ok = ok && same_as(&recount, err);
	job_totals_free(recount.totals);
	id_map_done(&recount.split_pending);
	free(recount.text_holds);
	free(recount.group_holds);
	return ok;
}
