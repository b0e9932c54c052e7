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
	uint64_t last_update; /* of the whole list that the table has; 0: its rows came in another way */
	bool warned_of_cut_arrays;
};

/* Borrows the asker. Slurm gives IDs from first_id to last_id. */
void job_reader_init(struct job_reader *reader, struct asker *asker, uint64_t first_id, uint64_t last_id);
void job_reader_done(struct job_reader *reader);

/* Each of these makes one request and applies its answer if it is complete. It fills in the outcome except for task,
 * way and whether the round is done. True: it succeeded. */

/* Asks for the states that the rounds want now; an empty query is for all jobs. */
bool job_reader_states(struct job_reader *reader, const struct buf *query, struct plan_outcome *outcome);

/* Asks for one job's details. If slurmctld does not report them, that is no failure. */
bool job_reader_job(struct job_reader *reader, uint64_t id, struct plan_outcome *outcome);

/* Asks for the details of all jobs in one list. Jobs that it lacks stay: slurmctld may hide them there, but not from
 * jobs/state. */
bool job_reader_details(struct job_reader *reader, struct plan_outcome *outcome);

/* Asks slurmdbd for the first details of `count` jobs. If it lacks some, that is no failure. */
bool job_reader_runs(struct job_reader *reader, const uint64_t *ids, size_t count, struct plan_outcome *outcome);

/* Asks slurmdbd which of these IDs are single jobs, tasks or leaders, for the search. */
bool job_reader_look_up(struct job_reader *reader, const uint64_t *ids, size_t count, struct plan_outcome *outcome);

/* Asks slurmdbd for the youngest job that ended in the last `seconds`, to learn where Slurm gives IDs. If slurmdbd
 * knows none, that is no failure. */
bool job_reader_newest(struct job_reader *reader, uint64_t seconds, struct plan_outcome *outcome);

/* Asks diag how many tasks were submitted and started, for the round. If it fails, the round goes on without. */
void job_reader_count(struct job_reader *reader, struct plan_outcome *outcome);

/* Asks for all jobs with their details in one list. `counts_arrays`: then counts arrays whose task lists were cut by
 * further requests to jobs/state. */
bool job_reader_list(struct job_reader *reader, bool counts_arrays, struct plan_outcome *outcome);
