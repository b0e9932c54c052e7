/* Limits against their use: who holds how much of what QOS and associations limit.
 *
 * Worked out anew from the sections of jobs, partitions, QOS and associations whenever one of them was
 * swapped, as slurmctld charges a job (SLURMRESTD.md, "Limits"):
 * - to one QOS: of several that a pending job names, the one with the highest priority, the first of
 *   equals; and to the QOS of its partition, while pending of each partition that it names. OverPartQOS
 *   decides which of the two limits a job, not which is charged. A QOS is charged once for a job.
 * - to the association of its user in its account, the one for its partition if there is such a one,
 *   and to the accounts above.
 * - running TRES-minutes times the UsageFactor of its own QOS, whoever is charged. */
#pragma once

#include "entities/charges.h"
#include "entities/limits.h"

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
	struct limits limits; /* a user's without those that are the account's */
	struct map usage; /* resource -> double: what is limited or not zero */
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

/* Borrows all but the charges until limits_use_free. Any may be NULL: then its limits are missing, and
 * all use unless charges, partitions and QOS are there, which decide who is charged how much. */
struct limits_use *limits_use_new(const struct charges *charges, const struct map *partitions,
				  const struct qos_section *qos, const struct associations_section *associations);
void limits_use_free(struct limits_use *use); /* NULL is fine */
