/* Which IDs to ask jobs/state for, so that every job is known and none is asked for twice.
 *
 * A round asks for each known ID and then for those above the frontiers. If diag counts more jobs than that finds, a
 * search looks for them. An answer counts only if it was complete. Of one thread.
 *
 * What jobs/state does (SLURMRESTD.md, "jobs/state"): IDs that do not exist are left out. The ID of an array's first
 * record brings all of its tasks. "40_19" brings the record of task 19 alone; if that is the unsplit rest, it brings
 * all tasks of the rest. The cost of rows is quadratic in slurmrestd, so batches are measured in predicted rows. */
#pragma once

#include "discovery/job_details.h"
#include "discovery/job_search.h"
#include "discovery/job_submissions.h"

enum job_request {
	JOB_REQUEST_NONE,
	JOB_REQUEST_ROUND,
	JOB_REQUEST_RECORD,
	JOB_REQUEST_ARRAY,
	JOB_REQUEST_WHOLE,
	JOB_REQUEST_SEARCH
};

#define JOB_ASK_NO_TASK UINT32_MAX

/* IDs to ask for, in turn. There is one for each job, so it has 12 bytes: with 24 a million jobs took 12 MB more. */
struct job_asks {
	struct job_ask {
		uint32_t id;
		uint32_t task; /* ask for id_task; JOB_ASK_NO_TASK: for the ID */
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
	struct job_submissions submissions;
	struct job_answer answer;

	bool is_unverified; /* the table's rows are from before the start: see job_rounds_resume */
	struct id_map doubted; /* until they are verified: IDs that rounds ask for whatever the table has -> 1 */

	bool is_open; /* a round is under way */
	struct job_asks round, array; /* two, so that an array's turn does not disturb an open round */
	uint64_t left_out; /* jobs of the large rests that the round does not ask for */
	unsigned careful; /* rounds in a row that left many submitted tasks unexplained */

	enum job_request request; /* under way */
	uint64_t record; /* the ID of JOB_REQUEST_RECORD */
	bool is_step, is_for_search; /* what it is asked for */
	uint64_t jobs_before; /* jobs that were known when it began */
};

/* Slurm gives IDs from first_id to last_id (FirstJobId and MaxJobId). */
void job_rounds_init(struct job_rounds *rounds, struct job_table *table, uint64_t first_id, uint64_t last_id);
void job_rounds_done(struct job_rounds *rounds);

/* The table has rows from before the start, which no round has verified yet. Takes over what else was known: `tails` of
 * the rows, and `doubted`, IDs of rows that were lost. Until job_rounds_verified frontiers stay at the newest row. If a
 * younger job moved them, the round would pass over the jobs between. */
void job_rounds_resume(struct job_rounds *rounds, struct id_map *tails, struct id_map *doubted);
void job_rounds_verified(struct job_rounds *rounds);

/* slurmctld does not know the rest of a large array: rounds ask for it until the rows are verified. That costs nothing
 * if it has gone. */
void job_rounds_doubt(struct job_rounds *rounds, uint64_t id);

/* Opens a round, without the rests of large arrays (job_details.h). */
void job_rounds_begin(struct job_rounds *rounds);

/* A prediction of the rows that the open round will still bring, or else of the next round's. It is 0 only if there is
 * no ID to ask for. On a cluster without jobs the next round asks for the IDs above the frontiers. */
uint64_t job_rounds_work(const struct job_rounds *rounds);

/* The next request: writes "?job_id=17&job_id=40_19..." and returns the number of predicted rows; 0: the round is over.
 * They are at most `rows_max`, unless one record has more; IDs above frontiers that are expected to be empty are
 * added. */
uint64_t job_rounds_ask(struct job_rounds *rounds, uint64_t rows_max, struct buf *query);

/* The request is for the unsplit rest of one array. */
void job_rounds_ask_array(struct job_rounds *rounds, uint64_t id, struct buf *query);

/* The request is for all jobs, without a query. Ends an open round. */
void job_rounds_ask_whole(struct job_rounds *rounds);

/* diag counted `jobs` pending and running jobs: returns whether to search (job_search.h). */
bool job_rounds_note_count(struct job_rounds *rounds, uint64_t jobs);

/* diag's numbers of submitted and started tasks (job_submissions.h). */
void job_rounds_note_submitted(struct job_rounds *rounds, uint64_t submitted, uint64_t started);

/* Have all known IDs been asked for, so that diag's numbers are wanted before those above the frontiers are? Nothing else
 * bounds what these bring. The second function says that diag's numbers are too old. */
bool job_rounds_await_count(const struct job_rounds *rounds);
void job_rounds_doubt_count(struct job_rounds *rounds);

/* The next ID to ask job/{id} for, because IDs above frontiers may bring too many rows; 0: none. After the answer:
 * settle. */
uint64_t job_rounds_next_record(struct job_rounds *rounds);
void job_rounds_settle_record(struct job_rounds *rounds);

/* Likewise for a search, which begins with the first request. */
uint64_t job_rounds_next_search_record(struct job_rounds *rounds);

/* What is above the frontiers cannot be read. If the open round has asked for all known IDs, it ends with those, and the
 * function returns true. */
bool job_rounds_leave_frontiers(struct job_rounds *rounds);

/* The next request of a search (job_search.h); 0: it is over. Ask job/{id} for the sample first: its details say which
 * ID would bring a whole array. */
uint64_t job_rounds_take_sample(struct job_rounds *rounds); /* 0: none */
uint64_t job_rounds_ask_search(struct job_rounds *rounds, uint64_t rows_max, struct buf *query);

/* A row of the answer. After the last row: apply if the answer was complete, else forget. After forget, the next
 * requests ask for the IDs again. Of those that may bring any number of rows they ask for one at first, because the
 * answer may have been lost for its cost. `now` is in Unix seconds. */
void job_rounds_take(struct job_rounds *rounds, const struct job_task *task);
void job_rounds_apply(struct job_rounds *rounds, int64_t now);
void job_rounds_forget(struct job_rounds *rounds);

/* The details of one job came, or those of all jobs. They say which IDs Slurm has given, and a task's array. */
void job_rounds_note_job(struct job_rounds *rounds, const struct job *job);
void job_rounds_note_list(struct job_rounds *rounds);

/* Slurm gave this ID at `submit_time` (Unix seconds): it counts if no younger one is known. */
void job_rounds_note_id(struct job_rounds *rounds, uint64_t id, uint64_t submit_time);
/* Slurm's configuration says that it gave this ID last. */
void job_rounds_note_last(struct job_rounds *rounds, uint64_t id);
