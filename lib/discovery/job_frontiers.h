/* Where new jobs appear: the ids that slurmctld will give next. It counts up from FirstJobId, begins anew at MaxJobId,
 * and leaves out ids in use. An operator may choose an id, and a federation's jobs have their cluster's number in the
 * upper bits (SLURMRESTD.md, "Job IDs"). So there may be several frontiers. Of one thread. */
#pragma once

#include "discovery/job_answer.h"
#include "discovery/job_probes.h"

/* Each frontier costs at least a window of ids in each round, so there are few of them of each cluster of a federation,
 * which has 63 at most. Ids without jobs cost next to nothing; an array's short tasks leave gaps that the smallest window
 * does not see across (job_frontiers_widen). */
enum { JOB_FRONTIERS_EACH_MAX = 4, JOB_FRONTIERS_MAX = 80, JOB_WINDOW_MIN = 64 };

/* A round asks for `next` alone. If Slurm has not given it, the rest of the window follows at once: it is empty but for a
 * gap. If Slurm has, the ids that follow are asked for one by one, as each may be a large array. Only after many
 * jobs more follow at once, as many as the rows that came allow (job_probes.h). */
struct job_frontier {
	uint64_t next; /* the first id that Slurm has not given yet, as far as rounds have looked */
	uint64_t given; /* Slurm has given the ids below it, as others say; 0: nobody says more */
	uint64_t window; /* so many ids must be empty before the round is done */
	uint64_t at_once; /* ids that its next request may ask for */
	uint64_t looked; /* so many ids from `next` on were empty in this round */
	uint64_t found; /* so many requests of this round found jobs */
	bool is_done; /* in this round: the window was empty */
	uint64_t covered; /* ids that the request under way covers */
	size_t probes_from, probes_to; /* its part of `probes`, in the request under way */
};

struct job_frontiers {
	uint64_t first_id, last_id; /* FirstJobId, MaxJobId */
	uint64_t newest_submit_time[JOB_ORIGINS]; /* of whom others told, by the cluster that gave the id */
	struct job_frontier items[JOB_FRONTIERS_MAX]; /* by when they moved, the latest last */
	size_t count;
	struct job_probes probes;
	uint64_t rows_max; /* of the request under way */
};

void job_frontiers_done(struct job_frontiers *frontiers);

/* Slurm gave this id: the frontier that is near below moves above it; if there is none, a new one begins. */
void job_frontiers_advance(struct job_frontiers *frontiers, uint64_t id);

/* Others say that Slurm gave this id. The frontier that is near below stays, and the next round looks at all ids up to there:
 * jobs that came between are not passed over. If none is near, a new one begins above the id. */
void job_frontiers_reach(struct job_frontiers *frontiers, uint64_t id);

uint64_t job_frontiers_top(const struct job_frontiers *frontiers); /* the highest; 0: there is none */
uint64_t job_frontiers_top_of(const struct job_frontiers *frontiers,
			      unsigned origin); /* likewise, of a cluster's ids */

/* A new round: the ids above every frontier are to be asked for. */
void job_frontiers_begin(struct job_frontiers *frontiers);
/* How many ids are left to ask for in this round; between rounds, how many the next one asks for at first. */
uint64_t job_frontiers_work(const struct job_frontiers *frontiers, bool is_in_round);

/* Jobs are missed: the next round looks 1,024 ids above each frontier, past ids whose jobs are gone already. An array's
 * short tasks leave such gaps. Before, jobs above them waited for a search, a minute and a half. */
void job_frontiers_widen(struct job_frontiers *frontiers);

/* A request begins: it asks for no ids above frontiers until job_frontiers_ask adds some. */
void job_frontiers_ask_nothing(struct job_frontiers *frontiers);

/* Adds ids that are not in the table to the query, such that about `rows_max` rows come. Returns how many ids it
 * covers. */
uint64_t job_frontiers_ask(struct job_frontiers *frontiers, const struct job_table *table, uint64_t rows_max,
			   struct buf *query);
/* The answer is lost: its ids are next again, one of them at first. */
void job_frontiers_forget(struct job_frontiers *frontiers);
/* The answer was whole, and these ids brought `rows` of it: frontiers move above the ids that it has. */
void job_frontiers_settle(struct job_frontiers *frontiers, const struct job_answer *answer, uint64_t rows);
