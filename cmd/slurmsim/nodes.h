/* Nodes fail, are drained, and come back. */
#pragma once

#include "slurmsim/world.h"

void nodes_live(struct world *world); /* one second of failures and repairs */
void node_fail(struct world *world, uint32_t node);
void node_drain(struct world *world, uint32_t node, bool drain);
