/* A complete list of job records: put one by one while the answer comes, and applied after its end.
 *
 * The table does not change before the commit, so an answer that breaks off changes nothing. A record that equals the
 * table's row takes one bit; only a new or different one is kept aside. From begin to commit or abort nothing else may
 * change the table. There is one batch at a time. */
#pragma once

#include "jobs/job_table.h"

struct job_batch {
	struct job_table *table; /* borrowed */
	int64_t now;
	struct job_row *rows; /* new, or different from the table's */
	size_t count, capacity;
	struct job_extras extras;
	uint64_t *confirmed; /* a bit for each position: the list has the record */
	size_t word_count;
};

/* `now`: when slurmscope asked Slurm for the list: the seen_time and details_time of all its records. */
struct job_batch *job_batch_begin(struct job_table *table, int64_t now);

/* As job_table_put; a record put twice counts once. */
bool job_batch_put(struct job_batch *batch, const struct job *job);

/* The table's rows become those that were put; ends the batch. */
void job_batch_commit(struct job_batch *batch);

void job_batch_abort(void *batch); /* ends the batch; NULL is fine; void for callbacks */
