/* Submissions: what users ask for, and what keeps some of it waiting. */
#pragma once

#include "slurmsim/world.h"

struct job *world_submit(struct world *world, int32_t at); /* a job, an array or a het job */
struct job *world_submit_array(struct world *world, int32_t at, uint32_t tasks);
