#include "plan/state.h"

#include "plan/demand.h"

#include <math.h>

/* While nobody reads the numbers, Slurm need not work for them; they stay fresh enough for a scraper that comes back. */
#define IDLE_STRETCH 4.0
/* The part of ten minutes' budget that a task may spend at once, so that its round is short. A round that costs more is
 * spread out evenly: a fast start would not make it notably shorter. */
#define BURST 0.1
#define BURST_OF_LONG 0.01
/* The part of what is divided that bounds may take. On a real 24.11 with 100,000 records the bounds of states and nodes
 * just fit into it. The rest keeps every other task alive. */
#define BOUNDS_MAX 0.92
/* The part of a budget that is divided. The rest is for bursts, so that windows are seldom full: a task that is due
 * should not wait until old requests leave the window. */
#define DIVIDED 0.95
/* At most 1 - DIVIDED_MIN of a budget is set aside for bursts, so that tasks without bursts go on. */
#define DIVIDED_MIN 0.45
/* Where any answer is slow each request is a burst, and the windows alone keep the promise: they hold few. */
#define DIVIDED_MIN_SLOW 0.8
/* A round may save up this many seconds' requests. Before, a round of 200 requests got 100 at once and waited for the
 * others. On a real 24.11 with 100,000 records job states were up to 85 s old then. */
#define REQUESTS_S 10.0
/* The interval changes only if the budgets pay for one that differs by this part: costs vary, intervals should not. */
#define NOTABLE 0.2
/* How often the budgets are divided again while nothing changes: the loop may come 50 times a second, and dividing
 * looks at all tasks. */
#define PACE_S 1.0
/* A task asks for this much more than its round costs. Otherwise a cost that varies would miss a target interval that
 * the budgets can pay for. */
#define HEADROOM 1.2
/* Work comes and goes; the intervals of all other tasks must not swing with it. So what a task asks for rises within
 * half a minute, and falls within minutes. */
#define RISE_S 30.0
#define FALL_S 300.0
/* A probe costs the same on every cluster, so a slow one means trouble, not work. It must still come often then: only a
 * probe shows when the trouble is over. */
#define PROBE_INTERVAL_MAX_S 60.0
/* But the interval of a probe that is answered is at least this many times what the answer took. So three probes keep
 * slurmrestd busy for at most half of the time, and others have the rest. */
#define PROBE_INTERVALS 6.0
/* A probe is charged with at most this part of what the budget earns in its interval. The rest of its time is waiting:
 * ping waits for a controller that is off, diag for a lock. Other tasks must not starve for that. */
#define PROBE_PART 0.05

double requests_per_s(const struct plan *plan)
{
	return plan->is_rate_limited ? plan->options.limited_per_s : plan->options.requests_per_s;
}

double request_burst(const struct plan *plan)
{
	return plan->is_rate_limited ? plan->options.limited_burst : plan->options.request_burst;
}

bool plan_is_idle(const struct plan *plan, uint64_t now_ns)
{
	double after_s = plan->options.idle_after_s;
	return after_s > 0 && seconds_between(plan->scraped_ns, now_ns) > after_s;
}

static bool is_active(const struct task *task)
{
	return task->is_allowed && task->work > 0 && has_way(task);
}

/* The interval before budgets: target interval x trouble x brake x idleness. */
static double cautious_interval_s(const struct plan *plan, struct task *task, uint64_t now_ns)
{
	const struct plan_task *row = task->row;
	double factor[] = {task->stretch, row->needs_slurmctld ? plan->brake : 1,
			   plan_is_idle(plan, now_ns) ? IDLE_STRETCH : 1};
	enum plan_reason reasons[] = {task->stretched_by, PLAN_BRAKE, PLAN_IDLE};
	double interval_s = row->target_s, most = 1;
	task->reason = PLAN_ON_TARGET;
	for (int i = 0; i < 3; i++) {
		interval_s *= factor[i];
		if (factor[i] > most) {
			most = factor[i];
			task->reason = reasons[i];
		}
	}
	if (row->interval_max_s > 0)
		interval_s = fmin(interval_s, fmax(row->interval_max_s, row->target_s));
	return interval_s;
}

static double probe_interval_s(const struct plan *plan, const struct task *task)
{
	double earned_s = task->seconds / plan->budgets[BY_SLURMRESTD].duty;
	double answered_s = task->failures ? 0 : PROBE_INTERVALS * task->seconds;
	return fmax(task->row->target_s, fmin(earned_s, fmax(PROBE_INTERVAL_MAX_S, answered_s)));
}

double pace_charged(const struct plan *plan, const struct task *task, enum scarce by, double spent)
{
	if (!task->row->is_probe || by == BY_REQUESTS)
		return spent;
	return fmin(spent, PROBE_PART * plan->budgets[by].duty * task->interval_s);
}

/* How much of a budget the tasks may earn each second. A window may begin just before a burst, so bursts are set aside:
 * otherwise they would break the promise beside tasks that spend evenly. Bursts that together stay below BURST / 2 of a
 * budget are paid by the 5 % that DIVIDED leaves. A request too large for ten minutes takes half of its own window
 * (budget.h); one at a time does, so only the largest counts. */
static double divided(const struct plan *plan, enum scarce by, uint64_t now_ns)
{
	if (by == BY_REQUESTS)
		return requests_per_s(plan);
	const struct budget *budget = &plan->budgets[by];
	double bursts = 0, biggest = budget_biggest(budget, now_ns);
	for (size_t i = 0; i < plan->task_count; i++) {
		const struct task *task = &plan->tasks[i];
		if (!is_active(task) || task->row->is_probe)
			continue;
		if (budget_window_s(budget, task->burst[by]) > BUDGET_WINDOW_S)
			biggest = fmax(biggest, task->burst[by]);
		else
			bursts += task->burst[by];
	}
	double least = plan->waits[SIDE_SLURMCTLD].seconds > 0 ? DIVIDED_MIN_SLOW : DIVIDED_MIN;
	double aside = bursts / BUDGET_WINDOW_S + biggest / budget_window_s(budget, biggest);
	return DIVIDED * budget->duty - fmin(fmax(aside - budget->duty * BURST / 2, 0), budget->duty * (1 - least));
}

static double burst_of(const struct plan *plan, const struct task *task, enum scarce by)
{
	if (by == BY_REQUESTS)
		return fmax(1, fmin(task->round[by], REQUESTS_S * requests_per_s(plan)));
	double allowed = plan->budgets[by].duty * BUDGET_WINDOW_S;
	if (task->row->burst > 0)
		return fmax(task->cost[by], task->row->burst * allowed);
	bool is_saved_up = !task->row->is_spread && task->round[by] <= BURST * allowed;
	double round = is_saved_up ? task->round[by] : BURST_OF_LONG * allowed;
	return fmax(task->cost[by], round);
}

static double weight_of(const struct task *task)
{
	return task->row->weight > 0 ? task->row->weight : 1;
}

/* Smooths what a task asks for, see RISE_S. */
static void settle(double *asked, double now, double seconds)
{
	double calm_s = now > *asked ? RISE_S : FALL_S;
	*asked = *asked == 0 ? now : now + (*asked - now) * exp(-seconds / calm_s);
}

static double bound_of(const struct task *task, enum scarce by)
{
	double bound_s = task->row->bound_s;
	bool is_bound = is_active(task) && bound_s > 0;
	return is_bound ? task->round[by] / fmax(bound_s, task->interval_s) : 0;
}

static double granted(const struct plan *plan, const struct demand *demands)
{
	double sum = 0;
	for (size_t i = 0; i < plan->task_count; i++)
		sum += demands[i].granted;
	return sum;
}

/* What a task asks for now; returns what it asks for, smoothed. */
static double ask(const struct plan *plan, struct task *task, enum scarce by, double seconds)
{
	double round = pace_charged(plan, task, by, task->round[by]);
	double asked = is_active(task) ? HEADROOM * round / task->interval_s : 0;
	settle(&task->asked[by], asked, seconds);
	if (task->row->lends_share && !is_active(task))
		task->asked[by] = 0;
	if (bound_of(task, by) > 0) /* smoothed it might be less than the bound, and the bound all it gets */
		task->asked[by] = fmax(task->asked[by], asked);
	return task->asked[by];
}

/* Pays for bounds first. If they need far more than there is, the other tasks' parts by weight are divided together
 * with them. */
static void pay_bounds(struct plan *plan, enum scarce by, double available, struct demand *bounds)
{
	double needed = 0, weights = 0;
	for (size_t i = 0; i < plan->task_count; i++) {
		const struct task *task = &plan->tasks[i];
		bool asks = !task->row->is_probe && task->asked[by] > 0;
		bounds[i] = (struct demand){asks ? bound_of(task, by) : 0, weight_of(task), 0};
		needed += bounds[i].asked;
		weights += asks ? weight_of(task) : 0;
	}
	double missed = fmin(fmax(needed / (BOUNDS_MAX * available) - 1, 0), 1);
	for (size_t i = 0; i < plan->task_count; i++) {
		const struct task *task = &plan->tasks[i];
		if (!task->row->is_probe && bounds[i].asked <= 0 && task->asked[by] > 0)
			bounds[i].asked = missed * fmin(task->asked[by], available * weight_of(task) / weights);
	}
	demands_divide(bounds, plan->task_count, BOUNDS_MAX * available);
}

/* Divides one budget among the tasks: first what their bounds take, then what their target intervals take beyond that.
 * Tasks earn what is left, too, in proportion: so a hastened round need not wait. */
static void divide(struct plan *plan, enum scarce by, double seconds, uint64_t now_ns)
{
	struct demand bounds[PLAN_TASKS_MAX] = {0}, demands[PLAN_TASKS_MAX] = {0};
	double available = divided(plan, by, now_ns);
	for (size_t i = 0; i < plan->task_count; i++) {
		struct task *task = &plan->tasks[i];
		double asked = ask(plan, task, by, seconds);
		available -= task->row->is_probe ? asked : 0;
	}
	pay_bounds(plan, by, fmax(available, 0), bounds);
	plan->bound_per_s[by] = 0;
	for (size_t i = 0; i < plan->task_count; i++) {
		const struct task *task = &plan->tasks[i];
		if (bound_of(task, by) > 0)
			plan->bound_per_s[by] += bounds[i].granted;
		if (!task->row->is_probe)
			demands[i] = (struct demand){fmax(task->asked[by] - bounds[i].granted, 0), weight_of(task), 0};
	}
	double left = available - granted(plan, bounds);
	demands_divide(demands, plan->task_count, left);
	double sum = granted(plan, demands), surplus = sum > 0 ? fmax(left / sum, 1) : 1;
	for (size_t i = 0; i < plan->task_count; i++)
		plan->tasks[i].per_s[by] = bounds[i].granted + demands[i].granted * surplus;
}

/* The interval that the budgets pay for. */
static void stretch_to_budget(struct task *task, double before_s)
{
	static const enum plan_reason reasons[SCARCE] = {
		[BY_SLURMRESTD] = PLAN_SLURMRESTD_BUDGET,
		[BY_SLURMCTLD] = PLAN_SLURMCTLD_BUDGET,
		[BY_REQUESTS] = PLAN_REQUEST_RATE,
	};
	double cautious_s = task->cautious_s, longest_s = 0;
	enum scarce scarcest = BY_SLURMRESTD;
	for (int i = 0; i < SCARCE; i++) {
		if (task->round[i] > 0 && task->per_s[i] <= 0) { /* probes take all of it: no interval can be told */
			task->reason = reasons[i];
			return;
		}
		double earned_s = task->per_s[i] > 0 ? task->round[i] / task->per_s[i] : 0;
		if (earned_s > longest_s) {
			longest_s = earned_s;
			scarcest = i;
		}
	}
	bool is_same = before_s >= cautious_s && fabs(longest_s - before_s) < NOTABLE * before_s;
	task->interval_s = is_same ? before_s : fmax(cautious_s, longest_s);
	if (task->interval_s > 1.001 * cautious_s)
		task->reason = reasons[scarcest];
}

/* A task that was never asked has spent nothing of its burst, even if its work was learnt a moment ago. Before this rule the
 * list of 5,000 jobs waited for half a minute after a start, and both budgets were unspent. */
static void limit_savings(const struct plan *plan, struct task *task)
{
	for (int i = 0; i < SCARCE; i++) {
		double burst = burst_of(plan, task, i);
		task->burst[i] = burst;
		task->saved[i] = !task->asked_ns ? burst : fmax(fmin(task->saved[i], burst), -burst);
	}
}

void pace_refresh(const struct plan *plan, struct task *task)
{
	if (!is_active(task))
		return;
	way_round_cost(plan, task);
	limit_savings(plan, task);
}

static void earn(struct plan *plan, uint64_t now_ns)
{
	double seconds = seconds_between(plan->ticked_ns, now_ns);
	plan->ticked_ns = now_ns;
	plan->tokens = fmin(plan->tokens + seconds * requests_per_s(plan), request_burst(plan));
	for (size_t i = 0; i < plan->task_count; i++)
		for (int j = 0; j < SCARCE; j++) {
			struct task *task = &plan->tasks[i];
			task->saved[j] = fmin(task->saved[j] + seconds * task->per_s[j], task->burst[j]);
		}
}

void pace(struct plan *plan, uint64_t now_ns)
{
	earn(plan, now_ns);
	if (!plan->is_pace_old && seconds_between(plan->paced_ns, now_ns) < PACE_S)
		return;
	double seconds = seconds_between(plan->paced_ns, now_ns);
	plan->paced_ns = now_ns;
	plan->is_pace_old = false;
	double before_s[PLAN_TASKS_MAX];
	for (size_t i = 0; i < plan->task_count; i++) {
		struct task *task = &plan->tasks[i];
		before_s[i] = task->interval_s;
		way_choose(plan, task, now_ns);
		task->interval_s =
			task->row->is_probe ? probe_interval_s(plan, task) : cautious_interval_s(plan, task, now_ns);
		task->cautious_s = task->interval_s;
		if (task->row->is_probe)
			task->reason = task->interval_s > task->row->target_s ? PLAN_LATENCY : PLAN_ON_TARGET;
		pace_refresh(plan, task);
	}
	for (int by = 0; by < SCARCE; by++)
		divide(plan, by, seconds, now_ns);
	for (size_t i = 0; i < plan->task_count; i++) {
		struct task *task = &plan->tasks[i];
		if (!task->row->is_probe && is_active(task))
			stretch_to_budget(task, before_s[i]);
	}
}
