/* Which ended runs wait for their steps to be read. */
#include "events/count.h"

static bool wants(const struct run *run)
{
	return run && run->bits & RUN_WANTS_STEPS;
}

static bool end_wait(struct job_events *events, const struct run_key *key)
{
	struct run *run = runs_find(&events->runs, key);
	if (!wants(run))
		return false;
	run->bits = (run->bits & ~(uint32_t)RUN_WANTS_STEPS) | RUN_IS_CHANGED;
	return true;
}

void job_events_no_steps(struct job_events *events, const struct run_key *key)
{
	end_wait(events, key);
}

void job_events_give_up_steps(struct job_events *events, const struct run_key *key)
{
	if (end_wait(events, key))
		events->steps_given_up++;
}

static void drop_those_read(struct job_events *events)
{
	while (events->steps.count && !wants(runs_find(&events->runs, &steps_waiting_get(&events->steps, 0)->key)))
		steps_waiting_drop(&events->steps);
}

/* Gives up the oldest of those that wait. So their number, in memory and in the state file, is bounded where more jobs
 * end than slurmscope can read. */
void count_wait_for_steps(struct job_events *events, struct run *run)
{
	if (!events->steps_max)
		return;
	run->bits |= RUN_WANTS_STEPS;
	steps_waiting_add(&events->steps, run);
	while (events->steps.count > events->steps_max) {
		job_events_give_up_steps(events, &steps_waiting_get(&events->steps, 0)->key);
		steps_waiting_drop(&events->steps);
	}
}

void count_find_waits(struct job_events *events)
{
	for (size_t i = 0; i < events->runs.count; i++)
		if (events->runs.items[i].is_used && wants(&events->runs.items[i]))
			steps_waiting_add(&events->steps, &events->runs.items[i]);
	steps_waiting_sort(&events->steps);
}

/* Runs that were read out of turn are counted until their turn comes. */
size_t job_events_want_steps(struct job_events *events, int64_t ended_before, struct run_key *ret_keys, size_t max)
{
	size_t count = 0, written = 0;
	drop_those_read(events);
	for (size_t i = 0; i < events->steps.count; i++) {
		const struct steps_wait *wait = steps_waiting_get(&events->steps, i);
		if (wait->end_time >= ended_before)
			continue;
		if (written < max && !wants(runs_find(&events->runs, &wait->key)))
			continue;
		if (written < max)
			ret_keys[written++] = wait->key;
		count++;
	}
	return count;
}
