#include "plan/state.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

const struct plan_options plan_defaults = {
	/* Job states every 26 s and nodes every 5 min cost 4.5 % on a real 24.11 with 100,000 records and 10,000 nodes.
	 * slurmrestd computes for about three fifths of the time that it is charged with; the rest is waiting. */
	.slurmrestd_duty = 0.06,
	.slurmctld_duty = 0.01,
	/* A list of 25,000 jobs on 22.05: slurmrestd never gives such memory back. */
	.bulk_memory_max = 1024.0 * 1024 * 1024,
	.requests_per_s = 50,
	.request_burst = 200, /* a round of 100,000 job states in batches of 500 */
	/* Below the limit that Slurm has by default with rl_enable: 2 requests a second, a bucket of 30. */
	.limited_per_s = 1.5,
	.limited_burst = 20,
	.server_threads_max = 256, /* MAX_SERVER_THREADS of slurmctld, which sdiag's manual calls a bottleneck */
	.agent_queue_max = 1000, /* messages that slurmctld could not send yet: it has more to do than it can */
	.idle_after_s = 900, /* longer than any usual scrape interval: one missed scrape is not idleness */
};

static void task_init(struct task *task, const struct plan_task *row, uint64_t now_ns)
{
	*task = (struct task){.row = row,
			      .way = row->way_count,
			      .is_allowed = true,
			      .work = 1,
			      .interval_s = row->target_s,
			      .stretch = 1};
	ledger_init(&task->spent, BUDGET_WINDOW_S, now_ns);
	task->ways = memory_new(row->way_count * sizeof *task->ways);
	for (size_t i = 0; i < row->way_count; i++) {
		struct way *way = &task->ways[i];
		assert(row->ways[i].records_min > 0 || row->ways[i].records_max == 0);
		way->row = &row->ways[i];
		way->is_allowed = true;
		way->batch = way->row->records_min;
		cost_init(&way->slurmrestd, &way->row->slurmrestd_s);
		cost_init(&way->slurmctld, &way->row->slurmctld_s);
	}
}

struct plan *plan_new(const struct plan_task *tasks, size_t task_count, const struct plan_options *options,
		      uint64_t seed, uint64_t now_ns)
{
	assert(task_count <= PLAN_TASKS_MAX);
	struct plan *plan = NEW(struct plan);
	plan->options = *options;
	plan->tasks = memory_new(task_count * sizeof *plan->tasks);
	plan->task_count = task_count;
	for (size_t i = 0; i < task_count; i++)
		task_init(&plan->tasks[i], &tasks[i], now_ns);
	budget_init(&plan->budgets[BY_SLURMRESTD], options->slurmrestd_duty, now_ns);
	budget_init(&plan->budgets[BY_SLURMCTLD], options->slurmctld_duty, now_ns);
	ledger_init(&plan->requests, BUDGET_WINDOW_S, now_ns);
	plan->tokens = options->request_burst;
	plan->brake = 1;
	plan->random = seed;
	plan->scraped_ns = plan->ticked_ns = plan->paced_ns = now_ns;
	plan->is_pace_old = true;
	return plan;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->task_count; i++) {
		ledger_done(&plan->tasks[i].spent);
		free(plan->tasks[i].ways);
	}
	budget_done(&plan->budgets[BY_SLURMRESTD]);
	budget_done(&plan->budgets[BY_SLURMCTLD]);
	ledger_done(&plan->requests);
	free(plan->tasks);
	free(plan);
}

void plan_set_options(struct plan *plan, uint64_t now_ns, const struct plan_options *options)
{
	plan->options = *options;
	budget_set_duty(&plan->budgets[BY_SLURMRESTD], options->slurmrestd_duty, now_ns);
	budget_set_duty(&plan->budgets[BY_SLURMCTLD], options->slurmctld_duty, now_ns);
	plan->tokens = fmin(plan->tokens, options->request_burst);
	plan->is_pace_old = true;
}

void plan_set_work(struct plan *plan, size_t task, uint64_t records)
{
	struct task *changed = &plan->tasks[task];
	plan->is_pace_old |= !changed->work != !records;
	changed->work = records;
	changed->is_in_round &= records > 0;
	changed->before = changed->is_in_round ? changed->before + changed->covered : 0;
	changed->covered = 0;
	pace_refresh(plan, changed);
}

void plan_set_whole(struct plan *plan, size_t task, uint64_t records)
{
	plan->tasks[task].whole = records;
	plan->is_pace_old = true;
}

void plan_hasten(struct plan *plan, size_t task)
{
	plan->tasks[task].is_hastened = true;
}

static void forgive(struct task *task)
{
	task->failures = 0;
	task->worked_s = 0;
	task->stretch = 1;
	task->was_begun = task->is_in_round = false;
}

void plan_allow_task(struct plan *plan, size_t task, bool is_allowed)
{
	if (plan->tasks[task].is_allowed == is_allowed)
		return;
	plan->tasks[task].is_allowed = is_allowed;
	forgive(&plan->tasks[task]);
	plan->is_pace_old = true;
}

void plan_allow_way(struct plan *plan, size_t task, size_t way, bool is_allowed)
{
	struct way *changed = &plan->tasks[task].ways[way];
	if (changed->is_allowed == is_allowed)
		return;
	changed->is_allowed = is_allowed;
	if (!changed->refusals)
		changed->avoid_until_ns = 0;
	changed->failures = 0;
	if (is_allowed && !has_way(&plan->tasks[task]))
		forgive(&plan->tasks[task]);
	plan->is_pace_old = true;
}

bool plan_is_allowed(const struct plan *plan, size_t task)
{
	const struct task *asked = &plan->tasks[task];
	for (size_t i = 0; asked->is_allowed && i < asked->row->way_count; i++)
		if (way_is_usable(&asked->ways[i], plan->ticked_ns))
			return true;
	return false;
}

uint64_t plan_refused_until_ns(const struct plan *plan, size_t task)
{
	const struct task *asked = &plan->tasks[task];
	uint64_t soonest_ns = UINT64_MAX;
	for (size_t i = 0; i < asked->row->way_count; i++) {
		uint64_t ns = asked->ways[i].is_allowed ? asked->ways[i].avoid_until_ns : UINT64_MAX;
		soonest_ns = ns < soonest_ns ? ns : soonest_ns;
	}
	return soonest_ns > plan->ticked_ns ? soonest_ns : 0;
}

void plan_retry_unsupported(struct plan *plan)
{
	FOR_EACH_WAY (plan, way)
		way->avoid_until_ns = way->refusals = 0;
	plan->is_pace_old = true;
}

void plan_set_rate_limited(struct plan *plan, bool is_limited)
{
	if (plan->is_rate_limited == is_limited)
		return;
	plan->is_rate_limited = is_limited;
	plan->tokens = fmin(plan->tokens, request_burst(plan));
	plan->is_pace_old = true;
}
