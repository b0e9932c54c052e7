/* What the job table shows of live jobs and, without slurmdbd, of jobs that ended. */
#include "events/count.h"

#include "base/memory.h"
#include "jobs/each_job.h"

#include <stdlib.h>

enum {
	/* Without slurmdbd a run is kept this long after its end. slurmdbd may take over and report the end again. */
	KEPT_S = 600,
	/* The event poller waits for ten seconds after a job was last seen completing; this must be longer. */
	COMPLETING_KEPT_S = 60,
	/* The details of an array's rest may come this long after those of its tasks. */
	SPLIT_KEPT_S = 3600,
};

static bool has_flag(const struct job_row *row, enum job_flag flag)
{
	return row->flags >> flag & 1;
}

static bool is_rest(const struct job_row *row)
{
	return row->bits & ROW_IS_UNSPLIT;
}

static struct run_key key_of(const struct job_row *row)
{
	return (struct run_key){.id = row->array_job_id ? row->array_job_id : row->id,
				.task = row->array_task_id,
				.submit_time = (int64_t)row->submit_time};
}

static bool is_same_owner(const struct job_owner *a, const struct job_owner *b)
{
	return text_equal(a->account, b->account) && text_equal(a->user, b->user) &&
	       text_equal(a->partitions, b->partitions) && text_equal(a->qos, b->qos) &&
	       text_equal(a->values, b->values);
}

static void hold_what_it_has(struct job_events *events, struct run *run, const struct job_table *table,
			     const struct job_row *row, const struct job_owner *owner)
{
	const struct job_owner known = owners_get(&events->owners, run->owner);
	struct text tres = text_pool_get(&table->pools.texts, row->tres);
	run->row = (uint32_t)(row - table->rows) + 1;
	if (row->cpus == run->cpus && row->memory == run->memory && row->id == run->raw_id &&
	    is_same_owner(&known, owner) && text_equal(text_pool_get(&events->texts, run->tres), tres))
		return;
	uint32_t owner_before = run->owner, tres_before = run->tres;
	if (run->began && (row->cpus != run->cpus || row->memory != run->memory))
		run->size_since = counted_until(run);
	run->owner = owners_hold(&events->owners, owner);
	run->tres = text_pool_hold(&events->texts, tres);
	owners_release(&events->owners, owner_before);
	text_pool_release(&events->texts, tres_before);
	run->raw_id = row->id;
	run->cpus = row->cpus;
	run->memory = row->memory;
	run->bits |= RUN_IS_CHANGED;
}

/* Users plan by the first forecast. Later ones come ever nearer to the start. */
static void note_forecast(struct run *run, const struct job_row *row)
{
	uint64_t forecast = each_job_forecast(row);
	if (run->forecast || !forecast || forecast > UINT32_MAX)
		return;
	run->forecast = (int64_t)forecast;
	run->bits |= RUN_IS_CHANGED;
}

/* While a job's nodes boot (CONFIGURING) it is not counted as started: Slurm moves its start time when they have booted. */
static void look_at_start(struct job_events *events, struct run *run, const struct job_row *row)
{
	int64_t start = (int64_t)row->start_time;
	if (row->state == JOB_PENDING || has_flag(row, JOB_FLAG_CONFIGURING) || !number_is_known(row->start_time) ||
	    !start)
		return;
	if (!(run->bits & RUN_STARTED))
		count_start(events, run, start, row->eligible_time, row->nodes);
	const struct run_time time = {.start = start,
				      .since = row->suspend_time ? row->suspend_time : start,
				      .ran_before = row->suspend_time ? row->ran_before : 0,
				      .runs = row->state == JOB_RUNNING};
	count_begin(events, run, &time);
}

/* When Slurm reported the number of tasks in the rest. */
static int64_t counted_at(const struct job_row *rest)
{
	return rest->bits & ROW_IS_COUNTED ? rest->seen_time : rest->details_time;
}

/* A number from before tasks were seen by themselves may include them. Then the rest is counted when Slurm reports a
 * new number. */
static void look_at_rest(struct job_events *events, struct run *run, const struct job_row *row)
{
	bool is_known = !(row->bits & ROW_IS_CUT) || row->bits & ROW_IS_COUNTED;
	int64_t split = id_map_find(&events->split, run->key.id);
	run->bits |= RUN_IS_REST;
	if (split > run->began) {
		run->began = split;
		run->bits |= RUN_IS_CHANGED;
	}
	if (is_known && counted_at(row) > run->began)
		count_rest(events, run, row->tasks);
}

/* May it still start in another cluster? A federation's job waits in several. Where it starts it was submitted; the others
 * revoke it. Only arrays are one cluster's alone. */
static bool may_start_elsewhere(const struct job_row *row)
{
	return row->state == JOB_PENDING && job_origin(row->id) && !row->array_job_id;
}

static void look_at_live(struct job_events *events, const struct job_table *table, const struct job_row *row)
{
	const struct run_key key = key_of(row);
	const struct job_owner owner = owners_get(&table->pools.groups, row->group);
	struct run *run = runs_find(&events->runs, &key);
	if (run ? run->bits & RUN_ENDED : may_start_elsewhere(row))
		return;
	if (!run)
		run = count_new_run(events, &key, row->id, &owner, text_pool_get(&table->pools.texts, row->named),
				    is_rest(row) ? 0 : 1, row->details_time);
	hold_what_it_has(events, run, table, row, &owner);
	if (is_rest(row)) {
		look_at_rest(events, run, row);
		return;
	}
	note_forecast(run, row);
	look_at_start(events, run, row);
}

/* Does the end come from the job table? With slurmdbd, only that of a run that slurmdbd is not asked for again. A job
 * that was killed while it was suspended ended when it was suspended (slurmctld: job_mgr.c), which may be long ago. */
static bool tells_end(const struct job_events *events, const struct job_row *row)
{
	const struct run_key key = key_of(row);
	if (!events->ends_by_slurmdbd)
		return true;
	return row->end_time < events->ends_known_until && runs_find(&events->runs, &key);
}

/* A job that was cancelled while it waited has a start time in Slurm, too, but no nodes: it has not started. */
static void look_at_ended(struct job_events *events, const struct job_table *table, const struct job_row *row)
{
	struct text nodes = text_pool_get(&table->pools.texts, row->node_list);
	bool has_started = nodes.len && number_is_known(row->start_time);
	int64_t start = has_started ? (int64_t)row->start_time : 0, end = row->end_time;
	static const struct job_extra unknown = {.exit_code = NUMBER_UNSET, .exit_signal = NUMBER_UNSET};
	const struct job_extra *extra = job_extras_find(&table->extras, row->id);
	if (!extra)
		extra = &unknown;
	const struct job_end how = {
		.raw_id = row->id,
		.key = key_of(row),
		.tasks = is_rest(row) ? row->tasks : 1,
		.array_job_id = row->array_job_id,
		.name = extra->name,
		.sluid = extra->sluid,
		.owner = owners_get(&table->pools.groups, row->group),
		.named = text_pool_get(&table->pools.texts, row->named),
		.state = text_of(events->vocabulary->job_states.name[row->state]),
		.eligible_time = row->eligible_time,
		.start_time = start,
		.end_time = end,
		.run_seconds = row->suspend_time ? row->ran_before + end - row->suspend_time : end - start,
		.time_limit = row->time_limit,
		.cpus = row->cpus,
		.memory = row->memory,
		.nodes = row->nodes,
		.tres = text_pool_get(&table->pools.texts, row->tres),
		.node_list = nodes,
		.failed_node = extra->failed_node,
		.exit = row->exit,
		.exit_code = extra->exit_code,
		.exit_signal = extra->exit_signal,
	};
	if (end)
		job_events_take_end(events, &how);
}

/* Is the row to be looked at? A row whose details are not newer than the last look says nothing new. A job that has
 * ended and a rest are exceptions: both change without new details, when COMPLETING goes or tasks are split off. */
static bool is_news(const struct job_events *events, const struct job_row *row)
{
	bool is_new = row->details_time >= events->looked_at || is_rest(row) || !job_state_is_live(row->state);
	return is_new && job_row_is_used(row) &&
	       (row->bits & (ROW_HAS_DETAILS | ROW_WANTS_DETAILS | ROW_IS_LENT)) == ROW_HAS_DETAILS &&
	       row->submit_time && !has_flag(row, JOB_FLAG_REVOKED);
}

static void look_at_row(struct job_events *events, const struct job_table *table, const struct job_row *row)
{
	if (job_state_is_live(row->state))
		look_at_live(events, table, row);
	else if (has_flag(row, JOB_FLAG_COMPLETING))
		id_map_set(&events->completing, row->id, (uint32_t)table->now);
	else if (tells_end(events, row))
		look_at_ended(events, table, row);
}

/* Of times by ID: those before `since` go. */
static void forget_times(struct id_map *times, int64_t since)
{
	struct id_map kept = {.count = 0};
	for (size_t i = 0; i < times->slot_count; i++) {
		const struct id_slot *slot = &times->slots[i];
		if (slot->value && slot->value >= since && slot->value != UINT32_MAX)
			id_map_set(&kept, slot->id, slot->value);
	}
	id_map_done(times);
	*times = kept;
}

int64_t job_events_completing(const struct job_events *events, uint32_t raw_id)
{
	return id_map_find(&events->completing, raw_id);
}

/* Did the job start without its start being counted yet? Of one that is COMPLETING it may have been. */
static bool is_start_awaited(const struct job_row *row)
{
	enum { STARTS = 1 << JOB_FLAG_CONFIGURING | 1 << JOB_FLAG_COMPLETING };
	bool is_told = (row->bits & (ROW_HAS_DETAILS | ROW_WANTS_DETAILS | ROW_IS_LENT)) == ROW_HAS_DETAILS;
	return job_row_is_used(row) && row->state != JOB_PENDING && (!is_told || row->flags & STARTS);
}

/* A job that waited when it was seen last, and has gone, may have started. It is lost on its own (job_events_lose). */
static void find_unseen(struct job_events *events, const struct job_table *table, int64_t until)
{
	uint64_t waiting = 0;
	if (!unseen_starts_may_find(&events->unseen, until))
		return;
	for (size_t i = 0; i < table->position_count; i++)
		waiting += is_start_awaited(&table->rows[i]);
	for (size_t i = 0; i < events->runs.count; i++) {
		const struct run *run = &events->runs.items[i];
		if (run->is_used && run->gone_since && !(run->bits & RUN_STARTED))
			waiting += run->tasks ? run->tasks : 1;
	}
	events->lost += (double)unseen_starts_find(&events->unseen, until, waiting);
}

/* Rests of arrays come after all tasks: of a rest that is new, tasks that are split already must not be counted again. */
static void look_at_rows(struct job_events *events, const struct job_table *table)
{
	size_t *rests = NULL, count = 0, capacity = 0;
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (!is_news(events, row))
			continue;
		if (!is_rest(row)) {
			look_at_row(events, table, row);
			continue;
		}
		GROW(rests, count, capacity);
		rests[count++] = i;
	}
	for (size_t i = 0; i < count; i++)
		look_at_row(events, table, &table->rows[rests[i]]);
	free(rests);
	forget_times(&events->split, table->now - SPLIT_KEPT_S);
}

/* Is the row this run's? The ID alone does not show that. A requeue is another run with the same ID, and so is an
 * array's last task, which takes over the record of the rest. */
static bool is_of(const struct job_row *row, const struct run *run)
{
	return !(row->bits & ROW_HAS_DETAILS) ||
	       ((int64_t)row->submit_time == run->key.submit_time && row->array_task_id == run->key.task);
}

/* Most rows are where they were: then no look into a map is needed. */
static const struct job_row *row_of(struct run *run, const struct job_table *table)
{
	const struct job_row *row = run->row && run->row <= table->position_count ? &table->rows[run->row - 1] : NULL;
	if (row && job_row_is_used(row) && row->id == run->raw_id)
		return row;
	row = job_table_row(table, run->raw_id);
	run->row = row ? (uint32_t)(row - table->rows) + 1 : 0;
	return row;
}

/* No time is counted while details are awaited: the row may be another run, or have been suspended meanwhile. */
static void look_at_run(struct job_events *events, struct run *run, const struct job_row *row, int64_t until)
{
	bool is_there = row && is_of(row, run);
	bool runs = is_there && row->state == JOB_RUNNING && !(row->bits & ROW_WANTS_DETAILS);
	int64_t gone_since = is_there ? 0 : run->gone_since ? run->gone_since : until;
	if (run->bits & RUN_RUNS && runs) {
		count_until(events, run, until);
	} else if (run->bits & RUN_RUNS) {
		run->bits &= ~(uint32_t)RUN_RUNS;
		run->bits |= RUN_IS_CHANGED;
	}
	run->bits |= gone_since != run->gone_since ? RUN_IS_CHANGED : 0;
	run->gone_since = gone_since;
}

/* Ends a run that has gone, without slurmdbd. If the job has a row with another submit time, it was requeued. Otherwise
 * its end stays unknown, unless slurmdbd takes over within KEPT_S. */
static void end_gone(struct job_events *events, struct run *run, const struct job_row *row, int64_t until)
{
	if (run->tasks && until < run->gone_since + JOB_EVENTS_GIVE_UP_S)
		return; /* its last tasks may have rows that wait for their details */
	if (run->bits & RUN_ENDED && !run->tasks) {
		if (count_may_be_forgotten(events, run->end_time))
			job_events_forget(events, run);
		return;
	}
	if (!row || !(run->bits & RUN_STARTED)) {
		if (count_may_be_forgotten(events, run->gone_since))
			job_events_lose(events, run);
		return;
	}
	const struct job_end how = {
		.raw_id = run->raw_id,
		.key = run->key,
		.tasks = 1,
		.owner = owners_get(&events->owners, run->owner),
		.state = TEXT("requeued"),
		.end_time = (int64_t)row->submit_time,
		.time_limit = NUMBER_UNSET,
	};
	count_end(events, run, &how);
}

static void look_at_runs(struct job_events *events, const struct job_table *table, int64_t until)
{
	if (!events->ends_by_slurmdbd)
		count_ends_seen(events, until - KEPT_S);
	for (size_t i = 0; i < events->runs.count; i++) {
		struct run *run = &events->runs.items[i];
		if (!run->is_used)
			continue;
		const struct job_row *row = row_of(run, table);
		look_at_run(events, run, row, until);
		bool is_split = run->bits & RUN_IS_REST && !run->tasks;
		if (run->gone_since && is_split && !(run->bits & RUN_ENDED))
			job_events_forget(events, run); /* its last task was split from it */
		else if (run->gone_since && !events->ends_by_slurmdbd)
			end_gone(events, run, row, until);
	}
}

void job_events_look(struct job_events *events, const struct job_table *table, int64_t until)
{
	if (table->now < events->looked_at)
		events->looked_at = 0; /* the clock was set back: all rows are new; the counts stay */
	forget_times(&events->completing, table->now - COMPLETING_KEPT_S);
	look_at_rows(events, table);
	look_at_runs(events, table, until);
	find_unseen(events, table, until);
	if (until > events->looked_until)
		events->looked_until = until;
	events->looked_at = table->now;
}
