/* `slurmscope doctor`: connects as configured, and says in plain words what works, what does not, and what to do. It
 * asks what the daemon asks, by the same planner and so within the same budgets, and sends nothing but GET. */
#pragma once

#include "daemon/config.h"
#include "doctor/report.h"

/* Examines one cluster's slurmrestd and what the daemon needs here. */
void doctor_examine(const struct config *config, struct report *report);
