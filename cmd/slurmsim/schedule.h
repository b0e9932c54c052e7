/* Who runs where. It is good enough to keep a cluster busy and its sums right. Partitions serve jobs in the order in
 * which they came, with a short look past those that do not fit. Jobs of several nodes get whole nodes. */
#pragma once

#include "slurmsim/world.h"

void schedule_free(struct world *world, struct job *job);
void schedule_forget_place(struct job *job); /* it has none any more */
void schedule_queue(struct world *world, struct job *job);
/* A task has ended: an array with a limit may have its next one started. */
void schedule_array(struct world *world, struct job *rest);
void schedule_pass(struct world *world);
