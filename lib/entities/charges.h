/* What jobs hold of the resources that QOS and associations limit, by whom slurmctld charges for it.
 *
 * This counts as slurmctld does (acct_policy.c; SLURMRESTD.md, "Limits"). A job counts as submitted from its submission
 * to its end, each array task by itself. It counts as running, with its TRES, while it is RUNNING or SUSPENDED, and no
 * longer when it is COMPLETING. `node` counts different nodes, however many jobs share one. Running TRES-minutes are
 * TRES times the time that is left. */
#pragma once

#include "base/id_map.h"
#include "base/map.h"
#include "model/job.h"

/* A set of nodes by number. It takes as much memory as it has nodes, however large their numbers are. */
struct node_set {
	struct id_map words; /* number / 32 -> a bit for each of these 32 nodes */
	bool is_cut; /* there were too many to look at, so their number is not known */
};

struct tres_use {
	uint64_t count; /* mem in bytes */
	double running_s; /* times the seconds left; once charged, times the QOS's usage factor */
};

struct use {
	uint64_t jobs, submitted_jobs;
	struct map tres; /* name -> struct tres_use */
	struct node_set nodes;
};

/* The jobs that name the same account, user, partitions and QOS. */
struct charge {
	struct text account, user;
	struct text partitions, qos; /* one; of a pending job one or several, separated by commas */
	struct use use;
};

struct charges {
	struct arena *arena; /* borrowed */
	struct map items; /* key -> struct charge */
	struct map nodes; /* name -> uint32_t: a node's number, from 1 on */
	uint64_t nodes_left; /* how many nodes of jobs may still be looked at */
};

void charges_init(struct charges *charges, struct arena *arena);

/* Finds or makes the charge of such jobs. */
struct charge *charges_of(struct charges *charges, struct text account, struct text user, struct text partitions,
			  struct text qos);

/* Adds what a RUNNING or SUSPENDED job holds to the charge of such jobs. The job stands for `count` jobs, which the
 * caller adds to the submitted jobs. `now` is Unix seconds. */
void charge_add_held(struct charges *charges, struct charge *charge, const struct job *job, uint64_t count,
		     int64_t now);

void charges_done(struct charges *charges);

void use_init(struct use *use, struct arena *arena);
void use_merge(struct use *use, const struct use *more, double usage_factor);
uint64_t use_nodes(const struct use *use);
void use_done(struct use *use);
