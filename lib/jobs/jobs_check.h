/* A check of the job table: totals that followed each change equal a recount. */
#pragma once

#include "jobs/job_table.h"

/* Adds up all rows again, by their names, and compares each number and each entity with the totals. To be called after
 * job_table_settle. False: they differ, and *err says where. */
bool jobs_check(const struct job_table *table, struct error *err);
