/* Where new jobs appear: the ids that slurmctld will give next. It counts up from FirstJobId, at MaxJobId begins
 * anew, and leaves out ids in use; an operator may choose an id of his own, and a federation's jobs have
 * their cluster's number in the upper bits (SLURMRESTD.md, "Job ids"): so there may be several frontiers. */
#pragma once

#include "base/buf.h"
#include "discovery/job_answer.h"

enum { JOB_FRONTIERS_MAX = 4, JOB_WINDOW_MIN = 64 };

/* Ids that were asked for and not known before. */
struct job_probes {
	uint64_t *ids;
	size_t count, capacity;
};

struct job_frontier {
	uint64_t next;   /* the first id above */
	uint64_t window; /* ids asked for at once; doubles while some of them exist */
	bool is_done;    /* in this round: the last window was empty */
	size_t probes_from, probes_to; /* its part of `probes`, in the request under way */
};

struct job_frontiers {
	uint64_t first_id, last_id; /* FirstJobId, MaxJobId */
	uint64_t newest_submit_time;
	struct job_frontier items[JOB_FRONTIERS_MAX]; /* the one that moved last is the last */
	size_t count;
	struct job_probes probes;
};

void job_frontiers_done(struct job_frontiers *frontiers);

/* Slurm gave this id: the frontier below it moves above it, or a new one begins. */
void job_frontiers_advance(struct job_frontiers *frontiers, uint64_t id);

uint64_t job_frontiers_top(const struct job_frontiers *frontiers); /* the highest; 0: there is none */

/* A new round: every frontier is to be asked at. work: so many ids. */
void job_frontiers_begin(struct job_frontiers *frontiers);
uint64_t job_frontiers_work(const struct job_frontiers *frontiers);

/* Jobs are missed: the next round looks further above each frontier, past ids whose jobs are gone already, such as
 * those of an array's short tasks. */
void job_frontiers_widen(struct job_frontiers *frontiers);

/* A request begins, which may be for other ids alone. */
void job_frontiers_ask_nothing(struct job_frontiers *frontiers);

/* Adds ids that are not in the table to the query, as many as fit into ids_max; returns how many. */
uint64_t job_frontiers_ask(struct job_frontiers *frontiers, const struct job_table *table,
			   uint64_t ids_max, struct buf *query);
void job_frontiers_settle(struct job_frontiers *frontiers, const struct job_answer *answer);

/* Writes "?job_id=17", or with & if it is not the first; false: the URL is long enough. */
bool job_query_add(struct buf *query, uint64_t id);

void job_probes_add(struct job_probes *probes, uint64_t id);
