/* What the planner does and why, in words, for people. */
#pragma once

#include "daemon/job_poller.h"

void plan_page_render(const struct plan *plan, const struct job_poller *jobs, uint64_t now_ns,
		      struct buf *out);
