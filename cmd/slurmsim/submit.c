#include "slurmsim/submit.h"

#include "slurmsim/demand.h"
#include "slurmsim/events.h"
#include "slurmsim/happened.h"
#include "slurmsim/schedule.h"

enum { HET_SIZE = 2 };

/* Most can start at once; some wait for a time, for another job, or are held; some are given up. */
static void choose_wait(struct world *world, struct job *job, uint32_t before)
{
	struct random *random = &world->random;
	uint32_t unit = random_below(random, 1000);
	uint32_t run_s = world->options.run_s; /* with short runs waits are short, too */
	int32_t later =
		job->submit + (int32_t)(run_s ? 1 + random_below(random, 4 * run_s) : 60 + random_below(random, 7200));
	if (unit < 20) {
		job->eligible = later;
		job_wait(world, job, REASON_BEGIN_TIME, later);
	} else if (unit < 40)
		job_wait(world, job, unit < 36 ? REASON_HELD_USER : REASON_HELD_ADMIN, later);
	else if (unit < 70 && before && job_table_find(&world->jobs, before)) {
		job->dependency = before;
		job_wait(world, job, REASON_DEPENDENCY, job->submit + 15);
	} else {
		schedule_queue(world, job);
		if (unit > 985) {
			job->flags |= JOB_DOOMED;
			event_set(world, job, later);
		}
	}
	if (job->reason == REASON_HELD_USER || job->reason == REASON_HELD_ADMIN)
		job->priority = 0;
}

struct job *world_submit_array(struct world *world, int32_t at, uint32_t tasks)
{
	struct job *job = job_new(world, at);
	job->array_id = job->id;
	job->rest_end = tasks;
	if (job->node_count > 1) { /* arrays are of small jobs */
		job->node_count = 1;
		job->node = NO_NODE;
		job->cpus = 1;
	}
	if (random_chance(&world->random, 0.3))
		job->flags |= JOB_SPARSE;
	if (random_chance(&world->random, 0.2))
		job->array_limit = (uint16_t)(1 + random_below(&world->random, 8));
	schedule_queue(world, job);
	world->counters.submitted += tasks;
	happened_submit(world, job, tasks);
	return job;
}

/* All components have IDs in a row, or else it is an ordinary job. Only the leader is queued. */
static struct job *submit_het(struct world *world, int32_t at)
{
	struct job *job = job_new(world, at);
	uint32_t leader = job->id;
	if (world->next_id != leader + 1 || leader + 1 > world->options.max_job_id ||
	    job_table_find(&world->jobs, leader + 1) || job->node_count > 1) {
		schedule_queue(world, job);
		world->counters.submitted++;
		happened_submit(world, job, 1);
		return job;
	}
	struct job part = *job;
	part.id = leader + 1;
	part.het_id = leader;
	part.het_offset = 1;
	*job_table_add(&world->jobs, world->next_id++) = part;
	job = job_table_find(&world->jobs, leader);
	job->het_id = leader;
	job->het_size = HET_SIZE;
	job->other_partition = NO_PARTITION;
	job_table_find(&world->jobs, leader + 1)->other_partition = NO_PARTITION;
	schedule_queue(world, job);
	job_table_find(&world->jobs, leader + 1)->reason = job->reason;
	world->counters.submitted += HET_SIZE;
	happened_submit(world, job, HET_SIZE);
	return job;
}

struct job *world_submit(struct world *world, int32_t at)
{
	struct random *random = &world->random;
	if (random_chance(random, world->options.arrays))
		return world_submit_array(world, at, RANDOM_PICK(random, 5, 10, 20, 50, 200));
	if (random_chance(random, 0.01))
		return submit_het(world, at);
	uint32_t before = world->next_id - 1;
	struct job *job = job_new(world, at);
	choose_wait(world, job, before);
	world->counters.submitted++;
	happened_submit(world, job, 1);
	return job;
}
