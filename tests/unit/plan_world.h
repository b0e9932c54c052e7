/* A world for the planner to live in: a cluster with N jobs, which has bad days. Its requests cost something else than
 * the planner guesses. Time is simulated, chance is seeded. */
#pragma once

#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

enum { PING, DIAG, STATES, NEW_JOBS, DETAILS, ROTATION, NODES, PARTITIONS, CAPACITY_STATES, ENDED, TASKS };
enum { WAYS_MAX = 2 };
#define TIMEOUT_S 300.0
#define GRACE_S 1200.0 /* to fill the cold tables, and to come back after trouble */

/* SLURMRESTD.md, "Costs" */
static const struct plan_way small_ways[] = {{"whole", {0.002, 0, 0}, {0.0002, 0, 0}, 5e3, 0, 1, 1}};
static const struct plan_way state_ways[] = {{"batches", {0.001, 2.6e-6, 1.6e-9}, {0.0001, 2e-7, 0}, 84, 0, 64, 500},
					     {"list", {0.002, 5e-6, 1.2e-9}, {0.0001, 1e-6, 6e-10}, 84, 0, 0, 0}};
static const struct plan_way detail_ways[] = {{"single", {0, 0.0006, 0}, {0, 0.00005, 0}, 9e3, 0, 1, 1},
					      {"bulk", {0.01, 0.00045, 45e-9}, {0.001, 0.00002, 0}, 8e3, 2e5, 0, 0}};
static const struct plan_way node_ways[] = {{"list", {0.005, 0.00015, 0}, {0.001, 1.6e-6, 0}, 2600, 8e3, 0, 0}};
static const struct plan_way share_ways[] = {{"list", {0.005, 0.0001, 0}, {0.001, 2e-6, 0}, 800, 3e3, 0, 0}};
static const struct plan_way ended_ways[] = {{"windows", {0.005, 0.0005, 0}, {0, 0, 0}, 4900, 1e4, 1, 1000}};

#define WAYS(array) .ways = (array), .way_count = sizeof(array) / sizeof *(array)
static const struct plan_task world_tasks[TASKS] = {
	[PING] = {"ping", "", 10, 0, 1, 0, true, true, false, WAYS(small_ways)},
	[DIAG] = {"diag", "", 15, 0, 1, 0, true, true, false, WAYS(small_ways)},
	[STATES] = {"job_states", "jobs", 15, 0, 4, 26, false, true, false, WAYS(state_ways)},
	[NEW_JOBS] = {"new_jobs", "jobs", 15, 0, 2, 0, false, true, false, WAYS(small_ways)},
	[DETAILS] = {"job_details", "jobs", 5, 0, 2, 0, false, true, false, WAYS(detail_ways)},
	[ROTATION] = {"job_rotation", "jobs", 600, 0, 1, 0, false, true, false, WAYS(detail_ways)},
	[NODES] = {"nodes", "nodes", 30, 0, 1, 300, false, true, false, WAYS(node_ways)},
	[PARTITIONS] = {"partitions", "", 60, 0, 1, 0, false, true, false, WAYS(small_ways)},
	[CAPACITY_STATES] = {"shares", "associations", 300, 0, 1, 0, false, true, false, WAYS(share_ways)},
	[ENDED] = {"ended_jobs", "jobs", 60, 0, 1, 0, false, false, true, WAYS(ended_ways)},
};

struct spell { /* of weather: from .. to, seconds */
	double from_s, to_s;
};
struct scenario {
	const char *name;
	double changes; /* of a job's state, per hour */
	enum weather { CALM, CTLD_DOWN, RESTD_DOWN, SLOW, FROZEN, STORM, LIMITED, BUSY, UNSCRAPED, WAITS } weather;
	struct spell spell; /* of that weather */
	bool is_old; /* no jobs/state: bulk lists only, whatever memory they take */
	double states_cost; /* as a multiple of the guess, and all else as guessed; 0: all is off by chance */
	/* All jobs lack their first details at the start. Each costs slurmctld this many seconds; 0: as guessed */
	double first_details_s;
	/* Its locks are held a lot: each request for states costs slurmctld this much. 0: as guessed */
	double locked_s;
};

static inline bool is_weather(const struct scenario *scenario, enum weather weather, double s)
{
	return scenario->weather == weather && s >= scenario->spell.from_s && s < scenario->spell.to_s;
}

struct second { /* one second of the world, for the properties */
	double cost[2]; /* of slurmrestd and of slurmctld, true */
	double largest[2]; /* request that ran in it */
	double surprise[2]; /* part of one request that nobody could predict */
	double requests;
	double age_s; /* of the states */
};

struct world {
	const struct scenario *scenario;
	struct plan *plan;
	uint64_t seed, jobs, nodes;
	double end_s, now_s;
	struct plan_cost truth[TASKS][WAYS_MAX][2];
	uint64_t tries[2][TASKS][WAYS_MAX]; /* in usual weather, while slow */
	double queue, found_s; /* jobs whose details are to be asked; when changes were found last */
	double covered[TASKS];
	double begun_s[TASKS], fresh_s[TASKS], asked_s[TASKS];
	double gap_max_s[TASKS], interval_max_s[TASKS];
	uint64_t way_now[TASKS], switches[TASKS], rounds[TASKS];
	double interval_s[TASKS];
	uint64_t turns[TASKS];
	int direction[TASKS];
	double account_s, outlier_s;
	uint64_t account_count;
	struct second *seconds;
	struct plan_task tasks[TASKS];
};

static inline double world_chance(struct world *world)
{
	world->seed = world->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(world->seed >> 11) * 0x1p-53;
}
/* Past the cold start, and past trouble for a while; that probes wait is none. A start is looked at from the time on when
 * costs are known. */
static inline bool is_calm(const struct world *world, double s)
{
	enum { LEARNT_S = 60, LOCKS_LEARNT_S = 300 }; /* what locks add is learnt from several rounds of states */
	if (world->scenario->first_details_s > 0)
		return s >= (world->scenario->locked_s > 0 ? LOCKS_LEARNT_S : LEARNT_S);
	const struct spell *spell = &world->scenario->spell;
	return s >= GRACE_S && (world->scenario->weather == WAITS || s < spell->from_s || s >= spell->to_s + GRACE_S);
}
static inline uint64_t world_ns(const struct world *world)
{
	return (uint64_t)(world->now_s * 1e9) + UINT64_C(1000000000000);
}
