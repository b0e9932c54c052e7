#include "slurmsim/schedule.h"

#include "base/memory.h"
#include "slurmsim/happened.h"
#include "slurmsim/start.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEPT_MAX = 300, /* pending jobs that a pass may leave behind, per partition */
	MISSES_MAX = 64, /* this many in a row: the partition is full */
	TRIES = 64, /* nodes that are looked at for a job */
	STARTS_MAX = 2000 /* a pass and partition */
};

static uint32_t memory_on_node(const struct job *job)
{
	return job->flags & JOB_PER_NODE ? job->memory : job->memory * (job->cpus / job->node_count);
}

static bool fits(const struct node *node, const struct job *job)
{
	return !node->flags && node->cpus >= node->cpus_alloc + job->cpus / job->node_count &&
	       node->memory - node->memory_alloc >= memory_on_node(job) && node->gpus >= node->gpus_alloc + job->gpus;
}

static void take_node(struct world *world, struct node *node, const struct job *job, int sign)
{
	node->cpus_alloc = (uint16_t)(node->cpus_alloc + sign * (int)(job->cpus / job->node_count));
	node->memory_alloc += (uint32_t)sign * memory_on_node(job);
	node->gpus_alloc = (uint8_t)(node->gpus_alloc + sign * job->gpus);
	node->jobs += (uint32_t)sign;
	node->last_busy = world->now;
}

static const uint32_t *nodes_of(const struct job *job)
{
	return job->node_count > 1 ? job->nodes : &job->node;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static bool place(struct world *world, struct job *job, struct partition *partition)
{
	uint32_t found[64], count = 0, wanted = job->node_count;
	uint32_t tries = wanted > 1 ? TRIES * 8 : TRIES;
	if (wanted > sizeof found / sizeof *found)
		return false;
	for (uint32_t i = 0; i < partition->count && i < tries && count < wanted; i++) {
		uint32_t node = partition->first + (partition->cursor + i) % partition->count;
		if (fits(&world->nodes[node], job) && (wanted == 1 || !world->nodes[node].jobs))
			found[count++] = node;
	}
	if (count < wanted) {
		partition->cursor = (partition->cursor + tries) % partition->count;
		return false;
	}
	qsort(found, count, sizeof *found, by_number);
	if (wanted > 1) {
		if (!job->nodes)
			job->nodes = memory_new(wanted * sizeof *found);
		memcpy(job->nodes, found, wanted * sizeof *found);
	} else
		job->node = found[0];
	for (uint32_t i = 0; i < wanted; i++)
		take_node(world, &world->nodes[found[i]], job, 1);
	partition->cursor = found[0] - partition->first;
	world->nodes_changed = world->now;
	return true;
}

void schedule_free(struct world *world, struct job *job)
{
	const uint32_t *nodes = nodes_of(job);
	for (uint32_t i = 0; i < job->node_count; i++)
		take_node(world, &world->nodes[nodes[i]], job, -1);
	struct partition *partition = &world->partitions[job->partition];
	partition->cursor = nodes[0] - partition->first; /* here is room now */
	world->nodes_changed = world->now;
}

void schedule_forget_place(struct job *job)
{
	if (job->node_count > 1) {
		free(job->nodes);
		job->nodes = NULL;
	} else
		job->node = NO_NODE;
}

static void queue_in(struct partition *partition, uint32_t id)
{
	if (partition->tail == partition->capacity && partition->head > partition->capacity / 2) {
		partition->tail -= partition->head;
		memmove(partition->queue, partition->queue + partition->head,
			partition->tail * sizeof *partition->queue);
		partition->head = 0;
	}
	GROW(partition->queue, partition->tail, partition->capacity);
	partition->queue[partition->tail++] = id;
}

void schedule_queue(struct world *world, struct job *job)
{
	job->reason = REASON_PRIORITY;
	queue_in(&world->partitions[job->partition], job->id);
	if (job->other_partition != NO_PARTITION)
		queue_in(&world->partitions[job->other_partition], job->id);
}

static bool may_wait_in(const struct world *world, const struct job *job, uint32_t partition)
{
	return job && job->state == JOB_PENDING && !(job->flags & JOB_COMPLETING) && job->eligible <= world->now &&
	       job->reason != REASON_HELD_USER && job->reason != REASON_HELD_ADMIN &&
	       job->reason != REASON_DEPENDENCY && (job->partition == partition || job->other_partition == partition);
}

/* Places all components of a het job, or none. */
static bool place_all(struct world *world, struct job *job, struct partition *partition)
{
	uint32_t placed = 0, size = job->het_size ? job->het_size : 1;
	for (; placed < size; placed++) {
		struct job *part = placed ? job_table_find(&world->jobs, job->id + placed) : job;
		if (!part || !place(world, part, partition))
			break;
	}
	for (uint32_t i = 0; placed < size && i < placed; i++) {
		struct job *part = job_table_find(&world->jobs, job->id + i);
		schedule_free(world, part);
		schedule_forget_place(part);
	}
	return placed == size;
}

/* REASON_NONE if it was started, or else why not. */
static enum job_reason try_start(struct world *world, uint32_t id, uint32_t number)
{
	struct job *job = job_table_find(&world->jobs, id);
	const struct association *association = world_association(world, job);
	const struct qos *qos = &world->qos[job->qos];
	if (qos->max_jobs_per_user && world->users[association->user].running[job->qos] >= qos->max_jobs_per_user)
		return REASON_QOS_JOBS;
	if (job->array_limit && job->task == NO_TASK && job->array_running >= job->array_limit)
		return REASON_ARRAY_LIMIT;
	if (!place_all(world, job, &world->partitions[number]))
		return REASON_RESOURCES;
	if (job->partition != number)
		happened_choose(world, job, number);
	job->partition = (uint8_t)number;
	job->other_partition = NO_PARTITION;
	uint32_t size = job->het_size ? job->het_size : 1;
	for (uint32_t i = 0; i < size; i++)
		job_start(world, job_table_find(&world->jobs, id + i), world->now);
	return REASON_NONE;
}

/* An array's next task is tried with the rest's record and split off only if it fits. Whom a limit
 * of its own keeps waiting goes to the end of the queue. */
static void pass_partition(struct world *world, uint32_t number)
{
	struct partition *partition = &world->partitions[number];
	uint32_t kept[KEPT_MAX], kept_count = 0, started = 0, looked = 0, misses = 0;
	uint32_t limited[KEPT_MAX], limited_count = 0;
	size_t at = partition->head, end = partition->tail;
	while (at < end && kept_count < KEPT_MAX && limited_count < KEPT_MAX && misses < MISSES_MAX &&
	       started < STARTS_MAX) {
		uint32_t id = partition->queue[at++];
		struct job *job = job_table_find(&world->jobs, id);
		if (!may_wait_in(world, job, number))
			continue;
		looked++;
		enum job_reason reason = try_start(world, id, number);
		if (reason == REASON_NONE) {
			started++;
			misses = 0;
			at -= job->state == JOB_PENDING; /* the rest of an array */
			continue;
		}
		job->reason = (uint8_t)(reason == REASON_RESOURCES && kept_count ? REASON_PRIORITY : reason);
		misses += reason == REASON_RESOURCES;
		if (reason == REASON_RESOURCES)
			kept[kept_count++] = id;
		else
			limited[limited_count++] = id;
	}
	at -= kept_count;
	for (uint32_t i = 0; i < kept_count; i++)
		partition->queue[at + i] = kept[i];
	partition->head = at;
	for (uint32_t i = 0; i < limited_count; i++)
		queue_in(partition, limited[i]);
	world->counters.depth += looked;
	world->counters.bf_depth += kept_count;
	world->counters.bf_last_depth = kept_count;
}

void schedule_array(struct world *world, struct job *rest)
{
	if (rest->array_limit && may_wait_in(world, rest, rest->partition))
		try_start(world, rest->id, rest->partition);
}

void schedule_pass(struct world *world)
{
	struct counters *counters = &world->counters;
	uint64_t depth = counters->depth;
	counters->bf_queue = 0;
	for (uint32_t i = 0; i < world->partition_count && !world->stands; i++) {
		pass_partition(world, i);
		counters->bf_queue += world->partitions[i].tail - world->partitions[i].head;
	}
	counters->bf_queue_sum += counters->bf_queue;
	counters->cycles++;
	counters->cycle_last_us = 200 + 20 * (counters->depth - depth);
	counters->cycle_us += counters->cycle_last_us;
	if (counters->cycle_max_us < counters->cycle_last_us)
		counters->cycle_max_us = counters->cycle_last_us;
}
