/* The planner's table: the strategies for each task, with measured costs (seconds and bytes, in tasks.c). */
#pragma once

#include "config/config.h"
#include "plan/plan.h"

struct api_version;

enum { WAY_ONLY = 0 }; /* the only strategy of most tasks */
/* Steps of more runs would make slurmrestd grow: 50 runs with three steps each take 0.2 s and 31 MB. */
enum { JOB_STEPS_BATCH_MAX = 50 };
enum jobs_way { JOBS_LIST, JOBS_LIST_22_05 }; /* the same, but v0.0.37 and v0.0.38 have other costs */
enum states_way { STATES_BATCHES, STATES_LARGE_BATCHES, STATES_LIST };
enum arrays_way { ARRAYS_STATES, ARRAYS_RECORDS };
enum details_way { DETAILS_SINGLE, DETAILS_LIST, DETAILS_ACCOUNTING }; /* reasons and rotation have the first two */
/* More IDs in a request are not cheaper, and slurmrestd keeps more memory: 26 MiB by 300 IDs, 196 MiB by 2,400
 * (24.11). */
enum { ACCOUNTING_IDS_MAX = 300 };
/* Seconds. Together with the time that a round takes, states are at most 30 s old, if the budget is large enough. */
enum { JOB_STATES_BOUND_S = 24 };
/* Seconds. It holds while many jobs lack their first details: most totals wait for details, so these need the budget
 * more. Without it, states of 100,000 jobs took 3.5 of 5 %, and all details would have taken an hour. That is the case
 * after a start, and when as many jobs come at once, unless the details would take hours (job_poller_plan.c). */
enum { JOB_STATES_FILLING_S = 60 };

/* A list of the states of this many jobs costs 0.5 s of slurmrestd (SLURMRESTD.md, "Lists"). Its cost is quadratic, so
 * IDs are searched in batches if there are more jobs. */
enum { JOB_STATES_LIST_MAX = 10000 };

/* Fills in the table and the target intervals of the configuration. The caller owns `tasks` and may change it; the ways
 * are static. */
void tasks_fill(struct plan_task tasks[TASKS], const struct config *config);

/* How much ends need while windows of `behind_s` seconds each are left to be read (end_windows_behind); 0: one is enough. */
void tasks_pace_ends(struct plan_task tasks[TASKS], const struct config *config, int64_t behind_s);

/* The configuration's budgets, at a start or at any other time (start.h). */
struct plan_options tasks_options(const struct config *config, bool is_start);

/* A planner that has the usual budgets, for plan_free. It borrows `tasks`. */
struct plan *tasks_plan(struct plan_task tasks[TASKS], const struct config *config);

/* Chooses the strategy to list jobs whose costs are those of this version; NULL: the version is not known. */
void tasks_choose_list(struct plan *plan, const struct api_version *version);

/* The endpoint to which a request of the task, with this strategy, goes. */
enum endpoint task_endpoint(size_t task, size_t way);
