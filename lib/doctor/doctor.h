/* `slurmscope doctor`: connects as configured, and says in plain words what works, what does not, and what to do. It
 * asks what the daemon asks, by the same planner and so within the same budgets, and sends nothing but GET. */
#pragma once

#include "config/config.h"
#include "doctor/report.h"

/* Examines what the daemon needs of this machine, whatever clusters it reads. */
void doctor_examine_process(const struct config *config, struct report *report);

/* Examines one cluster's slurmrestd, and its files here. */
void doctor_examine(const struct config *config, struct report *report);
