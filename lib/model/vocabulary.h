/* All lists of names of one cluster, and the numbers of the names that slurmscope acts on. */
#pragma once

#include "model/names.h"

#include <stdbool.h>

/* Base states of a job, as `squeue -t` takes them (slurm.h: enum job_states). */
enum job_state {
	JOB_PENDING,
	JOB_RUNNING,
	JOB_SUSPENDED,
	JOB_COMPLETED,
	JOB_CANCELLED,
	JOB_FAILED,
	JOB_TIMEOUT,
	JOB_NODE_FAIL,
	JOB_PREEMPTED,
	JOB_BOOT_FAIL,
	JOB_DEADLINE,
	JOB_OUT_OF_MEMORY,
	JOB_STATES,
};

/* It waits, runs or is suspended: it has not ended. */
static inline bool job_state_is_live(int state)
{
	return state == JOB_PENDING || state == JOB_RUNNING || state == JOB_SUSPENDED;
}

/* The flags that Slurm adds to a job's base state; slurmscope acts on those named here. */
enum job_flag {
	JOB_FLAG_COMPLETING,
	JOB_FLAG_CONFIGURING,
	JOB_FLAG_REQUEUED,
	JOB_FLAG_REQUEUE_HOLD,
	JOB_FLAG_SPECIAL_EXIT,
	JOB_FLAG_RESIZING,
	JOB_FLAG_REVOKED,
	JOB_FLAG_STOPPED,
};

/* Base states of a node (slurm.h: enum node_states). */
enum node_state {
	NODE_UNKNOWN,
	NODE_DOWN,
	NODE_IDLE,
	NODE_ALLOCATED,
	NODE_ERROR,
	NODE_MIXED,
	NODE_FUTURE,
	NODE_STATES,
};

enum node_flag {
	NODE_FLAG_DRAIN,
	NODE_FLAG_COMPLETING,
	NODE_FLAG_DRAINED, /* ours: DRAIN and no job, as `sinfo -t drained` */
	NODE_FLAG_DRAINING, /* ours: DRAIN and busy */
	NODE_FLAG_FAIL,
	NODE_FLAG_NOT_RESPONDING,
	NODE_FLAG_MAINT,
	NODE_FLAG_RESERVED,
	NODE_FLAG_PLANNED,
	NODE_FLAG_POWERED_DOWN,
	NODE_FLAG_POWERING_UP,
	NODE_FLAG_POWERING_DOWN,
	NODE_FLAG_REBOOT_REQUESTED,
	NODE_FLAG_REBOOT_ISSUED,
	NODE_FLAG_INVALID_REG,
	NODE_FLAG_POWER_DOWN, /* asked for, not begun */
	NODE_FLAG_POWER_DRAIN,
	NODE_FLAG_BLOCKED, /* by a job that has the topology for itself (24.05) */
	NODE_FLAG_EXTERNAL, /* runs no jobs (25.05) */
};

/* Those above by name; NULL at the end. */
extern const char *const job_state_names[];

struct vocabulary {
	struct names job_states, job_flags;
	struct names node_states, node_flags;
	struct names partition_states; /* up, down, drain, inactive */
};

void vocabulary_init(struct vocabulary *vocabulary);
void vocabulary_done(struct vocabulary *vocabulary);
