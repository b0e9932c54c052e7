/* What is kept fresh. The polled endpoints have their own numbers; ENDPOINT_JOBS stands for the whole list of jobs,
 * where that is how jobs are read. */
#pragma once

#include "slurmrest/endpoint.h"

enum task {
	TASK_JOB_STATES = ENDPOINTS_POLLED, /* of all known jobs, and what new ones there are */
	TASK_JOB_SEARCH, /* for jobs that diag counts and slurmscope does not know */
	TASK_JOB_DETAILS, /* of what is new or changed */
	TASK_JOB_REASONS, /* of waiting jobs: the reason changes without a change of state */
	TASK_JOB_ROTATION, /* of all, in turn */
	TASK_JOB_ARRAYS, /* first records of arrays with many records, and large rests that jobs/state has to count */
	TASK_JOB_ENDS, /* runs that ended, of slurmdbd */
	TASK_JOB_STEPS, /* what they used */
	TASKS,
};
