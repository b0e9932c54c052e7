#include "slurmsim/demand.h"

#include "slurmsim/events.h"

uint32_t world_take_id(struct world *world)
{
	if (random_chance(&world->random, 0.01))
		world->next_id += 1 + random_below(&world->random, 5);
	for (;; world->next_id++) {
		if (world->next_id > world->options.max_job_id)
			world->next_id = world->options.first_job_id;
		if (!job_table_find(&world->jobs, world->next_id))
			return world->next_id++;
	}
}

static void choose_size(struct world *world, struct job *job)
{
	struct random *random = &world->random;
	const struct partition *partition = &world->partitions[job->partition];
	const struct node *node = &world->nodes[partition->first];
	job->node_count = 1;
	job->node = NO_NODE;
	if (node->gpus) {
		job->gpus = (uint8_t)RANDOM_PICK(random, 1, 1, 2, 4);
		job->cpus = 8u * job->gpus;
		job->memory = 64000u * job->gpus;
		job->flags |= JOB_PER_NODE;
		return;
	}
	uint32_t most = node->cpus;
	job->cpus = random_chance(random, 0.5) ? 1 : RANDOM_PICK(random, 2, 4, 8, 16, 32);
	if (random_chance(random, 0.01) && partition->count >= 16) {
		job->node_count = (uint16_t)RANDOM_PICK(random, 2, 4, 8);
		job->nodes = NULL;
		job->cpus = most * job->node_count / (job->node_count < 8 ? 2 : 1); /* the large ones hold all */
	}
	if (job->cpus > most * job->node_count)
		job->cpus = most;
	job->memory = 2000;
	if (random_chance(random, 0.2) && job->node_count == 1) {
		job->flags |= JOB_PER_NODE;
		job->memory = RANDOM_PICK(random, 4000, 16000, 32000);
	}
}

void job_choose_end(struct world *world, struct job *job)
{
	struct random *random = &world->random;
	const struct partition *partition = &world->partitions[job->partition];
	uint32_t most = world->qos[job->qos].max_wall_min, unit = random_below(random, 1000);
	job->limit_min = random_chance(random, 0.2) ? partition->default_min : RANDOM_PICK(random, 30, 60, 240, 720);
	if (job->limit_min > partition->max_min)
		job->limit_min = partition->max_min;
	if (most && job->limit_min > most)
		job->limit_min = most;
	double part = random_unit(random);
	job->run_s = 20 + (uint32_t)(job->limit_min * 48.0 * part * part * part);
	job->outcome = unit < 850   ? JOB_COMPLETED
		       : unit < 920 ? JOB_FAILED
		       : unit < 950 ? JOB_TIMEOUT
		       : unit < 980 ? JOB_CANCELLED
		       : unit < 988 ? JOB_OUT_OF_MEMORY
		       : unit < 992 ? JOB_DEADLINE
		       : unit < 996 ? JOB_PREEMPTED
				    : JOB_PENDING; /* requeued on demand */
	if (job->outcome == JOB_TIMEOUT)
		job->run_s = job->limit_min * 60;
	if (world->options.run_s)
		job->run_s = 1 + random_below(random, world->options.run_s);
}

static uint8_t choose_partition(struct world *world)
{
	uint32_t unit = random_below(&world->random, 100), most = world->options.queue;
	uint8_t wanted = unit < 70 ? 0 : unit < 80 ? 1 : unit < 85 ? 2 : unit < 92 ? 3 : 4;
	const struct partition *partition = &world->partitions[wanted];
	return most && partition->tail - partition->head >= most ? 0 : wanted;
}

struct job *job_new(struct world *world, int32_t at)
{
	struct random *random = &world->random;
	struct job *job = job_table_add(&world->jobs, world_take_id(world));
	double rank = random_unit(random);
	const struct user *user = &world->users[(uint32_t)(rank * rank * world->options.users)];
	job->task = NO_TASK;
	job->submit = job->eligible = at;
	job->start = job->end = job->event = TIME_NONE;
	job->association = user->association + random_below(random, user->associations);
	job->priority = 1000 + random_below(random, 9000);
	job->partition = choose_partition(world);
	job->other_partition = NO_PARTITION;
	if (job->partition == 0 && random_chance(random, 0.04))
		job->other_partition = 1;
	job->qos = job->partition == 2 ? 3 : (uint8_t)RANDOM_PICK(random, 0, 0, 0, 0, 0, 0, 1, 2);
	job->name = (uint8_t)random_below(random, JOB_NAMES);
	choose_size(world, job);
	job_choose_end(world, job);
	world->jobs_changed = world->now;
	return job;
}

void job_wait(struct world *world, struct job *job, enum job_reason reason, int32_t at)
{
	job->reason = (uint8_t)reason;
	event_set(world, job, at);
}
