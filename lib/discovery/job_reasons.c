#include "discovery/job_reasons.h"

#include "model/reason.h"

#include <stdlib.h>

/* How many times as fast a reason is taken to grow old. slurmctld gives a new job None until its scheduler has looked
 * at the job; Unknown is what slurmdbd's details have (job_runs.h). A job that can start competes with others, so its
 * reason changes more often than that of one that is held or waits for another. */
enum { WEIGHT_UNTOLD = 8, WEIGHT_NEW = 4, WEIGHT_STARTABLE = 2, WEIGHT_OTHER = 1 };
enum { NEW_S = 60 }; /* slurmctld's schedulers look at a new job within half a minute by default */

static uint64_t weight_of(const struct job_table *table, const struct job_view *row)
{
	struct text reason = job_table_reason(table, row->id);
	if (!reason.len || text_equal(reason, TEXT("None")) || text_equal(reason, TEXT("Unknown")))
		return WEIGHT_UNTOLD;
	if (row->details_time < (int64_t)row->submit_time + NEW_S)
		return WEIGHT_NEW;
	return reason_class_of(reason) == REASON_STARTABLE ? WEIGHT_STARTABLE : WEIGHT_OTHER;
}

static void swap(struct job_urgent *a, struct job_urgent *b)
{
	struct job_urgent kept = *a;
	*a = *b;
	*b = kept;
}

static void rise(struct job_urgent *items, size_t at)
{
	for (; at && items[at].urgency < items[(at - 1) / 2].urgency; at = (at - 1) / 2)
		swap(&items[at], &items[(at - 1) / 2]);
}

static void sink(struct job_urgent *items, size_t count)
{
	for (size_t at = 0, least = 0;; at = least) {
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
			if (items[child].urgency < items[least].urgency)
				least = child;
		if (least == at)
			return;
		swap(&items[at], &items[least]);
	}
}

void job_reasons_offer(struct job_reasons *reasons, const struct job_table *table, const struct job_view *row)
{
	uint64_t age_s = table->now > row->details_time ? (uint64_t)(table->now - row->details_time) : 0;
	const struct job_urgent offered = {(age_s + 1) * weight_of(table, row), (uint32_t)row->id,
					   (uint32_t)row->details_time};
	if (reasons->count < JOB_REASONS_MAX) {
		reasons->items[reasons->count] = offered;
		rise(reasons->items, reasons->count++);
	} else if (offered.urgency > reasons->items[0].urgency) {
		reasons->items[0] = offered;
		sink(reasons->items, reasons->count);
	}
}

/* Of equal urgency the job with the lower ID comes first: slurmctld's own order, so that rounds are the same each
 * time. */
static int compare(const void *left, const void *right)
{
	const struct job_urgent *a = left, *b = right;
	if (a->urgency != b->urgency)
		return a->urgency > b->urgency ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

void job_reasons_sort(struct job_reasons *reasons)
{
	if (reasons->count)
		qsort(reasons->items, reasons->count, sizeof *reasons->items, compare);
}
