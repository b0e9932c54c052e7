/* Each job by itself: which jobs have rows of their own, up to a limit. Running jobs come first, then suspended and
 * completing ones, then pending ones. Within each of these, jobs that have rows come first, so that they keep them.
 * Then come jobs whose details are complete, then the order of the table decides. A job has rows of all its nodes, or
 * of none. */
#pragma once

#include "entities/node_table.h"
#include "jobs/job_table.h"

struct each_job_row {
	uint32_t position; /* in the table */
	uint32_t nodes; /* that it holds */
	bool are_nodes_cut; /* with other jobs it held too many to look at: these are some of them */
	bool holds_nodes; /* it runs, is suspended or completes */
	bool has_node_rows; /* there is room for a row of each of its nodes */
	enum { CPUS_NOT_KNOWN, CPUS_SOME, CPUS_ALL } cpus; /* does it hold all CPUs of its nodes? */
};

struct each_job {
	uint64_t max, node_rows_max; /* max 0: none */
	struct each_job_row *rows; /* of the last choice */
	size_t count, capacity;
	uint32_t *cut_off; /* positions of the other jobs that have not ended */
	size_t cut_off_count, cut_off_capacity;
};

/* Chooses among the jobs whose details are known. Once every job has some details, marks those of incomplete jobs as
 * wanted. `nodes`: NULL if not known. Positions are valid until the table changes. */
void each_job_choose(struct each_job *each, struct job_table *table, const struct node_table *nodes);

void each_job_done(struct each_job *each);
