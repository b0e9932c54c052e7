/* What the planner does and why, for metrics and for people. */
#include "base/words.h"
#include "plan/state.h"

#include <inttypes.h>
#include <math.h>

const char *const plan_reason_names[PLAN_REASONS] = {
	[PLAN_ON_TARGET] = "on_target",
	[PLAN_SLURMRESTD_BUDGET] = "slurmrestd_budget",
	[PLAN_SLURMCTLD_BUDGET] = "slurmctld_budget",
	[PLAN_REQUEST_RATE] = "request_rate",
	[PLAN_BACK_OFF] = "back_off",
	[PLAN_LATENCY] = "latency",
	[PLAN_BRAKE] = "brake",
	[PLAN_IDLE] = "idle",
	[PLAN_NOTHING_TO_DO] = "nothing_to_do",
	[PLAN_NOT_ALLOWED] = "not_allowed",
};

static enum plan_reason reason_of(const struct task *task)
{
	if (!task->is_allowed || !has_way(task))
		return PLAN_NOT_ALLOWED;
	if (!task->work)
		return PLAN_NOTHING_TO_DO;
	return task->failures ? PLAN_BACK_OFF : task->reason;
}

struct plan_view plan_show(const struct plan *plan, uint64_t now_ns, size_t index)
{
	const struct task *task = &plan->tasks[index];
	uint64_t ready_ns = task_ready_ns(plan, task, now_ns);
	struct plan_view view = {
		.way = has_way(task) ? task->ways[task->way].row->name : "",
		.reason = reason_of(task),
		.target_s = task->row->target_s,
		.interval_s = task->interval_s,
		.due_in_s = ready_ns == UINT64_MAX ? -1 : seconds_between(now_ns, ready_ns),
		.age_s = task->was_finished ? seconds_between(task->fresh_ns, now_ns) : -1,
		.work = task->work,
		.round_slurmrestd_s = task->round[BY_SLURMRESTD],
		.round_slurmctld_s = task->round[BY_SLURMCTLD],
		.duty = ledger_spent(&task->spent, now_ns, BUDGET_WINDOW_S) / BUDGET_WINDOW_S,
		.failures = task->failures,
	};
	if (has_way(task))
		view.records = way_next_records(plan, task);
	return view;
}

struct plan_totals plan_show_totals(const struct plan *plan, uint64_t now_ns)
{
	const struct budget *slurmrestd = &plan->budgets[BY_SLURMRESTD];
	const struct budget *slurmctld = &plan->budgets[BY_SLURMCTLD];
	return (struct plan_totals){
		.slurmrestd_duty = budget_duty(slurmrestd, now_ns),
		.slurmctld_duty = budget_duty(slurmctld, now_ns),
		.slurmrestd_duty_max = slurmrestd->duty,
		.slurmctld_duty_max = slurmctld->duty,
		.requests_per_s = ledger_spent(&plan->requests, now_ns, BUDGET_WINDOW_S) / BUDGET_WINDOW_S,
		.brake = plan->brake,
		.is_idle = plan_is_idle(plan, now_ns),
		.is_rate_limited = plan->is_rate_limited,
	};
}

static void say_seconds(struct buf *out, double seconds)
{
	buf_add_string(out, words_seconds(seconds).text);
}

static void say_number(struct buf *out, uint64_t number)
{
	buf_add_string(out, words_number(number).text);
}

static void say_interval(const struct task *task, struct buf *out)
{
	buf_add_string(out, "every ");
	say_seconds(out, task->interval_s);
	if (task->interval_s > task->row->target_s * 1.05) {
		buf_add_string(out, " instead of ");
		say_seconds(out, task->row->target_s);
	}
	buf_printf(out, ", by `%s`", task->ways[task->way].row->name);
	if (round_records(task) == 1)
		return;
	uint64_t work = way_is_whole(&task->ways[task->way]) ? 0 : round_records(task);
	buf_add_string(out, work ? " in requests of at most " : " in one request");
	if (work) {
		say_number(out, (uint64_t)ceil((double)work / fmax(1, task->round[BY_REQUESTS])));
		buf_printf(out, " %s", task->row->noun);
	}
}

static void say_budget(const struct plan *plan, const struct task *task, enum scarce by, const char *daemon,
		       struct buf *out)
{
	buf_add_string(out, "one round");
	if (round_records(task) > 1) {
		buf_add_string(out, " of ");
		say_number(out, round_records(task));
		buf_printf(out, " %s", task->row->noun);
	}
	buf_add_string(out, " takes about ");
	say_seconds(out, task->round[by]);
	buf_printf(out, " of %s, whose budget for all tasks is %.4g %% of the time", daemon,
		   plan->budgets[by].duty * 100);
	if (by == BY_SLURMRESTD && plan->waits[wait_side(task)].seconds > 0) {
		buf_add_string(out, "; each answer takes ");
		say_seconds(out, plan->waits[wait_side(task)].seconds);
		buf_add_string(out, " now");
	}
}

static void say_failures(const struct task *task, uint64_t now_ns, uint64_t until_ns, struct buf *out)
{
	buf_printf(out, "failed %" PRIu64 " time%s in a row, last ", task->failures, task->failures == 1 ? "" : "s");
	say_seconds(out, seconds_between(task->failed_ns, now_ns));
	buf_add_string(out, " ago; ");
	if (task->row->is_probe || until_ns <= now_ns) {
		buf_add_string(out, "slurmscope goes on asking, to see when it is well");
		return;
	}
	buf_printf(out, "slurmscope asks again %s its probe is well, or in ",
		   task->worked_s > 0 ? "a while after" : "when");
	say_seconds(out, seconds_between(now_ns, until_ns));
	const struct way *way = &task->ways[task->way];
	if (!way_is_whole(way) && way->batch < round_records(task)) {
		buf_add_string(out, ", then for ");
		say_number(out, way->batch);
		buf_printf(out, " %s at first", task->row->noun);
	}
}

static void say_why(const struct plan *plan, const struct task *task, uint64_t now_ns, struct buf *out)
{
	switch (reason_of(task)) {
	case PLAN_SLURMRESTD_BUDGET:
		say_budget(plan, task, BY_SLURMRESTD, "slurmrestd", out);
		break;
	case PLAN_SLURMCTLD_BUDGET:
		say_budget(plan, task, BY_SLURMCTLD, "slurmctld", out);
		break;
	case PLAN_REQUEST_RATE:
		buf_printf(out, "one round takes %.0f requests, and all tasks together may send %.3g a second",
			   task->round[BY_REQUESTS], requests_per_s(plan));
		break;
	case PLAN_BACK_OFF:
		if (task->failures)
			say_failures(task, now_ns, trouble_until_ns(plan, task), out);
		else
			buf_add_string(out, "it failed a while ago, and its interval shrinks step by step");
		break;
	case PLAN_LATENCY:
		if (task->row->is_probe) {
			buf_add_string(out, "its last answer took ");
			say_seconds(out, task->seconds);
		} else {
			buf_add_string(out, "answers take more than three times longer than usual");
		}
		break;
	case PLAN_BRAKE:
		buf_printf(out, "slurmctld is busy, so intervals are %.0f times as long", plan->brake);
		break;
	case PLAN_IDLE:
		buf_add_string(out, "nobody scraped for a while");
		break;
	default:
		buf_add_string(out, "on target");
	}
}

void plan_say(const struct plan *plan, uint64_t now_ns, size_t index, struct buf *out)
{
	const struct task *task = &plan->tasks[index];
	buf_printf(out, "%s: ", task->row->name);
	switch (reason_of(task)) {
	case PLAN_NOT_ALLOWED:
		buf_add_string(out, task->is_allowed
					    ? "not asked: slurmrestd serves no way to do it that is safe for its memory"
					    : "not asked: switched off, or not available here");
		return;
	case PLAN_NOTHING_TO_DO:
		buf_add_string(out, "nothing to do");
		return;
	default:
		say_interval(task, out);
		buf_add_string(out, ": ");
		say_why(plan, task, now_ns, out);
	}
}
