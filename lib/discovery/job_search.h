/* The search for jobs that no round finds: at the first start, after a downtime, or when an operator chose an id.
 * Slurm's diag counts pending and running jobs, each task by itself; that tells that some are missing. Of one thread. */
#pragma once

#include "discovery/job_frontiers.h"
#include "discovery/job_leaders.h"

enum { JOB_ARRAY_SIZE_DEFAULT = 1001 }; /* of MaxArraySize in slurm.conf */

struct job_search {
	uint64_t expected; /* pending and running jobs by diag's count; unset: not known */
	unsigned misses; /* counts in a row that missed jobs */
	bool is_open;
	bool is_blind; /* it began without a frontier, and has not found a job */
	struct job_span {
		uint64_t from, to; /* from the first id to the one after the last, downwards if from > to */
	} spans[2 * JOB_ORIGINS];
	size_t span_count, span;
	uint64_t next; /* where the span goes on once the answer has come */
	uint64_t at_once; /* ids that the next request may ask for */
	uint64_t rows_max; /* of the request under way */
	uint64_t array_size; /* MaxArraySize, as far as it is known: an id brings so many rows at most */
	bool is_for_leader, was_found; /* the request is for one leader; the last answer had jobs */
	struct job_probes probes;
	struct job_leaders leaders;
};

void job_search_done(struct job_search *search);

/* diag counted `jobs`. Returns whether to search: so many are missing, or for so long, that the age of the counts does
 * not explain it. */
bool job_search_note_count(struct job_search *search, const struct job_table *table, uint64_t jobs);

/* The part of the jobs that diag counts that is known: 0 to 1. */
double job_search_coverage(const struct job_search *search, const struct job_table *table);

/* Are more of them unknown than usually come or go between two counts? */
bool job_search_is_missing(const struct job_search *search, const struct job_table *table);

/* Looks at a million ids above the highest frontier and then downwards from it; in a federation, of each cluster that gave
 * ids. While there is no frontier, it looks at all ids upwards. */
void job_search_begin(struct job_search *search, const struct job_frontiers *frontiers, const struct job_table *table);

/* A frontier was learnt elsewhere. A search that is blind ends, so that the next one begins there: from the first id on it
 * would look at all ids that were ever given. */
void job_search_note_frontier(struct job_search *search);

/* Adds ids that are not in the table to the query, such that about `rows_max` rows come: one id at first, then as many as
 * the rows that came allow. A leader is asked for alone. Returns how many; 0: the search is over, as nothing is missed any
 * more or everything was looked at. */
uint64_t job_search_ask(struct job_search *search, const struct job_table *table, uint64_t rows_max, struct buf *query);

/* The answer is lost: its ids are next again, one of them at first. */
void job_search_forget(struct job_search *search);

/* The answer was whole and is applied: jobs that were found move the frontiers. `tails` as in job_answer.h. */
void job_search_settle(struct job_search *search, const struct job_answer *answer, const struct job_table *table,
		       const struct id_map *tails, struct job_frontiers *frontiers);
