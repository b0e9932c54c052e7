#include "plan/state.h"

#include <math.h>

/* The first back-off is at most twice this; it doubles with each failure. A restart of slurmrestd takes seconds, and
 * should not cost a whole interval. */
#define BACK_OFF_S 5.0
/* Numbers vanish from the page when they are too old; a task should come back soon after the longest outage. */
#define BACK_OFF_MAX_S 600.0
#define BACK_OFF_MIN_S 1.0 /* otherwise jitter could mean "at once" */
#define SPREAD_S 10.0 /* all that failed in an outage must not come in the second after it */
#define STRETCH_MAX 4.0 /* the interval of a task in trouble; beyond that the back-off protects Slurm */
/* The planner leaves a way that failed this often, if the probes were well after each failure and there is another way.
 * Fewer failures may be chance, and those while a probe failed are not the way's. */
#define WAY_FAILURES_MAX 3
#define WAY_AVOIDED_S 3600.0 /* then it is tried again: the cause of its failures may be gone */
/* What took longer than this was work: slurmrestd answers within 10 s if slurmctld is down or frozen. The back-off after
 * work begins with what the work took, not with BACK_OFF_S. A shorter wait would keep slurmrestd busy most of the
 * time. */
#define QUICK_S 15.0

static double chance(struct plan *plan) /* 0 .. 1, by splitmix64 (Steele, Lea, Flood 2014) */
{
	uint64_t x = plan->random += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/* A probe that needs neither daemon tells of slurmrestd, which all tasks need. */
static bool is_of_same_side(const struct plan_task *probe, const struct plan_task *task)
{
	if (!task->needs_slurmctld && !task->needs_slurmdbd)
		return true;
	return (probe->needs_slurmctld && task->needs_slurmctld) || (probe->needs_slurmdbd && task->needs_slurmdbd) ||
	       (!probe->needs_slurmctld && !probe->needs_slurmdbd);
}

bool trouble_is_side_sick(const struct plan *plan, const struct task *task)
{
	for (size_t i = 0; i < plan->task_count; i++) {
		const struct task *probe = &plan->tasks[i];
		if (probe->row->is_probe && probe->failures && probe->is_allowed &&
		    is_of_same_side(probe->row, task->row))
			return true;
	}
	return false;
}

/* Did all probes of its side succeed after `then_ns`? Until they do, the cause of a failure is not known. */
static bool were_probes_well_since(const struct plan *plan, const struct task *task, uint64_t then_ns)
{
	for (size_t i = 0; i < plan->task_count; i++) {
		const struct task *probe = &plan->tasks[i];
		if (probe->row->is_probe && probe->is_allowed && has_way(probe) &&
		    is_of_same_side(probe->row, task->row) && (probe->failures || probe->fresh_ns <= then_ns))
			return false;
	}
	return true;
}

uint64_t trouble_until_ns(const struct plan *plan, const struct task *task)
{
	if (!task->failures || task->row->is_probe)
		return 0;
	uint64_t last = after(task->failed_ns, BACK_OFF_MAX_S);
	return trouble_is_side_sick(plan, task) && last > task->retry_ns ? last : task->retry_ns;
}

static void stretch(struct task *task, enum plan_reason reason, uint64_t now_ns)
{
	task->stretch = fmin(task->stretch * 2, STRETCH_MAX);
	task->stretched_by = reason;
	task->stretched_ns = now_ns;
}

static bool has_other_way(const struct task *task, const struct way *way, uint64_t now_ns)
{
	for (size_t i = 0; i < task->row->way_count; i++)
		if (&task->ways[i] != way && way_is_usable(&task->ways[i], now_ns))
			return true;
	return false;
}

/* Full jitter (1 s to the most), so that several exporters do not come back in step. After work the jitter goes over the
 * upper half alone: the wait is at least as long as the work. */
static double back_off_s(struct plan *plan, const struct task *task)
{
	double unit_s = fmax(BACK_OFF_S, task->worked_s);
	double most_s = fmin(unit_s * exp2(fmin((double)task->failures, 20)), BACK_OFF_MAX_S);
	double least_s = task->worked_s > 0 ? most_s / 2 : BACK_OFF_MIN_S;
	return fmax(chance(plan) * most_s, least_s);
}

void trouble_note_failure(struct plan *plan, struct task *task, struct way *way, double seconds, uint64_t now_ns)
{
	bool is_its_own = were_probes_well_since(plan, task, task->failures ? task->failed_ns : 0);
	if (!task->failures++)
		task->sick_ns = now_ns;
	task->failed_ns = now_ns;
	if (seconds >= QUICK_S)
		task->worked_s = fmax(task->worked_s, seconds);
	task->retry_ns = after(now_ns, back_off_s(plan, task));
	if (task->row->is_probe)
		return;
	stretch(task, PLAN_BACK_OFF, now_ns);
	way->batch = way->row->records_min;
	way->failures += is_its_own;
	if (way->failures >= WAY_FAILURES_MAX && has_other_way(task, way, now_ns)) {
		way->failures = 0;
		way->avoid_until_ns = after(now_ns, WAY_AVOIDED_S);
	}
}

/* The work may have killed slurmrestd, and its back-off may have ended during the outage: so the back-off starts again.
 * Twenty minutes after the failure the task is asked anyway: probes that come and go must not put it off for ever. */
static void retry_work(struct plan *plan, struct task *task, uint64_t now_ns)
{
	uint64_t last_ns = after(task->failed_ns, 2 * BACK_OFF_MAX_S);
	uint64_t retry_ns = after(now_ns, back_off_s(plan, task));
	retry_ns = retry_ns < last_ns ? retry_ns : last_ns;
	task->retry_ns = retry_ns > task->retry_ns ? retry_ns : task->retry_ns;
}

/* A probe is well again. Tasks of its side that failed are due, spread over SPREAD_S, unless their own work may have
 * been the cause. If the probe had timed out before the task was asked, and the task timed out, too, slurmrestd
 * answered nobody. So the task only waited, and was no work. A probe that timed out after the task may have waited for
 * the task's work. */
static void retry_what_failed(struct plan *plan, const struct task *probe, uint64_t now_ns)
{
	for (size_t i = 0; i < plan->task_count; i++) {
		struct task *task = &plan->tasks[i];
		if (!task->failures || task->row->is_probe || !is_of_same_side(probe->row, task->row))
			continue;
		if (task->result == PLAN_TIMED_OUT && probe->result == PLAN_TIMED_OUT &&
		    probe->sick_ns <= task->asked_ns)
			task->worked_s = 0;
		if (task->worked_s > 0)
			retry_work(plan, task, now_ns);
		else
			task->retry_ns = after(now_ns, chance(plan) * SPREAD_S);
	}
}

/* To be called before the outcome is written into the task: retry_what_failed looks at the probe's last result. */
void trouble_note_success(struct plan *plan, struct task *task, uint64_t now_ns)
{
	if (task->row->is_probe && task->failures)
		retry_what_failed(plan, task, now_ns);
	task->failures = 0;
	task->worked_s = 0;
}

/* Changes the stretch at most once per target interval: what a longer interval does is not seen at once. */
void trouble_note_pace(struct task *task, bool is_slow, uint64_t now_ns)
{
	if (task->row->is_probe || seconds_between(task->stretched_ns, now_ns) < task->row->target_s)
		return;
	if (is_slow)
		stretch(task, PLAN_LATENCY, now_ns);
	else if (task->stretch > 1 && !task->is_in_round) {
		task->stretch /= 2;
		task->stretched_ns = now_ns;
	}
}
