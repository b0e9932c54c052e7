/* Which jobs somebody wants to see (/jobs, /api/v1/jobs), and how a link asks for them. Any thread. */
#pragma once

#include "base/buf.h"
#include "status/status.h"

/* Each wants one name, as on the page of metrics: `other` where --filter.* does not allow it. */
enum jobs_filter {
	JOBS_USER,
	JOBS_ACCOUNT,
	JOBS_PARTITION,
	JOBS_QOS,
	JOBS_NODE, /* that the job holds, or that made it fail */
	JOBS_REASON,
	JOBS_NAME,
	JOBS_FILTERS,
};
extern const char *const jobs_filter_names[JOBS_FILTERS]; /* of parameters */

struct jobs_query {
	const char *state; /* "pending", "running", "ended", "failed" or one of Slurm's; NULL: any */
	unsigned stages; /* bits of enum status_stage that it takes in */
	bool is_group; /* it is one of the first four, not a state of Slurm's */
	bool wants_failures; /* of those that ended, only these */
	const char *filters[JOBS_FILTERS]; /* NULL: any */
	const char *id; /* as it was asked for; NULL: any */
	uint64_t id_number, task_number; /* of "12_3"; NUMBER_UNSET: none */
	const char *sort; /* key of a column (jobs_columns.h); NULL: each table its own way */
	bool is_descending; /* if `sort` */
	uint64_t page; /* from 1 on */
};

/* What a link changes. NULL: as in the query; "": any. */
struct jobs_change {
	const char *state, *sort, *order, *id;
	const char *filters[JOBS_FILTERS];
	uint64_t page; /* 0: the first */
};

/* Appends "&"-separated parameters, quoted for a link in HTML, without a "?". */
void jobs_query_link(const struct jobs_query *query, const char *cluster, const struct jobs_change *change,
		     struct buf *out);

/* Does the query take in that job of that stage? */
bool jobs_query_has(const struct jobs_query *query, const struct status_job_rows *jobs, enum status_stage stage,
		    const struct status_job *job);
