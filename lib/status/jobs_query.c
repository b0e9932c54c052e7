#include "status/jobs_query.h"

#include "base/quote.h"
#include "model/hostlist.h"

#include <inttypes.h>
#include <stdio.h>

const char *const jobs_filter_names[JOBS_FILTERS] = {
	[JOBS_USER] = "user", [JOBS_ACCOUNT] = "account", [JOBS_PARTITION] = "partition", [JOBS_QOS] = "qos",
	[JOBS_NODE] = "node", [JOBS_REASON] = "reason",	  [JOBS_NAME] = "name",
};

static void add_parameter(struct buf *out, size_t begin, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	buf_printf(out, "%s%s=", out->len > begin ? "&amp;" : "", name);
	quote_url(out, text_of(value));
}

static const char *changed(const char *was, const char *is)
{
	return is ? is : was;
}

void jobs_query_link(const struct jobs_query *query, const char *cluster, const struct jobs_change *change,
		     struct buf *out)
{
	size_t begin = out->len;
	char page[24];
	const char *order = query->sort ? (query->is_descending ? "desc" : "asc") : NULL;
	snprintf(page, sizeof page, "%" PRIu64, change->page);
	add_parameter(out, begin, "cluster", cluster);
	add_parameter(out, begin, "state", changed(query->state, change->state));
	for (int i = 0; i < JOBS_FILTERS; i++)
		add_parameter(out, begin, jobs_filter_names[i], changed(query->filters[i], change->filters[i]));
	add_parameter(out, begin, "id", changed(query->id, change->id));
	add_parameter(out, begin, "sort", changed(query->sort, change->sort));
	add_parameter(out, begin, "order", changed(order, change->order));
	add_parameter(out, begin, "page", change->page > 1 ? page : NULL);
	if (out->len == begin) /* a link to nothing would be one to the same query again */
		add_parameter(out, begin, "page", "1");
}

static bool list_has(const char *list, struct text name)
{
	return text_lists(text_of(list), name) || text_equal(text_of(list), name);
}

static bool has_node(const struct status_job_rows *jobs, const struct status_job *job, struct text node)
{
	return text_equal(text_of(status_job_text(jobs, job->failed_node)), node) ||
	       hostlist_has(text_of(status_job_text(jobs, job->node_list)), node);
}

static bool passes(enum jobs_filter filter, const char *value, const struct status_job_rows *jobs,
		   const struct status_job *job)
{
	struct text name = text_of(value);
	switch (filter) {
	case JOBS_USER:
		return text_equal(text_of(status_job_text(jobs, job->user)), name);
	case JOBS_ACCOUNT:
		return text_equal(text_of(status_job_text(jobs, job->account)), name);
	case JOBS_PARTITION:
		return list_has(status_job_text(jobs, job->partition), name);
	case JOBS_QOS:
		return list_has(status_job_text(jobs, job->qos), name);
	case JOBS_NODE:
		return has_node(jobs, job, name);
	case JOBS_REASON:
		return text_equal(text_of(status_job_text(jobs, job->reason)), name);
	default:
		return text_equal(text_of(status_job_text(jobs, job->name)), name);
	}
}

static bool has_id(const struct jobs_query *query, const struct status_job *job)
{
	if (number_is_known(query->task_number))
		return job->array_job_id == query->id_number && job->array_task_id == query->task_number;
	return job->id == query->id_number || job->array_job_id == query->id_number ||
	       job->het_job_id == query->id_number;
}

bool jobs_query_has(const struct jobs_query *query, const struct status_job_rows *jobs, enum status_stage stage,
		    const struct status_job *job)
{
	if (!(query->stages >> stage & 1) || (query->wants_failures && !job->is_failure))
		return false;
	if (query->state && !query->is_group && strcmp(status_job_text(jobs, job->state), query->state) != 0)
		return false;
	if (query->id && !has_id(query, job))
		return false;
	for (int i = 0; i < JOBS_FILTERS; i++)
		if (query->filters[i] && !passes((enum jobs_filter)i, query->filters[i], jobs, job))
			return false;
	return true;
}
