#include "slurmsim/happened.h"

#include "base/memory.h"

static size_t place_of(const struct world *world, uint32_t association, uint32_t partition, uint32_t qos, uint32_t name)
{
	size_t queue = (association * (size_t)world->partition_count + partition) * world->qos_count + qos;
	return queue * JOB_NAMES + name;
}

static struct happened *of(struct world *world, const struct job *job, uint32_t partition)
{
	return &world->happened[place_of(world, job->association, partition, job->qos, job->name)];
}

struct happened *happened_new(const struct world *world)
{
	size_t count = place_of(world, world->association_count, 0, 0, 0);
	return memory_new(count * sizeof(struct happened));
}

const struct happened *happened_to(const struct world *world, uint32_t association, uint32_t partition, uint32_t qos,
				   uint32_t name)
{
	return &world->happened[place_of(world, association, partition, qos, name)];
}

void happened_submit(struct world *world, const struct job *job, uint32_t tasks)
{
	of(world, job, job->partition)->submissions += tasks;
	if (job->other_partition != NO_PARTITION)
		of(world, job, job->other_partition)->named += tasks;
}

void happened_choose(struct world *world, const struct job *job, uint32_t partition)
{
	struct happened *before = of(world, job, job->partition), *after = of(world, job, partition);
	uint32_t tasks = job_tasks(job);
	before->submissions -= tasks;
	before->named += tasks;
	after->submissions += tasks;
	after->named -= tasks;
}

static uint64_t since(int32_t from, int32_t to)
{
	return to > from ? (uint64_t)(to - from) : 0;
}

void happened_start(struct world *world, const struct job *job)
{
	of(world, job, job->partition)->starts++;
}

void happened_add_run(struct happened *happened, const struct job *job, int32_t now)
{
	uint64_t run_s = since(job->start, now);
	uint32_t parts = job->flags & JOB_PER_NODE ? job->node_count : job->cpus;
	happened->wait_s += since(job->eligible, job->start);
	happened->queue_s += since(job->submit, job->start);
	happened->run_s += run_s;
	happened->cpu_s += run_s * job->cpus;
	happened->memory_s += run_s * job->memory * parts;
	happened->gpu_s += run_s * job->gpus * job->node_count;
	happened->billing_s += run_s * job_billing(job);
	happened->used_cpu_s += job_used_cpu_s(job, (int64_t)run_s);
}

void happened_end(struct world *world, const struct job *job, bool has_run)
{
	struct happened *happened = of(world, job, job->partition);
	happened->ends[job->state] += job_tasks(job);
	if (!has_run)
		return;
	happened_add_run(happened, job, job->end);
	happened->energy_j += job_energy_j(world, job);
	happened->gpu_memory_gib_s += job_gpu_memory_gib(job) * since(job->start, job->end);
}
