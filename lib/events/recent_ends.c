#include "events/recent_ends.h"

#include "base/memory.h"
#include "entities/label.h"
#include "jobs/job_extras.h"
#include "model/tres.h"

#include <stdlib.h>

static uint64_t known(int64_t number)
{
	return number > 0 ? (uint64_t)number : NUMBER_UNSET;
}

static bool is_failure(struct text state)
{
	static const char *const failures[] = {"failed",	"node_fail", "boot_fail",
					       "out_of_memory", "timeout",   "deadline"};
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (text_equal(state, text_of(failures[i])))
			return true;
	return false;
}

static double weight_of(const struct recent_end *end, struct text tres)
{
	if (!number_is_known(end->start_time) || !number_is_known(end->cpus))
		return 0;
	double resources = job_weight(tres_count(tres, TEXT("billing")), end->cpus);
	return resources * (double)(number_is_known(end->run_seconds) && end->run_seconds ? end->run_seconds : 1);
}

static uint32_t hold(const struct recent_ends *ends, struct text text)
{
	return text_pool_hold(ends->texts, text_limit(text, LABEL_MAX));
}

static struct recent_end kept(const struct recent_ends *ends, const struct ended_record *record)
{
	struct recent_end end = record->end;
	end.owner = owners_hold(ends->owners, &record->owner);
	end.tres = text_pool_hold(ends->texts, record->tres);
	end.name = hold(ends, record->name);
	end.sluid = hold(ends, record->sluid);
	end.state = hold(ends, record->state);
	end.failed_node = hold(ends, record->failed_node);
	end.weight = weight_of(&end, record->tres);
	end.is_failure = is_failure(record->state);
	return end;
}

static struct recent_end make(const struct recent_ends *ends, const struct job_end *end, int64_t submit_time)
{
	bool has_started = end->start_time > 0, has_failed = end->exit == JOB_EXIT_NONZERO;
	const struct recent_end numbers = {
		.raw_id = end->raw_id,
		.array_job_id = end->array_job_id,
		.array_task_id = end->key.task,
		.submit_time = known(submit_time),
		.eligible_time = known(end->eligible_time),
		.start_time = known(end->start_time),
		.end_time = known(end->end_time),
		.run_seconds = has_started && end->run_seconds >= 0 ? (uint64_t)end->run_seconds : NUMBER_UNSET,
		.time_limit = end->time_limit ? end->time_limit : NUMBER_UNSET,
		.cpus = has_started ? end->cpus : NUMBER_UNSET,
		.memory = has_started ? end->memory : NUMBER_UNSET,
		.nodes = has_started ? end->nodes : NUMBER_UNSET,
		.exit_code = has_failed			  ? end->exit_code
			     : end->exit == JOB_EXIT_ZERO ? 0
							  : NUMBER_UNSET,
		.exit_signal = end->exit == JOB_EXIT_SIGNAL ? end->exit_signal : NUMBER_UNSET,
		.peak_memory = NUMBER_UNSET,
		.energy = NUMBER_UNSET,
		.used_cpu_seconds = -1,
		.is_changed = true,
	};
	const struct ended_record record = {numbers,	     end->owner, has_started ? end->tres : TEXT(""),
					    end->name,	     end->sluid, end->state,
					    end->failed_node};
	return kept(ends, &record);
}

static void release(const struct recent_ends *ends, const struct recent_end *end)
{
	const uint32_t texts[] = {end->tres, end->name, end->sluid, end->state, end->failed_node};
	owners_release(ends->owners, end->owner);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		text_pool_release(ends->texts, texts[i]);
}

static void forget(struct recent_ends *ends, const struct recent_end *end)
{
	if (end->is_stored) {
		GROW(ends->removed, ends->removed_count, ends->removed_capacity);
		ends->removed[ends->removed_count++] = end->raw_id;
	}
	release(ends, end);
}

/* Has it ended too long ago? Or is that still to come, because slurmctld's clock was set back? */
static bool is_outside(const struct recent_ends *ends, int64_t end_time)
{
	return ends->now && (end_time < ends->now - ends->keep_s || end_time > ends->now + ends->keep_s);
}

static int64_t part_of(const struct recent_ends *ends, int64_t time)
{
	int64_t part_s = ends->keep_s / RECENT_ENDS_PARTS;
	return time / (part_s > 0 ? part_s : 1);
}

static void leave_out(struct recent_ends *ends, const struct recent_end *end)
{
	int64_t part = part_of(ends, (int64_t)end->end_time);
	size_t at = (size_t)part % (sizeof ends->parts / sizeof *ends->parts);
	struct ends_left_out *out = &ends->parts[at].left_out;
	struct gres gres[TRES_GRES_MAX];
	if (ends->parts[at].part != part)
		*out = (struct ends_left_out){0};
	ends->parts[at].part = part;
	out->jobs++;
	out->eligible += number_is_known(end->eligible_time);
	out->start += number_is_known(end->start_time);
	out->limit += number_is_known(end->time_limit);
	out->gres += tres_gres(text_pool_get(ends->texts, end->tres), gres);
}

static int by_right_to_a_row(const void *left, const void *right)
{
	const struct recent_end *a = left, *b = right;
	if (a->is_failure != b->is_failure)
		return a->is_failure ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->raw_id < b->raw_id ? -1 : a->raw_id > b->raw_id;
}

/* How many of one half have rows. */
static size_t share_of(uint64_t max, size_t count, size_t others)
{
	uint64_t half = max / 2, rest = max > others ? max - others : 0, share = half > rest ? half : rest;
	return count < share ? count : share;
}

static void choose(struct recent_ends *ends)
{
	size_t failures = 0, kept = 0;
	if (ends->count)
		qsort(ends->items, ends->count, sizeof *ends->items, by_right_to_a_row);
	while (failures < ends->count && ends->items[failures].is_failure)
		failures++;
	size_t of_failures = share_of(ends->max, failures, ends->count - failures);
	size_t others_end = failures + share_of(ends->max - of_failures, ends->count - failures, 0);
	id_map_done(&ends->positions);
	for (size_t i = 0; i < ends->count; i++) {
		struct recent_end end = ends->items[i];
		if (i < failures ? i >= of_failures : i >= others_end) {
			leave_out(ends, &end);
			forget(ends, &end);
			continue;
		}
		ends->items[kept++] = end;
		id_map_set(&ends->positions, end.raw_id, (uint32_t)kept);
	}
	ends->count = kept;
}

void recent_ends_limit(struct recent_ends *ends, uint64_t max, int64_t keep_s)
{
	if (ends->keep_s != keep_s)
		memset(ends->parts, 0, sizeof ends->parts); /* they are of another length now */
	ends->max = max;
	ends->keep_s = keep_s;
}

void recent_ends_add(struct recent_ends *ends, const struct job_end *end, int64_t submit_time)
{
	if (!ends->max || is_outside(ends, end->end_time))
		return;
	uint32_t position = id_map_find(&ends->positions, end->raw_id);
	if (position) {
		struct recent_end *known = &ends->items[position - 1];
		if ((int64_t)known->end_time > end->end_time)
			return;
		bool is_stored = known->is_stored;
		release(ends, known);
		*known = make(ends, end, submit_time);
		known->is_stored = is_stored;
		return;
	}
	if (ends->count >= 2 * ends->max)
		choose(ends);
	GROW(ends->items, ends->count, ends->capacity);
	ends->items[ends->count++] = make(ends, end, submit_time);
	id_map_set(&ends->positions, end->raw_id, (uint32_t)ends->count);
}

void recent_ends_take_steps(struct recent_ends *ends, uint32_t raw_id, int64_t end_time, const struct job_steps *steps)
{
	uint32_t position = id_map_find(&ends->positions, raw_id);
	struct recent_end *end = position ? &ends->items[position - 1] : NULL;
	if (!end || (int64_t)end->end_time != end_time)
		return;
	end->used_cpu_seconds = steps->used_cpu_seconds;
	end->peak_memory = steps->peak_memory > 0 ? (uint64_t)steps->peak_memory : NUMBER_UNSET;
	end->energy = steps->energy > 0 ? (uint64_t)steps->energy : NUMBER_UNSET;
	end->is_changed = true;
}

static void add_up(struct recent_ends *ends)
{
	int64_t oldest = part_of(ends, ends->now - ends->keep_s), newest = part_of(ends, ends->now + ends->keep_s);
	struct ends_left_out sum = {0};
	for (size_t i = 0; i < sizeof ends->parts / sizeof *ends->parts; i++) {
		const struct ends_left_out *out = &ends->parts[i].left_out;
		if (ends->parts[i].part < oldest || ends->parts[i].part > newest)
			continue;
		sum.jobs += out->jobs;
		sum.eligible += out->eligible;
		sum.start += out->start;
		sum.limit += out->limit;
		sum.gres += out->gres;
	}
	ends->left_out = sum;
}

void recent_ends_settle(struct recent_ends *ends, int64_t now)
{
	size_t kept = 0;
	ends->now = now;
	for (size_t i = 0; i < ends->count; i++) {
		if (is_outside(ends, (int64_t)ends->items[i].end_time))
			forget(ends, &ends->items[i]);
		else
			ends->items[kept++] = ends->items[i];
	}
	ends->count = kept;
	choose(ends);
	add_up(ends);
}

struct ended_record recent_ends_record(const struct recent_ends *ends, size_t position)
{
	const struct recent_end *end = &ends->items[position];
	return (struct ended_record){
		.end = *end,
		.owner = owners_get(ends->owners, end->owner),
		.tres = text_pool_get(ends->texts, end->tres),
		.name = text_pool_get(ends->texts, end->name),
		.sluid = text_pool_get(ends->texts, end->sluid),
		.state = text_pool_get(ends->texts, end->state),
		.failed_node = text_pool_get(ends->texts, end->failed_node),
	};
}

void recent_ends_restore(struct recent_ends *ends, const struct ended_record *record)
{
	if (id_map_find(&ends->positions, record->end.raw_id))
		return;
	GROW(ends->items, ends->count, ends->capacity);
	struct recent_end *end = &ends->items[ends->count++];
	*end = kept(ends, record);
	end->is_changed = false;
	end->is_stored = true;
	id_map_set(&ends->positions, end->raw_id, (uint32_t)ends->count);
}

void recent_ends_stored(struct recent_ends *ends)
{
	ends->removed_count = 0;
	for (size_t i = 0; i < ends->count; i++) {
		ends->items[i].is_changed = false;
		ends->items[i].is_stored = true;
	}
}

void recent_ends_done(struct recent_ends *ends)
{
	for (size_t i = 0; i < ends->count; i++)
		release(ends, &ends->items[i]);
	free(ends->items);
	free(ends->removed);
	id_map_done(&ends->positions);
	*ends = (struct recent_ends){
		.owners = ends->owners, .texts = ends->texts, .max = ends->max, .keep_s = ends->keep_s};
}
