/* The simulated cluster: what slurmctld and slurmdbd know, as plain numbers.
 *
 * Nothing here knows HTTP, JSON or API versions. The world is a function of its options. It moves in whole seconds of
 * its own clock, and a second looks the same whenever one asks for it. One thread at a time; the server holds a
 * lock. */
#pragma once

#include "slurmsim/job_table.h"
#include "slurmsim/random.h"

#include <stddef.h>

struct world_options {
	uint64_t seed;
	uint32_t nodes, jobs, users; /* jobs: records that are alive, kept near that number */
	double arrivals; /* submissions a second; < 0: as many as keep `jobs` steady */
	uint32_t queue; /* jobs that wait in a partition before users choose the default one; 0: any number */
	double arrays; /* the share of submissions that are arrays */
	uint32_t array_tasks; /* one array of this many tasks at the start; 0: none */
	uint32_t first_job_id, max_job_id, min_job_age_s;
	double node_failures; /* a day, of a thousand nodes */
	uint32_t watts; /* of a CPU that a job holds; 0: nobody measures energy */
	uint32_t run_s; /* the longest run; 0: as their time limits allow */
	uint32_t history; /* ended runs that slurmdbd keeps */
	int64_t epoch; /* Unix seconds of the world's second 0 */
};

struct qos {
	const char *name;
	uint32_t id, priority, max_jobs_per_user, max_wall_min; /* 0: unlimited */
};

struct account {
	char name[24];
	uint32_t parent; /* its number; the root's own */
};

struct user {
	char name[12];
	uint32_t uid, association, associations; /* the first, and how many */
	uint16_t running[8]; /* per QOS */
};

struct association {
	uint32_t account, user; /* user NO_USER: the account's own */
	uint32_t shares;
	double usage; /* CPU seconds of ended jobs */
};
#define NO_USER UINT32_MAX

enum { NODE_DOWN = 1, NODE_DRAIN = 2, NODE_NOT_RESPONDING = 4 };

struct node {
	uint16_t cpus, cpus_alloc;
	uint32_t memory, memory_alloc; /* MiB */
	uint8_t gpus, gpus_alloc, flags, reason;
	uint32_t jobs, completing; /* that run on it, that complete on it */
	int32_t last_busy, reason_time, back_at; /* back_at: when it returns to service */
};

struct partition {
	const char *name;
	uint32_t first, count; /* nodes */
	uint32_t default_min, max_min, tier, factor;
	bool is_default;
	uint32_t *queue; /* eligible pending jobs' IDs; 0: not any more */
	size_t head, tail, capacity;
	uint32_t cursor; /* where the search for a free node begins */
};

struct event {
	int32_t at;
	uint32_t job;
};

/* What sdiag counts since the start or midnight UTC. */
struct counters {
	int64_t since;
	uint64_t submitted, started, completed, canceled, failed;
	uint64_t cycles, cycle_us, cycle_last_us, cycle_max_us, depth;
	uint64_t bf_cycles, bf_us, bf_last_us, bf_max_us, bf_depth, bf_last_depth, bf_jobs, bf_last_jobs;
	uint64_t bf_queue, bf_queue_sum, bf_het_jobs;
};

struct world {
	struct world_options options;
	struct random random;
	int32_t now; /* seconds since options.epoch */
	int32_t boot, jobs_changed, nodes_changed;
	struct qos *qos;
	struct account *accounts;
	struct user *users;
	struct association *associations;
	struct partition *partitions;
	struct node *nodes;
	uint32_t qos_count, account_count, association_count, partition_count;
	struct job_table jobs;
	uint32_t next_id;
	struct event *events; /* a heap, the earliest first */
	size_t event_count, event_capacity;
	struct job *ended; /* slurmdbd's: one per run that has ended, oldest first, a ring */
	size_t ended_first, ended_count, ended_capacity;
	size_t untold; /* of these, the newest: slurmctld has not handed them over yet */
	int32_t dbd_late; /* seconds after which it does */
	bool dbd_is_away; /* it cannot */
	struct happened *happened; /* per association, partition, QOS and name */
	struct counters counters;
	uint32_t storm; /* submissions to come at once */
	bool stands; /* the scheduler starts nothing */
};

const char *world_node_name(const struct world *world, uint32_t node, char name[16]);
bool world_node_by_name(const struct world *world, const char *name, uint32_t *ret_node);
static inline int64_t world_unix(const struct world *world, int32_t at)
{
	return world->options.epoch + at;
}
const struct association *world_association(const struct world *world, const struct job *job);
/* A run that ended, by age. */
static inline struct job *world_ended(const struct world *world, size_t number)
{
	return &world->ended[(world->ended_first + number) % world->ended_capacity];
}
