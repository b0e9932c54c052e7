/* A run of a job as slurmdbd keeps it: what `sacct -D -X` prints a line of. A job that is requeued, or lost a node,
 * leaves a run behind. It goes on as another run with the same IDs and a later submit time. slurmdbd has pending and
 * running ones, too. Texts are borrowed from the maker of the record. v0.0.37 gives the eligible time as start time;
 * comments at members say where versions differ otherwise. */
#pragma once

#include "model/job.h"

struct job_run {
	/* Of `struct job` slurmdbd has no user ID and no reason (state.reason is an old one). It has only the base
	 * state, with REQUEUED, RESIZING or REVOKED as flag. PENDING with REQUEUED is a run that ended by requeue.
	 * Times that are not there yet, and the start of what ended without any, are 0. An array's unsplit rest lists
	 * its tasks as a mask ("0x1f"), which is not cut. exit_code is the return code. It is unset if a signal ended
	 * the script, or if the script FAILED with 0, because before v0.0.40 every code is 0. memory_per_node and
	 * memory_per_cpu come with v0.0.40. */
	struct job job;
	struct text qos_requested; /* since v0.0.42; one or several, empty: the default */
	struct text reservation_requested; /* since v0.0.43; 26.05 tells only this */
	uint64_t reservation_id; /* 0: the job is in none */
	uint64_t elapsed, suspended; /* seconds; elapsed is without the suspended ones */
	uint64_t restarts; /* since v0.0.42 */
	uint64_t het_job_id, het_offset; /* 0 and unset: not of a het job */
	/* Of tres_allocated, bytes; unset if it did not start. If it is known without a start time, the run ran, but
	 * slurmdbd never learned since when. A slurmctld that was relieved did not hand that over (24.11). */
	uint64_t cpus_allocated, memory_allocated;

	/* What its steps used, with batch and extern, if the request asked for steps. A step's use is written when the
	 * step ends: none if it was lost with its node. */
	uint64_t steps;
	/* User and system time of all processes, as in sacct's TotalCPU; unset if no step told any. */
	uint64_t cpu_used_us;
	/* The step with most memory: the sum of its tasks' highest resident set sizes, as seff has it (sacct's MaxRSS
	 * is one task's). Sampled every JobAcctGatherFrequency seconds: unset if no step lived that long, or nobody
	 * measures (JobAcctGatherType=none). Bytes. */
	uint64_t memory_used;
	/* The same of gres/gpumem, the memory of GPUs: 0 if no process used any, unset if nobody measures. Bytes
	 * (SLURMRESTD.md, "Use of GPUs"). */
	uint64_t gpu_memory_used;
	bool tells_gpu_memory; /* while it is read: did a step? */

	/* What Slurm accounts to it, as sacct's ConsumedEnergyRaw of the job has it (SLURMRESTD.md, "Energy of jobs").
	 * Whole only when its steps have ended; unset if nobody measures (AcctGatherEnergyType). Joules. */
	uint64_t energy_used;
};

/* Has it ended, even if only to run again? Then its end_time is known. */
static inline bool job_run_has_ended(const struct job_run *run)
{
	const struct job *job = &run->job;
	return !job_state_is_live(job->state) || job->flags & UINT64_C(1) << JOB_FLAG_REQUEUED;
}

/* Is it one of several sizes that a run had, but not the last? Then its end_time is known: when the job was resized. */
static inline bool job_run_is_size(const struct job_run *run)
{
	return run->job.flags >> JOB_FLAG_RESIZING & 1;
}
