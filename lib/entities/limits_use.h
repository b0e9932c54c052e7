/* Limits against their use: who holds how much of what QOS and associations limit.
 *
 * It is computed again whenever one of the sections of jobs, partitions, QOS and associations was swapped. slurmctld
 * charges a job so (SLURMRESTD.md, "Limits"):
 * - to one QOS: if a pending job names several, the one with the highest priority, or the first of equals. Also to the
 *   QOS of its partition; while it is pending, of each partition that it names. OverPartQOS decides which of the two
 *   QOS limits a job, not which is charged. A QOS is charged once for a job.
 * - to the association of its user in its account (the one for its partition if there is one), and to the accounts
 *   above.
 * - running TRES-minutes times the UsageFactor of its own QOS, in every case. */
#pragma once

#include "entities/charges.h"
#include "entities/limits.h"
#include "entities/record_list.h"

/* Of a limit per user or per account: the largest use, and how many have reached the limit. */
struct largest_use {
	enum limit_scope scope;
	struct text resource;
	double use;
	uint64_t at_limit;
};

struct limited {
	struct text label[3]; /* QOS; or account, user, partition */
	const struct qos_limits *qos; /* NULL: an association */
	const struct association_limits *association;
	struct limits limits; /* without a user's that are the account's */
	struct map usage; /* resource -> double: resources that are limited or in use */
	struct largest_use *largest;
	size_t largest_count;
	struct use use;
	struct map users, accounts; /* of a QOS with such limits: name -> struct use */
};

struct limits_use {
	struct arena arena;
	struct map qos; /* name -> struct limited */
	struct map associations; /* as the section's -> struct limited */
};

/* `shares` are struct fairshare: what of its group limits over time (GrpTRESMins) an association has used up, which decays.
 *
 * Borrows all arguments but the charges until limits_use_free. Any may be NULL: then its limits are missing. Without
 * charges, partitions or QOS all use is missing, too, because they decide who is charged how much. */
struct limits_use *limits_use_new(const struct charges *charges, const struct map *partitions,
				  const struct qos_section *qos, const struct associations_section *associations,
				  const struct record_list *shares);
void limits_use_free(struct limits_use *use); /* NULL is fine */
