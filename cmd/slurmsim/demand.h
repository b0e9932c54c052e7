/* What a job asks for, and what it will be like if it runs, by chance. */
#pragma once

#include "slurmsim/world.h"

/* IDs rise, with gaps where submissions were refused, and begin again after max_job_id. */
uint32_t world_take_id(struct world *world);

/* A pending job that nothing is said of yet but what it asks for. */
struct job *job_new(struct world *world, int32_t at);

void job_choose_end(struct world *world, struct job *job); /* its limit, and how and when it ends */
void job_wait(struct world *world, struct job *job, enum job_reason reason, int32_t until);
