/* Which records a request asks for: IDs of jobs, and slurmdbd's windows. */
#pragma once

#include "slurmsim/view.h"

/* Adds the jobs that the ID stands for: "12" is a job, or all members of the array or het job that it leads. "12_3" is
 * a task of array 12; "12+1" is a component. In 26.05 a SLUID is one record. Jobs that do not exist are left out. False: it
 * is not an ID. */
bool select_job(struct view *view, const char *id);

/* Why a query of slurmdb/jobs is refused; NULL if it is not. */
const char *select_window(struct view *view, const char *query);
