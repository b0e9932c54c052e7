/* What ENDPOINT_DBD_JOBS is asked. slurmdbd answers it, slurmctld is not asked. There are no pages: ask for few ids, or
 * short windows. Every run comes, also those that ended by requeue or with their node, and its times are not cut to
 * the window: from v0.0.40 on any flag switches off the defaults that say so, hence they are named
 * (PARAMS.md, "Flags of slurmdb/jobs"). */
#pragma once

#include "base/buf.h"
#include "slurmrest/api_version.h"

struct job_runs_query {
	const struct api_version *version;
	const char *cluster; /* slurmdbd may have several; "": not known yet, the one of slurmrestd */
	bool with_steps; /* ten times the bytes */
};

/* A record's own id brings the runs of the job itself, and of all tasks or components if it leads an array or a het job,
 * were they thousands; an array's id with a task those of that task. */
struct job_runs_name {
	uint64_t id, task; /* task: unset if none */
};

/* The runs of that name which live or ended `since` then, Unix seconds. Ids are given anew after a wrap: the latest
 * submit time is the present job. At least one. */
void job_runs_query_names(const struct job_runs_query *query, const struct job_runs_name *names, size_t count,
			  uint64_t since, struct buf *ret_query);

/* The runs that ended from `first` to `last`, Unix seconds, both included: in one of job_run_end_states, or, if
 * `with_requeued`, to run again; and those that had another size from then on, if the version tells of them in time
 * (job_runs_query_tells_sizes). Before v0.0.40 the latter brings all runs that lived then, too (22.05.8 knows no such
 * state in a query): look at job_run_has_ended and end_time. */
void job_runs_query_ended(const struct job_runs_query *query, uint64_t first, uint64_t last, bool with_requeued,
			  struct buf *ret_query);
bool job_runs_query_tells_sizes(const struct job_runs_query *query);
extern const char *const job_run_end_states[]; /* ends with NULL */
