/* GPUs of jobs where AccountingStorageTRES lacks gres/gpu: then no TRES of a job names them.
 * SLURMRESTD.md, "GPUs that Slurm does not account" */
#pragma once

#include "base/arena.h"
#include "model/job.h"

/* Adds the job's GPUs to its TRES, if these name none: those that it asks for, and those that it holds. These are what it asks
 * for, too, where slurmrestd does not tell what each node gives. */
void untold_gpus_tell(struct job *job, struct arena *texts);
