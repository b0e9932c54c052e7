/* One row of the list of job states: a job, an array task, or a component of a het job. */
#pragma once

#include "model/number.h"
#include "model/vocabulary.h"

struct job_task {
	struct text name; /* as Slurm writes it: "17", "26_2", "48+1" */
	uint64_t id; /* the raw record ID: the number in front */
	int state; /* a number of vocabulary.job_states */
	uint64_t flags;
};
