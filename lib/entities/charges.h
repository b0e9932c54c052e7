/* What jobs hold of the resources that QOS and associations limit, by who is to be charged for it.
 *
 * As slurmctld counts (acct_policy.c; SLURMRESTD.md, "Limits"):
 * a job counts as submitted, each array task by itself, from its submission to its end; as running, with
 * its TRES, while it is RUNNING or SUSPENDED, and no more once it is COMPLETING. `node` counts different
 * nodes, however many jobs share one. Running TRES-minutes are TRES times the time that is left. */
#pragma once

#include "base/map.h"
#include "model/job.h"

/* Nodes by number, as many bits as the largest needs. */
struct node_set {
	uint64_t *words; /* in an arena */
	size_t count;
	bool is_cut; /* there were too many to look at: how many is not known */
};

struct tres_use {
	uint64_t count; /* mem in bytes */
	double running_s; /* times the seconds left, by the QOS's usage factor once one is charged */
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
	uint64_t nodes_left; /* of jobs, that may still be looked at */
};

void charges_init(struct charges *charges, struct arena *arena);

/* Found or made. */
struct charge *charges_of(struct charges *charges, struct text account, struct text user, struct text partitions,
			  struct text qos);

/* Adds what a job holds that is RUNNING or SUSPENDED, and stands for `count` jobs, to the charge of such
 * jobs, where it is to be added to the submitted jobs too; `now` is Unix time. */
void charge_add_held(struct charges *charges, struct charge *charge, const struct job *job, uint64_t count,
		     int64_t now);

void charges_done(struct charges *charges);

void use_init(struct use *use, struct arena *arena);
void use_merge(struct use *use, const struct use *more, double usage_factor);
uint64_t use_nodes(const struct use *use);
void use_done(struct use *use);
