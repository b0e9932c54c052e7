#include "slurmsim/start.h"

#include "slurmsim/demand.h"
#include "slurmsim/events.h"
#include "slurmsim/happened.h"

/* The record of the array's next task, split off; the record itself if it is the last. */
static struct job *split(struct world *world, struct job *rest)
{
	uint32_t rank = rest->rest_at++, leader = rest->id;
	rest->array_running++;
	if (rest->rest_at == rest->rest_end) {
		rest->task = job_task_id(rest, rank);
		return rest;
	}
	struct job copy = *rest;
	struct job *task = job_table_add(&world->jobs, world_take_id(world));
	copy.id = task->id;
	*task = copy;
	task->task = job_task_id(&copy, rank);
	task->previous_member = leader;
	rest = job_table_find(&world->jobs, leader);
	if (rest->next_member)
		job_table_find(&world->jobs, rest->next_member)->previous_member = task->id;
	rest->next_member = task->id;
	rest->node = NO_NODE; /* the place was found for the task */
	job_choose_end(world, task);
	return task;
}

void job_start(struct world *world, struct job *job, int32_t at)
{
	if (job->array_id && job->task == NO_TASK)
		job = split(world, job);
	job->state = JOB_RUNNING;
	job->reason = REASON_NONE;
	job->flags &= (uint8_t)~JOB_DOOMED;
	job->start = at;
	job->end = TIME_NONE;
	event_set(world, job, at + (int32_t)job->run_s);
	world->users[world_association(world, job)->user].running[job->qos]++;
	world->counters.started++;
	happened_start(world, job);
	world->jobs_changed = world->now;
}
