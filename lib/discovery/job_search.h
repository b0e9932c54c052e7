/* The search for jobs that no round finds: after a downtime, at the first start, or when an operator chose an id.
 * diag counts the pending and running jobs (each task by itself), which tells that some are missing. */
#pragma once

#include "discovery/job_frontiers.h"

struct job_search {
	uint64_t expected; /* as diag counted; unset: not known */
	unsigned misses;   /* counts in a row that missed jobs */
	bool is_open;
	struct job_span {
		uint64_t from, to; /* from the first id to the one after the last, downwards if from > to */
	} spans[2];
	size_t span_count, span;
	uint64_t next; /* where the span goes on once the answer has come */
	struct job_probes probes;
};

void job_search_done(struct job_search *search);

/* diag counted so many. Returns whether it is worth a search: so many are missing, or for so long, that it is not
 * the age of one of the two. */
bool job_search_note_count(struct job_search *search, const struct job_table *table, uint64_t jobs);

/* Of the jobs that diag counts, so many are known: 0 to 1. */
double job_search_coverage(const struct job_search *search, const struct job_table *table);

/* Whether more of them are unknown than come or go, as a rule, between two counts. */
bool job_search_is_missing(const struct job_search *search, const struct job_table *table);

/* Looks at ids near above the frontiers and then downwards from them; all ids, upwards, while there is no
 * frontier. */
void job_search_begin(struct job_search *search, const struct job_frontiers *frontiers);

/* Adds ids that are not in the table to the query; returns how many. 0: the search is over: nothing is missed any
 * more, or everything was looked at. */
uint64_t job_search_ask(struct job_search *search, const struct job_table *table, uint64_t ids_max,
			struct buf *query);

/* The answer came: what was found moves the frontiers. */
void job_search_settle(struct job_search *search, const struct job_answer *answer,
		       struct job_frontiers *frontiers);
