/* The GRES of one node, by kind and by share. */
#pragma once

#include "entities/usage.h"

struct node_gres {
	struct gres_count *rows; /* in an arena; the texts are borrowed from the node */
	size_t count;
};

/* What is used is allocated, what is drained and not used is other, and so is the rest of a node that is
 * out of use. (slurmctld's gres_get_node_drain says "N/A" in all releases seen so far.)
 * Slurm may list a kind twice (by socket), and may name the type in one list and not in the other: then
 * the kinds are those of the configuration, and every one of its units is counted once. */
struct node_gres node_gres_read(struct arena *arena, const struct node *node);
