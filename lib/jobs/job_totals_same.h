/* Are two totals the same? What one of them lacks counts as zero. */
#pragma once

#include "base/error.h"
#include "jobs/job_totals.h"

/* Compares each number of each entity; what is only remembered (flags seen, last activity) does not
 * matter. False: they differ, *err says in what. */
bool job_totals_same(const struct job_totals *got, const struct job_totals *want, struct error *err);
