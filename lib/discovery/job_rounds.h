/* Which ids jobs/state is asked for, so that every job is known and none is asked for twice.
 *
 * A round asks for each known id and then for those above the frontiers. If diag counts more jobs than that finds, a
 * search looks for them. An answer counts only if it was whole. Of one thread.
 *
 * What jobs/state does (SLURMRESTD.md, "jobs/state"): ids that do not exist are left out; the id of an
 * array's first record brings all of its tasks; "40_19" brings the record of task 19 alone, and if that is
 * the unsplit rest, all tasks of the rest. Rows cost slurmrestd quadratically: batches are measured in
 * predicted rows. */
#pragma once

#include "discovery/job_details.h"
#include "discovery/job_search.h"

enum job_request { JOB_REQUEST_NONE, JOB_REQUEST_ROUND, JOB_REQUEST_ARRAY, JOB_REQUEST_WHOLE, JOB_REQUEST_SEARCH };

#define JOB_ASK_NO_TASK UINT32_MAX

/* Ids to ask for, in turn. There is one for each job, so it has 12 bytes: with 24 a million jobs took 12 MB more. */
struct job_asks {
	struct job_ask {
		uint32_t id;
		uint32_t task; /* ask for id_task; JOB_ASK_NO_TASK: for the id */
		uint32_t rows; /* predicted */
	} * items;
	size_t count, capacity;
	size_t asked, asked_before; /* how many are asked for; how many were when the request began */
	uint64_t rows_left; /* predicted, of those not asked for yet */
};

struct job_rounds {
	struct job_table *table; /* borrowed */
	struct id_map tails; /* see job_answer.h */
	struct job_frontiers frontiers;
	struct job_search search;
	struct job_answer answer;

	bool is_unverified; /* the table's rows are from before the start: see job_rounds_resume */
	struct id_map doubted; /* until they are verified: ids that rounds ask for whatever the table has -> 1 */

	bool is_open; /* a round is under way */
	struct job_asks round, array; /* two, so that an array's turn does not disturb an open round */

	enum job_request request; /* under way */
};

/* Slurm gives ids from first_id to last_id (FirstJobId and MaxJobId). */
void job_rounds_init(struct job_rounds *rounds, struct job_table *table, uint64_t first_id, uint64_t last_id);
void job_rounds_done(struct job_rounds *rounds);

/* The table has rows from before the start, which no round has verified yet. Takes over what was known besides: `tails` of the
 * rows, and `doubted`, ids of rows that were lost. Until job_rounds_verified frontiers stand at the newest row: whoever told
 * of a younger job would have the round pass over those that came between. */
void job_rounds_resume(struct job_rounds *rounds, struct id_map *tails, struct id_map *doubted);
void job_rounds_verified(struct job_rounds *rounds);

/* slurmctld does not tell of the rest of a large array: rounds ask for it until the rows are verified. That costs nothing if
 * it is gone. */
void job_rounds_doubt(struct job_rounds *rounds, uint64_t id);

/* Opens a round, without the rests of large arrays (job_details.h). */
void job_rounds_begin(struct job_rounds *rounds);

/* A prediction of the rows that the open round will still bring; without one, of the next round's. That is 0 only if no
 * id is known to ask for: on a cluster without jobs the next round asks for the ids above the frontiers. */
uint64_t job_rounds_work(const struct job_rounds *rounds);

/* The next request: writes "?job_id=17&job_id=40_19..." for at most `rows_max` predicted rows (more if one record has
 * more, and ids above frontiers that are expected to be empty), and returns their number. 0: nothing is left, the round is
 * over. */
uint64_t job_rounds_ask(struct job_rounds *rounds, uint64_t rows_max, struct buf *query);

/* The request is for the unsplit rest of one array. */
void job_rounds_ask_array(struct job_rounds *rounds, uint64_t id, struct buf *query);

/* The request is for all jobs, without a query. Ends an open round. */
void job_rounds_ask_whole(struct job_rounds *rounds);

/* diag counted `jobs` pending and running jobs: returns whether to search (job_search.h). */
bool job_rounds_note_count(struct job_rounds *rounds, uint64_t jobs);

/* The next request of a search (job_search.h); 0: it is over. Ask job/{id} for the sample first: it tells which id would
 * bring a whole array. */
uint64_t job_rounds_take_sample(struct job_rounds *rounds); /* 0: none */
uint64_t job_rounds_ask_search(struct job_rounds *rounds, uint64_t rows_max, struct buf *query);

/* A row of the answer. After the last row: apply if the answer was whole, else forget. Then the ids are asked for again, of
 * those that may bring any number of rows one at first: the answer may have been lost because it was dear.
 * `now` is in Unix seconds. */
void job_rounds_take(struct job_rounds *rounds, const struct job_task *task);
void job_rounds_apply(struct job_rounds *rounds, int64_t now);
void job_rounds_forget(struct job_rounds *rounds);

/* The details of a job came; or those of all jobs came at once. They tell which ids Slurm has given, and a task's array. */
void job_rounds_note_job(struct job_rounds *rounds, const struct job *job);
void job_rounds_note_list(struct job_rounds *rounds);

/* Slurm gave this id then (Unix seconds): it counts if no younger one is known. */
void job_rounds_note_id(struct job_rounds *rounds, uint64_t id, uint64_t submit_time);
/* Slurm gave this id last, as its configuration says. */
void job_rounds_note_last(struct job_rounds *rounds, uint64_t id);
