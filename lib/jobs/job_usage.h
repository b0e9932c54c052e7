/* What one job record adds to each entity that it belongs to. */
#pragma once

#include "entities/usage.h"

struct job_contribution {
	int state;
	uint64_t flags;
	enum reason_class class;
	struct text reason;
	uint64_t submit_time; /* 0: not known */
	uint64_t tasks; /* jobs that it stands for */
	uint64_t cpus, memory, nodes; /* of one of them: held, or asked for while pending */
	struct text tres; /* likewise; for the GRES, empty if it has none */
	int64_t seen_time;
};

static inline bool job_usage_is_of_group(const struct job_usage *usage)
{
	return usage->kind >= ENTITY_KINDS;
}

void job_usage_init(struct job_usage *usage, struct arena *arena); /* a zeroed one */
void job_usage_done(struct job_usage *usage);

void job_usage_add(struct job_usage *usage, const struct job_contribution *contribution);

/* Undoes job_usage_add exactly. Only if the oldest or the largest may have gone, it sets lacks_extremes. */
void job_usage_take_off(struct job_usage *usage, const struct job_contribution *contribution);

/* To find the oldest and the largest again: forget them, then note each contribution that was added. Noting one twice
 * changes nothing. */
void job_usage_forget_extremes(struct job_usage *usage);
void job_usage_note_extremes(struct job_usage *usage, const struct job_contribution *contribution);

/* Adds the flags, reasons and GRES that were seen before, at zero. */
void job_usage_keep_seen(struct job_usage *usage, const struct job_usage *seen);
