/* Asks slurmdbd for runs (ENDPOINT_DBD_JOBS), for event_ends and event_steps. Of the poller's thread. */
#pragma once

#include "model/job_run.h"
#include "poll/event_state.h"
#include "slurmrest/job_runs_query.h"

struct told_runs {
	struct arena arena;
	struct job_run *items;
	size_t count, capacity;
};

/* Fetches the runs that the query brings, without those of other clusters. `runs` is zero before; the caller ends it
 * with told_runs_done whatever the result is. */
enum fetch_result told_runs_fetch(struct event_poller *poller, struct told_runs *runs, const struct buf *query,
				  struct plan_outcome *ret_outcome);
void told_runs_done(struct told_runs *runs);

/* A query for this client and cluster. */
struct job_runs_query told_runs_query(const struct event_poller *poller, bool with_steps);

bool told_is_slurms(const struct job_run *run); /* does it have an ID and a submit time? */
struct run_key told_key(const struct job_run *run);
int64_t told_time(uint64_t number); /* 0 if not known */
