/* The jobs section: totals of one whole answer, built aside and swapped in when it is complete. */
#pragma once

#include "cluster/usage.h"

struct jobs_section {
	struct arena arena; /* everything below */
	struct map entities[ENTITY_KINDS]; /* key -> struct job_usage */
	uint64_t records;    /* job records; arrays' unsplit rests count once */
	uint64_t jobs;       /* by task */
	uint64_t cut_arrays; /* records whose task list Slurm cut: counted too low */
};

/* A new empty section. What `previous` (or NULL) has seen stays at zero: accounts, QOS, flags, reasons,
 * GRES, and users for 24 hours. Of its partitions only those in `partitions` stay, unless that is
 * NULL. */
struct jobs_section *jobs_section_new(const struct jobs_section *previous,
				      const struct map *partitions, int64_t now);

/* Adds one record, by task: in each partition and QOS that it names and once in the cluster. */
void jobs_section_add(struct jobs_section *section, const struct job *job, int64_t now);

void jobs_section_free(struct jobs_section *section); /* NULL is fine */
