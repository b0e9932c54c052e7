#include "discovery/job_search.h"

#include "model/number.h"

enum {
	SEARCHED_ABOVE = 1000000, /* IDs that Slurm may have given while this process was not running */
	/* diag's count is up to half a minute old, so one count that is too high proves nothing; a round may find the
	 * jobs. */
	MISSES_MIN = 3,
	/* Few that are missing may be others each time. Ten minutes of them are too many. */
	FEW_MISSES_MIN = 20,
	SLOW_AT_ONCE = 5, /* from 5 IDs in a request on, one costs slurmrestd less than slurmdbd's record of it */
	FEW_ABOVE = 10000,
	FEW_BELOW = 100000,
	RECORDS_IN_VAIN_MAX = 2000, /* some seconds of slurmrestd */
	PLAIN_AT_ONCE = 500,
};
#define MISSED_RATIO_MAX 0.001 /* usual part of jobs that come or go between diag's count and ours */
#define COVERAGE_MIN 0.5 /* if fewer are known, it is a start or a return after a downtime, and one count is enough */

void job_search_done(struct job_search *search)
{
	job_probes_done(&search->probes);
	job_leaders_done(&search->leaders);
	id_map_done(&search->plain);
}

void job_search_forget_counts(struct job_search *search)
{
	search->misses = search->few_misses = 0;
}

static uint64_t count_known(const struct job_table *table)
{
	struct job_counts counts = job_table_counts(table);
	return counts.pending + counts.running;
}

double job_search_coverage(const struct job_search *search, const struct job_table *table)
{
	uint64_t known = count_known(table);
	if (!number_is_known(search->expected) || known >= search->expected)
		return 1;
	return (double)known / (double)search->expected;
}

bool job_search_is_missing(const struct job_search *search, const struct job_table *table)
{
	return job_search_coverage(search, table) < 1 - MISSED_RATIO_MAX;
}

bool job_search_note_count(struct job_search *search, const struct job_table *table, uint64_t jobs)
{
	search->expected = jobs;
	search->misses = job_search_is_missing(search, table) ? search->misses + 1 : 0;
	/* The count is older than what is known now. Where jobs leave faster than others come, it is higher. */
	uint64_t known = count_known(table);
	search->few_misses = jobs > known && jobs > search->known_before ? search->few_misses + 1 : 0;
	search->known_before = known;
	return search->misses >= MISSES_MIN || search->few_misses >= FEW_MISSES_MIN ||
	       job_search_coverage(search, table) < COVERAGE_MIN;
}

/* Not all that diag counts are known. */
static bool is_any_missing(const struct job_search *search, const struct job_table *table)
{
	return job_search_coverage(search, table) < 1;
}

bool job_search_has_failed(const struct job_search *search, const struct job_table *table)
{
	return search->is_for_few ? is_any_missing(search, table) : job_search_is_missing(search, table);
}

static void add_span(struct job_search *search, uint64_t from, uint64_t to)
{
	if (from != to)
		search->spans[search->span_count++] = (struct job_span){from, to};
}

/* After a million IDs without jobs a request might ask for many, so each span begins with one ID again. */
static void begin_span(struct job_search *search, size_t span)
{
	search->span = span;
	search->at_once = 1;
	search->was_found = search->is_slow = false;
	search->looked_up_to = UINT64_MAX;
	id_map_done(&search->plain);
}

static void add_spans(struct job_search *search, const struct job_frontiers *frontiers, bool are_downwards)
{
	for (unsigned origin = 0; origin < JOB_ORIGINS; origin++) {
		uint64_t top = job_frontiers_top_of(frontiers, origin);
		uint64_t below = ((uint64_t)origin << 26) + frontiers->first_id - 1;
		if (search->is_for_few && top > below + FEW_BELOW)
			below = top - FEW_BELOW;
		if (top && are_downwards) /* most live jobs are young */
			add_span(search, top - 1, below);
		else if (top)
			add_span(search, top, top + (search->is_for_few ? FEW_ABOVE : SEARCHED_ABOVE));
	}
}

void job_search_begin(struct job_search *search, const struct job_frontiers *frontiers, const struct job_table *table)
{
	uint64_t first = frontiers->first_id;
	job_leaders_begin(&search->leaders, table);
	search->is_open = true;
	search->is_blind = !job_frontiers_top(frontiers);
	search->is_stepping = false;
	search->records_left = RECORDS_IN_VAIN_MAX;
	search->tasks_seen = 0;
	search->is_for_few = !search->is_blind && !job_search_is_missing(search, table);
	search->span_count = 0;
	begin_span(search, 0);
	if (search->is_blind) {
		add_span(search, first, frontiers->last_id + 1);
		return;
	}
	/* Where IDs may bring too many rows, those that Slurm has given come first. */
	bool is_downwards_first = job_search_wants_records(search, table);
	add_spans(search, frontiers, is_downwards_first);
	add_spans(search, frontiers, !is_downwards_first);
}

void job_search_note_frontier(struct job_search *search)
{
	if (search->is_blind)
		search->is_open = false;
}

/* Jobs that are known, and leaders, which are asked for alone. */
static bool is_passed_over(const struct job_search *search, const struct job_table *table, uint64_t id)
{
	struct job_view view;
	return job_table_find(table, id, &view) || job_leaders_has(&search->leaders, id);
}

size_t job_search_ids_to_look_up(struct job_search *search, const struct job_table *table, uint64_t *ret_ids,
				 size_t max)
{
	const struct job_span *span = &search->spans[search->span];
	bool is_slow = search->is_slow || job_search_wants_records(search, table);
	bool is_due = search->is_open && is_slow && search->span < search->span_count && span->from > span->to &&
		      span->from <= search->looked_up_to;
	size_t count = 0;
	uint64_t id = span->from;
	if (!is_due)
		return 0;
	for (; id != span->to && count < max; id--)
		if (!is_passed_over(search, table, id))
			ret_ids[count++] = id;
	search->looked_up_to = id;
	id_map_done(&search->plain);
	return count;
}

void job_search_note_run(struct job_search *search, const struct job *job)
{
	if (number_is_known(job->array_job_id) && job->array_job_id)
		job_leaders_learn(&search->leaders, job->array_job_id); /* the span passes over it */
	id_map_set(&search->plain, (uint32_t)job->id, 1);
}

bool job_search_wants_records(const struct job_search *search, const struct job_table *table)
{
	return job_search_missing(search, table) > JOB_ROWS_SAFE && !job_search_has_small_arrays(search);
}

uint64_t job_search_next_record(struct job_search *search, const struct job_table *table)
{
	if (search->span >= search->span_count || !search->records_left || !job_search_wants_records(search, table))
		return 0;
	uint64_t leader = search->tasks_seen <= RECORDS_IN_VAIN_MAX ? job_leaders_next(&search->leaders, table) : 0;
	const struct job_span *span = &search->spans[search->span];
	uint64_t id = span->from;
	for (unsigned plain = 0; !leader && id != span->to; id += span->from < span->to ? 1 : UINT64_MAX) {
		if (search->looked_up_to < UINT64_MAX && id <= search->looked_up_to)
			return 0; /* slurmdbd is asked for it first */
		if (is_passed_over(search, table, id))
			continue;
		if (!id_map_find(&search->plain, (uint32_t)id))
			return job_origin(id) ? 0 : id; /* slurmrestd refuses a federation's (job_reader_job) */
		if (++plain >= PLAIN_AT_ONCE)
			return 0;
	}
	return leader;
}

void job_search_note_record(struct job_search *search, uint64_t id, bool is_there)
{
	search->was_found |= is_there;
	if (is_there)
		return;
	id_map_set(&search->plain, (uint32_t)id, 1);
	search->records_left -= search->records_left > 0;
}

/* The next IDs of the span; none: it is over. */
static void ask_span(struct job_search *search, const struct job_table *table, struct buf *query)
{
	const struct job_span *span = &search->spans[search->span];
	uint64_t id = span->from;
	for (; id != span->to; id += span->from < span->to ? 1 : UINT64_MAX) {
		if (is_passed_over(search, table, id))
			continue;
		bool is_plain = id_map_find(&search->plain, (uint32_t)id);
		uint64_t plain = search->probes.count - search->unsure;
		bool is_for_record = !is_plain && plain && job_search_wants_records(search, table);
		bool is_full =
			is_plain ? plain >= search->rows_max : is_for_record || search->unsure >= search->at_once;
		if (is_full || !job_query_add(query, id))
			break;
		job_probes_add(&search->probes, id);
		search->unsure += !is_plain;
	}
	search->next = id;
}

/* A thousandth is no reason to search, because diag's count is old. But an open search goes on while it finds jobs. A
 * thousandth of an array of 30,000 tasks hides 30 other jobs, and no later count would show that they are missing. */
static bool goes_on(const struct job_search *search, const struct job_table *table)
{
	return search->was_found || job_search_has_failed(search, table);
}

uint64_t job_search_ask(struct job_search *search, const struct job_table *table, uint64_t rows_max, struct buf *query)
{
	search->probes.count = search->unsure = 0;
	search->rows_max = rows_max;
	while (goes_on(search, table) && search->span < search->span_count) {
		uint64_t leader = job_leaders_next(&search->leaders, table);
		search->is_for_leader = leader;
		if (leader && job_query_add(query, leader))
			job_probes_add(&search->probes, leader);
		else
			ask_span(search, table, query);
		if (search->probes.count)
			return search->probes.count;
		begin_span(search, search->span + 1);
	}
	search->is_open = false;
	job_search_forget_counts(search);
	return 0;
}

void job_search_forget(struct job_search *search)
{
	search->at_once = 1;
	if (search->records_left < search->probes.count)
		search->records_left = search->probes.count;
}

/* On the way up Slurm may have given IDs since the search asked for them, so the next round asks for them again. On the
 * way down only jobs below a gap move frontiers: where other jobs follow, Slurm does not give IDs next. */
static void move_frontiers(struct job_search *search, const struct job_answer *answer, struct job_frontiers *frontiers)
{
	const struct job_span *span = &search->spans[search->span];
	bool is_upwards = span->from < span->to, was_found = search->was_found;
	search->was_found = false;
	for (size_t i = 0; i < search->probes.count; i++) {
		if (!job_answer_has(answer, search->probes.ids[i]))
			continue;
		if (is_upwards)
			job_frontiers_reach(frontiers, search->probes.ids[i]);
		else if (!was_found)
			job_frontiers_advance(frontiers, search->probes.ids[i]);
		was_found = search->was_found = true;
		search->is_blind = false;
	}
}

uint64_t job_search_largest_array(const struct job_search *search)
{
	return search->leaders.largest_task > search->array_size ? search->leaders.largest_task : search->array_size;
}

bool job_search_has_small_arrays(const struct job_search *search)
{
	return search->is_size_told && job_search_largest_array(search) <= JOB_ROWS_SAFE;
}

uint64_t job_search_missing(const struct job_search *search, const struct job_table *table)
{
	uint64_t known = count_known(table);
	return number_is_known(search->expected) && search->expected > known ? search->expected - known : 0;
}

/* How many rows each of the next IDs may bring; 0: too few jobs are missing for that to matter. */
static uint64_t array_rows(const struct job_search *search, const struct job_table *table)
{
	return job_search_missing(search, table) > JOB_ROWS_SAFE ? job_search_largest_array(search) : 0;
}

void job_search_settle(struct job_search *search, const struct job_answer *answer, const struct job_table *table,
		       const struct id_map *tails, struct job_frontiers *frontiers)
{
	if (search->is_for_leader)
		return;
	move_frontiers(search, answer, frontiers);
	search->spans[search->span].from = search->next;
	job_leaders_sample(&search->leaders, answer, tails, table);
	for (size_t i = 0; i < answer->count; i++)
		search->tasks_seen += answer->rows[i].task != NUMBER_UNSET;
	uint64_t each = array_rows(search, table), plain = search->probes.count - search->unsure;
	search->is_slow = answer->count && each > JOB_ROWS_SAFE / SLOW_AT_ONCE;
	if (search->unsure)
		search->at_once =
			job_probes_next(search->at_once, search->unsure,
					answer->count > plain ? answer->count - plain : 0, search->rows_max, each);
}
