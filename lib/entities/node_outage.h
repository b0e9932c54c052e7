/* Is a node out of service, in which way, and why? Pure. The site may name causes by patterns over the reason that Slurm has
 * of the node (--nodes.cause); what no pattern matches gets a cause by Slurm's own reasons and flags. */
#pragma once

#include "entities/pattern.h"
#include "model/node.h"

/* A later one is worse. */
enum outage_kind {
	/* in service; also while Slurm saves power, or drains the node to do so, and in a reservation without MAINT */
	OUTAGE_NONE,
	OUTAGE_MAINTENANCE, /* in a reservation with MAINT, whatever else it is: that is planned */
	OUTAGE_DRAINING, /* DRAIN or FAIL, and jobs are still on it */
	OUTAGE_DRAINED, /* DRAIN or FAIL, without jobs */
	OUTAGE_DOWN,
	OUTAGE_KINDS,
	OUTAGE_UNKNOWN = OUTAGE_KINDS, /* slurmctld has just started, and has not heard of the node */
};
extern const char *const outage_kind_names[OUTAGE_KINDS];

enum outage_kind node_outage(const struct node *node);

enum {
	NODE_CAUSES_MAX = 16,
	NODE_CAUSE_NAME_MAX = 32, /* bytes */
	NODE_CAUSE_REGEX_MAX = 256,
	NODE_CAUSE_SIZE_MAX = 400, /* pattern_size */
};

struct node_causes {
	struct node_cause {
		char name[NODE_CAUSE_NAME_MAX + 1];
		struct pattern pattern;
	} items[NODE_CAUSES_MAX];
	size_t count;
};

/* Takes a name, "=" and a regular expression, behind those that are there. A name has small letters, digits and
 * underscores. Two may have the same. False: *err says what is wrong. */
bool node_causes_add(struct node_causes *causes, const char *definition, struct error *err);
void node_causes_done(struct node_causes *causes); /* none again */

/* The name of the first pattern that matches the whole reason, borrowed; empty: none does. Of many nodes most have one of a few
 * reasons: ask once for each. */
struct text node_cause_of_site(const struct node_causes *causes, struct text reason);

/* Why the node is out of service: what the site calls it, if anything, else one of Slurm's causes (node_outage.c). */
struct text node_cause(struct text of_site, const struct node *node);
