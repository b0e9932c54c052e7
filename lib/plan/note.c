#include "plan/state.h"

#include <math.h>

/* A way that was refused may be served later: when a proxy has reloaded, after an upgrade, or with other rights. So it is left
 * for a minute, then for twice as long each time, up to an hour. */
#define REFUSED_S 60.0
#define REFUSED_MAX_S 3600.0
/* How fast the bytes per record follow the answers. One odd answer should not decide whether a list is predicted to take
 * too much memory. */
#define BYTES_RATE 0.2

/* Charges the budgets for the request. An error that came late was waiting, so it costs at most the prediction. So does
 * a probe that timed out: it waited for others' work. Any other request that timed out costs at least the prediction,
 * since slurmrestd goes on computing. */
static void charge(struct plan *plan, struct task *task, struct way *way, const struct plan_outcome *outcome,
		   uint64_t now_ns)
{
	double cost[SCARCE];
	way_request_cost(way, plan->asked.records, cost);
	double seconds = outcome->seconds;
	bool is_short = outcome->result == PLAN_FAILED || outcome->result == PLAN_UNSUPPORTED ||
			(outcome->result == PLAN_TIMED_OUT && task->row->is_probe);
	if (is_short)
		seconds = fmin(seconds, cost[BY_SLURMRESTD]);
	else if (outcome->result == PLAN_TIMED_OUT)
		seconds = fmax(seconds, cost[BY_SLURMRESTD]);
	if (outcome->result == PLAN_UNCHANGED)
		cost[BY_SLURMCTLD] = cost_seconds(&way->slurmctld, 0);
	way->charged_s += task->row->is_probe ? 0 : cost[BY_SLURMCTLD];
	seconds = pace_charged(plan, task, BY_SLURMRESTD, seconds);
	cost[BY_SLURMCTLD] = pace_charged(plan, task, BY_SLURMCTLD, cost[BY_SLURMCTLD]);
	budget_spend(&plan->budgets[BY_SLURMRESTD], now_ns, seconds, cost[BY_SLURMRESTD]);
	budget_spend(&plan->budgets[BY_SLURMCTLD], now_ns, cost[BY_SLURMCTLD], cost[BY_SLURMCTLD]);
	ledger_add(&task->spent, now_ns, seconds);
	ledger_add(&plan->requests, now_ns, 1);
	task->saved[BY_SLURMRESTD] -= seconds;
	task->saved[BY_SLURMCTLD] -= cost[BY_SLURMCTLD];
	task->saved[BY_REQUESTS] -= 1;
	plan->tokens -= 1;
	plan->requests_charged += 1;
	if (task->row->needs_slurmctld && task->row->is_probe) {
		plan->probed_s += outcome->seconds;
	} else if (task->row->needs_slurmctld) {
		plan->waited_s += outcome->seconds;
		way->unsure_s += outcome->seconds;
		way->charged_requests += 1;
	}
}

/* A request that timed out though its side is well costs more than the timeout: twice that is the guess. Without it the
 * next request would be as large. If less than half of its prediction went by, it teaches nothing. */
static void learn(struct plan *plan, const struct task *task, struct way *way, const struct plan_outcome *outcome)
{
	uint64_t asked = plan->asked.records;
	if (outcome->result == PLAN_TIMED_OUT && !trouble_is_side_sick(plan, task) && !task->row->is_probe &&
	    outcome->seconds > cost_seconds(&way->slurmrestd, asked) / 2)
		cost_learn(&way->slurmrestd, asked, 2 * outcome->seconds);
	bool is_good = outcome->result == PLAN_OK || outcome->result == PLAN_UNCHANGED;
	if (is_good && outcome->records >= way->batch && way->batch < way_best_records(plan, way))
		way->batch *= 2;
	if (outcome->result != PLAN_OK)
		return;
	uint64_t records = outcome->cost_records ? outcome->cost_records : outcome->records;
	cost_learn(&way->slurmrestd, records, outcome->seconds);
	if (records > 0 && outcome->bytes > 0) {
		double bytes = outcome->bytes / (double)records;
		double before = way->bytes_per_record > 0 ? way->bytes_per_record : bytes;
		way->bytes_per_record = before + BYTES_RATE * (bytes - before);
	}
}

static void begin_round(struct plan *plan, struct task *task)
{
	task->asked_ns = plan->asked.ns;
	if (task->is_in_round)
		return;
	task->is_in_round = task->was_begun = true;
	task->begun_ns = plan->asked.ns;
}

static void end_round(struct task *task, bool is_good)
{
	task->is_in_round = false;
	task->covered = task->before = 0;
	if (!is_good)
		return;
	task->was_finished = true;
	task->fresh_ns = task->begun_ns;
}

void plan_note(struct plan *plan, uint64_t now_ns, const struct plan_outcome *outcome)
{
	pace(plan, now_ns);
	struct task *task = &plan->tasks[outcome->task];
	struct way *way = &task->ways[outcome->way];
	plan->asked.was_hastened = false;
	bool is_good = outcome->result == PLAN_OK || outcome->result == PLAN_UNCHANGED;
	begin_round(plan, task);
	charge(plan, task, way, outcome, now_ns);
	if (is_good)
		wait_note(plan, task, outcome->seconds);
	learn(plan, task, way, outcome);
	if (is_good) {
		trouble_note_success(plan, task, now_ns);
		task->covered += outcome->records;
		way->refusals = 0;
		way->failures = 0;
	} else if (outcome->result == PLAN_UNSUPPORTED) {
		way->avoid_until_ns = after(now_ns, fmin(REFUSED_S * exp2((double)way->refusals), REFUSED_MAX_S));
		way->refusals = way->refusals < 63 ? way->refusals + 1 : 63;
		task->was_begun = false; /* another way may be tried at once */
		if (task->row->is_probe)
			task->failures = 0; /* nobody waits for a probe that slurmrestd does not serve */
	} else {
		trouble_note_failure(plan, task, way, outcome->seconds, now_ns);
	}
	task->result = outcome->result;
	task->seconds = outcome->seconds;
	if (outcome->is_round_done || outcome->result == PLAN_UNSUPPORTED)
		end_round(task, is_good);
	if (is_good)
		trouble_note_pace(task, cost_is_slow(&way->slurmrestd), now_ns);
	plan->is_pace_old |= !is_good;
	pace_refresh(plan, task);
}
