/* A node, as slurmctld knows it. Texts are borrowed from whoever made the record. */
#pragma once

#include "model/number.h"
#include "model/vocabulary.h"

struct node {
	struct text name;
	int state;      /* a number of vocabulary.node_states */
	uint64_t flags; /* bits: numbers of vocabulary.node_flags */
	struct text partitions; /* separated by commas */
	uint64_t cpus; /* all, core-specialised ones too, as sinfo counts them */
	uint64_t allocated_cpus;
	uint64_t memory, allocated_memory; /* bytes */
	struct text gres, gres_used;
};

/* Is what the node has not allocated out of use? sinfo's "other": DRAIN or DOWN. */
static inline bool node_is_unusable(const struct node *node)
{
	return node->state == NODE_DOWN || node->flags & (UINT64_C(1) << NODE_FLAG_DRAIN);
}
