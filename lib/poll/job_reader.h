/* The requests that bring jobs into the table: states by jobs/state, one job by job/{id}, all by jobs. Of the poller's
 * thread. */
#pragma once

#include "discovery/job_details.h"
#include "discovery/job_rounds.h"
#include "poll/asker.h"
#include "poll/tasks.h"

struct job_reader {
	struct asker *asker;
	struct job_rounds rounds;
	struct job_details details;
	uint64_t last_update; /* of the whole list that is in the table; 0: what it has came otherwise */
	bool warned_of_cut_arrays;
};

/* Borrows the asker. Slurm gives ids from first_id to last_id. */
void job_reader_init(struct job_reader *reader, struct asker *asker, uint64_t first_id, uint64_t last_id);
void job_reader_done(struct job_reader *reader);

/* Each makes one request, applies its answer if it counts, and fills in the outcome but for task, way and whether the
 * round is done. True if it went well. */

/* What the rounds ask for now; an empty query is for all jobs. */
bool job_reader_states(struct job_reader *reader, const struct buf *query, struct plan_outcome *outcome);

/* One job's details; that slurmctld does not tell them is no failure. */
bool job_reader_job(struct job_reader *reader, uint64_t id, struct plan_outcome *outcome);

/* The details of all jobs in one list. Jobs that it lacks stay: slurmctld may hide them there, but not from jobs/state. */
bool job_reader_details(struct job_reader *reader, struct plan_outcome *outcome);

/* The first details of so many jobs, as slurmdbd has them. That it does not have all is no failure. */
bool job_reader_runs(struct job_reader *reader, const uint64_t *ids, size_t count, struct plan_outcome *outcome);

/* Where Slurm gave ids lately, by the youngest job that ended in the last `seconds` and that slurmdbd knows. That it knows
 * none is no failure. */
bool job_reader_newest(struct job_reader *reader, uint64_t seconds, struct plan_outcome *outcome);

/* All jobs with their details. Arrays whose task lists were cut are counted by jobs/state afterwards, if
 * `counts_arrays`: further requests. */
bool job_reader_list(struct job_reader *reader, bool counts_arrays, struct plan_outcome *outcome);
