/* A world begins, lives and ends. */
#pragma once

#include "slurmsim/world.h"

void world_init(struct world *world, const struct world_options *options);
void world_done(struct world *world);

/* Lets the world live until its second `now`. */
void world_advance(struct world *world, int32_t now);
