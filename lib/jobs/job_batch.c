#include "jobs/job_batch.h"

#include "base/memory.h"

#include <stdlib.h>

enum { WORD_BITS = 64 };

struct job_batch *job_batch_begin(struct job_table *table, int64_t now)
{
	struct job_batch *batch = NEW(struct job_batch);
	batch->table = table;
	batch->now = now;
	batch->extras = job_extras_begin(&table->extras);
	batch->word_count = table->position_count / WORD_BITS + 1;
	batch->confirmed = memory_new(batch->word_count * sizeof *batch->confirmed);
	return batch;
}

bool job_batch_put(struct job_batch *batch, const struct job *job)
{
	struct job_table *table = batch->table;
	struct job_row row;
	if (!job_row_make(&row, &table->pools, job, batch->now))
		return false;
	struct job listed = *job;
	listed.is_detailed = true; /* the next list would say the same */
	job_extras_put(&batch->extras, &listed);
	const struct job_row *known = job_table_row(table, row.id);
	job_row_keep_count(&row, known);
	size_t position = known ? (size_t)(known - table->rows) : 0;
	if (known)
		batch->confirmed[position / WORD_BITS] |= UINT64_C(1) << position % WORD_BITS;
	if (known && job_row_equal(known, &row)) {
		job_row_release(&row, &table->pools);
		return true;
	}
	GROW(batch->rows, batch->count, batch->capacity);
	batch->rows[batch->count++] = row;
	return true;
}

static void done(struct job_batch *batch)
{
	free(batch->rows);
	job_extras_done(&batch->extras);
	free(batch->confirmed);
	free(batch);
}

/* Dates the rows that the list confirms, and removes the others before new rows take their places. */
static void keep_confirmed(const struct job_batch *batch)
{
	struct job_table *table = batch->table;
	for (size_t i = 0; i < table->position_count; i++) {
		struct job_row *row = &table->rows[i];
		if (!job_row_is_used(row))
			continue;
		if (batch->confirmed[i / WORD_BITS] >> i % WORD_BITS & 1)
			row->seen_time = row->details_time = (uint32_t)batch->now;
		else
			job_table_remove(table, row->id);
	}
}

void job_batch_commit(struct job_batch *batch)
{
	keep_confirmed(batch);
	for (size_t i = 0; i < batch->count; i++)
		job_table_place(batch->table, &batch->rows[i]);
	job_extras_replace(&batch->table->extras, &batch->extras);
	job_table_note_now(batch->table, batch->now);
	done(batch);
}

void job_batch_abort(void *begun)
{
	struct job_batch *batch = begun;
	if (!batch)
		return;
	for (size_t i = 0; i < batch->count; i++)
		job_row_release(&batch->rows[i], &batch->table->pools);
	done(batch);
}
