/* The jobs section: totals of one whole answer, built aside and swapped in when it is complete. */
#pragma once

#include "cluster/charges.h"
#include "cluster/usage.h"

struct jobs_section {
	struct arena arena; /* everything below */
	struct map entities[ENTITY_KINDS]; /* key -> struct job_usage */
	struct map split_pending; /* array's id (8 bytes) -> uint64_t: pending tasks split from it */
	struct map reservation_cpus; /* reservation -> uint64_t: CPUs of its running jobs */
	struct job_usage *others[ENTITY_KINDS]; /* the row `other`; NULL: there is none */
	struct arena others_arena;
	struct charges charges; /* what QOS and associations limit */
	uint64_t records;    /* job records; arrays' unsplit rests count once */
	uint64_t jobs;       /* by task */
	/* Pending arrays whose task list Slurm cut: not added before jobs_section_settle. */
	struct cut_array {
		struct job job;
		uint64_t tasks; /* as settled; 0: not known */
	} *cut;
	size_t cut_count, cut_capacity, cut_settled;
	uint64_t undercounted; /* of those, settled by their lower bound */
};

/* A new empty section. What `previous` (or NULL) has seen stays at zero: accounts, QOS, flags, reasons,
 * GRES, and users for 24 hours. Of its partitions only those in `partitions` stay, unless that is
 * NULL. */
struct jobs_section *jobs_section_new(const struct jobs_section *previous,
				      const struct map *partitions, int64_t now);

/* Adds one record, by task: in each partition and QOS that it names and once in the cluster. A pending
 * array whose task list is cut is kept aside in `cut` instead. */
void jobs_section_add(struct jobs_section *section, const struct job *job, int64_t now);

/* Adds the next one of `cut`, which stands for `count` tasks; 0: not known, the tasks that can be seen
 * are counted. */
void jobs_section_settle(struct jobs_section *section, uint64_t count, int64_t now);

/* Pending tasks of the array that have records of their own. */
uint64_t jobs_section_split_pending(const struct jobs_section *section, uint64_t array_job_id);

/* What an array of `cut` was settled with; 0 if it was not, or section is NULL. */
uint64_t jobs_section_cut_tasks(const struct jobs_section *section, uint64_t job_id);

/* The row of all entities of the kind that have none of their own: found or made. Unfold drops them. */
struct job_usage *jobs_section_other(struct jobs_section *section, enum entity_kind kind);
void jobs_section_unfold(struct jobs_section *section);

void jobs_section_free(struct jobs_section *section); /* NULL is fine */
