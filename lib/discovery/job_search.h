/* The search for jobs that no round finds: at the first start, after a downtime, or when an operator chose an ID.
 * Slurm's diag counts pending and running jobs, each task by itself; so we know that some are missing. Of one
 * thread. */
#pragma once

#include "discovery/job_frontiers.h"
#include "discovery/job_leaders.h"

enum { JOB_ARRAY_SIZE_DEFAULT = 1001 }; /* of MaxArraySize in slurm.conf */

struct job_search {
	uint64_t expected; /* pending and running jobs by diag's count; unset: not known */
	unsigned misses; /* counts in a row that showed missing jobs */
	unsigned few_misses; /* likewise, as few as may come or go between two counts */
	uint64_t known_before; /* pending and running jobs that were known when diag's last count came */
	bool is_open;
	bool is_for_few; /* so it looks near the frontiers only */
	bool is_blind; /* it began without a frontier, and has not found a job */
	struct job_span {
		uint64_t from, to; /* from the first ID to the one after the last, downwards if from > to */
	} spans[2 * JOB_ORIGINS];
	size_t span_count, span;
	uint64_t next; /* where the span goes on once the answer has come */
	uint64_t at_once; /* IDs that the next request may ask for */
	uint64_t rows_max; /* of the request under way */
	uint64_t array_size; /* MaxArraySize if known: an ID brings at most this many rows */
	bool is_size_told; /* by slurmctld or the administrator; else it is Slurm's default */
	bool is_for_leader, was_found; /* the request is for one leader; the last answer had jobs */
	bool is_slow; /* few IDs are asked for at a time, because each may be a large array's */
	bool is_stepping; /* how far Slurm has given IDs is being learnt */
	uint64_t records_left; /* IDs without jobs that job/{id} may still be asked for */
	uint64_t tasks_seen; /* rows of arrays' tasks */
	struct job_probes probes;
	uint64_t unsure; /* of them, those that may be a leader's */
	struct job_leaders leaders;
	struct id_map plain; /* IDs that bring one row at most: as slurmdbd says, or without a job */
	uint64_t looked_up_to; /* slurmdbd was asked for the span's IDs above this one */
};

void job_search_done(struct job_search *search);

/* The counts so far prove nothing any more: all jobs have been looked at since. */
void job_search_forget_counts(struct job_search *search);

/* diag counted `jobs`. Returns whether to search: whether more jobs are missing than the age of the counts explains, or
 * some are missing for longer. */
bool job_search_note_count(struct job_search *search, const struct job_table *table, uint64_t jobs);

/* Which part of the jobs that diag counts is known: 0 to 1. */
double job_search_coverage(const struct job_search *search, const struct job_table *table);

/* Are more jobs unknown than usually come or go between two counts? */
bool job_search_is_missing(const struct job_search *search, const struct job_table *table);

/* The most rows that one ID may bring: MaxArraySize, or more if a larger task number was seen. What we know of
 * MaxArraySize may be wrong. */
uint64_t job_search_largest_array(const struct job_search *search);

/* Does an ID bring JOB_ROWS_SAFE rows at most, whatever it is? */
bool job_search_has_small_arrays(const struct job_search *search);

/* Jobs that diag counts and nobody knows; 0 if diag has not counted. */
uint64_t job_search_missing(const struct job_search *search, const struct job_table *table);

/* It is over, and jobs are still missing. */
bool job_search_has_failed(const struct job_search *search, const struct job_table *table);

/* Looks at a million IDs above the highest frontier and then downwards from it; in a federation, of each cluster that
 * gave IDs. While there is no frontier, it looks at all IDs upwards. For few jobs it looks at the nearest 10,000 above
 * and 100,000 below. */
void job_search_begin(struct job_search *search, const struct job_frontiers *frontiers, const struct job_table *table);

/* A frontier was learnt elsewhere. A blind search ends, so that the next one begins at the frontier. A blind one would
 * look at all IDs that were ever given. */
void job_search_note_frontier(struct job_search *search);

/* Adds IDs that are not in the table to the query, such that about `rows_max` rows come. It adds one ID at first, then
 * as many as the rows that came allow. A leader gets a request of its own. Returns the number of IDs; 0: the search is
 * over, because no job is missing any more or it has looked at all IDs. Counts before that prove nothing any more. */
uint64_t job_search_ask(struct job_search *search, const struct job_table *table, uint64_t rows_max, struct buf *query);

/* slurmctld does not tell in advance which ID is a leader's. Where arrays may be large, a search asks for one ID at a
 * time. With MaxArraySize 100,001 a real 26.05 had 46,000 single jobs, and slurmscope knew 20,000 of them after ten
 * minutes. slurmdbd reports which IDs are single jobs or tasks, at 0.25 ms each: then 29,000 were known after 16 s.
 *
 * Writes the IDs to ask slurmdbd for before the next request, at most `max`, and returns their number; 0: slurmdbd need
 * not be asked. This is for the way down only. Tasks come before their leader there, so slurmdbd is not asked for the
 * leader, which would bring all of them. */
size_t job_search_ids_to_look_up(struct job_search *search, const struct job_table *table, uint64_t *ret_ids,
				 size_t max);

/* May an ID bring more rows than an answer should have? Then the search asks job/{id} for IDs that are not plain, one by
 * one: an array that is not split has one record there (job_frontiers_next_record). The second function returns the next
 * such ID; 0: ask for the next IDs by their states. The third says whether slurmctld has the job. */
bool job_search_wants_records(const struct job_search *search, const struct job_table *table);
uint64_t job_search_next_record(struct job_search *search, const struct job_table *table);
void job_search_note_record(struct job_search *search, uint64_t id, bool is_there);

/* A record of slurmdbd's answer. */
void job_search_note_run(struct job_search *search, const struct job *job);

/* The answer is lost: the next requests ask for its IDs again, at first for one of them. */
void job_search_forget(struct job_search *search);

/* The answer was complete and is applied: the jobs that it has move the frontiers. `tails` as in job_answer.h. */
void job_search_settle(struct job_search *search, const struct job_answer *answer, const struct job_table *table,
		       const struct id_map *tails, struct job_frontiers *frontiers);
