/* The planner's table: the ways to do each task, with the costs that were measured (seconds and bytes, in tasks.c). */
#pragma once

#include "config/config.h"
#include "plan/plan.h"

struct api_version;

enum { WAY_ONLY = 0 }; /* the only way of most tasks */
/* Steps of more runs would make slurmrestd grow: 50 runs with three steps each take 0.2 s and 31 MB. */
enum { JOB_STEPS_BATCH_MAX = 50 };
enum jobs_way { JOBS_LIST, JOBS_LIST_22_05 }; /* v0.0.37 and 38 have other costs, else both are the same */
enum states_way { STATES_BATCHES, STATES_LARGE_BATCHES, STATES_LIST };
enum details_way { DETAILS_SINGLE, DETAILS_LIST, DETAILS_ACCOUNTING }; /* reasons and rotation have the first two */
/* More ids in a request are not cheaper, and slurmrestd keeps more memory: 26 MiB by 300 ids, 196 MiB by 2,400 (24.11). */
enum { ACCOUNTING_IDS_MAX = 300 };
/* Seconds. With the time that a round takes, states are at most 30 s old while the budget pays for that. */
enum { JOB_STATES_BOUND_S = 24 };
/* Seconds, while many jobs lack their first details: most totals wait for details, so these need the budget more. At
 * 100,000 jobs states took 3.5 of 5 % before, and details of all would have taken an hour. After a start, and when as many jobs
 * come at once (job_poller_plan.c). */
enum { JOB_STATES_FILLING_S = 120 };

/* A list of the states of this many jobs costs 0.5 s of slurmrestd (SLURMRESTD.md, "Lists"). Its cost is quadratic, so
 * ids are searched in batches if there are more jobs. */
enum { JOB_STATES_LIST_MAX = 10000 };

/* Fills in the table and the target intervals of the configuration. The caller owns `tasks` and may change it; the ways
 * are static. */
void tasks_fill(struct plan_task tasks[TASKS], const struct config *config);

/* The configuration's budgets, at a start or at any other time (start.h). */
struct plan_options tasks_options(const struct config *config, bool is_start);

/* A planner that has the usual budgets, for plan_free. It borrows `tasks`. */
struct plan *tasks_plan(struct plan_task tasks[TASKS], const struct config *config);

/* Chooses, of the two ways to list jobs, the one whose costs are those of this version; NULL: the version is not known. */
void tasks_choose_list(struct plan *plan, const struct api_version *version);

/* The endpoint that a request of the task, in this way, is sent to. */
enum endpoint task_endpoint(size_t task, size_t way);
