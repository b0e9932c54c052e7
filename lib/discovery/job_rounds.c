#include "discovery/job_rounds.h"

#include "base/memory.h"
#include "model/number.h"

#include <inttypes.h>
#include <stdlib.h>

void job_rounds_init(struct job_rounds *rounds, struct job_table *table, uint64_t first_id, uint64_t last_id)
{
	*rounds = (struct job_rounds){.table = table,
				      .frontiers = {.first_id = first_id, .last_id = last_id},
				      .search = {.expected = NUMBER_UNSET, .array_size = JOB_ARRAY_SIZE_DEFAULT}};
	job_submissions_init(&rounds->submissions);
}

void job_rounds_done(struct job_rounds *rounds)
{
	id_map_done(&rounds->tails);
	id_map_done(&rounds->doubted);
	job_frontiers_done(&rounds->frontiers);
	job_search_done(&rounds->search);
	free(rounds->answer.rows);
	free(rounds->round.items);
	free(rounds->array.items);
}

/* Notes where Slurm gave IDs last. A requeued job has a recent submit time, too, so the highest ID counts as well. */
static void note_rows(struct job_rounds *rounds)
{
	struct job_view row, newest = {.submit_time = 0};
	for (size_t i = 0; i < rounds->table->position_count; i++)
		if (job_table_at(rounds->table, i, &row) &&
		    (row.submit_time > newest.submit_time ||
		     (row.submit_time == newest.submit_time && row.id > newest.id)))
			newest = row;
	job_rounds_note_list(rounds);
	if (newest.submit_time)
		job_rounds_note_id(rounds, newest.id, newest.submit_time);
}

void job_rounds_resume(struct job_rounds *rounds, struct id_map *tails, struct id_map *doubted)
{
	id_map_done(&rounds->tails);
	rounds->tails = *tails;
	rounds->doubted = *doubted;
	*tails = *doubted = (struct id_map){0};
	note_rows(rounds);
	job_frontiers_widen(&rounds->frontiers); /* much may have come since */
	rounds->is_unverified = true;
}

void job_rounds_verified(struct job_rounds *rounds)
{
	rounds->is_unverified = false;
	id_map_done(&rounds->doubted);
	job_search_forget_counts(&rounds->search);
}

void job_rounds_doubt(struct job_rounds *rounds, uint64_t id)
{
	id_map_set(&rounds->doubted, (uint32_t)id, 1);
}

void job_rounds_note_last(struct job_rounds *rounds, uint64_t id)
{
	if (rounds->is_unverified)
		return;
	job_frontiers_reach(&rounds->frontiers, id);
	job_search_note_frontier(&rounds->search);
}

void job_rounds_note_id(struct job_rounds *rounds, uint64_t id, uint64_t submit_time)
{
	uint64_t *newest = &rounds->frontiers.newest_submit_time[job_origin(id)];
	bool is_step = rounds->request == JOB_REQUEST_RECORD && rounds->is_step; /* the frontier stays below it */
	if (rounds->is_unverified || is_step || submit_time <= *newest)
		return;
	*newest = submit_time;
	job_rounds_note_last(rounds, id);
}

void job_rounds_note_job(struct job_rounds *rounds, const struct job *job)
{
	if (rounds->search.is_open && number_is_known(job->array_job_id) && job->array_job_id)
		job_leaders_learn(&rounds->search.leaders, job->array_job_id);
	bool was_requeued = number_is_known(job->restarts) && job->restarts; /* it keeps its ID, which is no new one */
	if (!was_requeued && number_is_known(job->submit_time))
		job_rounds_note_id(rounds, job->id, job->submit_time);
}

void job_rounds_note_list(struct job_rounds *rounds)
{
	uint64_t highest[JOB_ORIGINS];
	job_table_highest_ids(rounds->table, highest);
	for (int origin = 0; origin < JOB_ORIGINS; origin++)
		if (highest[origin])
			job_frontiers_advance(&rounds->frontiers, highest[origin]);
}

bool job_rounds_note_count(struct job_rounds *rounds, uint64_t jobs)
{
	bool are_missing = job_search_note_count(&rounds->search, rounds->table, jobs);
	if (rounds->search.misses)
		job_frontiers_widen(&rounds->frontiers);
	return are_missing;
}

void job_rounds_note_submitted(struct job_rounds *rounds, uint64_t submitted, uint64_t started)
{
	job_submissions_count(&rounds->submissions, submitted, started);
}

static bool is_at_frontiers(const struct job_rounds *rounds)
{
	return rounds->is_open && rounds->round.asked == rounds->round.count;
}

bool job_rounds_await_count(const struct job_rounds *rounds)
{
	return is_at_frontiers(rounds) && !rounds->submissions.is_fresh;
}

void job_rounds_doubt_count(struct job_rounds *rounds)
{
	rounds->submissions.is_fresh = false;
}

static void clear(struct job_asks *asks)
{
	asks->count = asks->asked = asks->asked_before = 0;
	asks->rows_left = 0;
}

static void add_ask(struct job_asks *asks, uint32_t id, uint32_t task, uint32_t rows)
{
	GROW(asks->items, asks->count, asks->capacity);
	asks->items[asks->count++] = (struct job_ask){id, task, rows};
	asks->rows_left += rows;
}

/* A request names an array's unsplit rest by one of its tasks, and likewise its first record once that has become a
 * task. Their ID would bring all records of the array, and the round asks for the others by themselves. */
static void add_row(struct job_asks *asks, const struct id_map *tails, const struct job_view *row)
{
	uint32_t task = JOB_ASK_NO_TASK;
	uint32_t tail = id_map_find(tails, (uint32_t)row->id);
	if (tail)
		task = tail - 1;
	else if (row->array_job_id == row->id && !row->is_unsplit && row->array_task_id < JOB_ASK_NO_TASK)
		task = (uint32_t)row->array_task_id;
	uint32_t rows = row->tasks < UINT32_MAX ? (uint32_t)row->tasks : UINT32_MAX;
	add_ask(asks, (uint32_t)row->id, task, rows ? rows : 1);
}

/* Adds the doubted IDs that are not among the round's rows. */
static void add_doubted(struct job_rounds *rounds)
{
	struct job_view row;
	for (size_t i = 0; i < rounds->doubted.slot_count; i++) {
		const struct id_slot *slot = &rounds->doubted.slots[i];
		bool is_known = slot->value && job_table_find(rounds->table, slot->id, &row);
		if (is_known && job_details_is_large(&row))
			add_row(&rounds->round, &rounds->tails, &row);
		else if (slot->value && !is_known)
			add_ask(&rounds->round, slot->id, JOB_ASK_NO_TASK, 1);
	}
}

void job_rounds_begin(struct job_rounds *rounds)
{
	struct job_view row;
	clear(&rounds->round);
	rounds->left_out = 0;
	for (size_t i = 0; i < rounds->table->position_count; i++) {
		if (!job_table_at(rounds->table, i, &row))
			continue;
		if (job_details_is_large(&row))
			rounds->left_out += row.tasks;
		else
			add_row(&rounds->round, &rounds->tails, &row);
	}
	add_doubted(rounds);
	job_frontiers_begin(&rounds->frontiers);
	job_submissions_begin(&rounds->submissions);
	rounds->is_open = true;
}

uint64_t job_rounds_work(const struct job_rounds *rounds)
{
	uint64_t jobs = job_table_counts(rounds->table).jobs;
	uint64_t next = jobs > rounds->left_out ? jobs - rounds->left_out : 0;
	uint64_t known = rounds->is_open ? rounds->round.rows_left : next;
	return known + job_frontiers_work(&rounds->frontiers, rounds->is_open);
}

static void start_request(struct job_rounds *rounds, enum job_request request)
{
	rounds->request = request;
	rounds->round.asked_before = rounds->round.asked;
	rounds->array.asked_before = rounds->array.asked;
	rounds->answer.count = 0;
	job_frontiers_ask_nothing(&rounds->frontiers);
}

/* A record with more rows than rows_max gets a request of its own. */
static uint64_t ask_known(struct job_asks *asks, uint64_t rows_max, struct buf *query)
{
	uint64_t rows = 0;
	for (; asks->asked < asks->count; asks->asked++) {
		const struct job_ask *ask = &asks->items[asks->asked];
		if ((rows && rows + ask->rows > rows_max) || !job_query_add(query, ask->id))
			break;
		if (ask->task != JOB_ASK_NO_TASK)
			buf_printf(query, "_%" PRIu32, ask->task);
		rows += ask->rows;
	}
	asks->rows_left -= rows;
	return rows;
}

/* How many rows the IDs above the frontiers may bring besides one each; unset: it cannot be told. A large array that a
 * round did not meet is among those that diag counts as pending or running. */
static uint64_t excess_rows(const struct job_rounds *rounds)
{
	uint64_t given = job_frontiers_given(&rounds->frontiers);
	uint64_t excess = job_submissions_excess(&rounds->submissions, given);
	uint64_t missing = job_search_missing(&rounds->search, rounds->table);
	bool are_many_missing = missing > given + JOB_ROWS_SAFE;
	if (are_many_missing && (!number_is_known(excess) || missing - given > excess))
		return missing - given;
	return excess;
}

/* May the IDs that no round has met bring too many rows? */
static bool are_many_unknown(const struct job_rounds *rounds)
{
	uint64_t excess = excess_rows(rounds);
	return number_is_known(excess) && excess > JOB_ROWS_SAFE && !job_search_has_small_arrays(&rounds->search);
}

/* If diag counts far more tasks than the round has met, a large array may be where it did not look. Some rounds more are
 * careful, until diag's count of pending jobs shows it. It may as well have been short jobs, which have gone. */
static void end_round(struct job_rounds *rounds)
{
	enum { CAREFUL_ROUNDS = 4 };
	rounds->careful = rounds->is_open && are_many_unknown(rounds) ? rounds->careful + 1 : 0;
	if (rounds->is_open && rounds->careful % CAREFUL_ROUNDS == 0)
		job_submissions_end(&rounds->submissions);
	rounds->is_open = false;
}

uint64_t job_rounds_ask(struct job_rounds *rounds, uint64_t rows_max, struct buf *query)
{
	start_request(rounds, JOB_REQUEST_ROUND);
	uint64_t rows = ask_known(&rounds->round, rows_max, query);
	if (rows)
		job_rounds_doubt_count(rounds);
	else
		rows = job_frontiers_ask(&rounds->frontiers, rounds->table, rows_max, query);
	if (!query->len)
		end_round(rounds);
	return rounds->is_open ? rows : 0;
}

void job_rounds_ask_array(struct job_rounds *rounds, uint64_t id, struct buf *query)
{
	struct job_view row;
	clear(&rounds->array);
	if (job_table_find(rounds->table, id, &row))
		add_row(&rounds->array, &rounds->tails, &row);
	start_request(rounds, JOB_REQUEST_ARRAY);
	ask_known(&rounds->array, UINT64_MAX, query);
}

void job_rounds_ask_whole(struct job_rounds *rounds)
{
	clear(&rounds->round);
	start_request(rounds, JOB_REQUEST_WHOLE);
	rounds->is_open = false;
	job_submissions_begin(&rounds->submissions);
}

uint64_t job_rounds_take_sample(struct job_rounds *rounds)
{
	return job_leaders_take_sample(&rounds->search.leaders);
}

uint64_t job_rounds_ask_search(struct job_rounds *rounds, uint64_t rows_max, struct buf *query)
{
	start_request(rounds, JOB_REQUEST_SEARCH);
	return job_search_ask(&rounds->search, rounds->table, rows_max, query);
}

void job_rounds_take(struct job_rounds *rounds, const struct job_task *task)
{
	job_answer_take(&rounds->answer, task);
}

static void remove_id(struct job_rounds *rounds, uint64_t id)
{
	job_table_remove(rounds->table, id);
	id_map_set(&rounds->tails, (uint32_t)id, 0);
	job_frontiers_note_free(&rounds->frontiers, id);
}

/* The next round asks by the same task for a record that came by it. */
static void keep_tail(struct job_rounds *rounds, const struct job_ask *ask)
{
	if (ask->task != JOB_ASK_NO_TASK && !id_map_find(&rounds->tails, ask->id))
		id_map_set(&rounds->tails, ask->id, ask->task + 1);
}

/* A job that was asked for and did not come has left slurmctld. But if it was asked for by a task, that task may have
 * been split from it since. Then this asks for it once more, by its ID. */
static void settle_known(struct job_rounds *rounds, struct job_asks *asks)
{
	for (size_t i = asks->asked_before; i < asks->asked; i++) {
		struct job_ask ask = asks->items[i];
		if (job_answer_has(&rounds->answer, ask.id))
			keep_tail(rounds, &ask);
		else if (ask.task != JOB_ASK_NO_TASK) {
			id_map_set(&rounds->tails, ask.id, 0);
			add_ask(asks, ask.id, JOB_ASK_NO_TASK, ask.rows);
		} else {
			remove_id(rounds, ask.id);
		}
	}
}

static void settle_whole(struct job_rounds *rounds)
{
	struct job_view row;
	for (size_t i = 0; i < rounds->table->position_count; i++)
		if (job_table_at(rounds->table, i, &row) && !job_answer_has(&rounds->answer, row.id))
			remove_id(rounds, row.id);
	job_rounds_note_list(rounds);
	job_search_forget_counts(&rounds->search);
	job_submissions_end(&rounds->submissions);
}

static void add_asked(const struct job_asks *asks, struct id_map *ids)
{
	for (size_t i = asks->asked_before; i < asks->asked; i++)
		id_map_set(ids, (uint32_t)asks->items[i].id, 1);
}

static void add_probes(const struct job_probes *probes, struct id_map *ids)
{
	for (size_t i = 0; i < probes->count; i++)
		id_map_set(ids, (uint32_t)probes->ids[i], 1);
}

static void note_jobs_found(struct job_rounds *rounds, uint64_t before)
{
	uint64_t jobs = job_table_counts(rounds->table).jobs;
	rounds->submissions.found += jobs > before ? jobs - before : 0;
}

static void apply_answer(struct job_rounds *rounds, int64_t now)
{
	struct id_map asked = {0};
	bool has_ids = rounds->request != JOB_REQUEST_WHOLE;
	add_asked(&rounds->round, &asked);
	add_asked(&rounds->array, &asked);
	add_probes(rounds->request == JOB_REQUEST_SEARCH ? &rounds->search.probes : &rounds->frontiers.probes, &asked);
	uint64_t before = job_table_counts(rounds->table).jobs;
	job_answer_apply(&rounds->answer, rounds->table, has_ids ? &asked : NULL, &rounds->tails, now);
	note_jobs_found(rounds, before);
	id_map_done(&asked);
}

/* How many rows each ID above a frontier may bring; 0: all of them together bring few. */
static uint64_t rows_each(const struct job_rounds *rounds)
{
	uint64_t excess = excess_rows(rounds);
	bool are_few = number_is_known(excess) && excess <= JOB_ROWS_SAFE;
	return are_few ? 0 : job_search_largest_array(&rounds->search);
}

static uint64_t start_record(struct job_rounds *rounds, uint64_t id)
{
	if (!id)
		return 0;
	start_request(rounds, JOB_REQUEST_RECORD);
	rounds->jobs_before = job_table_counts(rounds->table).jobs;
	return rounds->record = id;
}

uint64_t job_rounds_next_record(struct job_rounds *rounds)
{
	if (!is_at_frontiers(rounds) || !are_many_unknown(rounds))
		return 0;
	uint64_t step = job_frontiers_next_step(&rounds->frontiers, rounds->table);
	rounds->is_step = step;
	rounds->is_for_search = false;
	return start_record(rounds, step ? step : job_frontiers_next_record(&rounds->frontiers, rounds->table));
}

uint64_t job_rounds_next_search_record(struct job_rounds *rounds)
{
	struct job_search *search = &rounds->search;
	rounds->is_step = rounds->is_for_search = true;
	if (!search->is_open) {
		job_search_begin(search, &rounds->frontiers, rounds->table);
		job_frontiers_begin_steps(&rounds->frontiers);
		search->is_stepping = true;
	}
	if (!job_search_wants_records(search, rounds->table))
		return 0;
	uint64_t step = search->is_stepping ? job_frontiers_next_step(&rounds->frontiers, rounds->table) : 0;
	if (step)
		return start_record(rounds, step);
	if (search->is_stepping) /* it looks downwards from as far as Slurm has come */
		job_search_begin(search, &rounds->frontiers, rounds->table);
	rounds->is_step = false;
	return start_record(rounds, job_search_next_record(search, rounds->table));
}

void job_rounds_settle_record(struct job_rounds *rounds)
{
	struct job_view row;
	bool is_there = job_table_find(rounds->table, rounds->record, &row);
	if (rounds->is_for_search && !rounds->is_step)
		job_search_note_record(&rounds->search, rounds->record, is_there);
	else
		job_frontiers_note_record(&rounds->frontiers, is_there);
	note_jobs_found(rounds, rounds->jobs_before);
	start_request(rounds, JOB_REQUEST_NONE);
	if (!rounds->is_for_search && !job_rounds_work(rounds))
		end_round(rounds);
}

/* What was submitted is not all known then, so job_submissions_end is not called. */
bool job_rounds_leave_frontiers(struct job_rounds *rounds)
{
	bool is_known_part_over = is_at_frontiers(rounds);
	rounds->is_open &= !is_known_part_over;
	return is_known_part_over;
}

void job_rounds_apply(struct job_rounds *rounds, int64_t now)
{
	apply_answer(rounds, now);
	if (rounds->request == JOB_REQUEST_ROUND) {
		settle_known(rounds, &rounds->round);
		job_frontiers_settle(&rounds->frontiers, &rounds->answer, rounds->answer.count, rows_each(rounds));
		if (!job_rounds_work(rounds))
			end_round(rounds);
	} else if (rounds->request == JOB_REQUEST_ARRAY) {
		settle_known(rounds, &rounds->array);
	} else if (rounds->request == JOB_REQUEST_WHOLE) {
		settle_whole(rounds);
	} else if (rounds->request == JOB_REQUEST_SEARCH) {
		job_search_settle(&rounds->search, &rounds->answer, rounds->table, &rounds->tails, &rounds->frontiers);
	}
	start_request(rounds, JOB_REQUEST_NONE);
}

void job_rounds_forget(struct job_rounds *rounds)
{
	struct job_asks *asks = &rounds->round;
	for (size_t i = asks->asked_before; i < asks->asked; i++)
		asks->rows_left += asks->items[i].rows;
	asks->asked = asks->asked_before;
	if (rounds->request == JOB_REQUEST_SEARCH)
		job_search_forget(&rounds->search);
	job_frontiers_forget(&rounds->frontiers);
	start_request(rounds, JOB_REQUEST_NONE);
}
