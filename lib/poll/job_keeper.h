/* The job table in the state file: what is written of it, and what a start finds there. Each commit writes the rows
 * that changed, and marks that say as of when all rows are true. It does not write a row again whose new details said
 * the same. So the file may call details older than they are, but never younger. Of the poller's thread. */
#pragma once

#include "cluster/cluster.h"
#include "discovery/job_rounds.h"
#include "store/store.h"

/* What is true of all rows together. */
struct kept_facts {
	int64_t as_of; /* rows are from then or later: Unix seconds of slurmctld's clock; 0: not all jobs are known */
	int64_t seen_at; /* the same moment by our clock */
	bool has_details; /* all were asked for their details */
	bool are_listed; /* the jobs came as whole lists, not by their states */
};

struct job_keeper {
	struct cluster *cluster; /* borrowed: its job table and vocabulary */
	struct job_rounds *rounds; /* borrowed: know the task by which to ask for an array's rest */
	struct kept_facts facts; /* of the table, to be set before each write */
	bool is_written; /* the transaction has the rows */

	struct job_table *found; /* usable rows of the file that warm_begin has not taken yet; NULL: none */
	struct kept_facts found_facts;
	struct id_map tails; /* of `found` */
	struct id_map doubted; /* ID -> 1: its row is unusable, but Slurm may have the job */
	uint64_t dropped; /* unusable rows */
};

void job_keeper_init(struct job_keeper *keeper, struct cluster *cluster, struct job_rounds *rounds);
void job_keeper_done(struct job_keeper *keeper);

/* Take marks and rows while the store is loaded. Then call `found` if that succeeded, else `forget`. */
void job_keeper_take_mark(struct job_keeper *keeper, struct text name, int64_t value);
void job_keeper_take(struct job_keeper *keeper, const struct store_job *job);
void job_keeper_forget(struct job_keeper *keeper);

/* Write between begin and commit; `all`: the store wants all rows. Then report whether the commit succeeded. */
void job_keeper_write(struct job_keeper *keeper, struct store *store, bool all);
void job_keeper_note(struct job_keeper *keeper, bool is_safe);
