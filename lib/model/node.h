/* A node, as slurmctld knows it. Texts are borrowed from the maker of the record. */
#pragma once

#include "model/number.h"
#include "model/vocabulary.h"

struct node {
	struct text name;
	int state; /* a number of vocabulary.node_states */
	uint64_t flags; /* bits: numbers of vocabulary.node_flags */
	struct text partitions; /* separated by commas */
	uint64_t cpus; /* all, core-specialised ones too, as sinfo counts them */
	uint64_t allocated_cpus;
	uint64_t memory, allocated_memory; /* bytes */
	/* What jobs can get: without CoreSpecCount, CpuSpecList and MemSpecLimit. Unset before v0.0.40. */
	uint64_t effective_cpus, effective_memory;
	uint64_t free_memory; /* bytes that the operating system calls free */
	uint64_t load; /* 100 times the load of one minute */
	struct text gres, gres_used, gres_drained;
	struct text version, architecture, os; /* empty before slurmd has registered */
	struct text reason, reason_user;
	struct text reservation; /* the active one that it is in */
	struct text comment;
	struct text features, active_features; /* separated by commas */
	uint64_t reason_time; /* Unix seconds, unset if none: this one and those below */
	uint64_t boot_time, slurmd_start_time, last_busy_time;
	uint64_t energy_time; /* when power and energy were last collected */
	uint64_t power_watts, energy_joules; /* unset where no energy plugin collects them */
};

/* Is the rest of the node, which no job holds, out of use? sinfo counts it as "other": DRAIN or DOWN. */
static inline bool node_is_unusable(const struct node *node)
{
	return node->state == NODE_DOWN || node->flags & (UINT64_C(1) << NODE_FLAG_DRAIN);
}

/* The flags that pages show. DRAIN is left out: each node with it is either drained or draining. */
static inline uint64_t node_flags_shown(const struct node *node)
{
	return node->flags & ~(UINT64_C(1) << NODE_FLAG_DRAIN);
}

/* How many CPUs a job has that has the whole node. */
static inline uint64_t node_cpus_of_jobs(const struct node *node)
{
	return number_is_known(node->effective_cpus) ? node->effective_cpus : node->cpus;
}

bool node_is_free(const struct node *node); /* can any job get the whole node now? */

/* Does Slurm give jobs what is idle on the node? A planned node waits for a job, and a completing one has jobs that end. */
bool node_takes_jobs(const struct node *node);
