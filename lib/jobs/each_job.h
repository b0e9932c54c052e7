/* Each job by itself: which jobs have rows of their own. There is a limit for those that wait, and one for those that hold
 * nodes. Those that weigh most (job_weight) come first, an array's rest by all its tasks. A job that has a row counts
 * double, so that rows stay where they are. Of equals the older ID comes first. A job has rows of all its nodes, or of
 * none. */
#pragma once

#include "entities/node_table.h"
#include "jobs/job_table.h"

struct each_job_row {
	uint32_t position; /* in the table */
	uint32_t nodes; /* that it holds */
	bool are_nodes_cut; /* with other jobs it held too many to look at: these are some of them */
	bool has_node_rows; /* there is room for a row of each of its nodes */
	enum { CPUS_NOT_KNOWN, CPUS_SOME, CPUS_ALL } cpus; /* does it hold all CPUs of its nodes? */
};

/* What jobs would have on the page if they had rows: their number, and the samples of what not every job has. */
struct each_job_left_out {
	uint64_t jobs, nodes, gres, submit, eligible, start, limit, memory, forecast;
};

struct each_job_set {
	uint64_t max; /* 0: none, and nothing is left out */
	struct each_job_row *rows; /* of the last choice, by position */
	size_t count;
	struct each_job_left_out left_out;
};

struct each_job {
	struct each_job_set sets[STAGE_ENDED]; /* pending jobs, and those that hold nodes */
	uint64_t node_rows_max;
};

/* When the job will start, as slurmctld forecasts; 0: it does not say. If the forecast had passed when slurmctld was asked,
 * it said the present moment, which is none. SLURMRESTD.md, "Job records". */
uint64_t each_job_forecast(const struct job_row *row);

/* Chooses among the jobs whose details are known. Once every job has some details, marks those of incomplete jobs as
 * wanted. `nodes`: NULL if not known. Positions are valid until the table changes. */
void each_job_choose(struct each_job *each, struct job_table *table, const struct node_table *nodes);

void each_job_done(struct each_job *each); /* the limits stay */
