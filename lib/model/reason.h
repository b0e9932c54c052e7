/* Why a job is pending, in classes: what an operator asks first. */
#pragma once

#include "base/text.h"

enum reason_class {
	REASON_STARTABLE, /* waits only for its turn and free resources */
	REASON_HELD, /* by its user or an administrator */
	REASON_DEPENDENCY, /* on another job */
	REASON_LIMIT, /* of a QOS, association, licence, array or partition */
	REASON_OTHER, /* begin time, reservation, nodes down, ... */
	REASON_UNKNOWN, /* slurmctld has not told it, or no longer does (job_details.h) */
	REASON_CLASSES,
};

extern const char *const reason_class_names[]; /* in order, NULL at the end */

enum reason_class reason_class_of(struct text reason);
