/* What comes to jobs by itself: at most one event per job, the one at job->event. */
#pragma once

#include "slurmsim/world.h"

void event_set(struct world *world, struct job *job, int32_t at);
bool event_next(struct world *world, struct event *ret_event); /* due by world->now */
