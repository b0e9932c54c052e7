/* What jobs and nodes add up to, for the cluster and for each partition, account, user and QOS. */
#pragma once

#include "base/buf.h"
#include "base/map.h"
#include "base/uint128.h"
#include "entities/label.h"
#include "model/job.h"
#include "model/node.h"
#include "model/reason.h"

enum entity_kind {
	ENTITY_CLUSTER,
	ENTITY_PARTITION,
	ENTITY_ACCOUNT,
	ENTITY_USER, /* of one account: two labels */
	ENTITY_QOS,
	ENTITY_KINDS,
};

/* Kinds of rows that jobs count in: the entities, then the groups that the site defines (job_groups.h), each of up to
 * three labels. */
enum { JOB_GROUPS_MAX = 8, JOB_KINDS = ENTITY_KINDS + JOB_GROUPS_MAX, GROUP_LABELS_MAX = 3 };

/* The key of an entity in a map (label_key). A user has two names, user and account; other kinds ignore `second`. */
void entity_key(struct buf *key, enum entity_kind kind, struct text name, struct text second);

/* What jobs hold while they run and ask for while they are pending. */
enum job_phase { PHASE_RUNNING, PHASE_PENDING, PHASES };

/* What is allocated, idle, and other (sinfo's A/I/O: other is out of use). */
enum capacity_state { CAPACITY_ALLOCATED, CAPACITY_IDLE, CAPACITY_OTHER, CAPACITY_STATES };

/* One kind of GRES: by enum job_phase for jobs, by enum capacity_state for nodes. */
struct gres_count {
	struct text name, type; /* type is empty for what was not typed */
	uint128 count[CAPACITY_STATES];
};

/* The most rows that an entity has; Slurm has fewer kinds of either. Further ones count in the row `other`. */
enum { GRES_MAX = 64, REASONS_MAX = 256 };

/* Finds or makes the number of a reason in a map of uint64_t. */
uint64_t *reason_count_of(struct map *map, struct text reason);

/* Finds or makes the row of a GRES in a map of struct gres_count. */
struct gres_count *gres_count_of(struct map *map, struct text name, struct text type);
void gres_count_keep(struct map *map, const struct map *seen); /* the same rows, at zero */

struct job_usage {
	struct text label[GROUP_LABELS_MAX]; /* the entity's name as a label; a user's account is the second */
	int64_t last_active; /* Unix seconds: when one of its jobs last came or went */
	uint64_t rows; /* job records */
	int kind; /* enum entity_kind, or beyond it a group that the site defines: it has no reasons and extremes */
	bool is_folded; /* without a row of its own: it counts in the row `other` */
	bool lacks_extremes; /* oldest_pending or max_startable_nodes may be of a job that has gone */
	uint64_t jobs[NAMES_MAX]; /* by base state */
	uint64_t flagged[NAMES_MAX]; /* by flag */
	uint64_t flags_seen; /* now or before: the page shows these, at zero too */
	uint64_t pending[REASON_CLASSES];
	uint64_t oldest_pending[REASON_CLASSES]; /* submit time; 0: none */
	uint128 cpus[PHASES], memory[PHASES], nodes[PHASES];
	uint64_t max_startable_nodes; /* the largest node request among startable jobs */
	struct map reasons; /* reason -> uint64_t: pending jobs */
	struct map gres; /* struct gres_count */
};

struct node_usage {
	struct text label[2];
	uint64_t nodes[NAMES_MAX]; /* by base state */
	uint64_t free; /* the idle ones that any job may have */
	uint64_t flagged[NAMES_MAX]; /* by flag */
	uint64_t flags_seen;
	uint64_t cpus[CAPACITY_STATES], memory[CAPACITY_STATES];
	uint64_t effective_cpus, effective_memory; /* of nodes that tell */
	struct map gres; /* struct gres_count */
};
