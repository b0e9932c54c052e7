/* What happens to nodes, counted between two successive answers. What is done on purpose (a reboot by Slurm, a
 * reservation with MAINT, power saving) does not count. Afterwards a node is compared with how it was before.
 *
 * Counters live as long as the process, across outages. A node that Slurm no longer knows keeps its counters, as it may
 * return. When there are more such nodes than known ones, and more than 1,000, all of them are forgotten. So a cloud
 * that always gives nodes new names does not use more and more memory. The totals of cluster and partitions never
 * fall. */
#pragma once

#include "entities/node_table.h"

enum node_transition {
	TO_DOWN, /* base state DOWN */
	TO_DRAIN, /* DRAIN was set */
	TO_FAIL, /* FAIL was set */
	TO_IDLE, /* back in service: idle now, and was down, drained, failing or unknown */
	TO_REBOOT, /* booted again, on request or not */
	NODE_TRANSITIONS,
};

/* What a node is judged by. */
struct node_condition {
	uint64_t flags;
	uint64_t boot_time; /* unset if not known */
	int state;
};

/* Which transitions happened between the two: bits of enum node_transition. Pure. A state that came and went between
 * two answers is not seen. A node that becomes idle because its jobs ended makes no transition: the number of these
 * would depend on the interval. Public for tests, which have a row for each case. */
unsigned node_transitions(const struct node_condition *before, const struct node_condition *after);

struct node_history {
	struct text name;
	struct node_condition last; /* the last one that was not on purpose */
	uint64_t counts[NODE_TRANSITIONS];
	uint64_t answer; /* the last one that the node was in */
};

struct node_counts {
	struct text label[2];
	uint64_t counts[NODE_TRANSITIONS];
};

struct node_events {
	struct arena *node_arena; /* owned; replaced when nodes are forgotten */
	struct map nodes; /* name -> struct node_history */
	size_t *order; /* of the nodes, by name */
	struct arena arena;
	struct map partitions; /* name -> struct node_counts; as many as ever existed */
	struct node_counts cluster;
	uint64_t answers;
};

void node_events_init(struct node_events *events);

/* The answer is complete: compares each of its nodes with what it was before. A node that was not seen
 * before has counters at zero. */
void node_events_note(struct node_events *events, const struct node_table *table);

void node_events_done(struct node_events *events);
