/* The columns of the tables of jobs: what they are called, what they sort by, and what they show. Any thread. */
#pragma once

#include "status/jobs_query.h"

/* What the cells are made from. */
struct jobs_view {
	const struct status_job_rows *jobs;
	const struct jobs_query *query;
	const char *cluster; /* for links; NULL: there is one */
	double now;
};

struct jobs_column {
	const char *key; /* of ?sort= */
	const char *head;
	unsigned stages; /* bits: the tables that have it */
	bool is_below; /* it stands in the cell of the column before it, in small letters */
	bool is_number;
	bool begins_high; /* the link in its head sorts the highest first */
	size_t text; /* of the struct status_job: the uint32_t to sort by; 0: it sorts by `number` */
	double (*number)(const struct status_job *job, double now); /* NAN: not known */
	void (*cell)(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		     struct buf *out);
};

extern const struct jobs_column jobs_columns[];
extern const size_t jobs_column_count;

const struct jobs_column *jobs_column_find(const char *key); /* NULL: there is none */

/* What a table is sorted by: if the query does not say it, who comes next, or who came last. */
const struct jobs_column *jobs_column_of(const struct jobs_query *query, enum status_stage stage,
					 bool *ret_is_descending);

static inline bool jobs_column_is_of(const struct jobs_column *column, enum status_stage stage)
{
	return column->stages >> stage & 1;
}

/* For how long the job has run, and how much of its limit is left; NAN: not known, and INFINITY. */
double jobs_run_seconds(const struct status_job *job, double now);
double jobs_left_seconds(const struct status_job *job, double now);
/* Used CPU seconds of those that it held; NAN: not known. */
double jobs_cpu_efficiency(const struct status_job *job);

/* "12", "12_3", or "12_[40]" of an array's rest. */
void jobs_id(const struct status_job *job, struct buf *out);
/* "gpu:a100=4,shard=1" */
void jobs_gres(const struct status_job_rows *jobs, const struct status_job *job, struct buf *out);
