#include "plan/state.h"

#include "plan/share.h"

#include <math.h>

#define IDLE_STRETCH 4.0
/* Part of ten minutes' budget that may be spent at once, so that a round is short. One that is too
 * long for that is spread out evenly: a start in haste would not make it notably shorter. */
#define BURST 0.1
#define BURST_OF_LONG 0.01
#define BOUNDS_MAX 0.92 /* of what is divided */
/* However much is set aside for bursts, so much of a budget is divided. */
#define DIVIDED 0.95 /* of a budget: the rest is for what comes at once, that windows are seldom full */
#define DIVIDED_MIN 0.45
#define REQUESTS_S 10.0 /* so long a round may have all requests that there may be */
/* What the budgets pay for must differ by so much from the interval, that it changes: it is to
 * stand still while costs wobble. */
#define NOTABLE 0.2
#define PACE_S 1.0
/* What a round costs wobbles: so much more is asked for, that a wish that can be kept is. */
#define HEADROOM 1.2
#define RISE_S 30.0
#define FALL_S 300.0
/* A probe costs the same however large the cluster is: a slow one means trouble, not work. */
#define PROBE_INTERVAL_MAX_S 60.0
/* Of what is earned in its interval a probe takes this part at most: what it takes beyond is waiting (ping for a
 * controller that is off, diag for a lock), and others must not starve for that. */
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

/* The interval as far as caution goes, before budgets. */
static double cautious_interval_s(const struct plan *plan, struct task *task, uint64_t now_ns)
{
	const struct plan_task *row = task->row;
	double factor[] = {task->stretch, row->needs_slurmctld ? plan->brake : 1,
			   plan_is_idle(plan, now_ns) ? IDLE_STRETCH : 1};
	enum plan_reason reasons[] = {task->stretched_by, PLAN_BRAKE, PLAN_IDLE};
	double interval_s = row->wish_s, most = 1;
	task->reason = PLAN_AS_WISHED;
	for (int i = 0; i < 3; i++) {
		interval_s *= factor[i];
		if (factor[i] > most) {
			most = factor[i];
			task->reason = reasons[i];
		}
	}
	if (row->interval_max_s > 0)
		interval_s = fmin(interval_s, fmax(row->interval_max_s, row->wish_s));
	return interval_s;
}

static double probe_interval_s(const struct plan *plan, const struct task *task)
{
	double earned_s = task->seconds / plan->budgets[BY_SLURMRESTD].duty;
	return fmax(task->row->wish_s, fmin(earned_s, PROBE_INTERVAL_MAX_S));
}

double pace_charged(const struct plan *plan, const struct task *task, enum scarce by, double spent)
{
	if (!task->row->is_probe || by == BY_REQUESTS)
		return spent;
	return fmin(spent, PROBE_PART * plan->budgets[by].duty * task->interval_s);
}

/* Where a window begins matters as much as what is earned in it: what is spent at once before or
 * after what was earned is set aside. Requests too large for ten minutes take half of their window,
 * one at a time. */
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
	double aside = bursts / BUDGET_WINDOW_S + biggest / budget_window_s(budget, biggest);
	return DIVIDED * budget->duty -
	       fmin(fmax(aside - budget->duty * BURST / 2, 0), budget->duty * (1 - DIVIDED_MIN));
}

static double burst_of(const struct plan *plan, const struct task *task, enum scarce by)
{
	if (by == BY_REQUESTS)
		return fmax(1, fmin(task->round[by], REQUESTS_S * requests_per_s(plan)));
	double allowed = plan->budgets[by].duty * BUDGET_WINDOW_S;
	double round =
		task->round[by] <= BURST * allowed ? task->round[by] : BURST_OF_LONG * allowed;
	return fmax(task->cost[by], round);
}

static double weight_of(const struct task *task)
{
	return task->row->weight > 0 ? task->row->weight : 1;
}

/* Work that comes and goes must not make the intervals of all others swing: what a task asks for
 * rises within half a minute and falls within minutes. */
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

static double granted(const struct plan *plan, const struct share *shares)
{
	double sum = 0;
	for (size_t i = 0; i < plan->task_count; i++)
		sum += shares[i].granted;
	return sum;
}

/* Divides one budget among the tasks: what their bounds take, then what they wish beyond. What is left is earned, too,
 * in proportion: it lets a hastened round go. */
static void divide(struct plan *plan, enum scarce by, double seconds, uint64_t now_ns)
{
	struct share bounds[PLAN_TASKS_MAX] = {0}, shares[PLAN_TASKS_MAX] = {0};
	double available = divided(plan, by, now_ns);
	for (size_t i = 0; i < plan->task_count; i++) {
		struct task *task = &plan->tasks[i];
		double round = pace_charged(plan, task, by, task->round[by]);
		double asked = is_active(task) ? HEADROOM * round / task->interval_s : 0;
		settle(&task->asked[by], asked, seconds);
		if (task->row->is_probe)
			available -= task->asked[by];
		else
			bounds[i] = (struct share){bound_of(task, by), weight_of(task), 0};
	}
	share_divide(bounds, plan->task_count, BOUNDS_MAX * available);
	for (size_t i = 0; i < plan->task_count; i++)
		if (!plan->tasks[i].row->is_probe)
			shares[i] = (struct share){
				fmax(plan->tasks[i].asked[by] - bounds[i].granted, 0),
				weight_of(&plan->tasks[i]), 0};
	plan->bound_per_s[by] = granted(plan, bounds);
	double left = available - plan->bound_per_s[by];
	share_divide(shares, plan->task_count, left);
	double sum = granted(plan, shares), surplus = sum > 0 ? fmax(left / sum, 1) : 1;
	for (size_t i = 0; i < plan->task_count; i++)
		plan->tasks[i].per_s[by] = bounds[i].granted + shares[i].granted * surplus;
}

/* The interval that the budgets pay for. */
static void stretch_to_budget(struct task *task, double before_s)
{
	static const enum plan_reason reasons[SCARCE] = {
		[BY_SLURMRESTD] = PLAN_SLURMRESTD_BUDGET,
		[BY_SLURMCTLD] = PLAN_SLURMCTLD_BUDGET,
		[BY_REQUESTS] = PLAN_REQUEST_RATE,
	};
	double cautious_s = task->interval_s, longest_s = 0;
	enum scarce scarcest = BY_SLURMRESTD;
	for (int i = 0; i < SCARCE; i++) {
		if (task->round[i] > 0 && task->per_s[i] <= 0) { /* probes take it all */
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

static void limit_savings(const struct plan *plan, struct task *task)
{
	for (int i = 0; i < SCARCE; i++) {
		double burst = burst_of(plan, task, i);
		bool is_first = task->burst[i] == 0;
		task->burst[i] = burst;
		task->saved[i] = is_first ? burst : fmax(fmin(task->saved[i], burst), -burst);
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
			task->saved[j] =
				fmin(task->saved[j] + seconds * task->per_s[j], task->burst[j]);
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
		task->interval_s = task->row->is_probe ? probe_interval_s(plan, task)
						       : cautious_interval_s(plan, task, now_ns);
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
