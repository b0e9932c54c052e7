/* Converts a row of the job table to a row of the state file, and back. Rows from the file are checked, because
 * anything may have written the file. Of the poller's thread. */
#pragma once

#include "base/buf.h"
#include "jobs/job_row.h"
#include "model/vocabulary.h"
#include "store/store.h"

/* Borrows from row, pools, vocabulary and `flags`, an empty buffer for their names. `tail`: as in job_rounds, 0: none. */
struct store_job stored_row_of(const struct job_row *row, const struct job_pools *pools,
			       const struct vocabulary *vocabulary, uint32_t tail, struct buf *flags);

/* May a job record of Slurm's have this ID? */
bool stored_row_has_id(const struct store_job *job);

/* Does the row say what the groups count its job by? Not if they had other definitions when it was stored. */
bool stored_row_knows(const struct store_job *job, const struct job_pools *pools);

/* Makes a row of a stored job that is no younger than `as_of` (Unix seconds of slurmctld's clock). Learns names of
 * states and flags of Slurms newer than this program. It gets no details if stored_row_knows is false. False: slurmscope cannot have stored such a job; the row holds no
 * references. */
bool stored_row_make(struct job_row *row, struct job_pools *pools, struct vocabulary *vocabulary,
		     const struct store_job *job, int64_t as_of);
