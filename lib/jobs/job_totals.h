/* What jobs add up to: for the cluster and each partition, account, user and QOS, and for the rows of each group. */
#pragma once

#include "entities/charges.h"
#include "entities/job_groups.h"
#include "jobs/job_usage.h"
#include "jobs/owners.h"

struct job_totals {
	struct arena arena; /* everything below */
	const struct caps *caps; /* as in job_pools */
	struct map entities[JOB_KINDS]; /* key -> struct job_usage */
	struct job_usage *rests
		[JOB_KINDS]; /* of groups: the jobs of values that found no room, once for each such value; NULL: none */
	struct job_usage *others[JOB_KINDS]; /* the row `other`; NULL: there is none */
	struct arena others_arena;
	uint64_t records; /* job records; arrays' unsplit rests count once */
	uint64_t jobs; /* by task */
	uint64_t jobs_without_details; /* of those; they count in the cluster's states only */
	uint64_t undercounted; /* arrays that count only the tasks that their cut lists show */
};

struct job_totals *job_totals_new(const struct caps *caps); /* zero, with the cluster's row */
void job_totals_free(struct job_totals *totals); /* NULL is fine */

static inline struct job_usage *job_totals_cluster(const struct job_totals *totals)
{
	return totals->entities[ENTITY_CLUSTER].entries[0].value;
}

/* All rows that such a job counts in (struct job_usage), made if missing. They are the cluster, each partition and QOS
 * that the job names, its account, its user, and rows of groups. The caller gives the array back with free(). */
struct owner_list job_totals_entities(struct job_totals *totals, const struct job_owner *owner);
/* Likewise, from the owner's list; looks them up only once after owners_forget_lists. */
const struct owner_list *job_totals_of(struct job_totals *totals, const struct owners *owners, uint32_t number);

/* Adds the partitions that have a row even without jobs; NULL: they are not known. */
void job_totals_add_partitions(struct job_totals *totals, const struct map *partitions);

/* Does the page show the entity? It does if the entity has jobs, and it keeps showing an account or a QOS for ever, and
 * a user for 24 hours. It shows a partition if it is among these, or if they are not known (NULL). */
bool job_totals_keeps(int kind, const struct job_usage *usage, const struct map *partitions, int64_t now);

/* A group may have ten times as many rows as the page shows, and 1,000 more; jobs of further values count in its rest.
 * True: many of the rows have no jobs, and drop out at job_totals_renew, or the rest may need them. */
bool job_totals_is_crowded(const struct job_totals *totals, int kind);

/* New totals with the entities that these keep: with their numbers, or with all numbers zero. Renewed, rows of groups have
 * none: the caller adds all jobs to them again. Zeroed, no row is left out. */
struct job_totals *job_totals_renew(const struct job_totals *totals, const struct map *partitions, int64_t now);
struct job_totals *job_totals_zeroed(const struct job_totals *totals);

/* Finds or makes the row of all entities of the kind that have none of their own. Unfold drops it. */
struct job_usage *job_totals_other(struct job_totals *totals, int kind);
void job_totals_unfold(struct job_totals *totals);
