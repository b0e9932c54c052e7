#include "plan/state.h"

#include <float.h>
#include <math.h>

/* The longest wait if nothing is due. It is also the wait of a task that earns nothing. */
#define NOTHING_S 60.0
/* A task without a bound, or far behind it, leaves in the budget what bounds take in this time. So full windows do not
 * hold up tasks with bounds, of which job states have the shortest: 26 s. */
#define KEPT_S 30.0
/* A task keeps its bound if its interval is at most this much longer. Then it goes before others. A task further behind
 * could not keep its bound if all others waited, so they do not. */
#define BOUND_NEARLY 1.25
/* A request may go when this part of its cost is saved: predictions are not exact enough to wait for the rest. */
#define NEARLY 0.9
/* While the bucket of requests is this full nobody waits for a share of it. Before this rule a share that thousands of single
 * details had, and could not use, let ends ask once in 25 s. */
#define ENOUGH_TOKENS 0.5
#define SLOW_PROBE_S 1.0 /* a probe that took longer lets others go first */
#define RANK 1e9 /* more intervals than any task waits for */

/* When the task is due, were it not for the budgets; now or before: now. */
static uint64_t due_ns(const struct plan *plan, const struct task *task)
{
	if (task->failures)
		return task->row->is_probe ? after(task->failed_ns, task->interval_s) : trouble_until_ns(plan, task);
	if (!task->was_begun || task->is_hastened || task->is_in_round)
		return 0;
	bool is_by_request = task->row->is_spread && plan->waits[wait_side(task)].seconds > 0;
	return after(task->begun_ns, is_by_request ? task->cautious_s : task->interval_s);
}

/* When the task has saved up what its next request costs. Before a round it saves what the whole round costs, unless
 * that is of no use (is_spread). A round that was saved for goes on though it costs more than was predicted, since a
 * long round makes old numbers. The task saves what it owes before its next round. */
static uint64_t saved_ns(const struct plan *plan, const struct task *task, uint64_t now_ns)
{
	double wait_s = 0;
	for (int i = 0; i < SCARCE; i++) {
		if (i == BY_REQUESTS && plan->tokens >= ENOUGH_TOKENS * request_burst(plan))
			continue;
		bool is_saved_for = task->is_in_round && task->round[i] <= task->burst[i];
		bool begins = !task->is_in_round && !task->row->is_spread;
		double round = begins ? fmin(task->round[i], task->burst[i]) : 0;
		double need = is_saved_for ? -task->burst[i] : NEARLY * fmax(round, task->cost[i]);
		double missing = need - task->saved[i];
		if (missing > 0)
			wait_s = fmax(wait_s, task->per_s[i] > 0 ? missing / task->per_s[i] : NOTHING_S);
	}
	return after(now_ns, wait_s);
}

static bool is_bound_kept(const struct task *task)
{
	return task->interval_s <= BOUND_NEARLY * task->row->bound_s;
}

static bool is_late(const struct task *task, uint64_t now_ns)
{
	return is_bound_kept(task) && seconds_between(task->fresh_ns, now_ns) > task->row->bound_s;
}

/* What the task leaves of a budget for those with bounds. A task with a bound leaves it, too, and its own round, if its
 * bound does not need that round yet. */
static double left(const struct plan *plan, const struct task *task, enum scarce by, uint64_t now_ns)
{
	double per_s = plan->bound_per_s[by];
	if (is_bound_kept(task) && (task->is_in_round || is_late(task, now_ns)))
		return 0;
	double needed = budget_needed(&plan->budgets[by], now_ns, per_s);
	return needed + (is_bound_kept(task) ? task->round[by] : KEPT_S * per_s);
}

/* Do both budgets allow the next request? slurmctld's does not hold up a task that does not ask slurmctld. */
static bool budgets_fit(const struct plan *plan, const struct task *task, uint64_t now_ns)
{
	double worst_s = cost_seconds_at_worst(&task->ways[task->way].slurmrestd, way_next_records(plan, task));
	return budget_fits(&plan->budgets[BY_SLURMRESTD], now_ns, worst_s, left(plan, task, BY_SLURMRESTD, now_ns)) &&
	       (task->cost[BY_SLURMCTLD] <= 0 ||
		budget_fits(&plan->budgets[BY_SLURMCTLD], now_ns, task->cost[BY_SLURMCTLD],
			    left(plan, task, BY_SLURMCTLD, now_ns)));
}

uint64_t task_ready_ns(const struct plan *plan, const struct task *task, uint64_t now_ns)
{
	if (!task->is_allowed || !task->work || !has_way(task))
		return UINT64_MAX;
	uint64_t ready = due_ns(plan, task);
	if (ready <= now_ns && !task->row->is_probe)
		ready = saved_ns(plan, task, now_ns);
	if (ready <= now_ns && plan->tokens < 1)
		ready = after(now_ns, (1 - plan->tokens) / requests_per_s(plan));
	if (ready <= now_ns && !task->row->is_probe && !budgets_fit(plan, task, now_ns))
		ready = after(now_ns, LEDGER_SLOT_S); /* before that the ledger says the same */
	return ready;
}

static bool was_slow_probe(const struct plan *plan)
{
	const struct task *last = &plan->tasks[plan->asked.task];
	return last->row->is_probe && last->seconds > SLOW_PROBE_S;
}

/* How many of its own intervals it has waited for. Where any answer is slow a round takes hours: then it is of those between its
 * requests that it has waited for. */
static double waited(const struct plan *plan, const struct task *task, uint64_t now_ns)
{
	bool is_slow = task->row->is_probe || plan->waits[wait_side(task)].seconds > 0;
	uint64_t since = !task->is_in_round ? due_ns(plan, task) : is_slow ? task->asked_ns : task->begun_ns;
	bool is_of_parts = is_slow && (task->is_in_round || task->row->is_spread);
	double parts = is_of_parts ? fmax(task->round[BY_REQUESTS], 1) : 1;
	return seconds_between(since, now_ns) / task->interval_s * parts;
}

/* Probes come first, since they tell whether others should ask at all. After a slow one others have a turn, for while probes
 * are slow one of them is always due. Tasks follow that are beyond a bound that can be
 * kept. Of the others the one comes first that has waited for the most of its own intervals: so nobody starves. */
static double urgency(const struct plan *plan, const struct task *task, uint64_t now_ns)
{
	enum { AFTER_A_SLOW_PROBE, WAITING, BEYOND_ITS_BOUND, PROBE } rank = WAITING;
	if (task->row->is_probe)
		rank = was_slow_probe(plan) ? AFTER_A_SLOW_PROBE : PROBE;
	else if (is_late(task, now_ns))
		rank = BEYOND_ITS_BOUND;
	return rank * RANK + fmin(waited(plan, task, now_ns), RANK / 2);
}

/* The round that begins is the one that was hastened. If the caller hastens the task again while this round is under
 * way, another round follows. A window of ends may show that there is more to read. An action that was not noted counts
 * as not asked. */
static void choose(struct plan *plan, struct task *chosen, uint64_t now_ns)
{
	plan->asked.task = (size_t)(chosen - plan->tasks);
	plan->asked.ns = now_ns;
	plan->asked.records = way_next_records(plan, chosen);
	plan->asked.was_hastened = chosen->is_hastened && !chosen->is_in_round;
	chosen->is_hastened &= chosen->is_in_round;
}

struct plan_action plan_next(struct plan *plan, uint64_t now_ns)
{
	plan->tasks[plan->asked.task].is_hastened |= plan->asked.was_hastened;
	plan->asked.was_hastened = false;
	pace(plan, now_ns);
	uint64_t wait_ns = after(now_ns, NOTHING_S);
	struct task *chosen = NULL;
	double most = -1;
	for (size_t i = 0; i < plan->task_count; i++) {
		struct task *task = &plan->tasks[i];
		uint64_t ready = task_ready_ns(plan, task, now_ns);
		if (ready > now_ns) {
			wait_ns = ready < wait_ns ? ready : wait_ns;
		} else if (urgency(plan, task, now_ns) > most) {
			most = urgency(plan, task, now_ns);
			chosen = task;
		}
	}
	if (!chosen) {
		uint64_t soonest = after(now_ns, 0.001);
		return (struct plan_action){.kind = PLAN_WAIT, .until_ns = wait_ns > soonest ? wait_ns : soonest};
	}
	choose(plan, chosen, now_ns);
	return (struct plan_action){
		.kind = PLAN_ASK, .task = plan->asked.task, .way = chosen->way, .records = plan->asked.records};
}
