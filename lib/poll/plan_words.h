/* What the planner spends, and how jobs are read, in sentences for people: one a line. */
#pragma once

#include "poll/job_poller.h"

void plan_words_budgets(const struct plan_totals *totals, struct buf *out);
/* `left_s`: the start lasts at most this many seconds more; 0: it is over, and there is nothing to say. */
void plan_words_start(const struct config *config, double left_s, struct buf *out);
void plan_words_jobs(const struct job_poller *jobs, struct buf *out);
/* Unix seconds; 0: not known, and nothing to say. */
void plan_words_ends(double known_until, struct buf *out);
