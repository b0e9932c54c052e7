#include "poll/job_poller.h"

#include "base/clock.h"
#include "discovery/job_reasons.h"
#include "model/number.h"

#include <math.h>

enum {
	LAST_ID_DEFAULT = 67043328, /* the default of MaxJobId in slurm.conf */
	SEARCH_PAUSE_MAX_S = 6 * 3600,
	SLURMDBD_PAUSE_S = 600, /* after slurmdbd failed: details come from slurmctld, at eight times the cost */
	COUNT_AGE_MAX_S = 5, /* of diag's count of submissions, when IDs are asked for that nobody knows */
};

void job_poller_init(struct job_poller *poller, struct asker *asker, struct plan *plan, struct plan_task tasks[TASKS])
{
	const struct config *config = asker->config;
	*poller = (struct job_poller){.cluster = asker->cluster,
				      .plan = plan,
				      .tasks = tasks,
				      .needs_all = true,
				      .search_pause_s = JOB_SEARCH_PAUSE_S};
	job_reader_init(&poller->reader, asker, config->first_job_id,
			config->max_job_id ? config->max_job_id : LAST_ID_DEFAULT);
}

void job_poller_done(struct job_poller *poller)
{
	job_reader_done(&poller->reader);
}

void job_poller_resume(struct job_poller *poller, double as_of, bool has_details)
{
	poller->unverified_as_of = as_of;
	poller->needs_all = false;
	poller->has_details = has_details;
	job_details_begin(&poller->reader.details, JOB_QUEUE_RESTS);
}

/* The jobs are as Slurm has them. From now on diag's count, and all sources of younger IDs, show whether some are
 * missing. */
static void note_verified(struct job_poller *poller)
{
	if (!poller->reader.rounds.is_unverified)
		return;
	job_rounds_verified(&poller->reader.rounds);
	poller->unverified_as_of = 0;
	poller->jobs_time = 0;
	poller->next_job_id = 0;
}

bool job_poller_is_complete(const struct job_poller *poller)
{
	return poller->has_states && poller->has_details;
}

bool job_poller_knows_reasons(const struct job_poller *poller)
{
	const struct job_totals *totals = poller->cluster->job_table->totals;
	const uint64_t *untold = map_find(&job_totals_cluster(totals)->reasons, TEXT("Unknown"));
	return job_poller_is_complete(poller) && (!untold || *untold <= poller->reader.details.untold);
}

static void renew(struct job_poller *poller, enum endpoint endpoint, size_t task)
{
	double interval_s = plan_show(poller->plan, clock_monotonic_ns(), task).interval_s;
	health_renew(poller->reader.asker->health, endpoint, interval_s, poller->round_began_ns);
}

/* Details are complete once we have asked for every job, even if some jobs changed since. */
static void note_details(struct job_poller *poller)
{
	poller->has_details |= poller->has_states && !job_details_are_lacking(&poller->reader.details);
}

/* The states of all jobs are known as of the start of the round. Queues new and changed jobs for their details. */
static void finish_states(struct job_poller *poller)
{
	double age_s = (double)(clock_monotonic_ns() - poller->round_began_ns) / 1e9;
	poller->reader.asker->exporter->endpoints[ENDPOINT_JOB_STATES].last_success = clock_now() - age_s;
	poller->round_ended_ns = clock_monotonic_ns();
	note_verified(poller);
	poller->has_states |= !poller->needs_all;
	poller->as_of = poller->has_states ? asker_now_s(poller->reader.asker) - (int64_t)ceil(age_s) : 0;
	renew(poller, ENDPOINT_JOB_STATES, TASK_JOB_STATES);
	if (!job_details_left(&poller->reader.details, JOB_QUEUE_ARRAYS))
		job_details_begin(&poller->reader.details, JOB_QUEUE_ARRAYS);
	if (job_details_begin(&poller->reader.details, JOB_QUEUE_WANTED))
		plan_hasten(poller->plan, TASK_JOB_DETAILS);
	note_details(poller);
}

static bool ask_states(struct job_poller *poller, const struct buf *query, struct plan_outcome *outcome)
{
	bool is_well = job_reader_states(&poller->reader, query, outcome);
	poller->was_told_states |= is_well;
	poller->refused_ns = is_well ? 0 : poller->refused_ns;
	return is_well;
}

static bool poll_states_list(struct job_poller *poller, struct plan_outcome *outcome)
{
	const struct buf no_query = BUF_INIT;
	poller->round_began_ns = clock_monotonic_ns();
	job_rounds_ask_whole(&poller->reader.rounds);
	if (!ask_states(poller, &no_query, outcome))
		return false;
	poller->needs_all = false;
	finish_states(poller);
	return true;
}

/* A round's progress counts the IDs that it asked for, but its cost depends on rows. An array's ID brings a row for
 * each of its tasks. An answer without rows teaches the planner nothing about costs. */
static void cover(struct plan_outcome *outcome, uint64_t asked)
{
	if (outcome->result == PLAN_OK && !outcome->records)
		outcome->result = PLAN_UNCHANGED;
	outcome->cost_records = outcome->records;
	outcome->records = asked;
}

static bool poll_sample(struct job_poller *poller, uint64_t id, struct plan_outcome *outcome);

/* Asks for the rest of a large array from before the start: its record says what is left of it, before the round. */
static bool poll_rest(struct job_poller *poller, uint64_t id, struct plan_outcome *outcome)
{
	struct job_details *details = &poller->reader.details;
	poll_sample(poller, id, outcome);
	if (outcome->result != PLAN_UNCHANGED)
		job_details_begin(details, JOB_QUEUE_RESTS);
	else if (id_map_find(&details->put_off, (uint32_t)id))
		job_rounds_doubt(&poller->reader.rounds, id);
	return false; /* the round begins after all of these */
}

/* Now and then a batch is lost, and the round asks for it again. Without that, only 13 % of rounds of 200 batches came
 * to their end when one batch in a hundred failed. But if two in a row are lost, the round's answers are too old by the
 * time that it goes on. */
static bool give_up(struct job_poller *poller)
{
	struct job_rounds *rounds = &poller->reader.rounds;
	bool is_second = plan_show(poller->plan, clock_monotonic_ns(), TASK_JOB_STATES).failures > 0;
	if (is_second && job_rounds_leave_frontiers(rounds))
		finish_states(poller); /* the states of all known jobs came */
	rounds->is_open &= !is_second;
	return is_second;
}

/* Does not cost what states do, so it teaches the planner nothing. */
static bool poll_count(struct job_poller *poller, struct plan_outcome *outcome)
{
	job_reader_count(&poller->reader, outcome);
	poller->counted_ns = clock_monotonic_ns();
	outcome->result = PLAN_UNCHANGED;
	outcome->records = 0;
	return false; /* the round goes on */
}

static bool poll_record(struct job_poller *poller, uint64_t id, struct plan_outcome *outcome)
{
	poll_sample(poller, id, outcome);
	if (outcome->result != PLAN_UNCHANGED) {
		job_rounds_forget(&poller->reader.rounds);
		return give_up(poller);
	}
	job_rounds_settle_record(&poller->reader.rounds);
	if (poller->reader.rounds.is_open)
		return false;
	finish_states(poller);
	return true;
}

static bool poll_states(struct job_poller *poller, uint64_t rows_max, struct plan_outcome *outcome)
{
	struct job_rounds *rounds = &poller->reader.rounds;
	uint64_t rest = rounds->is_open ? 0 : job_details_next(&poller->reader.details, JOB_QUEUE_RESTS);
	if (rest)
		return poll_rest(poller, rest, outcome);
	struct buf query = BUF_INIT;
	if (!rounds->is_open) {
		poller->round_began_ns = clock_monotonic_ns();
		job_rounds_begin(rounds);
	}
	if (clock_monotonic_ns() - poller->counted_ns > COUNT_AGE_MAX_S * UINT64_C(1000000000))
		job_rounds_doubt_count(rounds);
	if (job_rounds_await_count(rounds))
		return poll_count(poller, outcome);
	uint64_t record = job_rounds_next_record(rounds);
	if (record)
		return poll_record(poller, record, outcome);
	uint64_t rows = job_rounds_ask(rounds, rows_max, &query);
	bool is_well = !rows || ask_states(poller, &query, outcome);
	cover(outcome, rows);
	buf_done(&query);
	if (!is_well)
		return give_up(poller);
	if (!rounds->is_open)
		finish_states(poller);
	return !rounds->is_open;
}

/* Only a search without a result delays the next one, because it costs much. When every search did so, a second wave of
 * jobs behind a gap of IDs stayed unknown for ten minutes. */
static void put_off_search(struct job_poller *poller)
{
	poller->search_after_ns = clock_monotonic_ns() + (uint64_t)(poller->search_pause_s * 1e9);
	poller->search_pause_s = fmin(2 * poller->search_pause_s, SEARCH_PAUSE_MAX_S);
}

static void end_search(struct job_poller *poller)
{
	struct job_search *search = &poller->reader.rounds.search;
	poller->needs_all = false;
	if (job_search_has_failed(search, poller->cluster->job_table))
		put_off_search(poller);
	plan_hasten(poller->plan, TASK_JOB_STATES);
	if (poller->has_states)
		return;
	poller->reader.rounds.is_open = false;
	poller->round_began_ns = poller->search_began_ns; /* the first search brought the states of all */
	finish_states(poller);
}

/* A sample does not cost the same as states, so it teaches the planner nothing. */
static bool poll_sample(struct job_poller *poller, uint64_t id, struct plan_outcome *outcome)
{
	if (job_reader_job(&poller->reader, id, outcome))
		outcome->result = PLAN_UNCHANGED;
	outcome->records = 0;
	return false; /* the search goes on */
}

/* Slurm may be anywhere between its first and its last ID. A search from the first one on sent 54,000 requests without
 * success. So we first ask slurmdbd for jobs that ended lately, in ever longer windows, until one shows where Slurm is.
 * At this point we may not know whether slurmdbd is up. */
static const uint64_t newest_windows_s[] = {10, 60, 600, 3600, 24 * 3600, 7 * 24 * 3600};
enum { NEWEST_WINDOWS = sizeof newest_windows_s / sizeof *newest_windows_s };

static bool wants_newest(const struct job_poller *poller)
{
	return !job_frontiers_top(&poller->reader.rounds.frontiers) && poller->cluster->accounting_up != UP_NO &&
	       poller->newest_asked < NEWEST_WINDOWS;
}

/* If slurmdbd fails, the search goes on without it. The request teaches the planner nothing about the cost of a
 * search. */
static bool poll_newest(struct job_poller *poller, struct plan_outcome *outcome)
{
	uint64_t window_s = newest_windows_s[poller->newest_asked++];
	if (!job_reader_newest(&poller->reader, window_s, outcome))
		poller->newest_asked = NEWEST_WINDOWS;
	outcome->result = PLAN_UNCHANGED;
	outcome->records = 0;
	return false; /* the search goes on */
}

static void pause_slurmdbd(struct job_poller *poller)
{
	poller->slurmdbd_after_ns = clock_monotonic_ns() + SLURMDBD_PAUSE_S * UINT64_C(1000000000);
}

/* Without slurmdbd the search is only slower. */
static bool poll_lookup(struct job_poller *poller, const uint64_t *ids, size_t count, struct plan_outcome *outcome)
{
	if (!job_reader_look_up(&poller->reader, ids, count, outcome))
		pause_slurmdbd(poller);
	outcome->result = PLAN_UNCHANGED;
	outcome->records = 0;
	return false; /* the search goes on */
}

static bool poll_search_record(struct job_poller *poller, uint64_t id, struct plan_outcome *outcome)
{
	poll_sample(poller, id, outcome);
	if (outcome->result == PLAN_UNCHANGED)
		job_rounds_settle_record(&poller->reader.rounds);
	else
		job_rounds_forget(&poller->reader.rounds);
	return false; /* the search goes on */
}

static bool poll_search(struct job_poller *poller, uint64_t rows_max, struct plan_outcome *outcome)
{
	struct job_rounds *rounds = &poller->reader.rounds;
	struct buf query = BUF_INIT;
	uint64_t looked_up[ACCOUNTING_IDS_MAX];
	if (wants_newest(poller))
		return poll_newest(poller, outcome);
	if (!rounds->search.is_open)
		poller->search_began_ns = clock_monotonic_ns();
	uint64_t sample = job_rounds_take_sample(rounds);
	if (sample)
		return poll_sample(poller, sample, outcome);
	size_t count = !job_poller_may_ask_slurmdbd(poller)
			       ? 0
			       : job_search_ids_to_look_up(&rounds->search, poller->cluster->job_table, looked_up,
							   ACCOUNTING_IDS_MAX);
	if (count)
		return poll_lookup(poller, looked_up, count, outcome);
	uint64_t record = job_rounds_next_search_record(rounds);
	if (record)
		return poll_search_record(poller, record, outcome);
	uint64_t ids = job_rounds_ask_search(rounds, rows_max, &query);
	bool is_well = !ids || ask_states(poller, &query, outcome);
	cover(outcome, ids);
	buf_done(&query);
	if (!rounds->search.is_open)
		end_search(poller);
	/* Jobs that were found get their details without waiting for the next round. Filling the queue looks at all
	 * rows, so this happens only after a request that found jobs. */
	if (is_well && outcome->cost_records && !job_details_left(&poller->reader.details, JOB_QUEUE_WANTED) &&
	    job_details_begin(&poller->reader.details, JOB_QUEUE_WANTED))
		plan_hasten(poller->plan, TASK_JOB_DETAILS);
	return is_well && !rounds->search.is_open;
}

static bool poll_list(struct job_poller *poller, struct plan_outcome *outcome)
{
	int64_t began = asker_now_s(poller->reader.asker);
	poller->round_began_ns = clock_monotonic_ns();
	bool counts_arrays = poller->version && *poller->version->flags_query;
	if (!job_reader_list(&poller->reader, counts_arrays, outcome))
		return false;
	note_verified(poller);
	poller->needs_all = false;
	poller->has_states = poller->has_details = true;
	poller->as_of = began;
	poller->reader.asker->exporter->endpoints[ENDPOINT_JOBS].last_success = clock_now();
	renew(poller, ENDPOINT_JOBS, ENDPOINT_JOBS);
	return true;
}

/* Is no job left whose details are wanted? Jobs that slurmdbd did not have take another pass. */
static bool finish_details(struct job_poller *poller)
{
	struct job_details *details = &poller->reader.details;
	bool are_some_left = job_details_left(details, JOB_QUEUE_WANTED) ||
			     (details->are_some_unrecorded && job_details_begin(details, JOB_QUEUE_WANTED));
	note_details(poller);
	return !are_some_left;
}

static bool poll_slurmdbd(struct job_poller *poller, uint64_t records, struct plan_outcome *outcome)
{
	uint64_t ids[ACCOUNTING_IDS_MAX];
	size_t max = records < ACCOUNTING_IDS_MAX ? records : ACCOUNTING_IDS_MAX;
	size_t count = job_details_next_unseen(&poller->reader.details, ids, max);
	bool is_well = !count || job_reader_runs(&poller->reader, ids, count, outcome);
	outcome->records = count;
	if (is_well)
		return finish_details(poller);
	pause_slurmdbd(poller);
	return false; /* the next round has these jobs again */
}

static bool poll_details(struct job_poller *poller, enum job_queue queue, struct plan_outcome *outcome)
{
	struct job_details *details = &poller->reader.details;
	if (queue != JOB_QUEUE_WANTED && !job_details_left(details, queue))
		job_details_begin(details, queue);
	uint64_t id = job_details_next(details, queue);
	bool is_well = !id || job_reader_job(&poller->reader, id, outcome);
	outcome->records = 1;
	if (!is_well)
		return false; /* the next round has this job again */
	return queue == JOB_QUEUE_WANTED ? finish_details(poller) : !job_details_left(details, queue);
}

static bool poll_reasons_list(struct job_poller *poller, struct plan_outcome *outcome)
{
	bool is_well = job_reader_details(&poller->reader, outcome);
	job_details_end(&poller->reader.details, JOB_QUEUE_REASONS);
	return is_well;
}

static bool poll_array(struct job_poller *poller, struct plan_outcome *outcome)
{
	struct job_details *details = &poller->reader.details;
	struct buf query = BUF_INIT;
	uint64_t id = job_details_next(details, JOB_QUEUE_ARRAYS);
	bool is_well = true;
	if (job_details_records(details, id)) {
		is_well = job_reader_job(&poller->reader, id, outcome);
	} else {
		job_rounds_ask_array(&poller->reader.rounds, id, &query);
		is_well = !query.len || ask_states(poller, &query, outcome);
	}
	buf_done(&query);
	return is_well && !job_details_left(details, JOB_QUEUE_ARRAYS);
}

void job_poller_poll(struct job_poller *poller, const struct plan_action *action, struct plan_outcome *outcome)
{
	static const enum job_queue queues[TASKS] = {[TASK_JOB_DETAILS] = JOB_QUEUE_WANTED,
						     [TASK_JOB_REASONS] = JOB_QUEUE_REASONS,
						     [TASK_JOB_ROTATION] = JOB_QUEUE_ROTATION};
	bool is_details = action->task >= TASK_JOB_DETAILS && action->task <= TASK_JOB_ROTATION;
	bool is_list = is_details && action->way == DETAILS_LIST;
	*outcome = (struct plan_outcome){.result = PLAN_OK};
	bool is_done;
	if (action->task == TASK_JOB_STATES)
		is_done = action->way == STATES_LIST ? poll_states_list(poller, outcome)
						     : poll_states(poller, action->records, outcome);
	else if (action->task == TASK_JOB_ARRAYS)
		is_done = poll_array(poller, outcome);
	else if (action->task == TASK_JOB_SEARCH)
		is_done = poll_search(poller, action->records, outcome);
	else if (action->task == TASK_JOB_REASONS && is_list)
		is_done = poll_reasons_list(poller, outcome);
	else if (action->task == ENDPOINT_JOBS || is_list)
		is_done = poll_list(poller, outcome);
	else if (action->way == DETAILS_ACCOUNTING)
		is_done = poll_slurmdbd(poller, action->records, outcome);
	else
		is_done = poll_details(poller, queues[action->task], outcome);
	outcome->task = action->task;
	outcome->way = action->way;
	outcome->is_round_done = is_done;
}

/* Everything at once */

static bool poll_until_done(struct job_poller *poller, size_t task, size_t way, uint64_t records)
{
	const struct plan_action action = {.task = task, .way = way, .records = records};
	struct plan_outcome outcome;
	do {
		job_poller_poll(poller, &action, &outcome);
		if (outcome.result != PLAN_OK)
			return false;
	} while (!outcome.is_round_done);
	return true;
}

static bool poll_details_until_done(struct job_poller *poller)
{
	size_t way = job_poller_is_federated(poller) ? DETAILS_LIST : DETAILS_SINGLE;
	return !job_details_left(&poller->reader.details, JOB_QUEUE_WANTED) ||
	       poll_until_done(poller, TASK_JOB_DETAILS, way, 1);
}

/* The first records of arrays of many, while others lacked details. */
static bool poll_arrays(struct job_poller *poller)
{
	return !job_details_begin(&poller->reader.details, JOB_QUEUE_ARRAYS) ||
	       poll_until_done(poller, TASK_JOB_ARRAYS, ARRAYS_STATES, 1);
}

/* Asks for details that only jobs with rows of their own need. Which jobs have rows is known when all have details. */
static bool poll_missing(struct job_poller *poller)
{
	struct cluster *cluster = poller->cluster;
	each_job_choose(&cluster->each_job, cluster->job_table, cluster->nodes ? &cluster->nodes->table : NULL);
	job_details_begin(&poller->reader.details, JOB_QUEUE_WANTED);
	return poll_details_until_done(poller);
}

bool job_poller_poll_all(struct job_poller *poller)
{
	enum { ROWS = 1000 }; /* in a request; --once has no budget to keep */
	job_poller_update(poller);
	if (poller->reads_list)
		return poll_until_done(poller, ENDPOINT_JOBS, WAY_ONLY, 0);
	uint64_t expected = poller->reader.rounds.search.expected;
	bool is_few = !number_is_known(expected) || expected <= JOB_STATES_LIST_MAX;
	bool are_found = is_few ? poll_until_done(poller, TASK_JOB_STATES, STATES_LIST, 0)
				: poll_until_done(poller, TASK_JOB_SEARCH, STATES_BATCHES, ROWS) &&
					  poll_until_done(poller, TASK_JOB_STATES, STATES_BATCHES, ROWS);
	return are_found && poll_details_until_done(poller) && poll_arrays(poller) && poll_missing(poller);
}
