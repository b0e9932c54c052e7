#include "discovery/job_details.h"

#include "base/memory.h"
#include "discovery/job_reasons.h"
#include "model/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* jobs/state has a row for each task of an unsplit rest, at a quadratic cost; job/{id} has one record. This number was
 * not measured. It keeps the requests of a round small, which usually have 500 rows. */
enum {
	LARGE_ARRAY_TASKS = 2000,
	LISTED_MAX = 40000, /* tasks of a rest: 2.8 s of a 24.11 (SLURMRESTD.md, "Several leaders") */
};

void job_details_init(struct job_details *details, struct job_table *table)
{
	*details = (struct job_details){.table = table, .records_max = JOB_ARRAY_RECORDS_DEAR};
}

void job_details_done(struct job_details *details)
{
	for (int i = 0; i < JOB_QUEUES; i++)
		free(details->queues[i].items);
	id_map_done(&details->records);
	id_map_done(&details->put_off);
	id_map_done(&details->unrecorded);
	id_map_done(&details->sluids);
	free(details->sluid);
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

/* How many records an array may have. Those without details do not tell their array, which may be this one. */
static uint64_t records_of(const struct job_details *details, const struct job_view *first)
{
	uint64_t known = id_map_find(&details->records, (uint32_t)first->id);
	uint64_t others = details->table->rows_without_details - !first->has_details;
	return known > 1 ? known + others : known;
}

/* Would asking for it bring too many other records? */
static bool is_of_many(const struct job_details *details, const struct job_view *row)
{
	return (row->array_job_id == row->id || !row->has_details) &&
	       records_of(details, row) > JOB_ARRAY_RECORDS_MAX && !id_map_find(&details->sluids, (uint32_t)row->id);
}

static bool is_refused(const struct job_details *details, const struct job_view *row)
{
	return id_map_find(&details->put_off, (uint32_t)row->id);
}

/* May it have a turn of its own? A task is asked for if its own details are wanted, and a rest always. */
static bool is_asked_in_turn(const struct job_details *details, const struct job_view *row)
{
	return is_of_many(details, row) && records_of(details, row) <= details->records_max &&
	       !is_refused(details, row) && (row->is_unsplit || row->details_wanted || row->is_lent);
}

/* jobs/state lists a large rest only where job/{id} cannot count it. That is so if Slurm cut its list of tasks, if its
 * ID brings too many records, or if slurmctld refused its details. If it has gone, a list of it costs nothing; but a rest
 * that slurmctld hides from us has as many rows as ever. */
static bool is_listed(const struct job_details *details, const struct job_view *row)
{
	bool are_few = row->tasks <= LISTED_MAX;
	if (!job_details_is_large(row) || is_asked_in_turn(details, row))
		return false;
	if (is_refused(details, row))
		return are_few || row->has_details;
	return are_few && (row->is_cut || is_of_many(details, row));
}

/* Has it details of another task, or of slurmdbd, which do not say why a rest waits? */
static bool is_borrower(const struct job_details *details, const struct job_view *row)
{
	return row->is_lent || (row->is_unsplit && row->has_details && row->state == JOB_PENDING &&
				text_equal(job_table_reason(details->table, row->id), TEXT("Unknown")));
}

static bool belongs(const struct job_details *details, enum job_queue queue, const struct job_view *row)
{
	bool is_large = job_details_is_large(row);
	if (queue == JOB_QUEUE_ARRAYS)
		return is_asked_in_turn(details, row) || is_listed(details, row);
	if (is_refused(details, row) || is_of_many(details, row))
		return false;
	if (queue == JOB_QUEUE_REASONS)
		return row->state == JOB_PENDING && row->has_details && !row->details_wanted;
	if (queue == JOB_QUEUE_RESTS)
		return is_large;
	if (queue == JOB_QUEUE_ROTATION)
		return job_state_is_live(row->state);
	return row->details_wanted || (is_large && !is_listed(details, row)) || is_borrower(details, row);
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

/* Nothing says why the rest of an array with too many records waits. What is known from before does not stay true. */
static void forget_reason(struct job_details *details, const struct job_view *row)
{
	enum { REASON_AGE_MAX_S = 120 };
	if (row->state != JOB_PENDING || !row->has_details || !is_of_many(details, row) ||
	    is_asked_in_turn(details, row))
		return;
	if (row->details_time + REASON_AGE_MAX_S < details->table->now)
		job_table_forget_reason(details->table, row->id);
	details->untold += row->tasks;
}

/* Those of arrays that have gone would be kept for ever. */
static void drop_old_sluids(struct job_details *details)
{
	struct job_view row;
	struct id_map kept = {0};
	size_t count = 0;
	char(*sluid)[JOB_NAME_BYTES] = memory_resize(NULL, details->sluid_count + 1, sizeof *sluid);
	for (size_t i = 0; i < details->sluids.slot_count; i++) {
		const struct id_slot *slot = &details->sluids.slots[i];
		if (!slot->value || !job_table_find(details->table, slot->id, &row))
			continue;
		memcpy(sluid[count], details->sluid[slot->value - 1], JOB_NAME_BYTES);
		id_map_set(&kept, slot->id, (uint32_t)++count);
	}
	id_map_done(&details->sluids);
	free(details->sluid);
	details->sluids = kept;
	details->sluid = sluid;
	details->sluid_capacity = details->sluid_count + 1;
	details->sluid_count = count;
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
		drop_old_sluids(details);
		id_map_done(&details->put_off);
		id_map_done(&details->unrecorded);
	}
	size_t unseen = 0;
	details->untold = queue == JOB_QUEUE_ARRAYS ? 0 : details->untold;
	for (size_t i = 0; i < details->table->position_count; i++) {
		if (!job_table_at(details->table, i, &row))
			continue;
		if (queue == JOB_QUEUE_ARRAYS)
			forget_reason(details, &row);
		if (!belongs(details, queue, &row))
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

uint64_t job_details_records(const struct job_details *details, uint64_t id)
{
	struct job_view row;
	bool is_in_turn = job_table_find(details->table, id, &row) && is_asked_in_turn(details, &row);
	return is_in_turn ? records_of(details, &row) : 0;
}

bool job_details_name(const struct job_details *details, uint64_t id, char ret_name[JOB_NAME_BYTES])
{
	uint32_t place = id_map_find(&details->sluids, (uint32_t)id);
	if (place)
		snprintf(ret_name, JOB_NAME_BYTES, "%s", details->sluid[place - 1]);
	else
		snprintf(ret_name, JOB_NAME_BYTES, "%" PRIu64, id);
	return place;
}

void job_details_forget_sluid(struct job_details *details, uint64_t id)
{
	id_map_set(&details->sluids, (uint32_t)id, 0);
	details->refused_sluid = id;
}

static void note_sluid(struct job_details *details, const struct job *job)
{
	details->refuses_sluids |= job->id == details->refused_sluid;
	if (!details->takes_sluids || details->refuses_sluids || job->array_job_id != job->id || !job->sluid.len ||
	    job->sluid.len >= JOB_NAME_BYTES)
		return;
	uint32_t place = id_map_find(&details->sluids, (uint32_t)job->id);
	if (!place) {
		GROW(details->sluid, details->sluid_count, details->sluid_capacity);
		place = (uint32_t)++details->sluid_count;
		id_map_set(&details->sluids, (uint32_t)job->id, place);
	}
	snprintf(details->sluid[place - 1], JOB_NAME_BYTES, "%.*s", (int)job->sluid.len, job->sluid.bytes);
}

/* Until the turn of an array's first record comes, it gets the details of another task. What a job holds is right only if
 * both are in the same state. Why the rest waits is not known. */
static void lend(struct job_details *details, const struct job *job, int64_t now)
{
	struct job_view first;
	if (!number_is_known(job->array_job_id) || job->array_job_id == job->id ||
	    !job_table_find(details->table, job->array_job_id, &first) || !first.details_wanted ||
	    !is_of_many(details, &first))
		return;
	bool is_same_state = first.state == job->state;
	if (first.has_details && !is_same_state)
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
	lent.reason = first.state == JOB_PENDING ? TEXT("Unknown") : TEXT("None");
	/* As old as its number of tasks: some may have been seen by themselves since. */
	job_table_put(details->table, &lent, first.is_unsplit ? first.seen_time : now);
}

/* A task that began after a large rest was counted no longer belongs to it. Not every new count comes soon, so this
 * subtracts the task. A start in the very second of the count may be on either side of it. The next count corrects
 * mistakes. */
static void take_off(struct job_details *details, const struct job *job)
{
	struct job_view rest;
	if (job_table_find(details->table, job->array_job_id, &rest) && job_details_is_large(&rest) &&
	    (rest.is_cut || is_of_many(details, &rest)) && number_is_known(job->start_time) &&
	    job->state != JOB_PENDING && (int64_t)job->start_time >= rest.seen_time + !rest.is_cut)
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
	note_sluid(details, job);
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
