/* What happens to nodes, counted between two successive answers. What is done on purpose (a reboot by Slurm,
 * a reservation with MAINT, power saving) is left out: afterwards a node is compared with how it was before.
 *
 * Counters live as long as the process, across outages. Those of a node that Slurm no longer knows stay
 * in case that it returns, until such nodes are more than the known ones (and than 1,000): then they
 * are all forgotten, so that a cloud whose nodes have ever new names does not grow without bounds. The
 * totals of cluster and partitions never fall. */
#pragma once

#include "entities/node_table.h"

enum node_transition {
	TO_DOWN, /* base state DOWN */
	TO_DRAIN, /* DRAIN was set */
	TO_FAIL, /* FAIL was set */
	TO_IDLE, /* back in service: idle now, and was down, drained, failing or unknown */
	TO_REBOOT, /* booted again, be it asked for or not */
	NODE_TRANSITIONS,
};

/* What a node is judged by. */
struct node_condition {
	uint64_t flags;
	uint64_t boot_time; /* unset if not known */
	int state;
};

/* The bits of enum node_transition that happened in between; pure. What came and went between two
 * answers is not seen. That jobs end and leave a node idle is no transition: how many of those are seen
 * would depend on the interval. Public for tests, which have a row for each case. */
unsigned node_transitions(const struct node_condition *before, const struct node_condition *after);

struct node_history {
	struct text name;
	struct node_condition last; /* that was not on purpose */
	uint64_t counts[NODE_TRANSITIONS];
	uint64_t answer; /* the last one that the node was in */
};

struct node_counts {
	struct text label[2];
	uint64_t counts[NODE_TRANSITIONS];
};

struct node_events {
	struct arena *node_arena; /* owned; a new one whenever nodes are forgotten */
	struct map nodes; /* name -> struct node_history */
	size_t *order; /* of the nodes, by name */
	struct arena arena;
	struct map partitions; /* name -> struct node_counts; bounded by the partitions that ever were */
	struct node_counts cluster;
	uint64_t answers;
};

void node_events_init(struct node_events *events);

/* The answer is complete: compares each of its nodes with what it was before. A node that was not seen
 * before has counters at zero. */
void node_events_note(struct node_events *events, const struct node_table *table);

void node_events_done(struct node_events *events);
