/* The GRES of one node, by kind and by share. */
#pragma once

#include "entities/usage.h"

struct node_gres {
	struct gres_count *rows; /* in an arena; the texts are borrowed from the node */
	size_t count;
};

/* Used units are allocated; drained units that are not used are other, and so is the rest of a node that is out of
 * service. (slurmctld's gres_get_node_drain says "N/A" in all releases seen so far.) Slurm may list a kind twice (by
 * socket), or name the type in only one of the lists. The kinds are those of the configuration, and each of its units
 * counts once. */
struct node_gres node_gres_read(struct arena *arena, const struct node *node);
