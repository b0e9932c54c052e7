/* What jobs add up to: for the cluster and each partition, account, user and QOS. */
#pragma once

#include "entities/charges.h"
#include "jobs/job_usage.h"
#include "jobs/owners.h"

struct job_totals {
	struct arena arena; /* everything below */
	struct map entities[ENTITY_KINDS]; /* key -> struct job_usage */
	struct map reservation_cpus; /* reservation -> uint64_t: CPUs of its running jobs */
	struct job_usage *others[ENTITY_KINDS]; /* the row `other`; NULL: there is none */
	struct arena others_arena;
	uint64_t records; /* job records; arrays' unsplit rests count once */
	uint64_t jobs; /* by task */
	uint64_t jobs_without_details; /* of those; they are in the cluster's states only */
	uint64_t undercounted; /* arrays that count as many tasks as their cut lists show */
};

struct job_totals *job_totals_new(void); /* zero, with the cluster's row */
void job_totals_free(struct job_totals *totals); /* NULL is fine */

static inline struct job_usage *job_totals_cluster(const struct job_totals *totals)
{
	return totals->entities[ENTITY_CLUSTER].entries[0].value;
}

/* All that such a job belongs to (struct job_usage), made if they were not there: the cluster, each partition and QOS that
 * it names, its account and its user. free() gives the array back. */
struct owner_list job_totals_entities(struct job_totals *totals, const struct job_owner *owner);
/* Likewise; looked up if that was not done since owners_forget_lists. */
const struct owner_list *job_totals_of(struct job_totals *totals, const struct owners *owners, uint32_t number);

/* The entities that are to have a row of zeros too: these partitions, if they are known. */
void job_totals_add_partitions(struct job_totals *totals, const struct map *partitions);

/* Is the entity shown? It has jobs, or has been seen before: an account or a QOS ever, a user within
 * 24 hours, a partition if it is among these or they are not known (NULL). */
bool job_totals_keeps(enum entity_kind kind, const struct job_usage *usage, const struct map *partitions, int64_t now);

/* New totals with what is kept of these: as it is; or only what was seen, all numbers zero. */
struct job_totals *job_totals_renew(const struct job_totals *totals, const struct map *partitions, int64_t now);
struct job_totals *job_totals_zeroed(const struct job_totals *totals);

/* The row of all entities of the kind that have none of their own: found or made. Unfold drops them. */
struct job_usage *job_totals_other(struct job_totals *totals, enum entity_kind kind);
void job_totals_unfold(struct job_totals *totals);
