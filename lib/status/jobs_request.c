#include "status/jobs_request.h"

#include "model/vocabulary.h"
#include "status/jobs_columns.h"

/* More than one state of Slurm's. */
static const struct group {
	const char *name;
	unsigned stages;
	bool wants_failures;
} groups[] = {
	{"pending", 1 << STATUS_PENDING, false},
	{"running", 1 << STATUS_HOLDING, false},
	{"ended", 1 << STATUS_ENDED, false},
	{"failed", 1 << STATUS_ENDED, true},
};
enum { GROUPS = sizeof groups / sizeof *groups, ALL_STAGES = (1 << STATUS_STAGES) - 1 };

static const struct group *group_of(const char *name)
{
	for (size_t i = 0; i < GROUPS; i++)
		if (strcmp(groups[i].name, name) == 0)
			return &groups[i];
	return NULL;
}

static bool is_slurms(const char *state)
{
	const char *const *name = job_state_names;
	while (*name && strcmp(*name, state) != 0)
		name++;
	return *name;
}

/* One more of a list. */
static void name_one(struct buf *why, const char *name, bool *is_first)
{
	buf_printf(why, "%s%s", *is_first ? "" : ", ", name);
	*is_first = false;
}

static bool is_wrong(struct buf *why, const char *parameter, const char *value)
{
	buf_printf(why, "%s: \"", parameter);
	buf_add_text(why, text_limit(text_of(value), 64));
	buf_add_string(why, "\" is none; there are: ");
	return false;
}

static bool read_state(struct jobs_query *query, struct buf *why)
{
	const struct group *group = query->state ? group_of(query->state) : NULL;
	query->stages = group ? group->stages : ALL_STAGES;
	query->is_group = group;
	query->wants_failures = group && group->wants_failures;
	if (!query->state || group || is_slurms(query->state))
		return true;
	bool is_first = true;
	is_wrong(why, "state", query->state);
	for (size_t i = 0; i < GROUPS; i++)
		name_one(why, groups[i].name, &is_first);
	for (const char *const *name = job_state_names; *name; name++)
		if (!group_of(*name))
			name_one(why, *name, &is_first);
	return false;
}

static bool read_sort(struct jobs_query *query, const char *sort, const char *order, struct buf *why)
{
	const struct jobs_column *column = sort ? jobs_column_find(sort) : NULL;
	query->sort = sort;
	if (sort && !column) {
		bool is_first = true;
		is_wrong(why, "sort", sort);
		for (size_t i = 0; i < jobs_column_count; i++)
			name_one(why, jobs_columns[i].key, &is_first);
		return false;
	}
	query->is_descending = order ? strcmp(order, "desc") == 0 : column && column->begins_high;
	if (!order || query->is_descending || strcmp(order, "asc") == 0)
		return true;
	is_wrong(why, "order", order);
	buf_add_string(why, "asc, desc");
	return false;
}

static bool read_id(struct jobs_query *query, struct buf *why)
{
	struct text task = text_of(query->id);
	struct text id = text_cut(&task, '_');
	query->id_number = query->task_number = NUMBER_UNSET;
	if (!query->id || (text_to_u64(id, &query->id_number) && query->id_number &&
			   (!strchr(query->id, '_') || text_to_u64(task, &query->task_number))))
		return true;
	is_wrong(why, "id", query->id);
	buf_add_string(why, "a job's number, or an array's and its task's, as 12_3");
	return false;
}

static bool read_page(struct jobs_query *query, const char *page, struct buf *why)
{
	query->page = 1;
	if (!page || (text_to_u64(text_of(page), &query->page) && query->page && query->page <= UINT32_MAX))
		return true;
	is_wrong(why, "page", page);
	buf_add_string(why, "numbers from 1 on");
	return false;
}

static const char *ask(jobs_parameter_fn *parameter, void *context, const char *name)
{
	const char *value = parameter(context, name);
	return value && *value ? value : NULL;
}

bool jobs_query_read(struct jobs_query *query, jobs_parameter_fn *parameter, void *context, struct buf *why)
{
	*query = (struct jobs_query){.state = ask(parameter, context, "state"), .id = ask(parameter, context, "id")};
	for (int i = 0; i < JOBS_FILTERS; i++)
		query->filters[i] = ask(parameter, context, jobs_filter_names[i]);
	return read_state(query, why) && read_id(query, why) &&
	       read_sort(query, ask(parameter, context, "sort"), ask(parameter, context, "order"), why) &&
	       read_page(query, ask(parameter, context, "page"), why);
}
