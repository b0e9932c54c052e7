/* The planner's table: the ways to do each task, with the costs that were measured. */
#pragma once

#include "config/config.h"
#include "plan/plan.h"

enum { WAY_ONLY = 0 }; /* of most tasks */
enum { JOB_STEPS_BATCH_MAX = 50 };
enum jobs_way { JOBS_LIST, JOBS_LIST_22_05 }; /* v0.0.37 and 38: other costs, nothing else */
enum states_way { STATES_BATCHES, STATES_LARGE_BATCHES, STATES_LIST };
enum details_way { DETAILS_SINGLE, DETAILS_LIST, DETAILS_ACCOUNTING }; /* of rotation: the first two */
enum { ACCOUNTING_IDS_MAX = 300 };
/* With the time that a round takes they are not older than 30 s, while the budget pays for that. */
enum { JOB_STATES_BOUND_S = 26 };
/* Until many jobs have their first details, which need the budget more: most totals wait for them. */
enum { JOB_STATES_FILLING_S = 120 };

/* Of so many jobs a list of all states costs 0.5 s of slurmrestd (SLURMRESTD.md, "Lists"). */
enum { JOB_STATES_LIST_MAX = 10000 };

/* Fills in the wishes of the configuration. Static but for those: of use to one poller at a time. */
void tasks_fill(struct plan_task tasks[TASKS], const struct config *config);

/* The configuration's budgets; a planner for the tasks that has them. */
struct plan_options tasks_options(const struct config *config);
struct plan *tasks_plan(struct plan_task tasks[TASKS], const struct config *config);

/* What a request of the way is sent to. */
enum endpoint task_endpoint(size_t task, size_t way);
