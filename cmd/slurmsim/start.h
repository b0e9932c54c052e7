/* A job starts: of an array its next task. */
#pragma once

#include "slurmsim/world.h"

/* Pointers to jobs are good until the table is tidied. */
void job_start(struct world *world, struct job *job, int32_t at);
