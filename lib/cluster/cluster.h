/* All that is known of one cluster. Each endpoint has a section, which a complete answer replaces as a whole. Jobs are
 * in a table that follows changes; the page shows the table's totals. A section that became too old is dropped. What is
 * NULL or unknown is not on the page. Of the poller's thread. */
#pragma once

#include "entities/accounting.h"
#include "entities/caps.h"
#include "entities/limits_use.h"
#include "entities/node_events.h"
#include "entities/node_outage.h"
#include "entities/nodes.h"
#include "entities/partitions.h"
#include "entities/record_list.h"
#include "entities/roster.h"
#include "entities/scheduler.h"
#include "jobs/demand.h"
#include "jobs/each_job.h"
#include "jobs/job_table.h"

enum { CONTROLLERS_MAX = 8 };

/* A controller's state by ping. The page says 0 only when that is sure: with a bad token ping says "down", too. */
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
	bool controllers_are_sure; /* their states are not the effect of a bad token */
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
	int64_t nodes_as_of; /* they were so then or a moment later: Unix seconds of slurmctld's clock */
	struct node_events node_events; /* never dropped */
	struct node_causes causes; /* that the site names */
	struct job_table *job_table; /* never dropped */
	struct job_totals *jobs; /* its totals; NULL until all jobs are known, and when they are too old */
	bool jobs_lack_details; /* only the state of many jobs is known: nothing but the cluster's states is right */
	struct caps caps;
	struct job_groups groups; /* that the site defines; of caps.groups */
	struct roster rosters[JOB_KINDS]; /* who has a row of its own; fold.h */
	struct each_job each_job; /* which jobs have a row of their own */
	struct demands *demands; /* of the last cluster_fold; NULL: not known */
	struct qos_section *qos;
	struct associations_section *associations;
	struct limits_use *limits; /* made by the last cluster_settle of the four sections above */
	uint64_t limits_changes; /* the job table's `changes` at that time */
};

void cluster_init(struct cluster *cluster); /* without caps, groups and causes */
void cluster_done(struct cluster *cluster);

/* How many jobs of each stage, and how many of their nodes, may have rows of their own. After cluster_init: none. */
struct job_rows_max {
	uint64_t jobs[JOB_STAGES], nodes;
};
void cluster_set_job_rows(struct cluster *cluster, const struct job_rows_max *max);

/* Sets `jobs` to the table's totals if all jobs are known, else to NULL. */
void cluster_show_jobs(struct cluster *cluster, bool is_known);

/* Empties the table of jobs, as after cluster_init. A pointer to the old table is not valid any more. */
void cluster_forget_jobs(struct cluster *cluster);

/* To be called after partitions, qos or associations were swapped: drops what was made of the old ones. */
void cluster_forget_limits(struct cluster *cluster);

/* The totals of jobs; NULL while the page does not show them, or while they lack details. */
static inline const struct job_totals *cluster_detailed_jobs(const struct cluster *cluster)
{
	return cluster->jobs_lack_details ? NULL : cluster->jobs;
}

/* Updates what does not follow every change: the totals of jobs and the use of limits. To be called once for a page;
 * cluster_fold does it. */
void cluster_settle(struct cluster *cluster);

/* The partitions by name; NULL while unknown. */
const struct map *cluster_partitions(const struct cluster *cluster);
