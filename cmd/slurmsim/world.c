#include "slurmsim/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *world_node_name(const struct world *world, uint32_t node, char name[16])
{
	int width = snprintf(NULL, 0, "%u", world->options.nodes);
	snprintf(name, 16, "n%0*u", width, node + 1);
	return name;
}

bool world_node_by_name(const struct world *world, const char *name, uint32_t *ret_node)
{
	char right[16];
	*ret_node = *name == 'n' ? (uint32_t)strtoul(name + 1, NULL, 10) - 1 : NO_NODE;
	return *ret_node < world->options.nodes && strcmp(world_node_name(world, *ret_node, right), name) == 0;
}

const struct association *world_association(const struct world *world, const struct job *job)
{
	return &world->associations[job->association];
}
