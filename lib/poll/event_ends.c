#include "poll/event_ends.h"

#include "base/log.h"
#include "poll/told_runs.h"

#include <stdlib.h>

enum {
	/* Seconds after the end, and after the job was last seen completing: slurmdbd's record does not change any more then.
	 * On a 24.11 nine records got another exit code 19 s after the end, when the processes were gone. */
	SETTLED_AFTER_S = 10,
	WHOLE_AFTER_S = 300, /* what slurmdbd lacks of a run by then never comes: the end is taken as it is */
	HASTENED_RUNS_MAX = 300, /* they take some 0.1 s of slurmrestd */
};

/* Could an end of that time be settled by now? The table must have been looked at since: looked_until may be the state
 * file's; looked_at tells that this process has looked. Which jobs were completing before is not known. */
static bool is_old_enough(const struct event_poller *poller, int64_t end, int64_t now)
{
	const struct job_events *events = poller->recorder.events;
	return end < now - SETTLED_AFTER_S && events->looked_at && events->looked_until > end;
}

/* An end that was too young is told again by the next window, as soon as it may be settled. Where many end that would
 * read each of them twice, so there they wait for the interval. */
void event_ends_hasten(struct event_poller *poller)
{
	int64_t now = asker_now_s(poller->asker);
	if (!poller->unsettled || poller->last_runs > HASTENED_RUNS_MAX ||
	    !is_old_enough(poller, poller->unsettled, now))
		return;
	poller->unsettled = 0;
	plan_hasten(poller->plan, TASK_JOB_ENDS);
}

static struct job_end end_of(const struct job_run *run, const struct vocabulary *vocabulary)
{
	const struct job *job = &run->job;
	bool is_cut, is_requeued = job->flags >> JOB_FLAG_REQUEUED & 1;
	bool has_started = number_is_known(run->cpus_allocated) && run->cpus_allocated;
	return (struct job_end){
		.raw_id = (uint32_t)job->id,
		.key = told_key(run),
		.tasks = number_is_known(job->array_task_id) ? 1 : job_count(job, &is_cut),
		.owner = {job->account, job->user, job->partitions, job->qos},
		.state = is_requeued ? TEXT("requeued") : text_of(vocabulary->job_states.name[job->state]),
		.eligible_time = told_time(job->eligible_time),
		.start_time = has_started ? told_time(job->start_time) : 0,
		.end_time = told_time(job->end_time),
		.run_seconds = told_time(run->elapsed),
		.time_limit = job->time_limit,
		.cpus = has_started ? run->cpus_allocated : 0,
		.memory = number_is_known(run->memory_allocated) ? run->memory_allocated : 0,
		.nodes = number_is_known(job->nodes) ? job->nodes : 0,
		.tres = job->tres_allocated,
		.node_list = job->node_list,
		.exit = job_exit_of(job),
	};
}

/* Is the job completing, or was it within the last ten seconds? */
static bool is_completing(const struct event_poller *poller, const struct job *job, int64_t now)
{
	struct job_view row;
	bool is_there = job_table_find(poller->asker->cluster->job_table, job->id, &row);
	if (is_there && row.submit_time <= job->submit_time && row.flags >> JOB_FLAG_COMPLETING & 1)
		return true;
	return job_events_completing(poller->recorder.events, (uint32_t)job->id) >= now - SETTLED_AFTER_S;
}

/* Does slurmdbd have all of the run's end? An end that it has only in part is passed over, as it is told again.
 * slurmdbd may hear of a short job's end first. Then it has neither partition nor array until it hears of the start. It
 * hears of a cancelled job's end at once, but of the exit code when the job's processes are gone. That may be just after
 * the table showed them gone, or minutes later (SLURMRESTD.md, "What slurmdbd knows when"). */
static bool is_whole(const struct event_poller *poller, const struct job_run *run, int64_t now)
{
	int64_t end = told_time(run->job.end_time);
	if (end < now - WHOLE_AFTER_S)
		return true;
	return run->job.partitions.len && is_old_enough(poller, end, now) && !is_completing(poller, &run->job, now);
}

static int compare_ends(const void *left, const void *right)
{
	const struct job_run *a = left, *b = right;
	int64_t end = told_time(a->job.end_time), other = told_time(b->job.end_time);
	if (end != other)
		return end < other ? -1 : 1;
	return job_run_is_size(b) - job_run_is_size(a);
}

static void take_ends(struct event_poller *poller, const struct told_runs *taken, int64_t now)
{
	struct job_events *events = poller->recorder.events;
	const struct job_runs_query query = told_runs_query(poller, false);
	bool tells_sizes = job_runs_query_tells_sizes(&query);
	if (taken->count)
		qsort(taken->items, taken->count, sizeof *taken->items, compare_ends);
	for (size_t i = 0; i < taken->count; i++) {
		const struct job_run *run = &taken->items[i];
		if (!told_is_slurms(run))
			continue;
		struct job_view known;
		if (!job_table_find(poller->asker->cluster->job_table, run->job.id, &known))
			job_rounds_note_job(poller->rounds,
					    &run->job); /* while no job is known, nothing else tells of ids */
		bool is_over = job_run_is_size(run) ? tells_sizes : job_run_has_ended(run);
		int64_t ended = is_over ? told_time(run->job.end_time) : 0;
		if (ended > poller->unsettled && !is_old_enough(poller, ended, now))
			poller->unsettled = ended;
		if (!ended || !is_whole(poller, run, now))
			continue;
		const struct job_end end = end_of(run, &poller->asker->cluster->vocabulary);
		if (end.end_time < events->ends_known_until)
			continue; /* it may be forgotten already */
		if (job_run_is_size(run))
			job_events_take_size(events, &end);
		else
			job_events_take_end(events, &end);
	}
}

void event_ends_poll(struct event_poller *poller, struct plan_outcome *outcome)
{
	struct end_windows *windows = &poller->windows;
	struct job_events *events = poller->recorder.events;
	struct told_runs taken = {.count = 0};
	struct buf text = BUF_INIT;
	int64_t now = asker_now_s(poller->asker);
	struct end_window window = end_windows_next(windows, now);
	const struct job_runs_query query = told_runs_query(poller, false);
	/* before v0.0.40 requeued runs come only together with all live jobs, so only sweeps ask for them */
	bool with_requeued = window.is_sweep || *query.version->flags_query;
	job_runs_query_ended(&query, (uint64_t)window.first, (uint64_t)window.last, with_requeued, &text);
	outcome->is_round_done = fetch_succeeded(told_runs_fetch(poller, &taken, &text, outcome));
	if (!outcome->is_round_done) {
		end_windows_note_failure(windows);
	} else {
		poller->unsettled = 0;
		take_ends(poller, &taken, now);
		poller->last_runs = taken.count;
		if (end_windows_note(windows, window, now, taken.count))
			plan_hasten(poller->plan, TASK_JOB_ENDS);
		job_events_end_window(events, windows->known_until, windows->known_until);
		if (windows->gave_up)
			log_line(LOG_LEVEL_WARN,
				 "slurmdbd answers, but for a day its queue in slurmctld was never empty: "
				 "ends that wait there since are not waited for",
				 NULL);
		windows->gave_up = false;
	}
	buf_done(&text);
	told_runs_done(&taken);
}
