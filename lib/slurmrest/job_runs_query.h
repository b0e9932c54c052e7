/* What ENDPOINT_DBD_JOBS is asked. slurmdbd answers it, slurmctld is not asked. There are no pages: ask for few IDs, or
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

/* A record's own ID brings the runs of the job itself. If it leads an array or a het job, it also brings those of all
 * tasks or components, even if they are thousands. An array's ID with a task brings those of that task. */
struct job_runs_name {
	uint64_t id, task; /* task: unset if none */
};

/* Asks for the runs of these names, at least one, that are alive or ended at or after `since`, Unix seconds. Slurm
 * gives IDs again after a wrap: the present job has the latest submit time. */
void job_runs_query_names(const struct job_runs_query *query, const struct job_runs_name *names, size_t count,
			  uint64_t since, struct buf *ret_query);

/* Asks for the runs that ended from `first` to `last`, Unix seconds, both included: in one of job_run_end_states, or,
 * if `with_requeued`, to run again. Runs that changed their size then come, too, if the version reports them in time
 * (job_runs_query_tells_sizes). Before v0.0.40 `with_requeued` brings all runs that ran then, and what ended a second
 * before, because 22.05.8 takes REQUEUED for PENDING: look at job_run_has_ended and end_time. */
void job_runs_query_ended(const struct job_runs_query *query, uint64_t first, uint64_t last, bool with_requeued,
			  struct buf *ret_query);
bool job_runs_query_tells_sizes(const struct job_runs_query *query);

/* Asks for all runs that were eligible before `last`, and had not ended before `first`, Unix seconds. */
void job_runs_query_lived(const struct job_runs_query *query, uint64_t first, uint64_t last, struct buf *ret_query);
extern const char *const job_run_end_states[]; /* ends with NULL */
