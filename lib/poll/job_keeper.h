/* The job table in the state file: what is written of it, and what a start finds there. Rows that changed are written with
 * each commit, and marks that say as of when all rows are true. The details of a row that came again and said the same are
 * not written again: in the file they are older than they need be, never younger. Of the poller's thread. */
#pragma once

#include "cluster/cluster.h"
#include "discovery/job_rounds.h"
#include "store/store.h"

/* What is true of all rows together. */
struct kept_facts {
	int64_t as_of; /* they are as they were then, or later: Unix seconds of slurmctld's clock; 0: not all are known */
	int64_t seen_at; /* the same moment by our clock */
	bool has_details; /* all were asked for their details */
	bool are_listed; /* they came as whole lists, not by their states */
};

struct job_keeper {
	struct cluster *cluster; /* borrowed: its job table and vocabulary */
	struct job_rounds *rounds; /* borrowed: by which task an array's rest is asked for */
	struct kept_facts facts; /* of the table, to be set before each write */
	bool is_written; /* the transaction has the rows */

	struct job_table *found; /* in the file, of use, and not taken yet; NULL: none */
	struct kept_facts found_facts;
	struct id_map tails; /* of `found` */
	struct id_map doubted; /* ids -> 1: their rows were of no use, but Slurm may have such jobs */
	uint64_t dropped; /* rows that were of no use */
};

void job_keeper_init(struct job_keeper *keeper, struct cluster *cluster, struct job_rounds *rounds);
void job_keeper_done(struct job_keeper *keeper);

/* While the store is loaded; then `found` if it was, else forget. */
void job_keeper_take_mark(struct job_keeper *keeper, struct text name, int64_t value);
void job_keeper_take(struct job_keeper *keeper, const struct store_job *job);
void job_keeper_forget(struct job_keeper *keeper);

/* Between begin and commit: `all` if the store wants all. Then whether the commit went well. */
void job_keeper_write(struct job_keeper *keeper, struct store *store, bool all);
void job_keeper_note(struct job_keeper *keeper, bool is_safe);
