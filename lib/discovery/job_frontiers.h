/* Where new jobs appear: the IDs that slurmctld will give next. It counts up from FirstJobId, begins again at MaxJobId,
 * and leaves out IDs in use. An operator may choose an ID, and a federation's jobs have their cluster's number in the
 * upper bits (SLURMRESTD.md, "Job IDs"). So there may be several frontiers. Of one thread. */
#pragma once

#include "discovery/job_answer.h"
#include "discovery/job_probes.h"

/* Each frontier costs at least a window of IDs in each round. So each cluster of a federation, which has at most 63
 * clusters, has few of them. IDs without jobs cost next to nothing. An array's short tasks leave gaps that may be wider
 * than the smallest window (job_frontiers_widen). */
enum { JOB_FRONTIERS_EACH_MAX = 4, JOB_FRONTIERS_MAX = 80, JOB_WINDOW_MIN = 64 };

/* A round asks for `next` alone. If Slurm has not given that ID, the next request asks for the whole rest of the
 * window. The rest is empty unless there is a gap. If Slurm has given it, requests ask for the following IDs one by
 * one, as each may be a large array. After many jobs they ask for more at a time (job_probes.h).
 *
 * Slurm will not give an empty ID below a job next. That holds only if the round asked for it after Slurm gave the job
 * its ID. So a job above IDs that earlier requests found empty makes the round ask for those again. */
struct job_frontier {
	uint64_t next; /* the first ID that Slurm has not given yet, as far as rounds have looked */
	uint64_t passed_from; /* known jobs have the IDs from here to `next`; the same as `next`: none */
	uint64_t given; /* this many IDs from `next` on Slurm has given, as something else than empty IDs says */
	uint64_t window; /* IDs that must be empty before the round is done, besides those of known jobs */
	uint64_t at_once; /* IDs that its next request may ask for */
	uint64_t at; /* the next request begins with this ID */
	uint64_t looked; /* IDs from `next` to `at` that were empty in this round */
	uint64_t found; /* requests of this round that found jobs */
	bool is_done; /* in this round: the window was empty */
	uint64_t step; /* IDs beyond `given` of the next one that is to show how far Slurm has come; 0: that is known */
	bool is_narrowing; /* an ID `step` or more IDs further on had no job */
	uint64_t covered_to; /* the ID after the last one that the request under way covers */
	size_t probes_from, probes_to; /* its part of `probes`, in the request under way */
};

struct job_frontiers {
	uint64_t first_id, last_id; /* FirstJobId, MaxJobId */
	uint64_t newest_submit_time[JOB_ORIGINS]; /* of IDs from other sources; by origin */
	struct job_frontier items[JOB_FRONTIERS_MAX]; /* by when they moved, the latest last */
	size_t count;
	struct job_probes probes;
	uint64_t rows_max; /* of the request under way */
	size_t recorded; /* the frontier whose ID job/{id} is asked for */
};

void job_frontiers_done(struct job_frontiers *frontiers);

/* Slurm gave this ID: a frontier shortly below moves above it; if there is none, a new one begins. */
void job_frontiers_advance(struct job_frontiers *frontiers, uint64_t id);

/* Another source than rounds says that Slurm gave this ID. A frontier shortly below stays, and the next round looks at
 * all IDs up to there, so that it finds the jobs between. If there is none, a new one begins above the ID. */
void job_frontiers_reach(struct job_frontiers *frontiers, uint64_t id);

uint64_t job_frontiers_top(const struct job_frontiers *frontiers); /* the highest; 0: there is none */
uint64_t job_frontiers_top_of(const struct job_frontiers *frontiers,
			      unsigned origin); /* likewise, of a cluster's IDs */

/* The job with this ID has left slurmctld, so the ID is free. If the frontier has passed over it, and Slurm has given none
 * above since, Slurm gives it next. Then the frontier steps back to it. */
void job_frontiers_note_free(struct job_frontiers *frontiers, uint64_t id);

/* A new round: the IDs above every frontier are to be asked for. */
void job_frontiers_begin(struct job_frontiers *frontiers);
/* How many IDs are left to ask for in this round; between rounds: how many the next one asks for at first. */
uint64_t job_frontiers_work(const struct job_frontiers *frontiers, bool is_in_round);

/* Jobs are missing: the next round looks 1,024 IDs above each frontier, past IDs whose jobs have gone. An array's short
 * tasks leave such gaps. Without this, jobs above a gap waited a minute and a half for a search. */
void job_frontiers_widen(struct job_frontiers *frontiers);

/* A request begins: it asks for no IDs above frontiers until job_frontiers_ask adds some. */
void job_frontiers_ask_nothing(struct job_frontiers *frontiers);

/* Adds IDs that are not in the table to the query, such that about `rows_max` rows come. Returns how many. */
uint64_t job_frontiers_ask(struct job_frontiers *frontiers, const struct job_table *table, uint64_t rows_max,
			   struct buf *query);
/* The answer is lost: the next requests ask for its IDs again, at first for one of them. */
void job_frontiers_forget(struct job_frontiers *frontiers);
/* The answer was complete, and these IDs brought `rows` of it: frontiers move above the IDs that it has. Each of the
 * next ones may bring `array_rows`; 0: all of them together bring few. */
void job_frontiers_settle(struct job_frontiers *frontiers, const struct job_answer *answer, uint64_t rows,
			  uint64_t array_rows);

/* job/{id} has one record of an array that is not split, where jobs/state has a row for each task. So it is asked for IDs
 * that may be such arrays', one by one. The first few show how far Slurm has given IDs, in growing and then shrinking
 * steps. The others are those up to there. Each function returns the next ID to ask for; 0: none is left in this round,
 * or slurmrestd refuses them (job_reader_job). Steps begin again with each round, and by the third function. */
uint64_t job_frontiers_next_step(struct job_frontiers *frontiers, const struct job_table *table);
uint64_t job_frontiers_next_record(struct job_frontiers *frontiers, const struct job_table *table);
void job_frontiers_begin_steps(struct job_frontiers *frontiers);
/* Whether slurmctld has the job. */
void job_frontiers_note_record(struct job_frontiers *frontiers, bool is_there);

/* IDs that Slurm has given, as far as is known, and that no round has come to. */
uint64_t job_frontiers_given(const struct job_frontiers *frontiers);
