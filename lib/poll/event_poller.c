#include "poll/event_poller.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/job_run.h"
#include "slurmrest/job_runs_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	/* If slurmdbd never answered for this long, there is none. It must be shorter than MinJobAge (300 s by default), after
	 * which slurmctld forgets how jobs ended. */
	SLURMDBD_GIVE_UP_S = 120,
	/* Seconds after the end, and after the job was last seen completing: slurmdbd's record does not change any more then.
	 * On a 24.11 nine records got another exit code 19 s after the end, when the processes were gone. */
	SETTLED_AFTER_S = 10,
	WHOLE_AFTER_S = 300, /* what slurmdbd lacks of a run by then never comes: the end is taken as it is */
	HASTENED_RUNS_MAX = 300, /* they take some 0.1 s of slurmrestd */
	STEPS_AFTER_S = 60, /* slurmdbd has a job's steps by then */
	STEPS_SINCE_S = 86400, /* steps of runs that ended before that were given up (events/job_events.c) */
	STEPS_COUNTED_EVERY_S = 5, /* counting looks at all runs: 16 ms for a million */
};

/* The state file's runs tell where Slurm gave ids last. */
static void note_newest(const struct event_poller *poller)
{
	const struct runs *runs = &poller->recorder.events->runs;
	uint64_t id = 0, submit_time = 0;
	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->items[i];
		uint64_t time = run->is_used && run->key.submit_time > 0 ? (uint64_t)run->key.submit_time : 0;
		if (time > submit_time || (time && time == submit_time && run->raw_id > id)) {
			submit_time = time;
			id = run->raw_id;
		}
	}
	if (id)
		job_rounds_note_id(poller->rounds, id, submit_time);
}

void event_poller_init(struct event_poller *poller, struct asker *asker, struct plan *plan, struct job_rounds *rounds,
		       struct job_events *before)
{
	*poller = (struct event_poller){.asker = asker, .plan = plan, .rounds = rounds, .began = clock_now_s()};
	job_keeper_init(&poller->jobs, asker->cluster, rounds);
	recorder_init(&poller->recorder, asker->config->state_path, asker->config->ha != HA_OFF, &asker->cluster->caps,
		      &asker->cluster->vocabulary, before, &poller->jobs);
	note_newest(poller);
}

void event_poller_done(struct event_poller *poller)
{
	recorder_done(&poller->recorder);
	job_keeper_done(&poller->jobs);
}

static int64_t time_of(uint64_t number)
{
	return number_is_known(number) ? (int64_t)number : 0;
}

/* Who tells of ends */

/* If slurmdbd does not answer for a while after the start, slurmctld tells of ends. slurmdbd may take over at any time: it
 * is then asked for ends from where the runs that slurmctld ended are forgotten. */
static void choose_source(struct event_poller *poller)
{
	struct job_events *events = poller->recorder.events;
	const struct config *config = poller->asker->config;
	int64_t every = (int64_t)config->interval_s[TASK_JOB_ENDS];
	bool is_awaited = clock_now_s() < poller->began + SLURMDBD_GIVE_UP_S;
	bool by_slurmdbd = config->jobs_ends == JOBS_ENDS_AUTO ? events->slurmdbd_told || is_awaited
							       : config->jobs_ends == JOBS_ENDS_SLURMDBD;
	if (!poller->has_windows || !events->ends_by_slurmdbd) /* it may take over at any time */
		end_windows_init(&poller->windows, events->ends_known_until, every);
	events->ends_by_slurmdbd = by_slurmdbd;
	events->reads_steps = by_slurmdbd && config->jobs_steps == JOBS_STEPS_READ;
	poller->has_windows = true;
}

static uint64_t count_steps(struct event_poller *poller)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns >= poller->next_count_ns) {
		poller->steps = job_events_want_steps(poller->recorder.events,
						      asker_now_s(poller->asker) - STEPS_AFTER_S, NULL, 0);
		poller->next_count_ns = now_ns + STEPS_COUNTED_EVERY_S * UINT64_C(1000000000);
	}
	return poller->steps;
}

/* Could an end of that time be settled by now? The table must have been looked at since: looked_until may be the state
 * file's; looked_at tells that this process has looked. Which jobs were completing before is not known. */
static bool is_old_enough(const struct event_poller *poller, int64_t end, int64_t now)
{
	const struct job_events *events = poller->recorder.events;
	return end < now - SETTLED_AFTER_S && events->looked_at && events->looked_until > end;
}

/* An end that was too young is told again by the next window, as soon as it may be settled. Where many end that would
 * read each of them twice, so there they wait for the interval. */
static void hasten_ends(struct event_poller *poller)
{
	int64_t now = asker_now_s(poller->asker);
	if (!poller->unsettled || poller->last_runs > HASTENED_RUNS_MAX ||
	    !is_old_enough(poller, poller->unsettled, now))
		return;
	poller->unsettled = 0;
	plan_hasten(poller->plan, TASK_JOB_ENDS);
}

void event_poller_update(struct event_poller *poller)
{
	const struct asker *asker = poller->asker;
	const struct diag *diag = &asker->cluster->scheduler.diag;
	const struct job_events *events = poller->recorder.events;
	bool is_known = client_version(asker->client) != NULL;
	choose_source(poller);
	double asked = asker->exporter->endpoints[ENDPOINT_DIAG].last_success;
	if (asker->cluster->scheduler.is_known) /* its answer may be minutes old: its own time is given with it */
		end_windows_note_queue(&poller->windows, asker_time_s(asker, asked),
				       (uint64_t)time_of(diag->dbd_queue));
	bool asks_slurmdbd = is_known && asker->config->jobs_ends != JOBS_ENDS_SLURMCTLD;
	plan_allow_task(poller->plan, TASK_JOB_ENDS, asks_slurmdbd);
	plan_allow_task(poller->plan, TASK_JOB_STEPS, asks_slurmdbd && events->reads_steps);
	hasten_ends(poller);
	plan_set_whole(poller->plan, TASK_JOB_ENDS, poller->last_runs + 1);
	plan_set_work(poller->plan, TASK_JOB_ENDS, poller->last_runs + 1);
	plan_set_work(poller->plan, TASK_JOB_STEPS, count_steps(poller));
}

/* Requests */

struct runs_taken {
	struct arena arena;
	struct job_run *items;
	size_t count, capacity;
};

static void take_run(void *context, const void *record)
{
	struct runs_taken *taken = context;
	const struct job_run *run = record;
	if (run->job.flags >> JOB_FLAG_REVOKED & 1)
		return;
	GROW(taken->items, taken->count, taken->capacity);
	struct job_run *copy = &taken->items[taken->count++];
	*copy = *run;
	copy->job = job_copy(&run->job, &taken->arena);
}

static void taken_done(struct runs_taken *taken)
{
	arena_done(&taken->arena);
	free(taken->items);
}

static struct run_key key_of(const struct job_run *run)
{
	const struct job *job = &run->job;
	bool has_array = number_is_known(job->array_job_id) && job->array_job_id;
	bool has_task = has_array && number_is_known(job->array_task_id);
	return (struct run_key){(uint32_t)(has_array ? job->array_job_id : job->id),
				has_task ? (uint32_t)job->array_task_id : RUN_NO_TASK, (int64_t)job->submit_time};
}

static struct job_end end_of(const struct job_run *run, const struct vocabulary *vocabulary)
{
	const struct job *job = &run->job;
	bool is_cut, is_requeued = job->flags >> JOB_FLAG_REQUEUED & 1;
	bool has_started = number_is_known(run->cpus_allocated) && run->cpus_allocated;
	return (struct job_end){
		.raw_id = (uint32_t)job->id,
		.key = key_of(run),
		.tasks = number_is_known(job->array_task_id) ? 1 : job_count(job, &is_cut),
		.owner = {job->account, job->user, job->partitions, job->qos},
		.state = is_requeued ? TEXT("requeued") : text_of(vocabulary->job_states.name[job->state]),
		.eligible_time = time_of(job->eligible_time),
		.start_time = has_started ? time_of(job->start_time) : 0,
		.end_time = time_of(job->end_time),
		.run_seconds = time_of(run->elapsed),
		.time_limit = job->time_limit,
		.cpus = has_started ? run->cpus_allocated : 0,
		.memory = number_is_known(run->memory_allocated) ? run->memory_allocated : 0,
		.nodes = number_is_known(job->nodes) ? job->nodes : 0,
		.tres = job->tres_allocated,
		.node_list = job->node_list,
		.exit = job_exit_of(job),
	};
}

static bool is_slurms(const struct job_run *run)
{
	return run->job.id && run->job.id < UINT32_MAX && time_of(run->job.submit_time);
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
	int64_t end = time_of(run->job.end_time);
	if (end < now - WHOLE_AFTER_S)
		return true;
	return run->job.partitions.len && is_old_enough(poller, end, now) && !is_completing(poller, &run->job, now);
}

static struct job_runs_query query_of(const struct event_poller *poller, bool with_steps)
{
	return (struct job_runs_query){.version = client_version(poller->asker->client),
				       .cluster = poller->asker->cluster->name,
				       .with_steps = with_steps};
}

static int compare_ends(const void *left, const void *right)
{
	const struct job_run *a = left, *b = right;
	int64_t end = time_of(a->job.end_time), other = time_of(b->job.end_time);
	if (end != other)
		return end < other ? -1 : 1;
	return job_run_is_size(b) - job_run_is_size(a);
}

static void take_ends(struct event_poller *poller, const struct runs_taken *taken, int64_t now)
{
	struct job_events *events = poller->recorder.events;
	const struct job_runs_query query = query_of(poller, false);
	bool tells_sizes = job_runs_query_tells_sizes(&query);
	if (taken->count)
		qsort(taken->items, taken->count, sizeof *taken->items, compare_ends);
	for (size_t i = 0; i < taken->count; i++) {
		const struct job_run *run = &taken->items[i];
		if (!is_slurms(run))
			continue;
		struct job_view known;
		if (!job_table_find(poller->asker->cluster->job_table, run->job.id, &known))
			job_rounds_note_job(poller->rounds,
					    &run->job); /* while no job is known, nothing else tells of ids */
		bool is_over = job_run_is_size(run) ? tells_sizes : job_run_has_ended(run);
		int64_t ended = is_over ? time_of(run->job.end_time) : 0;
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

static enum fetch_result fetch_runs(struct event_poller *poller, struct runs_taken *taken, const struct buf *query,
				    struct plan_outcome *outcome)
{
	const struct fetch fetch = {ENDPOINT_DBD_JOBS, take_run, taken, .query = query->bytes};
	enum fetch_result result = asker_ask(poller->asker, &fetch, outcome);
	poller->has_answered_since |= fetch_succeeded(result);
	return result;
}

static void poll_ends(struct event_poller *poller, struct plan_outcome *outcome)
{
	struct end_windows *windows = &poller->windows;
	struct job_events *events = poller->recorder.events;
	struct runs_taken taken = {.count = 0};
	struct buf text = BUF_INIT;
	int64_t now = asker_now_s(poller->asker);
	struct end_window window = end_windows_next(windows, now);
	const struct job_runs_query query = query_of(poller, false);
	/* before v0.0.40 requeued runs come only together with all live jobs, so only sweeps ask for them */
	bool with_requeued = window.is_sweep || *query.version->flags_query;
	job_runs_query_ended(&query, (uint64_t)window.first, (uint64_t)window.last, with_requeued, &text);
	outcome->is_round_done = fetch_succeeded(fetch_runs(poller, &taken, &text, outcome));
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
	taken_done(&taken);
}

static void take_steps(struct event_poller *poller, const struct runs_taken *taken)
{
	for (size_t i = 0; i < taken->count; i++) {
		const struct job_run *run = &taken->items[i];
		bool is_known = number_is_known(run->cpu_used_us);
		double seconds = (double)time_of(run->elapsed);
		const struct job_steps steps = {
			.raw_id = (uint32_t)run->job.id,
			.key = key_of(run),
			.start_time = time_of(run->job.start_time),
			.end_time = time_of(run->job.end_time),
			.allocated_cpu_seconds = seconds * (double)time_of(run->cpus_allocated),
			.used_cpu_seconds = is_known ? (double)run->cpu_used_us / 1e6 : -1,
			.allocated_memory = (double)time_of(run->memory_allocated),
			.peak_memory = (double)time_of(run->memory_used),
		};
		if (is_slurms(run) && job_run_has_ended(run))
			job_events_take_steps(poller->recorder.events, &steps);
	}
}

/* A run may have more steps than slurmrestd can read in time, or has memory for. If a batch failed, each of its runs is
 * asked for alone. A run that fails alone twice, while slurmdbd answers otherwise, is given up. */
static void note_steps_failed(struct event_poller *poller, const struct run_key *keys, size_t count)
{
	if (count > 1) {
		poller->suspects = count;
		return;
	}
	if (!run_key_equal(&poller->failed, keys)) {
		poller->failed = *keys;
		poller->has_answered_since = false;
	} else if (poller->has_answered_since) {
		char id[24];
		snprintf(id, sizeof id, "%" PRIu32, keys->id);
		log_line(LOG_LEVEL_WARN, "what a job used is given up: its steps were asked for in vain, twice", "job",
			 id, NULL);
		job_events_no_steps(poller->recorder.events, keys);
	}
}

static void poll_steps(struct event_poller *poller, uint64_t max, struct plan_outcome *outcome)
{
	struct job_events *events = poller->recorder.events;
	struct runs_taken taken = {.count = 0};
	struct buf text = BUF_INIT;
	struct run_key keys[JOB_STEPS_BATCH_MAX];
	struct job_runs_name names[JOB_STEPS_BATCH_MAX];
	int64_t before = asker_now_s(poller->asker) - STEPS_AFTER_S;
	if (poller->suspects)
		max = 1;
	size_t wanting = job_events_want_steps(events, before, keys, max);
	size_t count = wanting < max ? wanting : max;
	const struct job_runs_query query = query_of(poller, true);
	*outcome = (struct plan_outcome){.result = PLAN_OK, .is_round_done = true};
	poller->next_count_ns = 0;
	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		names[i] =
			(struct job_runs_name){keys[i].id, keys[i].task == RUN_NO_TASK ? NUMBER_UNSET : keys[i].task};
	job_runs_query_names(&query, names, count, (uint64_t)(before - STEPS_SINCE_S), &text);
	if (fetch_succeeded(fetch_runs(poller, &taken, &text, outcome))) {
		take_steps(poller, &taken);
		for (size_t i = 0; i < count; i++)
			job_events_no_steps(events, &keys[i]);
		outcome->is_round_done = wanting == count;
		poller->suspects -= poller->suspects > 0;
	} else {
		note_steps_failed(poller, keys, count);
	}
	outcome->records = count;
	buf_done(&text);
	taken_done(&taken);
}

void event_poller_poll(struct event_poller *poller, const struct plan_action *action, struct plan_outcome *outcome)
{
	if (action->task == TASK_JOB_ENDS)
		poll_ends(poller, outcome);
	else
		poll_steps(poller, action->records, outcome);
	outcome->task = action->task;
	outcome->way = action->way;
	poller->is_changed = true;
}

/* Before a page */

bool event_poller_claim(struct event_poller *poller)
{
	bool is_ours = recorder_claim(&poller->recorder, poller->asker->cluster->name);
	if (!is_ours)
		poller->has_windows = false; /* they begin anew with the events */
	return is_ours;
}

void event_poller_record(struct event_poller *poller, int64_t as_of)
{
	const struct job_table *table = poller->asker->cluster->job_table;
	if (as_of && (as_of != poller->as_of || table->changes != poller->table_changes)) {
		job_events_look(poller->recorder.events, table, as_of);
		poller->is_changed = true;
	}
	poller->as_of = as_of;
	poller->table_changes = table->changes;
	tallies_show(&poller->recorder.events->tallies, poller->asker->cluster->rosters);
	if (!poller->is_changed && !poller->recorder.is_failing)
		return;
	poller->is_changed = false;
	const struct job_events *before = poller->recorder.events;
	recorder_write(&poller->recorder, poller->asker->cluster->name);
	if (poller->recorder.events != before)
		poller->has_windows = false; /* the state file had other events: their windows begin anew */
}
