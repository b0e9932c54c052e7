/* What the job table's row does not hold. It is kept only for jobs that may have rows of their own (each_job.h): for
 * every job it would take more memory than the rest of the table.
 *
 * Of each stage there are at most three times as many as may have rows. When they are more, a third goes: of those without
 * rows, the ones that weigh least. Of a stage without rows nothing is kept. */
#pragma once

#include "base/id_map.h"
#include "model/job.h"

/* For jobs with 2 to this many nodes we ask slurmctld what they hold of each. With one node the answer is known; with
 * more nodes it is long: 400 bytes a node and 170 a core (26.05). */
enum { JOB_DETAIL_NODES_MAX = 64 };
static inline bool job_nodes_need_detail(uint64_t nodes)
{
	return nodes > 1 && nodes <= JOB_DETAIL_NODES_MAX;
}

/* In each of these other things can be said of a job. */
enum job_stage { STAGE_PENDING, STAGE_HOLDING, STAGE_ENDED, JOB_STAGES };

/* STAGE_HOLDING: it runs, is suspended or completes, so its nodes are not free. */
enum job_stage job_stage_of(int state, uint64_t flags);

/* How large a job is, for the choice of who has a row. The site weighs resources by the TRES billing. Where Slurm does not
 * tell it, the CPUs count. */
static inline double job_weight(uint64_t billing, uint64_t cpus)
{
	return (double)(billing ? billing : cpus);
}

struct job_extra {
	uint32_t id;
	uint32_t het_job_id; /* 0: none */
	uint64_t priority, restarts; /* or a number that is not known */
	uint64_t start_time, node_count_told, cpus_told; /* as in the record; while they stay, so do its nodes */
	struct text name, sluid;
	struct text failed_node; /* as in the record, as is how the script ended */
	uint64_t exit_code, exit_signal;
	const struct job_node *nodes; /* with the job's CPUs on each, if Slurm says them */
	size_t node_count;
	double weight; /* as of the last choice, or of when it was put */
	enum job_stage stage; /* likewise */
	bool has_untold_gpus; /* job.h */
	bool is_detailed; /* slurmctld was asked what it holds of each node, or a list did not say it */
	bool has_row, has_node_rows; /* of its own, since the last choice */
};

struct job_extras {
	uint64_t max[JOB_STAGES]; /* rows */
	struct job_extra **items;
	size_t count, capacity;
	size_t counts[JOB_STAGES];
	struct id_map positions; /* raw ID -> position in `items` + 1 */
	const struct job_extras *before; /* for a list: what counts until it is complete; else NULL */
};

/* Replaces what was known of the job's ID by what slurmctld says. */
void job_extras_put(struct job_extras *extras, const struct job *job);

struct job_extra *job_extras_find(const struct job_extras *extras, uint32_t id); /* or NULL */
void job_extras_remove(struct job_extras *extras, uint32_t id);

/* The job is in another stage now. */
void job_extras_move(struct job_extras *extras, struct job_extra *extra, enum job_stage stage);

/* For a list of all jobs: fill the returned one while the list comes. After its end it takes the place of `before`. */
struct job_extras job_extras_begin(const struct job_extras *before);
void job_extras_replace(struct job_extras *before, struct job_extras *list);

size_t job_extras_bytes(const struct job_extras *extras); /* about */
void job_extras_done(struct job_extras *extras); /* empty again; `max` stays */
