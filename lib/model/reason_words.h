/* Why a job waits, in words for its user: what Slurm's reason means, and what helps. Any thread. */
#pragma once

#include "base/buf.h"

/* Writes sentences that end with a full stop. False: a reason that nobody knew when this was written, and nothing is
 * written. The reasons are those of job_state_reason_string() of 26.05; earlier releases have no others. */
bool reason_words_meaning(struct text reason, struct buf *out);
bool reason_words_advice(struct text reason, struct buf *out);

/* Is it a limit of a QOS or of an association, as QOSGrpCpuLimit is? */
bool reason_words_is_limit(struct text reason);
