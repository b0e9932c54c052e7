/* The job records of slurmctld, one row each, updated by changes, and their totals, updated with every change.
 *
 * A row is one record. That is a job, a component of a het job, a task that was split from an array, or the unsplit
 * rest of an array. The rest stands for as many jobs as it has tasks. The totals lose exactly what they got from a row.
 * Two things wait for job_table_settle: the oldest and largest jobs, and which entities have a row of their own without
 * jobs.
 *
 * A row without details is an ID of which we know only what jobs/state says. It counts among the cluster's states,
 * records and jobs, and in jobs_without_details, but in no other total.
 *
 * `now` is Unix time in seconds and does not go back. Owned by one thread. */
#pragma once

#include "base/error.h"
#include "base/id_map.h"
#include "jobs/job_extras.h"
#include "jobs/job_row.h"
#include "jobs/job_totals.h"
#include "jobs/job_unstored.h"

struct job_table {
	struct job_row *rows; /* by position */
	size_t position_count, capacity;
	size_t first_free; /* position + 1 of a row that is not used, whose `tasks` is the next such; 0: none */
	struct id_map positions; /* raw ID -> position */
	struct id_map split_pending; /* array's ID -> its pending tasks that have rows of their own */
	struct job_pools pools; /* of the rows */
	struct job_totals *totals;
	struct job_extras extras; /* filled by the readers of slurmctld's records */
	struct job_unstored unstored; /* for storing rows over restarts; does not note changes of their times */
	uint64_t rows_without_details;
	uint64_t rows_pending;
	uint64_t changes; /* goes up with every call that may have changed something */
	int64_t now; /* the last one given */
};

/* What others may know of a row. */
struct job_view {
	uint64_t id; /* raw */
	uint64_t array_job_id; /* 0: not of an array, or not known */
	uint64_t array_task_id; /* NUMBER_UNSET: none */
	int state;
	uint64_t flags;
	uint64_t submit_time; /* Unix seconds; 0: not known */
	uint64_t nodes; /* that one of its tasks asks for, or holds */
	uint64_t tasks; /* jobs that the row stands for */
	uint64_t tasks_listed; /* how many its details listed; the list may have been cut */
	int64_t seen_time; /* when Slurm last said that the record exists */
	int64_t details_time; /* when its details came; 0: never */
	bool has_details;
	bool details_wanted; /* its state changed since they came, or they never came */
	bool is_unsplit; /* the rest of an array */
	bool is_cut; /* Slurm cut its task list: tasks_listed is a lower bound */
	bool is_counted; /* `tasks` is from job_table_set_tasks */
	bool is_lent; /* its details are another task's */
};

struct job_counts {
	uint64_t rows, rows_without_details, rows_pending;
	uint64_t jobs, pending, running, jobs_without_details; /* by task */
};

struct job_table *job_table_new(void);
/* Jobs count in the groups of these caps, too; to be called while there is no row. Borrows it. */
void job_table_count_groups(struct job_table *table, const struct caps *caps);
void job_table_free(struct job_table *table); /* NULL is fine */

/* Inserts the record with its details, or replaces what was known of its ID; copies what it needs. An array has as many
 * tasks as it lists. If the list is cut, the number given by job_table_set_tasks stays until the next one is given. It
 * does not stay if the list is longer or the submit time differs. False: its ID or its array's is not one of Slurm's
 * (they have 32 bits), and nothing changed. */
bool job_table_put(struct job_table *table, const struct job *job, int64_t now);

/* Notes what jobs/state says of an ID. An unknown ID gets a row without details, of one task. If the state changed, or
 * the job has finished configuring, its details are wanted. Until they come, the row counts in the new state what its
 * old details say: a job that starts holds what it asked for. False: not an ID of Slurm's. */
bool job_table_set_state(struct job_table *table, uint64_t id, int state, uint64_t flags, int64_t now);

/* Sets the number of tasks of an array's unsplit rest, as jobs/state lists them; 0: not known, so the number in its
 * details counts. False: there is no such row, or it is a split task. */
bool job_table_set_tasks(struct job_table *table, uint64_t id, uint64_t tasks);

/* Slurm no longer knows the job. False: there was no such row. */
bool job_table_remove(struct job_table *table, uint64_t id);

/* Rows by position, from 0 to below position_count. False: the position has no row. A row stays at its position until
 * it is removed; a new one may take any free position. Another job may have got its ID since. */
bool job_table_at(const struct job_table *table, size_t position, struct job_view *ret_view);
bool job_table_find(const struct job_table *table, uint64_t id, struct job_view *ret_view);

/* Why the job waits is not known any more: the reason becomes Unknown. */
void job_table_forget_reason(struct job_table *table, uint64_t id);

/* Why the job waits, as its details said; empty: no such row, or it has none. Borrowed until the table changes. */
struct text job_table_reason(const struct job_table *table, uint64_t id);

struct job_counts job_table_counts(const struct job_table *table); /* cheap */

/* Pending tasks of the array that have rows of their own. */
uint64_t job_table_split_pending(const struct job_table *table, uint64_t array_job_id);

/* These two look at each row. The first returns the highest ID for each cluster of a federation that gave IDs; 0: none.
 * The second returns the oldest details_time of pending, running and suspended rows; 0: none of them has details. */
void job_table_highest_ids(const struct job_table *table, uint64_t ret_ids[JOB_ORIGINS]);
int64_t job_table_oldest_details(const struct job_table *table);

/* Takes the rows and totals of another table in place of its own, and frees the other. The extras stay, as they are not
 * in rows. Earlier totals are not valid any more. */
void job_table_take(struct job_table *table, struct job_table *from);

/* Completes the totals and returns them; to be called before a page shows them. Looks at each row only if the oldest or
 * largest job of some entity has gone. `partitions` (or NULL: not known) have a row even without jobs. Other partitions
 * lose theirs, and users do so 24 hours after their last job. Earlier totals are not valid any more. Builds with
 * SLURMSCOPE_CHECKS abort if jobs_check fails. */
struct job_totals *job_table_settle(struct job_table *table, const struct map *partitions);

/* Adds up from each row what jobs hold of the resources that QOS and associations limit, as of the last `now`.
 * `charges` is initialised and empty. */
void job_table_charge(const struct job_table *table, struct charges *charges);

/* For job_batch, jobs_check and storing rows over restarts. The first returns the row of an ID, or NULL. The second
 * puts a row of job_row_make, which it takes over, into its place. The third says what time it is. */
struct job_row *job_table_row(const struct job_table *table, uint32_t id);
void job_table_place(struct job_table *table, const struct job_row *row);
void job_table_note_now(struct job_table *table, int64_t now);

/* Bytes in use, without those of the totals; rows that were never used take no memory. */
size_t job_table_bytes(const struct job_table *table);
