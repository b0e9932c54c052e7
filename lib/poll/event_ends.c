#include "poll/event_ends.h"

#include "base/clock.h"
#include "poll/told_runs.h"

#include <stdlib.h>

enum {
	/* Seconds after the end, and after the job was last seen completing. slurmdbd's record no longer changes then. Only the
	 * code of a script that Slurm ended still may, which is not counted (job_exit_of). */
	SETTLED_AFTER_S = 10,
	WHOLE_AFTER_S = 300, /* what slurmdbd still lacks of a run then never comes: take the end as it is */
	HASTENED_RUNS_MAX = 300, /* they take about 0.1 s of slurmrestd */
	REQUEUED_EVERY = 20, /* intervals: ten minutes by default */
	LATE_BATCH = 50, /* job IDs of one request */
	LATE_EVERY_S = 30, /* before the next request for the same one */
	LATE_GIVE_UP_S = 3600, /* while requests for an end fail */
};

/* Has the poller looked at the table since then? looked_until may be the state file's, so looked_at says whether this
 * process has looked. It does not know which jobs were completing before. */
static bool has_looked_since(const struct event_poller *poller, int64_t end)
{
	const struct job_events *events = poller->recorder.events;
	return events->looked_at && events->looked_until > end;
}

/* Could an end of that time be settled by now? */
static bool is_old_enough(const struct event_poller *poller, int64_t end, int64_t now)
{
	return end < now - SETTLED_AFTER_S && has_looked_since(poller, end);
}

/* An end that was too young comes again with the next window. So slurmscope asks for that as soon as the end may be
 * settled. If many jobs end, each of them would be read twice, so then the next window waits for the interval. */
int64_t event_ends_settle_in(const struct event_poller *poller)
{
	int64_t settled = poller->unsettled + SETTLED_AFTER_S + 1, now = asker_now_s(poller->asker);
	if (!poller->unsettled || poller->last_runs > HASTENED_RUNS_MAX || !has_looked_since(poller, poller->unsettled))
		return -1;
	return settled > now ? settled - now : 0;
}

void event_ends_hasten(struct event_poller *poller)
{
	if (event_ends_settle_in(poller) != 0)
		return;
	poller->unsettled = 0;
	plan_hasten(poller->plan, TASK_JOB_ENDS);
}

/* `values`: what groups count it by. */
static struct job_end end_of(const struct job_run *run, const struct vocabulary *vocabulary, struct text values)
{
	const struct job *job = &run->job;
	bool is_cut, is_requeued = job->flags >> JOB_FLAG_REQUEUED & 1;
	bool has_started = number_is_known(run->cpus_allocated) && run->cpus_allocated;
	return (struct job_end){
		.raw_id = (uint32_t)job->id,
		.key = told_key(run),
		.tasks = number_is_known(job->array_task_id) ? 1 : job_count(job, &is_cut),
		.array_job_id = (uint32_t)told_time(job->array_job_id),
		.name = job->name,
		.sluid = job->sluid,
		.owner = {job->account, job->user, job->partitions, job->qos, values},
		.named = job->partitions_named,
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
		.failed_node = job->failed_node,
		.exit = job_exit_of(job),
		.exit_code = job->exit_code,
		.exit_signal = job->exit_signal,
	};
}

/* Is the job completing, or was it within the last ten seconds? */
static bool is_completing(const struct event_poller *poller, uint32_t id, int64_t submit_time, int64_t now)
{
	struct job_view row;
	bool is_there = job_table_find(poller->asker->cluster->job_table, id, &row);
	if (is_there && (int64_t)row.submit_time <= submit_time && row.flags >> JOB_FLAG_COMPLETING & 1)
		return true;
	return job_events_completing(poller->recorder.events, id) >= now - SETTLED_AFTER_S;
}

/* Does slurmdbd have all of the run's end? If not, the end is passed over, as it comes again. slurmdbd may hear of a
 * short job's end first. Then it has neither partition nor array until it hears of the start. It hears of an end at
 * once, but that the exit code asks for another run only when the job has completed. That may be just after the table
 * showed it, or minutes later (SLURMRESTD.md, "What slurmdbd knows when"). */
static bool is_whole(const struct event_poller *poller, const struct job_run *run, int64_t now)
{
	int64_t end = told_time(run->job.end_time);
	if (end < now - WHOLE_AFTER_S)
		return true;
	return run->job.partitions.len && is_old_enough(poller, end, now) &&
	       !is_completing(poller, (uint32_t)run->job.id, (int64_t)run->job.submit_time, now);
}

static int compare_ends(const void *left, const void *right)
{
	const struct job_run *a = left, *b = right;
	int64_t end = told_time(a->job.end_time), other = told_time(b->job.end_time);
	if (end != other)
		return end < other ? -1 : 1;
	return job_run_is_size(b) - job_run_is_size(a);
}

static void sort_ends(struct told_runs *taken)
{
	if (taken->count)
		qsort(taken->items, taken->count, sizeof *taken->items, compare_ends);
}

/* 0: the run has not ended. */
static int64_t end_time_of(const struct event_poller *poller, const struct job_run *run)
{
	const struct job_runs_query query = told_runs_query(poller, false);
	bool is_over = job_run_is_size(run) ? job_runs_query_tells_sizes(&query) : job_run_has_ended(run);
	return is_over ? told_time(run->job.end_time) : 0;
}

static void take_end(struct event_poller *poller, const struct job_run *run)
{
	struct job_events *events = poller->recorder.events;
	const struct cluster *cluster = poller->asker->cluster;
	struct buf values = BUF_INIT;
	if (cluster->caps.groups)
		job_groups_read(cluster->caps.groups, &run->job, &values);
	const struct job_end end = end_of(run, &cluster->vocabulary, buf_text(&values));
	late_ends_remove(&poller->late, end.raw_id, end.key.submit_time);
	bool is_taken = job_events_may_take(events, &end);
	if (is_taken && job_run_is_size(run))
		job_events_take_size(events, &end);
	else if (is_taken)
		job_events_take_end(events, &end);
	buf_done(&values);
}

/* While no job is known, nothing else says where Slurm's IDs are. */
static void note_id(struct event_poller *poller, const struct job_run *run)
{
	struct job_view known;
	if (!job_table_find(poller->asker->cluster->job_table, run->job.id, &known))
		job_rounds_note_job(poller->rounds, &run->job);
}

/* Counts the ends that are complete, and leaves only the others in `taken`. */
static void take_ends(struct event_poller *poller, struct told_runs *taken, int64_t now)
{
	size_t kept = 0;
	for (size_t i = 0; i < taken->count; i++) {
		const struct job_run *run = &taken->items[i];
		int64_t ended = told_is_slurms(run) ? end_time_of(poller, run) : 0;
		if (told_is_slurms(run))
			note_id(poller, run);
		if (ended > poller->unsettled && !is_old_enough(poller, ended, now))
			poller->unsettled = ended;
		if (ended && is_whole(poller, run, now))
			take_end(poller, run);
		else if (ended)
			taken->items[kept++] = *run;
	}
	taken->count = kept;
}

/* Windows */

static struct end_answer answer_of(const struct event_poller *poller, const struct told_runs *taken,
				   struct end_window window)
{
	int64_t recent[END_WINDOWS_RECENT] = {0};
	struct end_answer answer = {0};
	for (size_t i = 0; i < taken->count; i++) {
		int64_t ended = end_time_of(poller, &taken->items[i]);
		if (ended < window.first || ended > window.last)
			continue;
		int64_t *slot = &recent[answer.runs++ % END_WINDOWS_RECENT];
		answer.newest = ended;
		answer.recent = *slot;
		*slot = ended;
	}
	return answer;
}

/* Keeps incomplete ends that no further window covers. If there are too many, takes them as they are. */
static void keep_late(struct event_poller *poller, const struct told_runs *taken, int64_t known_until)
{
	for (size_t i = 0; i < taken->count; i++) {
		const struct job_run *run = &taken->items[i];
		const struct late_end late = {
			.key = told_key(run), .raw_id = (uint32_t)run->job.id, .end = told_time(run->job.end_time)};
		if (late.end < known_until && !late_ends_add(&poller->late, &late))
			take_end(poller, run);
	}
}

/* Until when ends are settled, so that slurmdbd's records of them count. */
static int64_t settled_until(const struct event_poller *poller, int64_t now)
{
	const struct job_events *events = poller->recorder.events;
	int64_t looked = events->looked_at ? events->looked_until - 1 : 0, young = now - SETTLED_AFTER_S - 1;
	int64_t settled = looked < young ? looked : young;
	return settled > now - WHOLE_AFTER_S - 1 ? settled : now - WHOLE_AFTER_S - 1;
}

/* A window with requeued runs has brought all that the other windows would. */
static int64_t known_by_windows(struct event_poller *poller, bool has_requeued)
{
	struct end_windows *all = &poller->windows;
	const struct end_windows *requeued = &poller->requeued;
	if (!has_requeued)
		return all->known_until;
	if (requeued->known_until > all->known_until && !all->pass_to)
		all->known_until = requeued->known_until;
	if (requeued->told_until > all->told_until && !all->pass_to)
		all->told_until = requeued->told_until;
	return requeued->known_until < all->known_until ? requeued->known_until : all->known_until;
}

static void note_window(struct event_poller *poller, struct end_windows *windows, struct end_window window,
			struct told_runs *taken, int64_t now)
{
	bool has_requeued = !*client_version(poller->asker->client)->flags_query;
	sort_ends(taken);
	const struct end_answer answer = answer_of(poller, taken, window);
	int64_t settled = settled_until(poller, now);
	poller->unsettled = 0;
	poller->last_runs = taken->count;
	take_ends(poller, taken, now);
	bool goes_on = end_windows_note(windows, window, &answer);
	if (windows == &poller->requeued && !goes_on)
		poller->next_requeued =
			now + REQUEUED_EVERY * (int64_t)poller->asker->config->interval_s[TASK_JOB_ENDS];
	if (goes_on || windows == &poller->requeued)
		plan_hasten(poller->plan, TASK_JOB_ENDS);
	int64_t known = known_by_windows(poller, has_requeued), told = poller->windows.told_until;
	keep_late(poller, taken, known);
	known = late_ends_first(&poller->late, known);
	job_events_end_window(poller->recorder.events, known, known);
	poller->told_at = clock_now_s();
	poller->ends_known_until = told < settled + 1 ? told : settled + 1;
}

static bool ask_window(struct event_poller *poller, struct plan_outcome *outcome)
{
	struct told_runs taken = {.count = 0};
	struct buf text = BUF_INIT;
	int64_t now = asker_now_s(poller->asker);
	const struct job_runs_query query = told_runs_query(poller, false);
	bool has_all = *query.version->flags_query;
	bool is_for_requeued = !has_all && now >= poller->next_requeued;
	struct end_windows *windows = is_for_requeued ? &poller->requeued : &poller->windows;
	struct end_window window = end_windows_next(windows, now, settled_until(poller, now));
	job_runs_query_ended(&query, (uint64_t)window.first, (uint64_t)window.last, has_all || is_for_requeued, &text);
	bool is_told = fetch_succeeded(told_runs_fetch(poller, &taken, &text, outcome));
	if (is_told)
		note_window(poller, windows, window, &taken, now);
	else
		end_windows_note_failure(windows);
	buf_done(&text);
	told_runs_done(&taken);
	return is_told;
}

/* Late ends */

/* Is it time to ask for it again? What slurmdbd lacked may have come. */
static bool is_due(const struct event_poller *poller, const struct late_end *late, int64_t now)
{
	return now >= late->asked + LATE_EVERY_S &&
	       (late->end < now - WHOLE_AFTER_S || !is_completing(poller, late->raw_id, late->key.submit_time, now));
}

static size_t choose_late(struct event_poller *poller, struct job_runs_name names[LATE_BATCH], int64_t now)
{
	size_t count = 0;
	for (size_t i = 0; i < poller->late.count && count < LATE_BATCH; i++) {
		struct late_end *late = &poller->late.items[i];
		if (!is_due(poller, late, now))
			continue;
		bool is_task = late->key.task != RUN_NO_TASK;
		names[count++] = (struct job_runs_name){is_task ? late->key.id : late->raw_id,
							is_task ? late->key.task : NUMBER_UNSET};
		late->asked = now;
	}
	return count;
}

/* Takes an end that was asked for now and is old enough as slurmdbd reports it. If slurmdbd did not report it, it never
 * will. */
static void give_up_late(struct event_poller *poller, int64_t now, int64_t older_than)
{
	for (size_t i = poller->late.count; i-- > 0;) {
		const struct late_end *late = &poller->late.items[i];
		if (late->asked == now && late->end < older_than)
			late_ends_remove(&poller->late, late->raw_id, late->key.submit_time);
	}
}

/* False: none is due, and it sent no request. */
static bool ask_late(struct event_poller *poller, struct plan_outcome *outcome)
{
	struct job_runs_name names[LATE_BATCH];
	struct told_runs taken = {.count = 0};
	struct buf text = BUF_INIT;
	int64_t now = asker_now_s(poller->asker), unsettled = poller->unsettled;
	size_t count = choose_late(poller, names, now);
	const struct job_runs_query query = told_runs_query(poller, false);
	if (!count)
		return false;
	job_runs_query_names(&query, names, count, (uint64_t)(late_ends_first(&poller->late, now) - 1), &text);
	outcome->is_round_done = fetch_succeeded(told_runs_fetch(poller, &taken, &text, outcome));
	if (outcome->is_round_done) {
		sort_ends(&taken);
		take_ends(poller, &taken, now);
	}
	give_up_late(poller, now, now - (outcome->is_round_done ? WHOLE_AFTER_S : LATE_GIVE_UP_S));
	poller->unsettled = unsettled;
	plan_hasten(poller->plan, TASK_JOB_ENDS); /* a window is due */
	buf_done(&text);
	told_runs_done(&taken);
	return true;
}

void event_ends_poll(struct event_poller *poller, struct plan_outcome *outcome)
{
	if (!ask_late(poller, outcome))
		outcome->is_round_done = ask_window(poller, outcome);
}
