/* All that is known of one cluster: a section per endpoint, each swapped in whole when its answer was
 * complete; jobs are a table that goes by changes, of which the totals are shown. A section that became too
 * old is dropped; what is NULL or not known is not on the page. */
#pragma once

#include "entities/accounting.h"
#include "entities/caps.h"
#include "entities/limits_use.h"
#include "entities/node_events.h"
#include "entities/nodes.h"
#include "entities/partitions.h"
#include "entities/record_list.h"
#include "entities/roster.h"
#include "entities/scheduler.h"
#include "jobs/each_job.h"
#include "jobs/job_table.h"

enum { CONTROLLERS_MAX = 8 };

/* A controller's state by ping. A 0 is only said when it is sure (ping with a bad token says "down"). */
struct controller_state {
	char host[256];
	bool is_primary, is_up;
	uint64_t latency_us;
};

struct cluster {
	struct vocabulary vocabulary;
	char name[64]; /* empty while unknown */
	char slurm_version[32]; /* likewise */
	char api_version[16];
	struct controller_state controllers[CONTROLLERS_MAX];
	unsigned controller_count;
	bool controllers_are_sure; /* what ping said of them is not due to a bad token */
	bool dbd_responds; /* slurmdbd's last ping */
	enum up { UP_NOT_KNOWN, UP_NO, UP_YES } accounting_up;
	struct scheduler_section scheduler;
	struct accounting_section accounting;
	struct conf conf; /* members unset while unknown */
	struct record_list *shares; /* struct fairshare */
	struct record_list *reservations; /* struct reservation */
	struct record_list *licenses; /* struct license */
	struct partitions_section *partitions;
	struct nodes_section *nodes;
	struct node_events node_events; /* never dropped */
	struct job_table *job_table; /* never dropped */
	struct job_totals *jobs; /* its totals; NULL before the first whole picture, and when too old */
	bool jobs_lack_details; /* of many jobs only the state is known: only the cluster's states are right */
	struct caps caps;
	struct roster rosters[ENTITY_KINDS]; /* who has a row of its own; fold.h */
	struct each_job each_job; /* likewise, which jobs */
	struct qos_section *qos;
	struct associations_section *associations;
	struct limits_use *limits; /* of the four sections above, as of the last cluster_settle */
	uint64_t limits_changes; /* of the job table, when they were worked out */
};

void cluster_init(struct cluster *cluster); /* without caps */
void cluster_done(struct cluster *cluster);

/* So many jobs may have rows of their own (0: none, as after cluster_init), and so many of their nodes. */
void cluster_set_job_rows(struct cluster *cluster, uint64_t jobs, uint64_t nodes);

/* Makes `jobs` the table's totals, for it has the whole picture; or NULL. */
void cluster_show_jobs(struct cluster *cluster, bool is_known);

/* The table of jobs is empty, as after cluster_init; whoever borrowed it borrows anew. */
void cluster_forget_jobs(struct cluster *cluster);

/* After partitions, qos or associations were swapped: what was made of the old ones is not used any
 * more. */
void cluster_forget_limits(struct cluster *cluster);

/* The totals of jobs; NULL while they are not shown, or lack details. */
static inline const struct job_totals *cluster_detailed_jobs(const struct cluster *cluster)
{
	return cluster->jobs_lack_details ? NULL : cluster->jobs;
}

/* Brings up to date what is not kept up with every change: the totals of jobs and the use of limits. To be
 * called once for a page; cluster_fold does. */
void cluster_settle(struct cluster *cluster);

/* The partitions by name; NULL while unknown. */
const struct map *cluster_partitions(const struct cluster *cluster);
