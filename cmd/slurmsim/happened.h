/* What happened to jobs since the world began, counted as it happens: the oracle of events. */
#pragma once

#include "slurmsim/world.h"

/* Of the jobs of one association, partition, QOS and name. */
struct happened {
	uint64_t submissions; /* runs: a requeue is another one, a task of an array is one */
	uint64_t named; /* submissions that named this partition, too, but are another's */
	uint64_t starts, ends[JOB_STATES]; /* ends[JOB_PENDING]: requeued */
	/* Of runs that started and ended, seconds; times CPUs, MiB, GPUs, billing. Wait is from eligible, queue
	 * from submission to start. */
	uint64_t wait_s, queue_s, run_s, cpu_s, memory_s, gpu_s, billing_s, used_cpu_s;
	uint64_t energy_j, gpu_memory_gib_s; /* of runs that have ended; the memory of GPUs at its peak */
};

struct happened *happened_new(const struct world *world); /* owned by the caller */
const struct happened *happened_to(const struct world *world, uint32_t association, uint32_t partition, uint32_t qos,
				   uint32_t name);

void happened_submit(struct world *world, const struct job *job, uint32_t tasks);
/* It will run there, of all partitions that it named. */
void happened_choose(struct world *world, const struct job *job, uint32_t partition);
/* Adds a run that has started, as if it ended now. */
void happened_add_run(struct happened *happened, const struct job *job, int32_t now);
void happened_start(struct world *world, const struct job *job);
/* A run that ended as job->state; an unsplit rest is many. */
void happened_end(struct world *world, const struct job *job, bool has_run);

/* What its script used, in seconds. */
static inline uint64_t job_used_cpu_s(const struct job *job, int64_t elapsed_s)
{
	uint64_t user_s = (uint64_t)elapsed_s * job->cpus * 9 / 10;
	return user_s + user_s / 50;
}

/* The most memory of its GPUs that it used at once, GiB; nothing of some jobs'. */
static inline uint64_t job_gpu_memory_gib(const struct job *job)
{
	return 7u * (job->id % 5) * job->gpus * job->node_count;
}

/* The energy that its nodes consumed for it, in joules; 0 if nobody measures. */
static inline uint64_t job_energy_j(const struct world *world, const struct job *job)
{
	uint64_t run_s = job->end > job->start ? (uint64_t)(job->end - job->start) : 0;
	return run_s * world->options.watts * (job->cpus + 30u * job->gpus * job->node_count);
}
