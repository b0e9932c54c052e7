/* What happens to a job after its start, until slurmctld forgets it. Pointers to jobs are good until the table is tidied. */
#pragma once

#include "slurmsim/world.h"

void job_end(struct world *world, struct job *job, enum job_state state, int32_t at);
/* The run ends as `how`; JOB_PENDING: as one that was requeued on demand. */
void job_requeue(struct world *world, struct job *job, enum job_state how);
void job_hold(struct world *world, struct job *job, enum job_reason reason);
void job_release(struct world *world, struct job *job);
void job_due(struct world *world, struct job *job);
void jobs_hand_over(struct world *world); /* what slurmctld hands over to slurmdbd in a second */
