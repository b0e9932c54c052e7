/* The sections of QOS and of associations: the limits as sacctmgr shows them. */
#pragma once

#include "base/map.h"
#include "model/association.h"
#include "model/qos.h"

struct limit {
	enum limit_scope scope;
	struct text resource;
	double value; /* byte-seconds may exceed 2^64 */
};

/* Ordered by scope, then resource. */
struct limits {
	struct limit *items; /* in an arena */
	size_t count;
};

const struct limit *limits_find(const struct limits *limits, enum limit_scope scope,
				struct text resource); /* NULL if absent */

struct qos_limits {
	struct text name; /* as a label */
	uint64_t priority;
	double usage_factor;
	struct limits limits;
};

struct qos_section {
	struct arena arena;
	struct map items; /* label -> struct qos_limits */
};

struct qos_section *qos_section_new(void);
void qos_section_add(struct qos_section *section, const struct qos *qos);
void qos_section_free(void *section); /* NULL is fine; void for callbacks */

struct association_limits {
	struct text key; /* in the section's map */
	struct text account, user, partition, parent;
	struct limits limits; /* those in force, its own or inherited */
};

struct associations_section {
	struct arena arena;
	struct map items; /* labels: account NUL user NUL partition -> struct association_limits */
	struct text cluster; /* of the first association; several clusters may share a slurmdbd */
};

struct associations_section *associations_section_new(void);

/* Keeps the associations of one cluster: the named one, or, while the name is empty, that of the first association. */
void associations_section_add(struct associations_section *section, const struct association *association,
			      struct text cluster);
const struct association_limits *associations_find(const struct associations_section *section, struct text account,
						   struct text user, struct text partition); /* NULL if absent */
void associations_section_free(void *section); /* NULL is fine; void for callbacks */
