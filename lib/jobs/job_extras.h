/* What the job table's row does not hold, kept of so many jobs only: those that may have rows of
 * their own (each_job.h). Of every job it would cost more than the rest of the table.
 *
 * There are at most twice `max`; then those go that have the least right to rows. With a `max` of 0
 * nothing is kept. */
#pragma once

#include "base/id_map.h"
#include "model/job.h"

/* Is slurmctld asked what a job with so many nodes holds of each? One node is all of it, and of
 * more than these the answer is long: 400 bytes a node and 170 a core (26.05). */
enum { JOB_DETAIL_NODES_MAX = 64 };
static inline bool job_nodes_need_detail(uint64_t nodes)
{
	return nodes > 1 && nodes <= JOB_DETAIL_NODES_MAX;
}

/* The order in which jobs get rows of their own. */
enum job_rank { RANK_RUNNING, RANK_HOLDING, RANK_PENDING, JOB_RANKS };

/* RANK_HOLDING: suspended or completing, its nodes are not free yet; JOB_RANKS: it has ended. */
enum job_rank job_rank_of(int state, uint64_t flags);

struct job_extra {
	uint32_t id;
	uint32_t het_job_id; /* 0: none */
	uint64_t priority, restarts; /* or a number that is not known */
	struct text name, sluid;
	const struct job_node *nodes; /* with the job's CPUs on each, where Slurm says them */
	size_t node_count;
	enum job_rank rank; /* when it was put */
	bool is_detailed; /* what it holds of each node was asked for, or a list did not say it */
	bool has_row, has_node_rows; /* of its own, since the last choice */
};

struct job_extras {
	uint64_t max;
	struct job_extra **items;
	size_t count, capacity;
	struct id_map positions; /* raw id -> position in `items` + 1 */
	const struct job_extras *before; /* of a list: what counts until it is whole; else NULL */
};

/* What slurmctld says of the job, in place of what was known of its id; forgotten if the job has
 * ended. */
void job_extras_put(struct job_extras *extras, const struct job *job);

struct job_extra *job_extras_find(const struct job_extras *extras, uint32_t id); /* or NULL */
void job_extras_remove(struct job_extras *extras, uint32_t id);

/* A list of all jobs: put into an empty one while it comes, which takes the place of `before` when
 * it was whole. */
struct job_extras job_extras_begin(const struct job_extras *before);
void job_extras_replace(struct job_extras *before, struct job_extras *list);

size_t job_extras_bytes(const struct job_extras *extras); /* about */
void job_extras_done(struct job_extras *extras); /* empty again; `max` stays */
