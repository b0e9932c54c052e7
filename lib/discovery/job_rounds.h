/* Which ids jobs/state is asked for, so that every job is known and none is asked for twice.
 *
 * A round asks for each known id and then for those above the frontiers. What is in none of these places is
 * missed by diag's counts and searched for. An answer counts when it was whole.
 *
 * What jobs/state does (SLURMRESTD.md, "jobs/state"): ids that do not exist are left out; the id of an
 * array's first record brings all of its tasks; "40_19" brings the record of task 19 alone, and if that is
 * the unsplit rest, all tasks of the rest. Rows cost slurmrestd quadratically: batches are measured in
 * predicted rows. */
#pragma once

#include "discovery/job_details.h"
#include "discovery/job_search.h"

enum job_request {
	JOB_REQUEST_NONE,
	JOB_REQUEST_ROUND,
	JOB_REQUEST_ARRAY,
	JOB_REQUEST_WHOLE,
	JOB_REQUEST_SEARCH
};

#define JOB_ASK_NO_TASK UINT32_MAX

/* Ids to ask for, in turn: one for each job there is, hence small. */
struct job_asks {
	struct job_ask {
		uint32_t id;
		uint32_t task; /* ask for id_task; JOB_ASK_NO_TASK: for the id */
		uint32_t rows; /* predicted */
	} *items;
	size_t count, capacity;
	size_t asked, asked_before; /* those before are done, and were when the request began */
	uint64_t rows_left;	    /* of those not asked */
};

struct job_rounds {
	struct job_table *table; /* borrowed */
	struct id_map tails;     /* see job_answer.h */
	struct job_frontiers frontiers;
	struct job_search search;
	struct job_answer answer;

	bool is_open; /* a round is under way */
	struct job_asks round, array; /* an array's turn does not disturb an open round, nor does a search */

	enum job_request request; /* under way */
};

/* Slurm gives ids from first_id to last_id (FirstJobId and MaxJobId). */
void job_rounds_init(struct job_rounds *rounds, struct job_table *table, uint64_t first_id,
		     uint64_t last_id);
void job_rounds_done(struct job_rounds *rounds);

/* Opens a round, without the rests of large arrays (job_details.h). */
void job_rounds_begin(struct job_rounds *rounds);

/* How many rows the open round, or else the next one, will still bring, as far as can be said. */
uint64_t job_rounds_work(const struct job_rounds *rounds);

/* The next request: writes "?job_id=17&job_id=40_19..." of some `rows_max` predicted rows, and returns their
 * number. 0: nothing is left, the round is over. */
uint64_t job_rounds_ask(struct job_rounds *rounds, uint64_t rows_max, struct buf *query);

/* The request is for the unsplit rest of one array. */
void job_rounds_ask_array(struct job_rounds *rounds, uint64_t id, struct buf *query);

/* The request is for all jobs, without a query. Ends an open round. */
void job_rounds_ask_whole(struct job_rounds *rounds);

/* diag counted so many jobs, pending and running: returns whether to search (job_search.h). */
bool job_rounds_note_count(struct job_rounds *rounds, uint64_t jobs);

/* The next request of a search (job_search.h); 0: it is over. */
uint64_t job_rounds_ask_search(struct job_rounds *rounds, uint64_t ids_max, struct buf *query);

/* A row of the answer; then one of these: it was whole, or it is forgotten and asked again. */
void job_rounds_take(struct job_rounds *rounds, const struct job_task *task);
void job_rounds_apply(struct job_rounds *rounds, int64_t now);
void job_rounds_forget(struct job_rounds *rounds);

/* The details of a job came; or those of all jobs, at once. */
void job_rounds_note_job(struct job_rounds *rounds, const struct job *job);
void job_rounds_note_list(struct job_rounds *rounds);
