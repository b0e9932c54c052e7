/* Which records a request asks for: ids of jobs, and slurmdbd's windows. */
#pragma once

#include "slurmsim/view.h"

/* Adds what the id stands for: "12" a job, or all members of the array or het job that it leads;
 * "12_3" a task of array 12; "12+1" a component. What is not there is left out. False if it is not
 * an id. */
bool select_job(struct view *view, const char *id);

/* Why a query of slurmdb/jobs is refused; NULL if it is not. */
const char *select_window(struct view *view, const char *query);
