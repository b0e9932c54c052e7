/* The job records of slurmctld, one row each, kept by deltas, and their totals, kept up with every change.
 *
 * A row is one record: a job, a component of a het job, a task that was split from an array, or the not
 * yet split rest of an array, which stands for as many jobs as it has tasks. What a row adds to the
 * totals is taken off again exactly as it was added; only the oldest and largest, and which entities
 * have a row of their own though they have no jobs, wait for job_table_settle.
 *
 * A row without details is an id that jobs/state knows and nothing more: it counts among the cluster's
 * states, records and jobs and in jobs_without_details, in no other total.
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
	size_t first_free; /* position + 1 of a row that is not used, whose `tasks` is the next; 0: none */
	struct id_map positions; /* raw id -> position */
	struct id_map split_pending; /* array's id -> its pending tasks that have rows of their own */
	struct job_pools pools; /* of the rows */
	struct job_totals *totals;
	struct job_extras extras; /* put by whoever reads slurmctld's records */
	struct job_unstored unstored; /* for whoever keeps the rows over restarts; their times may change unnoted */
	uint64_t rows_without_details;
	uint64_t rows_pending;
	uint64_t changes; /* goes up with every call that may have changed something */
	int64_t now; /* that was said last */
};

/* What may be asked of a row. */
struct job_view {
	uint64_t id; /* raw */
	uint64_t array_job_id; /* 0: not of an array, or not known */
	uint64_t array_task_id; /* NUMBER_UNSET: none */
	int state;
	uint64_t flags;
	uint64_t submit_time; /* Unix seconds; 0: not known */
	uint64_t nodes; /* that one of its tasks asks for, or holds */
	uint64_t tasks; /* jobs that the row stands for */
	uint64_t tasks_listed; /* so many its details listed, which may have been cut */
	int64_t seen_time; /* when Slurm last said that the record exists */
	int64_t details_time; /* when its details came; 0: never */
	bool has_details;
	bool details_wanted; /* its state changed since they came, or they never came */
	bool is_doubtful; /* it ended when its details came, or since, and they still name several partitions */
	bool is_unsplit; /* the rest of an array */
	bool is_cut; /* Slurm cut its task list: tasks_listed is a lower bound */
	bool is_counted; /* `tasks` was told by job_table_set_tasks */
};

struct job_counts {
	uint64_t rows, rows_without_details, rows_pending;
	uint64_t jobs, pending, running, jobs_without_details; /* by task */
};

struct job_table *job_table_new(void);
void job_table_free(struct job_table *table); /* NULL is fine */

/* The record with its details: inserted, or in place of what was known of its id; copies what it needs.
 * An array's tasks are as many as it lists. Of a cut list the number told by job_table_set_tasks stays
 * until another is told, unless the list is longer or the submit time is another. False: the id, or the
 * array's, is not one of Slurm's (they have 32 bits), nothing was changed. */
bool job_table_put(struct job_table *table, const struct job *job, int64_t now);

/* What jobs/state says of an id; one that is not known gets a row without details, of one task. When the
 * state is another one, or the job is not configuring any more, its details are wanted; what the row holds
 * moves to its state as the details have it (a job that starts holds what it asked for). False: not an id of Slurm's. */
bool job_table_set_state(struct job_table *table, uint64_t id, int state, uint64_t flags, int64_t now);

/* How many tasks an array's unsplit rest has, as jobs/state expands it; 0: not known, those that its
 * details list. False: there is no such row, or it is a split task. */
bool job_table_set_tasks(struct job_table *table, uint64_t id, uint64_t tasks);

/* Slurm does not know it any more. False: neither did we. */
bool job_table_remove(struct job_table *table, uint64_t id);

/* Rows by position, from 0 below position_count; false: none there. A row stays where it is until it is
 * removed; a new one may take any place that is free. Another job may have its id since. */
bool job_table_at(const struct job_table *table, size_t position, struct job_view *ret_view);
bool job_table_find(const struct job_table *table, uint64_t id, struct job_view *ret_view);

/* Why the job waits, as its details said; empty: no such row, or it has none. Borrowed until the table changes. */
struct text job_table_reason(const struct job_table *table, uint64_t id);

struct job_counts job_table_counts(const struct job_table *table); /* cheap */

/* Pending tasks of the array that have rows of their own. */
uint64_t job_table_split_pending(const struct job_table *table, uint64_t array_job_id);

/* These two look at each row. The highest id by the cluster of a federation that gave it, 0 if there is none; the
 * details_time of the pending, running or suspended row whose details are oldest, 0 if there is none with details. */
void job_table_highest_ids(const struct job_table *table, uint64_t ret_ids[JOB_ORIGINS]);
int64_t job_table_oldest_details(const struct job_table *table);

/* Takes the rows and totals of another table in place of its own, and frees the other. What is not in rows stays: extras. The
 * totals before are not valid any more. */
void job_table_take(struct job_table *table, struct job_table *from);

/* Makes everything in the totals right and returns them: to be called before they are shown. Looks at each
 * row only if the oldest or largest of some entity has gone. `partitions` (or NULL: not known) are those
 * that have a row without jobs too; other partitions, and users 24 hours after their last job, go. The
 * totals before are not valid any more. Aborts in builds with SLURMSCOPE_CHECKS if jobs_check fails. */
struct job_totals *job_table_settle(struct job_table *table, const struct map *partitions);

/* What jobs hold of that which QOS and associations limit, as of the last `now`: worked out from each
 * row. `charges` is empty, initialised. */
void job_table_charge(const struct job_table *table, struct charges *charges);

/* For job_batch, jobs_check and whoever keeps rows over restarts: the row of an id, or NULL; a row that job_row_make made, which is taken
 * over, into its place; that it is this late. */
struct job_row *job_table_row(const struct job_table *table, uint32_t id);
void job_table_place(struct job_table *table, const struct job_row *row);
void job_table_note_now(struct job_table *table, int64_t now);

/* Bytes in use, but those of the totals; rows that were never used are not in memory. */
size_t job_table_bytes(const struct job_table *table);
