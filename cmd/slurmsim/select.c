#include "slurmsim/select.h"

#include "base/memory.h"
#include "slurmsim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 16384 };

static void add(struct view *view, const struct job *job, uint32_t task)
{
	size_t place = job_table_place(&view->world->jobs, job->id);
	if ((view->selected_count & (view->selected_count - 1)) == 0)
		view->selected = memory_resize(view->selected, view->selected_count ? view->selected_count * 2 : 1,
					       sizeof *view->selected);
	view->selected[view->selected_count++] = (struct selected){place, task};
}

static void add_members(struct view *view, const struct job *leader)
{
	for (const struct job *job = leader; job; job = job_table_find(&view->world->jobs, job->next_member))
		add(view, job, NO_TASK);
}

static bool rest_has(const struct job *job, uint32_t task, uint32_t *ret_rank)
{
	for (uint32_t rank = job->rest_at; rank < job->rest_end; rank++)
		if (job_task_id(job, rank) == task) {
			*ret_rank = rank;
			return true;
		}
	return false;
}

/* A task's record: that of the unsplit rest is all of its tasks (24.11, 26.05). */
static void add_task(struct view *view, const struct job *leader, uint32_t task)
{
	uint32_t rank;
	for (const struct job *job = leader; job; job = job_table_find(&view->world->jobs, job->next_member)) {
		if (job->task == task || (job->task == NO_TASK && rest_has(job, task, &rank)))
			add(view, job, NO_TASK);
	}
}

/* An array's SLUID selects its first record alone. */
static bool select_sluid(struct view *view, const char *sluid)
{
	char *end;
	uint64_t number = strtoull(sluid + strlen(SLUID_PREFIX), &end, 16);
	const struct job *job = job_table_find(&view->world->jobs, (uint32_t)(number >> 4));
	view->is_selected = true;
	if (job && !*end)
		add(view, job, NO_TASK);
	return true;
}

bool select_job(struct view *view, const char *id)
{
	const struct job_table *table = &view->world->jobs;
	char *end;
	if (view->release >= RELEASE_26_05 && strncmp(id, SLUID_PREFIX, strlen(SLUID_PREFIX)) == 0)
		return select_sluid(view, id);
	uint32_t raw = (uint32_t)strtoul(id, &end, 10), part = 0;
	char separator = *end;
	if (end == id || (separator && separator != '_' && separator != '+'))
		return false;
	if (separator)
		part = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end)
		return false;
	view->is_selected = true;
	const struct job *job = job_table_find(table, separator == '+' ? raw + part : raw);
	if (!job)
		return true;
	if (separator == '_')
		add_task(view, job, part);
	else if (!separator && job->array_id == job->id)
		add_members(view, job);
	else {
		add(view, job, NO_TASK);
		const struct job *other = job->het_size ? job_table_find(table, job->id + 1) : NULL;
		if (!separator && other && other->het_id == job->id) /* it may be forgotten already */
			add(view, other, NO_TASK);
	}
	return true;
}

static bool is_set(const char *query, const char *name)
{
	char value[16];
	return query_get(query, name, value, sizeof value) && strcmp(value, "false") != 0;
}

static bool read_time(const struct view *view, const char *query, const char *name, int64_t *ret_time)
{
	char value[32];
	if (!query_get(query, name, value, sizeof value))
		return true;
	bool has_prefix = strncmp(value, "uts", 3) == 0;
	*ret_time = strtoll(value + (has_prefix ? 3 : 0), NULL, 10);
	return has_prefix || view->version >= 42;
}

/* RESIZING 22.05 refuses. */
static uint32_t state_bit(const struct view *view, const char *name)
{
	static const char *const unknown[] = {"BOOT_FAIL", "SUSPENDED", "RESIZING"};
	if (strcasecmp(name, "REQUEUED") == 0)
		return view->old ? 1u << JOB_PENDING : REQUEUED_BIT;
	for (uint32_t i = 0; i < JOB_STATES; i++)
		if (strcasecmp(name, job_state_names[i]) == 0)
			return 1u << i;
	for (size_t i = 0; i < (view->old ? 2 : 3); i++)
		if (strcasecmp(name, unknown[i]) == 0)
			return UNKNOWN_BIT;
	return 0;
}

/* The values of a list: a parameter for each, or, in 22.05, joined by commas (PARAMS.md, "Lists of values").
 * `from` begins as the query. */
static bool next_value(const struct view *view, const char *name, const char **from, char *joined, char *ret_value,
		       size_t size)
{
	if (!view->old)
		return query_next(from, name, ret_value, size);
	while (query_next(from, name, joined, LIST_MAX))
		;
	size_t len = strcspn(joined, ",");
	snprintf(ret_value, size, "%.*s", (int)len, joined);
	memmove(joined, joined + len + (joined[len] == ','), strlen(joined + len + (joined[len] == ',')) + 1);
	return *ret_value;
}

static const char *select_states(struct view *view, const char *query)
{
	char joined[LIST_MAX] = "", state[256];
	while (next_value(view, "state", &query, joined, state, sizeof state)) {
		uint32_t bit = state_bit(view, state);
		if (!bit)
			return "Data parser unable to parse invalid flag";
		view->window.states |= bit;
	}
	return NULL;
}

static const char *select_ids(struct view *view, const char *query)
{
	char joined[LIST_MAX] = "", id[32], *end;
	while (next_value(view, "step", &query, joined, id, sizeof id)) {
		uint32_t raw = (uint32_t)strtoul(id, &end, 10);
		if (!raw || *end == ',')
			return "Unable to parse step id";
		id_map_set(&view->window.jobs, raw, 1);
	}
	return NULL;
}

const char *select_window(struct view *view, const char *query)
{
	struct window *window = &view->window;
	const char *why = select_states(view, query);
	why = why ? why : select_ids(view, query);
	if (why)
		return why;
	if (!read_time(view, query, "start_time", &window->start) || !read_time(view, query, "end_time", &window->end))
		return "Unable to convert Data type";
	query_get(query, view->old ? "user" : "users", window->user, sizeof window->user);
	window->with_steps = !is_set(query, "skip_steps");
	bool duplicates = is_set(query, "show_duplicates");
	bool whole = is_set(query, "disable_truncate_usage_time");
	bool by_default = view->old || (window->with_steps && !duplicates && !whole);
	window->duplicates = by_default || duplicates;
	window->whole_times = by_default || whole;
	return NULL;
}
