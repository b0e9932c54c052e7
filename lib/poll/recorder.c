#include "poll/recorder.h"

#include "base/clock.h"
#include "base/log.h"
#include "events/events_record.h"

enum { TRY_EVERY_S = 10 };

/* Where to put what the file holds. */
struct loading {
	struct job_events *events;
	struct job_keeper *jobs; /* NULL: no jobs are wanted */
};

static void restore_counter(const struct store_counter *row, void *context)
{
	const struct loading *loading = context;
	const struct events_counter counter = {row->kind, row->name, row->what, row->detail, row->value};
	events_restore_counter(loading->events, &counter);
}

static void restore_run(const struct store_run *row, void *context)
{
	const struct loading *loading = context;
	const struct events_run run = {
		.run = {.key = {(uint32_t)row->id, row->task < 0 ? RUN_NO_TASK : (uint32_t)row->task, row->submit_time},
			.raw_id = (uint32_t)row->raw_id,
			.bits = (uint32_t)row->bits,
			.tasks = row->tasks,
			.cpus = row->cpus,
			.memory = row->memory,
			.began = row->began,
			.ran_before = row->ran_before,
			.counted = row->counted,
			.end_time = row->end_time,
			.gone_since = row->gone_since,
			.size_since = row->size_since,
			.forecast = row->forecast},
		.owner = {row->account, row->user, row->partitions, row->qos, row->group_values},
		.tres = row->tres,
	};
	events_restore_run(loading->events, &run);
}

static void restore_ended(const struct store_ended *row, void *context)
{
	const struct loading *loading = context;
	const struct ended_record record = {
		.end =
			{
				.raw_id = (uint32_t)row->raw_id,
				.array_job_id = (uint32_t)row->array_job_id,
				.array_task_id = row->array_task_id < 0 ? UINT32_MAX : (uint32_t)row->array_task_id,
				.submit_time = row->submit_time,
				.eligible_time = row->eligible_time,
				.start_time = row->start_time,
				.end_time = row->end_time,
				.run_seconds = row->run_seconds,
				.time_limit = row->time_limit,
				.cpus = row->cpus,
				.memory = row->memory,
				.nodes = row->nodes,
				.exit_code = row->exit_code,
				.exit_signal = row->exit_signal,
				.peak_memory = row->peak_memory,
				.energy = row->energy,
				.used_cpu_seconds = row->used_cpu_seconds,
			},
		.owner = {row->account, row->user, row->partitions, row->qos, TEXT("")},
		.tres = row->tres,
		.name = row->name,
		.sluid = row->sluid,
		.state = row->state,
		.failed_node = row->failed_node,
	};
	events_restore_ended(loading->events, &record);
}

static void restore_mark(struct text name, int64_t value, void *context)
{
	const struct loading *loading = context;
	events_restore_mark(loading->events, name, value);
	if (loading->jobs)
		job_keeper_take_mark(loading->jobs, name, value);
}

static void restore_job(const struct store_job *row, void *context)
{
	const struct loading *loading = context;
	if (loading->jobs)
		job_keeper_take(loading->jobs, row);
}

static void restore_outage(const struct store_outage *row, void *context)
{
	const struct loading *loading = context;
	const struct outage outage = {
		.node = row->node,
		.began = row->began,
		.since = row->since,
		.kind = outage_kind_named(row->kind),
		.worst = outage_kind_named(row->worst),
		.cause = row->cause,
		.cpus = row->cpus,
		.memory = row->memory,
		.gpus = row->gpus,
	};
	events_restore_outage(loading->events, &outage);
}

static struct store_counter row_of(const struct events_counter *counter)
{
	return (struct store_counter){counter->kind, counter->name, counter->what, counter->detail, counter->value};
}

static void put_counter(void *store, const struct events_counter *counter)
{
	const struct store_counter row = row_of(counter);
	store_put_counter(store, &row);
}

static void remove_counter(void *store, const struct events_counter *counter)
{
	const struct store_counter row = row_of(counter);
	store_remove_counter(store, &row);
}

static int64_t task_of(const struct run_key *key)
{
	return key->task == RUN_NO_TASK ? -1 : (int64_t)key->task;
}

static void put_run(void *store, const struct events_run *row)
{
	const struct run *run = &row->run;
	const struct store_run stored = {
		.id = run->key.id,
		.task = task_of(&run->key),
		.submit_time = run->key.submit_time,
		.raw_id = run->raw_id,
		.bits = run->bits,
		.tasks = run->tasks,
		.cpus = run->cpus,
		.memory = run->memory,
		.began = run->began,
		.ran_before = run->ran_before,
		.counted = run->counted,
		.end_time = run->end_time,
		.gone_since = run->gone_since,
		.size_since = run->size_since,
		.forecast = run->forecast,
		.tres = row->tres,
		.account = row->owner.account,
		.user = row->owner.user,
		.partitions = row->owner.partitions,
		.qos = row->owner.qos,
		.group_values = row->owner.values,
	};
	store_put_run(store, &stored);
}

static void remove_run(void *store, const struct run_key *key)
{
	const struct store_run row = {.id = key->id, .task = task_of(key), .submit_time = key->submit_time};
	store_remove_run(store, &row);
}

static void put_ended(void *store, const struct ended_record *record)
{
	const struct recent_end *end = &record->end;
	const struct store_ended stored = {
		.raw_id = end->raw_id,
		.array_job_id = end->array_job_id,
		.array_task_id = end->array_task_id == UINT32_MAX ? -1 : (int64_t)end->array_task_id,
		.submit_time = end->submit_time,
		.eligible_time = end->eligible_time,
		.start_time = end->start_time,
		.end_time = end->end_time,
		.run_seconds = end->run_seconds,
		.time_limit = end->time_limit,
		.cpus = end->cpus,
		.memory = end->memory,
		.nodes = end->nodes,
		.exit_code = end->exit_code,
		.exit_signal = end->exit_signal,
		.peak_memory = end->peak_memory,
		.energy = end->energy,
		.used_cpu_seconds = end->used_cpu_seconds,
		.state = record->state,
		.name = record->name,
		.sluid = record->sluid,
		.failed_node = record->failed_node,
		.tres = record->tres,
		.account = record->owner.account,
		.user = record->owner.user,
		.partitions = record->owner.partitions,
		.qos = record->owner.qos,
	};
	store_put_ended(store, &stored);
}

static void remove_ended(void *store, uint32_t raw_id)
{
	store_remove_ended(store, raw_id);
}

static void put_outage(void *store, const struct outage *outage)
{
	const struct store_outage stored = {
		.node = outage->node,
		.began = outage->began,
		.since = outage->since,
		.kind = text_of(outage_kind_names[outage->kind]),
		.worst = text_of(outage_kind_names[outage->worst]),
		.cause = outage->cause,
		.cpus = outage->cpus,
		.memory = outage->memory,
		.gpus = outage->gpus,
	};
	store_put_outage(store, &stored);
}

static void remove_outage(void *store, struct text node)
{
	store_remove_outage(store, node);
}

static void put_mark(void *store, const char *name, int64_t value)
{
	store_put_mark(store, name, value);
}

/* Logs a failure once, and once when it is over. */
static void note(struct recorder *recorder, bool is_failing, const struct error *err)
{
	recorder->errors += is_failing;
	if (is_failing)
		recorder->error = *err;
	if (is_failing && !recorder->is_failing)
		log_line(LOG_LEVEL_ERROR,
			 recorder->is_hidden
				 ? "slurmscope cannot read the state file: until it can, the page has no counters of "
				   "job events"
				 : "slurmscope cannot write the state file: it goes on counting in memory, and would "
				   "lose those counts at its end",
			 "error", err->text, NULL);
	if (!is_failing && recorder->is_failing)
		log_line(LOG_LEVEL_INFO, "slurmscope writes the state file again", NULL);
	recorder->is_failing = is_failing;
}

static void replace_events(struct recorder *recorder, struct job_events *events)
{
	events->steps_max = recorder->events->steps_max;
	recent_ends_limit(&events->recent, recorder->events->recent.max, recorder->events->recent.keep_s);
	events->ends_by_slurmdbd = recorder->events->ends_by_slurmdbd;
	job_events_free(recorder->events);
	recorder->events = events;
}

/* Logs that the earlier leader brought a copy here (deploy/ha). */
static void say_copy(const struct recorder *recorder)
{
	struct error story;
	enum store_copy copy = store_copy(recorder->store, &story);
	if (copy == STORE_COPY_TAKEN)
		log_line(LOG_LEVEL_INFO,
			 "the copy of the other slurmscope's state was newer, and replaced the state file", NULL);
	else if (copy == STORE_COPY_REFUSED)
		log_line(LOG_LEVEL_ERROR,
			 "the copy of the other slurmscope's state cannot be used: this slurmscope goes on with its "
			 "own, which is older",
			 "error", story.text, NULL);
}

/* Is what the file holds an earlier state of what this process counted? Both have the same birth, and this process
 * counted on without being able to write. */
static bool is_older(const struct job_events *found, const struct recorder *recorder)
{
	const struct job_events *events = recorder->events;
	return recorder->goes_on && found->birth == events->birth && found->looked_until <= events->looked_until;
}

/* True: it found events and took them. It takes jobs of the file only while no jobs are known. */
static bool load(struct recorder *recorder, bool is_start)
{
	static const struct store_visitor visitor = {restore_counter, restore_run,   restore_mark,
						     restore_job,     restore_ended, restore_outage};
	struct error err = {""};
	int64_t now = clock_now_s();
	struct job_events *found = job_events_new(recorder->caps, recorder->vocabulary, now);
	struct loading loading = {found, is_start ? recorder->jobs : NULL};
	enum store_found result = store_load(recorder->store, &visitor, &loading, &err);
	if (loading.jobs && result != STORE_LOADED)
		job_keeper_forget(loading.jobs);
	recorder->is_loaded = result != STORE_UNUSABLE;
	say_copy(recorder);
	recorder->is_hidden = !recorder->is_loaded && !recorder->goes_on && store_may_have_content(recorder->store);
	note(recorder, result == STORE_UNUSABLE, &err);
	if (result == STORE_SET_ASIDE) {
		recorder->errors++;
		recorder->error = err;
		log_line(LOG_LEVEL_ERROR,
			 "the state file cannot be used and was set aside: counters of job events begin at 0", "error",
			 err.text, NULL);
	}
	if (result == STORE_REMOVED)
		log_line(
			LOG_LEVEL_WARN,
			"the state file was removed, because it must not keep names that are hashed otherwise: counters of job "
			"events begin at 0",
			"reason", err.text, NULL);
	bool is_taken = result == STORE_LOADED && !is_older(found, recorder);
	if (is_taken) {
		events_restored(found, now);
		if (found->has_old_groups)
			store_want_all(recorder->store); /* they must not come back with what they were */
		replace_events(recorder, found);
	} else {
		job_events_free(found);
		store_want_all(recorder->store);
	}
	return is_taken;
}

void recorder_init(struct recorder *recorder, const char *path, const char *names, bool is_shared,
		   const struct caps *caps, const struct vocabulary *vocabulary, struct job_events *events,
		   struct job_keeper *jobs)
{
	*recorder = (struct recorder){.caps = caps, .vocabulary = vocabulary, .goes_on = events, .jobs = jobs};
	recorder->events = events ? events : job_events_new(caps, vocabulary, clock_now_s());
	if (!path)
		return;
	recorder->store = store_new(path, "");
	store_set_names(recorder->store, names);
	if (is_shared)
		store_share(recorder->store);
	if (!load(recorder, true) && recorder->is_loaded)
		recorder_write(recorder, ""); /* counting has begun, even if we are killed before any event */
}

bool recorder_claim(struct recorder *recorder, const char *cluster)
{
	struct error err = {""};
	if (!recorder->store || recorder->is_claimed || !*cluster || !recorder->is_loaded)
		return true;
	recorder->is_claimed = true;
	if (store_claim(recorder->store, cluster, &err))
		return true;
	recorder->errors++;
	recorder->error = err;
	log_line(LOG_LEVEL_ERROR, "the state file cannot be used and was set aside: counters of job events begin at 0",
		 "error", err.text, NULL);
	replace_events(recorder, job_events_new(recorder->caps, recorder->vocabulary, clock_now_s()));
	return false;
}

static bool commit(struct recorder *recorder)
{
	static const struct events_writer writer = {put_counter,  remove_counter, put_run,    remove_run,   put_ended,
						    remove_ended, put_mark,	  put_outage, remove_outage};
	struct error err = {""};
	enum store_wants wants = store_begin(recorder->store, &err);
	if (wants != STORE_WANTS_NOTHING) {
		events_write(recorder->events, wants == STORE_WANTS_ALL, &writer, recorder->store);
		if (recorder->jobs)
			job_keeper_write(recorder->jobs, recorder->store, wants == STORE_WANTS_ALL);
	}
	bool is_safe = wants != STORE_WANTS_NOTHING && store_commit(recorder->store, &err);
	if (recorder->jobs)
		job_keeper_note(recorder->jobs, is_safe);
	note(recorder, !is_safe, &err);
	if (!is_safe) { /* the next store_begin writes everything */
		recorder->events->runs.removed_count = recorder->events->recent.removed_count = 0;
		tallies_stored(&recorder->events->tallies);
		outages_forget_over(&recorder->events->outages);
	}
	return is_safe;
}

void recorder_write(struct recorder *recorder, const char *cluster)
{
	int64_t now = clock_now_s();
	bool is_kept = recorder->store != NULL;
	if (is_kept && recorder->is_failing && now < recorder->next_try)
		return;
	recorder->next_try = now + TRY_EVERY_S;
	if (is_kept && !recorder->is_loaded)
		load(recorder, false);
	recorder_claim(recorder, cluster);
	if (is_kept && (!recorder->is_loaded || !commit(recorder)))
		return;
	if (is_kept)
		recorder->last_commit = clock_now();
	events_stored(recorder->events);
}

bool recorder_is_elsewhere(const struct recorder *recorder)
{
	return recorder->is_failing && store_is_elsewhere(recorder->store);
}

void recorder_done(struct recorder *recorder)
{
	job_events_free(recorder->events);
	store_free(recorder->store);
}
