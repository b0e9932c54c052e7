#include "slurmsim/nodes.h"

#include "slurmsim/jobs.h"

/* Does the job run on the node? To find a failed node's jobs, all jobs are looked at, since failures are rare. */
static bool runs_on(const struct job *job, uint32_t node)
{
	if (job->state != JOB_RUNNING)
		return false;
	if (job->node_count == 1)
		return job->node == node;
	for (uint32_t i = 0; i < job->node_count; i++)
		if (job->nodes[i] == node)
			return true;
	return false;
}

void node_fail(struct world *world, uint32_t number)
{
	struct node *node = &world->nodes[number];
	node->flags |= NODE_DOWN | NODE_NOT_RESPONDING;
	node->reason = 1;
	node->reason_time = world->now;
	node->back_at = world->now + 600 + (int32_t)random_below(&world->random, 7200);
	world->nodes_changed = world->now;
	for (size_t place = 0; node->jobs && place < world->jobs.end; place++) {
		struct job *job = job_table_at(&world->jobs, place);
		if (!job->id || !runs_on(job, number))
			continue;
		if (job->id % 2 && !job->het_id)
			job_requeue(world, job, JOB_NODE_FAIL);
		else
			job_end(world, job, JOB_NODE_FAIL, world->now);
	}
}

void node_drain(struct world *world, uint32_t number, bool drain)
{
	struct node *node = &world->nodes[number];
	node->flags = (uint8_t)(drain ? node->flags | NODE_DRAIN : 0);
	node->reason = drain ? 2 : 0;
	node->reason_time = drain ? world->now : 0;
	if (!drain && !node->cpus_alloc)
		node->last_busy = world->now; /* as slurmctld does when a node returns */
	node->back_at = drain ? world->now + 1200 + (int32_t)random_below(&world->random, 7200) : 0;
	world->nodes_changed = world->now;
}

void nodes_live(struct world *world)
{
	double each_s = world->options.node_failures / 1000 / 86400 * world->options.nodes;
	for (uint32_t n = random_poisson(&world->random, each_s); n; n--)
		node_fail(world, random_below(&world->random, world->options.nodes));
	for (uint32_t n = random_poisson(&world->random, each_s); n; n--)
		node_drain(world, random_below(&world->random, world->options.nodes), true);
	if (world->now % 60)
		return;
	for (uint32_t i = 0; i < world->options.nodes; i++)
		if (world->nodes[i].flags && world->nodes[i].back_at <= world->now)
			node_drain(world, i, false);
}
