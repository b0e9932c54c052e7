#include "poll/event_poller.h"

#include "base/clock.h"
#include "base/log.h"
#include "poll/event_ends.h"
#include "poll/event_steps.h"
#include "poll/told_runs.h"

enum {
	/* If slurmdbd never answered for this long, there is none. It must be shorter than MinJobAge (300 s by default), after
	 * which slurmctld forgets how jobs ended. */
	SLURMDBD_GIVE_UP_S = 120,
	/* slurmdbd is gone if it has not answered for this long, or if this many runs wait for their ends from it. */
	SLURMDBD_GONE_S = 4 * 3600,
	RUNS_WAIT_MAX = 100000,
	LOOKED_S = 600, /* slurmrestd works if we looked at jobs within this time */
	CLOCK_JITTER_S = 10,
};

static void limit_rows(struct event_poller *poller)
{
	const struct config *config = poller->asker->config;
	recent_ends_limit(&poller->recorder.events->recent, config->job_ended_rows,
			  (int64_t)config->job_ended_minutes * 60);
}

/* The state file's runs show where Slurm gave IDs last. */
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
	recorder_init(&poller->recorder, asker->config->state_path, name_hash_mark(asker->hash),
		      asker->config->ha != HA_OFF, &asker->cluster->caps, &asker->cluster->vocabulary, before,
		      &poller->jobs);
	limit_rows(poller);
	note_newest(poller);
}

void event_poller_done(struct event_poller *poller)
{
	recorder_done(&poller->recorder);
	late_ends_done(&poller->late);
	job_keeper_done(&poller->jobs);
}

/* Who reports ends */

static void begin_windows(struct event_poller *poller)
{
	const struct job_events *events = poller->recorder.events;
	end_windows_init(&poller->windows, events->ends_known_until);
	end_windows_init(&poller->requeued, events->ends_known_until);
	late_ends_done(&poller->late); /* windows bring them again */
	poller->ends_known_until = events->ends_known_until;
	poller->next_requeued = 0;
	poller->has_windows = true;
}

static bool is_slurmdbd_gone(const struct event_poller *poller)
{
	const struct job_events *events = poller->recorder.events;
	int64_t since = poller->told_at > poller->began ? poller->told_at : poller->began;
	bool is_well = events->looked_at && events->looked_until + LOOKED_S > asker_now_s(poller->asker);
	uint64_t rows = job_table_counts(poller->asker->cluster->job_table).rows;
	bool are_many = poller->told_at + LOOKED_S < clock_now_s() &&
			events->runs.used > rows + events->steps.count + RUNS_WAIT_MAX;
	return is_well && (clock_now_s() > since + SLURMDBD_GONE_S || are_many);
}

static void leave_slurmdbd(struct event_poller *poller)
{
	struct job_events *events = poller->recorder.events;
	job_events_leave_slurmdbd(events, events->looked_until);
	log_line(LOG_LEVEL_WARN,
		 "slurmdbd has not reported ends of jobs for hours: slurmscope now counts ends from slurmctld. It "
		 "counts the earlier ones if slurmdbd comes back within a week",
		 NULL);
}

/* If slurmdbd does not answer for a while after the start, or later for hours, ends come from slurmctld. slurmdbd may
 * take over at any time. Its windows then begin where runs that slurmctld ended are forgotten. */
static void choose_source(struct event_poller *poller)
{
	struct job_events *events = poller->recorder.events;
	const struct config *config = poller->asker->config;
	bool is_awaited = clock_now_s() < poller->began + SLURMDBD_GIVE_UP_S;
	if (config->jobs_ends == JOBS_ENDS_AUTO && events->slurmdbd_told && is_slurmdbd_gone(poller))
		leave_slurmdbd(poller);
	bool by_slurmdbd = config->jobs_ends == JOBS_ENDS_AUTO ? events->slurmdbd_told || is_awaited
							       : config->jobs_ends == JOBS_ENDS_SLURMDBD;
	if (by_slurmdbd && !events->ends_by_slurmdbd && events->told.until)
		log_line(LOG_LEVEL_INFO, "slurmdbd reports ends of jobs again", NULL);
	if (!poller->has_windows || !events->ends_by_slurmdbd) /* slurmdbd may take over at any time */
		begin_windows(poller);
	events->ends_by_slurmdbd = by_slurmdbd;
	limit_rows(poller);
	events->steps_max = by_slurmdbd && config->jobs_steps == JOBS_STEPS_READ ? config->steps_waiting_max : 0;
	if (!by_slurmdbd)
		poller->ends_known_until = events->looked_at ? events->looked_until : 0;
}

/* Until slurmctld has answered, the time is ours. */
static void note_clock(struct event_poller *poller)
{
	struct job_events *events = poller->recorder.events;
	int64_t now = asker_now_s(poller->asker), back = now + CLOCK_JITTER_S;
	bool is_known = poller->asker->cluster->scheduler.is_known;
	if (is_known && (back < poller->latest || back < events->ends_known_until || back < events->looked_until)) {
		log_line(LOG_LEVEL_WARN,
			 "slurmctld's clock was set back: slurmscope reads ends of jobs again from that time on", NULL);
		job_events_set_back(events, now);
		poller->has_windows = false;
	}
	poller->latest = is_known ? now : 0;
}

/* Diag's answer may be minutes old, so its own time goes with it. */
static void note_queue(struct event_poller *poller)
{
	const struct asker *asker = poller->asker;
	const struct scheduler_section *scheduler = &asker->cluster->scheduler;
	int64_t then = asker_time_s(asker, asker->exporter->endpoints[ENDPOINT_DIAG].last_success);
	uint64_t waiting = (uint64_t)told_time(scheduler->diag.dbd_queue);
	if (!scheduler->is_known || then > asker_now_s(asker))
		return; /* it may be of a clock that was set back since */
	end_windows_note_queue(&poller->windows, then, waiting);
	end_windows_note_queue(&poller->requeued, then, waiting);
}

static void note_starts(struct event_poller *poller)
{
	const struct scheduler_section *scheduler = &poller->asker->cluster->scheduler;
	const struct diag *diag = &scheduler->diag;
	bool is_told = number_is_known(diag->jobs_started) && number_is_known(diag->reset_time);
	const struct starts_told told = {is_told ? (int64_t)diag->reset_time : 0, told_time(diag->time),
					 is_told ? diag->jobs_started : 0};
	if (scheduler->is_known)
		job_events_note_starts(poller->recorder.events, &told);
}

void event_poller_update(struct event_poller *poller)
{
	const struct asker *asker = poller->asker;
	const struct job_events *events = poller->recorder.events;
	bool is_known = client_version(asker->client) != NULL;
	note_clock(poller);
	choose_source(poller);
	note_queue(poller);
	note_starts(poller);
	bool asks_slurmdbd = is_known && asker->config->jobs_ends != JOBS_ENDS_SLURMCTLD;
	plan_allow_task(poller->plan, TASK_JOB_ENDS, asks_slurmdbd);
	plan_allow_task(poller->plan, TASK_JOB_STEPS, asks_slurmdbd && events->steps_max);
	event_ends_hasten(poller);
	plan_set_whole(poller->plan, TASK_JOB_ENDS, poller->last_runs + 1);
	plan_set_work(poller->plan, TASK_JOB_ENDS, poller->last_runs + 1);
	plan_set_work(poller->plan, TASK_JOB_STEPS, event_steps_count(poller));
}

double event_poller_ends_known(const struct event_poller *poller)
{
	if (!poller->asker || !poller->ends_known_until)
		return 0;
	return (double)(clock_now_s() - (asker_now_s(poller->asker) - poller->ends_known_until));
}

/* Requests */

void event_poller_poll(struct event_poller *poller, const struct plan_action *action, struct plan_outcome *outcome)
{
	if (action->task == TASK_JOB_ENDS)
		event_ends_poll(poller, outcome);
	else
		event_steps_poll(poller, action->records, outcome);
	outcome->task = action->task;
	outcome->way = action->way;
	poller->is_changed = true;
}

/* Before a page */

bool event_poller_claim(struct event_poller *poller)
{
	bool is_ours = recorder_claim(&poller->recorder, poller->asker->cluster->name);
	if (!is_ours)
		poller->has_windows = false; /* they begin again with the events */
	return is_ours;
}

static void look_at_nodes(struct event_poller *poller)
{
	const struct cluster *cluster = poller->asker->cluster;
	struct outages *outages = &poller->recorder.events->outages;
	if (!cluster->nodes || cluster->nodes_as_of <= outages->looked_until)
		return;
	outages_look(outages, &cluster->nodes->table, &cluster->causes, cluster->nodes_as_of);
	poller->is_changed = true;
}

void event_poller_record(struct event_poller *poller, int64_t as_of)
{
	const struct job_table *table = poller->asker->cluster->job_table;
	if (poller->latest && as_of > poller->latest)
		as_of = poller->latest; /* slurmctld's clock was set back since */
	if (as_of && (as_of != poller->as_of || table->changes != poller->table_changes)) {
		job_events_look(poller->recorder.events, table, as_of);
		poller->is_changed = true;
	}
	look_at_nodes(poller);
	poller->as_of = as_of;
	poller->table_changes = table->changes;
	if (tallies_show(&poller->recorder.events->tallies, poller->asker->cluster->rosters))
		owners_forget_lists(&poller->recorder.events->owners);
	recent_ends_settle(&poller->recorder.events->recent, asker_now_s(poller->asker));
	if (!poller->is_changed && !poller->recorder.is_failing)
		return;
	poller->is_changed = false;
	const struct job_events *before = poller->recorder.events;
	recorder_write(&poller->recorder, poller->asker->cluster->name);
	if (poller->recorder.events != before)
		poller->has_windows = false; /* the state file had other events: their windows begin again */
}
