/* Which rows of a job table changed since they were stored, and which have gone. It takes a bit for each row, and 4
 * bytes for each that went. Until all rows were stored once it keeps nothing, and all rows count as changed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job_unstored {
	bool is_tracked; /* all rows were stored: from then on changes are noted */
	uint64_t *words; /* a bit for each position whose row changed */
	size_t word_count;
	uint32_t *removed; /* IDs; some may be back */
	size_t removed_count, removed_capacity;
};

/* The row at the position is new or changed; a row with that ID has gone. */
void job_unstored_note(struct job_unstored *unstored, size_t position);
void job_unstored_note_removed(struct job_unstored *unstored, uint32_t id);

/* The first position from `from` on, below `count`, whose row is to be stored if there is one; `count`: none. */
size_t job_unstored_next(const struct job_unstored *unstored, size_t from, size_t count);

void job_unstored_begin(struct job_unstored *unstored); /* all rows are stored as they are */
void job_unstored_end(struct job_unstored *unstored); /* nobody knows which are */
