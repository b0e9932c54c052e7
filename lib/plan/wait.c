/* What any answer waits for, such as slurmctld's locks or a slurmrestd that others keep busy. It says nothing of what
 * the request itself costs, and comes and goes for all tasks of a side at once. */
#include "plan/state.h"

#include <math.h>

/* What any answer takes below this is part of each way's own cost. */
#define WAIT_MIN_S 1.0

enum side wait_side(const struct task *task)
{
	return task->row->needs_slurmdbd && !task->row->needs_slurmctld ? SIDE_SLURMDBD : SIDE_SLURMCTLD;
}

/* The quickest of the last answers: a single quick one shows that nothing waits. The first few may be of one task,
 * which may be slow by itself: ping waits for a controller that is off. */
static double least_s(const struct wait *wait)
{
	double least_s = HUGE_VAL;
	bool are_of_one = true;
	for (size_t i = 0; i < WAIT_ANSWERS && i < wait->count; i++) {
		least_s = fmin(least_s, wait->last[i].seconds);
		are_of_one &= wait->last[i].task == wait->last[0].task;
	}
	return are_of_one && wait->count < WAIT_ANSWERS ? 0 : least_s;
}

void wait_note(struct plan *plan, const struct task *task, double seconds)
{
	enum side side = wait_side(task);
	struct wait *wait = &plan->waits[side];
	size_t oldest = wait->count++ % WAIT_ANSWERS;
	wait->last[oldest].task = task;
	wait->last[oldest].seconds = seconds;
	double wait_s = least_s(wait) < WAIT_MIN_S ? 0 : least_s(wait);
	if (wait_s == wait->seconds)
		return;
	plan->is_pace_old = true;
	wait->seconds = wait_s;
	for (size_t i = 0; i < plan->task_count; i++)
		for (size_t j = 0; j < plan->tasks[i].row->way_count; j++)
			if (wait_side(&plan->tasks[i]) == side)
				plan->tasks[i].ways[j].slurmrestd.wait_s = wait_s;
}
