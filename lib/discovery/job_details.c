#include "discovery/job_details.h"

#include "base/memory.h"
#include "discovery/job_reasons.h"
#include "model/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* jobs/state has a row for each task of an unsplit rest, at a quadratic cost; job/{id} has one record. This number was
 * not measured. It keeps the requests of a round small, which usually have 500 rows. */
enum { LARGE_ARRAY_TASKS = 2000 };

void job_details_init(struct job_details *details, struct job_table *table)
{
	*details = (struct job_details){.table = table};
}

void job_details_done(struct job_details *details)
{
	for (int i = 0; i < JOB_QUEUES; i++)
		free(details->queues[i].items);
	id_map_done(&details->records);
	id_map_done(&details->put_off);
	id_map_done(&details->unrecorded);
}

bool job_details_is_large(const struct job_view *row)
{
	return row->is_unsplit && row->tasks > LARGE_ARRAY_TASKS;
}

static void count_record(struct job_details *details, uint64_t array_job_id)
{
	uint32_t array = (uint32_t)array_job_id;
	id_map_set(&details->records, array, id_map_find(&details->records, array) + 1);
}

static void count_records(struct job_details *details)
{
	struct job_view row;
	id_map_done(&details->records);
	for (size_t i = 0; i < details->table->position_count; i++)
		if (job_table_at(details->table, i, &row) && row.array_job_id)
			count_record(details, row.array_job_id);
}

/* Would its ID bring too many other records? */
static bool is_of_many(const struct job_details *details, const struct job_view *row)
{
	return row->array_job_id == row->id &&
	       id_map_find(&details->records, (uint32_t)row->id) > JOB_ARRAY_RECORDS_MAX;
}

/* jobs/state lists a large rest only where job/{id} cannot count it. That is so if Slurm cut its list of tasks, if its
 * ID brings too many records, or if slurmctld refused its details. */
static bool belongs(const struct job_details *details, enum job_queue queue, const struct job_view *row)
{
	bool is_refused = id_map_find(&details->put_off, (uint32_t)row->id);
	bool is_large = job_details_is_large(row), is_many = is_of_many(details, row);
	bool is_listed = is_large && (row->is_cut || is_many || is_refused);
	if (queue == JOB_QUEUE_ARRAYS)
		return is_listed;
	if (is_refused || is_many)
		return false;
	if (queue == JOB_QUEUE_REASONS)
		return row->state == JOB_PENDING && row->has_details && !row->details_wanted;
	if (queue == JOB_QUEUE_RESTS)
		return is_large;
	if (queue == JOB_QUEUE_ROTATION)
		return job_state_is_live(row->state);
	return row->details_wanted || (is_large && !is_listed);
}

static bool is_unseen(const struct job_details *details, const struct job_view *row)
{
	return !row->has_details && !id_map_find(&details->unrecorded, (uint32_t)row->id);
}

/* The oldest details come first. Of equal age the job with the highest ID comes first. So an array's tasks come before
 * its first record, and we know by then how many they are. */
static int compare(const void *left, const void *right)
{
	const struct job_turn *a = left, *b = right;
	if (a->details_time != b->details_time)
		return a->details_time < b->details_time ? -1 : 1;
	return a->id > b->id ? -1 : a->id < b->id;
}

static uint64_t begin_reasons(struct job_details *details)
{
	struct job_id_list *list = &details->queues[JOB_QUEUE_REASONS];
	struct job_reasons *reasons = NEW(struct job_reasons);
	struct job_view row;
	for (size_t i = 0; i < details->table->position_count; i++)
		if (job_table_at(details->table, i, &row) && belongs(details, JOB_QUEUE_REASONS, &row))
			job_reasons_offer(reasons, details->table, &row);
	job_reasons_sort(reasons);
	for (size_t i = 0; i < reasons->count; i++) {
		GROW(list->items, list->count, list->capacity);
		list->items[list->count++] = (struct job_turn){reasons->items[i].id, reasons->items[i].details_time};
	}
	free(reasons);
	return list->count;
}

uint64_t job_details_begin(struct job_details *details, enum job_queue queue)
{
	struct job_id_list *list = &details->queues[queue];
	struct job_view row;
	list->count = list->at = 0;
	count_records(details);
	if (queue == JOB_QUEUE_REASONS)
		return begin_reasons(details);
	if (queue == JOB_QUEUE_ROTATION) {
		id_map_done(&details->put_off);
		id_map_done(&details->unrecorded);
	}
	size_t unseen = 0;
	for (size_t i = 0; i < details->table->position_count; i++) {
		if (!job_table_at(details->table, i, &row) || !belongs(details, queue, &row))
			continue;
		GROW(list->items, list->count, list->capacity);
		bool is_first = is_unseen(details, &row);
		list->items[list->count++] =
			(struct job_turn){(uint32_t)row.id, row.has_details ? (uint32_t)row.details_time : !is_first};
		unseen += is_first;
	}
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, compare);
	if (queue == JOB_QUEUE_WANTED) {
		details->unseen_end = unseen;
		details->are_some_unrecorded = false;
	}
	return list->count;
}

void job_details_end(struct job_details *details, enum job_queue queue)
{
	details->queues[queue].count = details->queues[queue].at = 0;
}

uint64_t job_details_next(struct job_details *details, enum job_queue queue)
{
	struct job_id_list *list = &details->queues[queue];
	struct job_view row;
	while (list->at < list->count) {
		const struct job_turn *turn = &list->items[list->at++];
		if (job_table_find(details->table, turn->id, &row) &&
		    (queue == JOB_QUEUE_ARRAYS ||
		     (row.details_time <= turn->details_time && !is_of_many(details, &row))))
			return turn->id;
	}
	return 0;
}

uint64_t job_details_unseen(const struct job_details *details)
{
	size_t at = details->queues[JOB_QUEUE_WANTED].at;
	return at < details->unseen_end ? details->unseen_end - at : 0;
}

size_t job_details_next_unseen(struct job_details *details, uint64_t *ret_ids, size_t max)
{
	struct job_id_list *list = &details->queues[JOB_QUEUE_WANTED];
	struct job_view row;
	size_t count = 0;
	while (count < max && list->at < details->unseen_end) {
		const struct job_turn *turn = &list->items[list->at++];
		if (job_table_find(details->table, turn->id, &row) && !row.has_details && !is_of_many(details, &row))
			ret_ids[count++] = turn->id;
	}
	return count;
}

bool job_details_are_lacking(const struct job_details *details)
{
	const struct job_id_list *list = &details->queues[JOB_QUEUE_WANTED];
	struct job_view row;
	for (size_t at = list->at; at < list->count && list->items[at].details_time <= 1; at++)
		if (job_table_find(details->table, list->items[at].id, &row) && !row.has_details)
			return true;
	return details->are_some_unrecorded;
}

uint64_t job_details_peek(const struct job_details *details, enum job_queue queue)
{
	const struct job_id_list *list = &details->queues[queue];
	return list->at < list->count ? list->items[list->at].id : 0;
}

uint64_t job_details_left(const struct job_details *details, enum job_queue queue)
{
	return details->queues[queue].count - details->queues[queue].at;
}

/* The first record of an array with many records gets the details of another task. What a job holds and why it waits is
 * right only if both are in the same state. Otherwise the reason is None until the next turn. */
static void lend(struct job_details *details, const struct job *job, int64_t now)
{
	struct job_view first;
	if (!number_is_known(job->array_job_id) || job->array_job_id == job->id ||
	    !job_table_find(details->table, job->array_job_id, &first) || !first.details_wanted)
		return;
	bool is_same_state = first.state == job->state;
	if (id_map_find(&details->records, (uint32_t)job->array_job_id) <= JOB_ARRAY_RECORDS_MAX ||
	    (first.has_details && !is_same_state))
		return;
	struct job lent = *job;
	char tasks[32];
	snprintf(tasks, sizeof tasks, "0-%" PRIu64, first.tasks - 1);
	lent.id = job->array_job_id;
	lent.is_lent = !first.is_unsplit;
	if (first.is_unsplit) { /* only the number of tasks in its list matters here */
		lent.array_tasks = text_of(tasks);
		lent.array_task_id = NUMBER_UNSET;
		if (job->partitions_named.len) /* the task runs in one of several, in all of which the rest waits */
			lent.partitions = job->partitions_named;
	}
	lent.state = first.state;
	lent.flags = first.flags;
	if (!is_same_state)
		lent.reason = TEXT("None");
	/* As old as its number of tasks: some may have been seen by themselves since. */
	job_table_put(details->table, &lent, first.is_unsplit ? first.seen_time : now);
}

/* A task that began after jobs/state listed a large rest no longer belongs to the rest. A cut list does not show that,
 * so this subtracts the task. The next listing corrects mistakes. */
static void take_off(struct job_details *details, const struct job *job)
{
	struct job_view rest;
	if (job_table_find(details->table, job->array_job_id, &rest) && rest.is_cut && job_details_is_large(&rest) &&
	    number_is_known(job->start_time) && job->state != JOB_PENDING && (int64_t)job->start_time >= rest.seen_time)
		job_table_set_tasks(details->table, rest.id, rest.tasks - 1);
}

void job_details_take(struct job_details *details, const struct job *job, int64_t now)
{
	struct job_view row;
	bool is_counted = job_table_find(details->table, job->id, &row) && row.array_job_id;
	if (number_is_known(job->array_job_id) && job->array_job_id && !is_counted) {
		count_record(details, job->array_job_id);
		take_off(details, job);
	}
	job_table_put(details->table, job, now);
	lend(details, job, now);
}

void job_details_note_unknown(struct job_details *details, uint64_t id)
{
	id_map_set(&details->put_off, (uint32_t)id, 1);
}

void job_details_note_recorded(struct job_details *details, const uint64_t *ids, size_t count)
{
	struct job_view row;
	for (size_t i = 0; i < count; i++) {
		if (!job_table_find(details->table, ids[i], &row) || row.has_details)
			continue;
		id_map_set(&details->unrecorded, (uint32_t)ids[i], 1);
		details->are_some_unrecorded = true;
	}
}
