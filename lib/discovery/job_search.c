#include "discovery/job_search.h"

#include "model/number.h"

#include <stdlib.h>

enum {
	SEARCHED_ABOVE = 1000000, /* ids that Slurm may have given while this process was not running */
	/* diag's count is up to half a minute old, so one that misses jobs proves nothing; a round may find them meanwhile. */
	MISSES_MIN = 3,
};
#define MISSED_RATIO_MAX 0.001 /* jobs that come or go between diag's count and ours, as a rule */
#define COVERAGE_MIN 0.5 /* if fewer are known, it is a start or a return after a downtime: no need for three counts */

void job_search_done(struct job_search *search)
{
	free(search->probes.ids);
}

double job_search_coverage(const struct job_search *search, const struct job_table *table)
{
	struct job_counts counts = job_table_counts(table);
	uint64_t known = counts.pending + counts.running;
	if (!number_is_known(search->expected) || known >= search->expected)
		return 1;
	return (double)known / (double)search->expected;
}

bool job_search_is_missing(const struct job_search *search, const struct job_table *table)
{
	return job_search_coverage(search, table) < 1 - MISSED_RATIO_MAX;
}

bool job_search_note_count(struct job_search *search, const struct job_table *table, uint64_t jobs)
{
	search->expected = jobs;
	search->misses = job_search_is_missing(search, table) ? search->misses + 1 : 0;
	return search->misses >= MISSES_MIN || job_search_coverage(search, table) < COVERAGE_MIN;
}

static void add_span(struct job_search *search, uint64_t from, uint64_t to)
{
	if (from != to)
		search->spans[search->span_count++] = (struct job_span){from, to};
}

void job_search_begin(struct job_search *search, const struct job_frontiers *frontiers)
{
	uint64_t top = job_frontiers_top(frontiers), first = frontiers->first_id;
	search->is_open = true;
	search->span_count = search->span = 0;
	if (!top) {
		add_span(search, first, frontiers->last_id + 1);
		return;
	}
	add_span(search, top, top + SEARCHED_ABOVE);
	add_span(search, top - 1, first - 1); /* downwards, since most live jobs are young */
}

uint64_t job_search_ask(struct job_search *search, const struct job_table *table, uint64_t ids_max, struct buf *query)
{
	struct job_view view;
	search->probes.count = 0;
	while (job_search_is_missing(search, table) && search->span < search->span_count) {
		const struct job_span *span = &search->spans[search->span];
		uint64_t id = span->from;
		for (; id != span->to && search->probes.count < ids_max; id += span->from < span->to ? 1 : UINT64_MAX) {
			if (job_table_find(table, id, &view))
				continue;
			if (!job_query_add(query, id))
				break;
			job_probes_add(&search->probes, id);
		}
		search->next = id;
		if (search->probes.count)
			return search->probes.count;
		search->span++;
	}
	search->is_open = false;
	return 0;
}

void job_search_settle(struct job_search *search, const struct job_answer *answer, struct job_frontiers *frontiers)
{
	search->spans[search->span].from = search->next;
	for (size_t i = 0; i < search->probes.count; i++)
		if (job_answer_has(answer, search->probes.ids[i]))
			job_frontiers_advance(frontiers, search->probes.ids[i]);
}
