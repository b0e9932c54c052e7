/* The families of the groups that a site defines (entities/job_groups.h), and what they share with those of accounts, users,
 * partitions and QOS. */
#pragma once

#include "metrics/family.h"

struct group_family {
	enum group_metric metric; /* that a group must have */
	const struct family_group *group;
	struct family family; /* "{X}" stands for the group's name */
};
extern const struct group_family group_families[];
extern const size_t group_family_count;

/* Of a struct job_usage. */
family_emit_fn emit_live_states, emit_phases, emit_job_gres;
void each_job_usage(struct family_sink *sink, int kind);

/* Of a struct tally; the family's offset is the enum tally_what. */
family_emit_fn emit_tally, emit_tally_details, emit_tally_gres, emit_tally_histogram;

/* All rows of a kind of tally, in the order of their names, `other` last. */
void each_tally(struct family_sink *sink, int kind, const char *const labels[GROUP_LABELS_MAX]);
