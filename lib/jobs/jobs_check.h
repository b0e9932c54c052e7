/* The proof of the job table: what was kept up change by change equals a recount. */
#pragma once

#include "jobs/job_table.h"

/* Adds up all rows anew, by their names, and compares each number and each entity with the totals; for
 * after job_table_settle. False: they differ, *err says in what. */
bool jobs_check(const struct job_table *table, struct error *err);
