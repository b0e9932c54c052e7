#include "status/jobs_pick.h"

#include "base/memory.h"
#include "status/jobs_columns.h"

#include <math.h>
#include <stdlib.h>

/* What a job is sorted by. */
struct key {
	const struct status_job *job;
	const char *text; /* NULL: the number counts */
	double number; /* NAN: not known */
};

static struct key key_of(const struct status_job_rows *jobs, const struct status_job *job,
			 const struct jobs_column *column, double now)
{
	uint32_t text;
	if (!column->text)
		return (struct key){job, NULL, column->number(job, now)};
	memcpy(&text, (const char *)job + column->text, sizeof text);
	return (struct key){job, status_job_text(jobs, text), text ? 0 : (double)NAN};
}

static bool comes_before(const struct key *a, const struct key *b, bool is_descending)
{
	int order = isnan(a->number) - isnan(b->number);
	if (!order && !isnan(a->number)) {
		order = a->text ? strcmp(a->text, b->text) : (a->number > b->number) - (a->number < b->number);
		order = is_descending ? -order : order;
	}
	return order ? order < 0 : a->job->id < b->job->id;
}

/* Merges two runs that stand one after the other. */
static void merge(const struct key *from, size_t middle, size_t end, bool is_descending, struct key *to)
{
	for (size_t left = 0, right = middle, i = 0; i < end; i++) {
		bool takes_left =
			right == end || (left < middle && !comes_before(&from[right], &from[left], is_descending));
		to[i] = from[takes_left ? left++ : right++];
	}
}

/* Not qsort, which may ask the kernel how much memory there is: the process that serves may not ask everything. Returns
 * which of the two has the result. */
static struct key *sort(struct key *keys, struct key *room, size_t count, bool is_descending)
{
	for (size_t run = 1; run < count; run *= 2) {
		for (size_t at = 0; at < count; at += 2 * run) {
			size_t end = count - at < 2 * run ? count - at : 2 * run;
			merge(keys + at, run < end ? run : end, end, is_descending, room + at);
		}
		struct key *sorted = room;
		room = keys;
		keys = sorted;
	}
	return keys;
}

struct jobs_picked jobs_pick(const struct status_job_rows *jobs, enum status_stage stage,
			     const struct jobs_query *query, double now, size_t per_page)
{
	const struct status_job_set *set = &jobs->sets[stage];
	bool is_descending;
	const struct jobs_column *column = jobs_column_of(query, stage, &is_descending);
	struct jobs_picked picked = {.page = query->page, .pages = 1};
	struct key *keys = memory_new((2 * set->count + 1) * sizeof *keys);
	for (size_t i = 0; i < set->count; i++)
		if (jobs_query_has(query, jobs, stage, &set->rows[i]))
			keys[picked.count++] = key_of(jobs, &set->rows[i], column, now);
	const struct key *sorted = sort(keys, keys + picked.count, picked.count, is_descending);
	picked.items = memory_new((picked.count + 1) * sizeof *picked.items);
	for (size_t i = 0; i < picked.count; i++)
		picked.items[i] = sorted[i].job;
	free(keys);
	if (picked.count)
		picked.pages = (picked.count + per_page - 1) / per_page;
	if (picked.page <= picked.pages) {
		picked.from = (size_t)(picked.page - 1) * per_page;
		picked.to = picked.count - picked.from < per_page ? picked.count : picked.from + per_page;
	}
	return picked;
}

void jobs_picked_done(struct jobs_picked *picked)
{
	free(picked->items);
	*picked = (struct jobs_picked){0};
}
