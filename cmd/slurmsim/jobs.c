#include "slurmsim/jobs.h"

#include "base/memory.h"
#include "slurmsim/demand.h"
#include "slurmsim/events.h"
#include "slurmsim/happened.h"
#include "slurmsim/schedule.h"

#include <stdlib.h>
#include <string.h>

enum { HANDED_OVER_MAX = 20000 }; /* a second */

static void forget(struct world *world, struct job *job)
{
	struct job *next = job_table_find(&world->jobs, job->next_member);
	struct job *previous = job_table_find(&world->jobs, job->previous_member);
	if (next)
		next->previous_member = job->previous_member;
	if (previous)
		previous->next_member = job->next_member;
	job_table_forget(&world->jobs, job);
	world->jobs_changed = world->now;
}

/* slurmdbd's row of a run. It keeps a number of them, the oldest go first; slurmctld hands it over later if slurmdbd is
 * away, or slow. */
static void remember(struct world *world, const struct job *job)
{
	if (world->ended_count == world->ended_capacity && world->ended_capacity < world->options.history)
		GROW(world->ended, world->ended_count, world->ended_capacity);
	size_t capacity = world->ended_capacity;
	if (world->ended_count == capacity) {
		struct job *oldest = &world->ended[world->ended_first];
		if (oldest->node_count > 1)
			free(oldest->nodes);
		world->ended_first = (world->ended_first + 1) % capacity;
		world->untold -= world->untold == world->ended_count;
		world->ended_count--;
	}
	struct job *row = world_ended(world, world->ended_count++);
	world->untold += world->untold || world->dbd_late || world->dbd_is_away;
	*row = *job;
	if (job->node_count > 1 && job->nodes) {
		row->nodes = memory_new(job->node_count * sizeof *row->nodes);
		memcpy(row->nodes, job->nodes, job->node_count * sizeof *row->nodes);
	}
}

void jobs_hand_over(struct world *world)
{
	for (uint32_t i = 0; i < HANDED_OVER_MAX && world->untold && !world->dbd_is_away; i++) {
		const struct job *next = world_ended(world, world->ended_count - world->untold);
		if (next->end + world->dbd_late > world->now)
			return;
		world->untold--;
	}
}

/* A run is over; its nodes stay its own until they have cleaned up. */
static void leave_nodes(struct world *world, struct job *job, int32_t at)
{
	struct association *association = &world->associations[job->association];
	const uint32_t *nodes = job->node_count > 1 ? job->nodes : &job->node;
	for (uint32_t i = 0; i < job->node_count; i++)
		world->nodes[nodes[i]].completing++;
	association->usage += (double)job->cpus * (at - job->start);
	world->users[association->user].running[job->qos]--;
	struct job *leader = job->array_id ? job_table_find(&world->jobs, job->array_id) : NULL;
	if (leader && leader->task == NO_TASK && leader->array_running)
		leader->array_running--;
	job->flags |= JOB_COMPLETING;
	event_set(world, job, at + 1 + (int32_t)random_below(&world->random, 4));
}

static void set_exit(struct job *job, enum job_state state)
{
	job->exit_code = state == JOB_FAILED && job->id % 4;
	job->signal = state == JOB_FAILED && !job->exit_code	      ? 9
		      : state == JOB_TIMEOUT || state == JOB_DEADLINE ? 15
		      : state == JOB_OUT_OF_MEMORY		      ? 125
		      : state == JOB_NODE_FAIL			      ? 1
								      : 0;
	job->reason = state == JOB_FAILED	   ? job->exit_code ? REASON_NONZERO_EXIT : REASON_SIGNAL
		      : state == JOB_TIMEOUT	   ? REASON_TIME_LIMIT
		      : state == JOB_NODE_FAIL	   ? REASON_NODE_DOWN
		      : state == JOB_OUT_OF_MEMORY ? REASON_OUT_OF_MEMORY
						   : REASON_NONE;
}

void job_end(struct world *world, struct job *job, enum job_state state, int32_t at)
{
	bool has_run = job->state == JOB_RUNNING;
	job->state = (uint8_t)state;
	job->end = at;
	set_exit(job, state);
	if (has_run)
		leave_nodes(world, job, at);
	else {
		job->start = at;
		event_set(world, job, at + (int32_t)world->options.min_job_age_s);
	}
	if (state == JOB_CANCELLED)
		world->counters.canceled++;
	else
		world->counters.completed++;
	happened_end(world, job, has_run);
	remember(world, job);
	world->jobs_changed = world->now;
}

void job_requeue(struct world *world, struct job *job, enum job_state how)
{
	job->state = (uint8_t)how;
	job->end = world->now;
	job->flags |= JOB_REQUEUED;
	happened_end(world, job, true);
	remember(world, job);
	leave_nodes(world, job, world->now);
	job->state = JOB_PENDING;
	job->reason = REASON_BEGIN_TIME;
	job->restarts++;
	world->jobs_changed = world->now;
}

/* The epilogs have ended. If jobs run as long as real ones, a requeued job begins again two minutes later, as in Slurm.
 * Otherwise it waits long enough that a reader who misses some seconds does not see it run before and after. */
static void complete(struct world *world, struct job *job)
{
	const uint32_t *nodes = job->node_count > 1 ? job->nodes : &job->node;
	for (uint32_t i = 0; i < job->node_count; i++)
		world->nodes[nodes[i]].completing--;
	schedule_free(world, job);
	job->flags &= (uint8_t)~JOB_COMPLETING;
	struct job *leader = job->array_id ? job_table_find(&world->jobs, job->array_id) : NULL;
	if (leader && leader->task == NO_TASK)
		schedule_array(world, leader);
	world->jobs_changed = world->now;
	if (!(job->flags & JOB_REQUEUED)) {
		int32_t at = job->end + (int32_t)world->options.min_job_age_s;
		event_set(world, job, at > world->now ? at : world->now + 1);
		return;
	}
	job->flags &= (uint8_t)~JOB_REQUEUED;
	job->submit = world->now;
	job->eligible = world->now + (int32_t)(world->options.run_s ? world->options.run_s + 12 : 120);
	job->start = job->end = TIME_NONE;
	schedule_forget_place(job);
	happened_submit(world, job, 1);
	job_choose_end(world, job);
	job_wait(world, job, REASON_BEGIN_TIME, job->eligible);
}

void job_hold(struct world *world, struct job *job, enum job_reason reason)
{
	job->priority = 0;
	job->flags &= (uint8_t)~JOB_DOOMED;
	job_wait(world, job, reason, TIME_NONE);
	world->jobs_changed = world->now;
}

void job_release(struct world *world, struct job *job)
{
	job->flags &= (uint8_t)~JOB_DOOMED;
	job->event = TIME_NONE;
	job->dependency = 0;
	job->eligible = world->now;
	if (!job->priority)
		job->priority = 1000;
	schedule_queue(world, job);
	world->jobs_changed = world->now;
}

static void pending_due(struct world *world, struct job *job)
{
	const struct job *other = job->dependency ? job_table_find(&world->jobs, job->dependency) : NULL;
	if (job->flags & JOB_DOOMED)
		job_end(world, job, JOB_CANCELLED, world->now);
	else if (other && other->state <= JOB_RUNNING)
		event_set(world, job, world->now + 15);
	else
		job_release(world, job);
}

void job_due(struct world *world, struct job *job)
{
	if (job->flags & JOB_COMPLETING)
		complete(world, job);
	else if (job->state == JOB_PENDING)
		pending_due(world, job);
	else if (job->state != JOB_RUNNING)
		forget(world, job);
	else if ((job->outcome == JOB_PREEMPTED || job->outcome == JOB_PENDING) && !job->het_id)
		job_requeue(world, job, (enum job_state)job->outcome);
	else if (job->outcome == JOB_PENDING)
		job_end(world, job, JOB_COMPLETED, world->now);
	else
		job_end(world, job, (enum job_state)job->outcome, world->now);
}
