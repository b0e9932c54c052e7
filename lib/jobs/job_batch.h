/* A whole list of job records: put one by one while the answer comes, applied when it was complete.
 *
 * Nothing of it is in the table before the commit, so that an answer that breaks off changes nothing. Of a
 * record that the table has just so, one bit is kept; only what is new or other is kept aside. From begin
 * to commit or abort the table must not be changed otherwise; one batch at a time. */
#pragma once

#include "jobs/job_table.h"

struct job_batch {
	struct job_table *table; /* borrowed */
	int64_t now;
	struct job_row *rows; /* new or other than in the table */
	size_t count, capacity;
	struct job_extras extras;
	uint64_t *confirmed; /* a bit for each position: the list has the record */
	size_t word_count;
};

/* `now`: when Slurm was asked for the list, the seen_time and details_time of all that are on it. */
struct job_batch *job_batch_begin(struct job_table *table, int64_t now);

/* As job_table_put; a record put twice counts once. */
bool job_batch_put(struct job_batch *batch, const struct job *job);

/* The table's rows become those that were put; ends the batch. */
void job_batch_commit(struct job_batch *batch);

void job_batch_abort(void *batch); /* ends the batch; NULL is fine; void for callbacks */
