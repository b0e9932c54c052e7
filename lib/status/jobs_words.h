/* What both forms of the jobs say of a stage: whose rows these are, and what is missing. Any thread. */
#pragma once

#include "status/status.h"

struct jobs_stage_words {
	const char *key; /* of ?state=, and in JSON */
	const char *title; /* "Waiting" */
	const char *which; /* "waiting jobs" */
	const char *option; /* that says how many may have a row */
};
extern const struct jobs_stage_words jobs_stage_words[STATUS_STAGES];

/* Writes why there are no rows, as a sentence; false: there may be some. */
bool jobs_say_unknown(const struct status *status, enum status_stage stage, struct buf *out);

/* Writes which jobs have rows, and how one gets more. */
void jobs_say_rows(const struct status *status, enum status_stage stage, double now, struct buf *out);
