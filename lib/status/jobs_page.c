/* /jobs: a table of each stage, or all that is known of one job. */
#include "base/words.h"
#include "model/reason_words.h"
#include "status/frame.h"
#include "status/html.h"
#include "status/jobs_columns.h"
#include "status/jobs_pick.h"
#include "status/jobs_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Rows of a table: beside others, and alone. */
enum { PER_TABLE = 20, PER_PAGE = 100 };
enum { REASONS_EXPLAINED = 20 };

static bool is_alone(const struct jobs_query *query)
{
	return (query->stages & (query->stages - 1)) == 0;
}

static void say_link(const struct jobs_view *view, const struct jobs_change *change, const char *text, struct buf *out)
{
	buf_add_string(out, "<a href=\"?");
	jobs_query_link(view->query, view->cluster, change, out);
	HTML(out, "\">%</a>", text);
}

/* The table */

struct table {
	const struct jobs_view *view;
	enum status_stage stage;
	const struct jobs_column *sorted; /* by this one */
	bool is_descending;
};

static struct table table_of(const struct jobs_view *view, enum status_stage stage)
{
	struct table table = {.view = view, .stage = stage};
	table.sorted = jobs_column_of(view->query, stage, &table.is_descending);
	return table;
}

/* The column's name; it sorts by the column, or the other way round. */
static void say_head(const struct table *table, const struct jobs_column *column, struct buf *out)
{
	bool is_sorted = column == table->sorted;
	bool will_descend = is_sorted ? !table->is_descending : column->begins_high;
	const struct jobs_change change = {.sort = column->key, .order = will_descend ? "desc" : "asc"};
	buf_add_string(out, column->is_below ? " <small>" : "");
	say_link(table->view, &change, column->head, out);
	if (is_sorted)
		buf_printf(out, " <span aria-hidden=\"true\">%s</span>", table->is_descending ? "↓" : "↑");
	buf_add_string(out, column->is_below ? "</small>" : "");
}

/* Calls back with each column of the table, between the tags of its cell. A column that is below another shares its cell. */
static void say_row(const struct table *table, const struct status_job *job, struct buf *out)
{
	const char *end = "";
	buf_add_string(out, "<tr>");
	for (size_t i = 0; i < jobs_column_count; i++) {
		const struct jobs_column *column = &jobs_columns[i];
		bool is_first = i == 0;
		if (!jobs_column_is_of(column, table->stage))
			continue;
		if (!column->is_below) {
			buf_add_string(out, end);
			buf_add_string(out, !job ? "<th scope=\"col\"" : is_first ? "<th scope=\"row\"" : "<td");
			buf_add_string(out, column->is_number ? " class=\"number\">" : ">");
			end = !job || is_first ? "</th>" : "</td>";
		}
		if (!job) {
			say_head(table, column, out);
			continue;
		}
		buf_add_string(out, column->is_below ? "<small>" : "");
		column->cell(table->view, column, job, out);
		buf_add_string(out, column->is_below ? "</small>" : "");
	}
	buf_printf(out, "%s</tr>\n", end);
}

static void say_table(const struct table *table, const struct jobs_picked *picked, struct buf *out)
{
	HTML(out, "<div class=\"wide\" role=\"region\" aria-label=\"%\" tabindex=\"0\"><table class=\"jobs\">\n<thead>",
	     jobs_stage_words[table->stage].title);
	say_row(table, NULL, out);
	buf_add_string(out, "</thead>\n<tbody>\n");
	for (size_t i = picked->from; i < picked->to; i++)
		say_row(table, picked->items[i], out);
	buf_add_string(out, "</tbody></table></div>\n");
}

static void say_page_link(const struct jobs_view *view, uint64_t page, const char *text, struct buf *out)
{
	buf_add_string(out, " · ");
	say_link(view, &(struct jobs_change){.page = page}, text, out);
}

/* Beside other tables there is a link to all of this one. */
static void say_pages(const struct table *table, const struct jobs_picked *picked, struct buf *out)
{
	const struct jobs_view *view = table->view;
	if (picked->pages == 1)
		return;
	if (!is_alone(view->query)) {
		char all[64];
		snprintf(all, sizeof all, "All %s", words_number(picked->count).text);
		buf_add_string(out, "<p>");
		say_link(view, &(struct jobs_change){.state = jobs_stage_words[table->stage].key}, all, out);
		buf_add_string(out, "</p>\n");
		return;
	}
	buf_printf(out, "<p>Page %" PRIu64 " of %" PRIu64, picked->page, picked->pages);
	if (picked->page > 1)
		say_page_link(view, picked->page <= picked->pages ? picked->page - 1 : picked->pages, "Before", out);
	if (picked->page < picked->pages)
		say_page_link(view, picked->page + 1, "Next", out);
	buf_add_string(out, "</p>\n");
}

/* What helps, once for each reason that is on the page. */
static void say_advice(const struct table *table, const struct jobs_picked *picked, struct buf *out)
{
	uint32_t said[REASONS_EXPLAINED];
	size_t count = 0;
	for (size_t i = picked->from; i < picked->to && count < REASONS_EXPLAINED; i++) {
		const char *reason = status_job_text(table->view->jobs, picked->items[i]->reason);
		struct buf advice = BUF_INIT;
		size_t known = 0;
		while (known < count && strcmp(status_job_text(table->view->jobs, said[known]), reason) != 0)
			known++;
		if (known == count && reason_words_advice(text_of(reason), &advice)) {
			said[count] = picked->items[i]->reason;
			HTML(out,
			     count++ ? "<li>%: %</li>" : "<h3>What helps</h3>\n<ul class=\"sentences\"><li>%: %</li>",
			     reason, advice.bytes);
		}
		buf_done(&advice);
	}
	buf_add_string(out, count ? "</ul>\n" : "");
}

static void say_which(const struct table *table, const struct status *status, const struct jobs_picked *picked,
		      struct buf *out)
{
	struct buf rows = BUF_INIT;
	jobs_say_rows(status, table->stage, table->view->now, &rows);
	HTML(out, "<p class=\"more\">%", rows.bytes);
	if (picked->count < status->job_rows.sets[table->stage].count)
		HTML(out, " The query takes in % of them.", words_number(picked->count).text);
	buf_add_string(out, "</p>\n");
	buf_done(&rows);
}

static void say_rows(const struct table *table, const struct status *status, struct buf *out)
{
	size_t per_page = is_alone(table->view->query) ? PER_PAGE : PER_TABLE;
	struct jobs_picked picked =
		jobs_pick(table->view->jobs, table->stage, table->view->query, table->view->now, per_page);
	say_which(table, status, &picked, out);
	if (picked.from < picked.to)
		say_table(table, &picked, out);
	else
		buf_add_string(out, "<p class=\"none\">None.</p>\n");
	say_pages(table, &picked, out);
	if (table->stage == STATUS_PENDING)
		say_advice(table, &picked, out);
	jobs_picked_done(&picked);
}

static void say_stage(const struct jobs_view *view, const struct status *status, size_t cluster,
		      enum status_stage stage, bool names_it, struct buf *out)
{
	const struct table table = table_of(view, stage);
	struct buf id = BUF_INIT, title = BUF_INIT, why = BUF_INIT;
	buf_printf(&id, "%s-%zu", jobs_stage_words[stage].key, cluster);
	buf_printf(&title, "%s%s%s", view->query->wants_failures ? "Failed" : jobs_stage_words[stage].title,
		   names_it ? " – " : "", names_it ? status->name : "");
	frame_section(id.bytes, title.bytes, out);
	if (jobs_say_unknown(status, stage, &why))
		HTML(out, "<p class=\"none\">%</p>\n", why.bytes);
	else
		say_rows(&table, status, out);
	buf_add_string(out, "</section>\n");
	buf_done(&id);
	buf_done(&title);
	buf_done(&why);
}

/* One job */

static void fact(struct buf *out, const char *what, const char *value)
{
	HTML(out, "<div><dt>%</dt><dd>%</dd></div>\n", what, value);
}

static void fact_if_known(struct buf *out, const char *what, uint64_t number, struct words words)
{
	if (number_is_known(number))
		fact(out, what, words.text);
}

static void fact_text(const struct jobs_view *view, const char *what, uint32_t text, struct buf *out)
{
	if (text)
		fact(out, what, status_job_text(view->jobs, text));
}

static void fact_moment(struct buf *out, const char *what, uint64_t moment)
{
	fact_if_known(out, what, moment, words_time((double)moment));
}

/* Where the job stands in its partitions can be told only while each job that waits has a row. */
static void say_place(const struct jobs_view *view, const struct status_job *job, struct buf *out)
{
	const struct status_job_set *set = &view->jobs->sets[STATUS_PENDING];
	struct jobs_query alike = {.stages = 1u << STATUS_PENDING};
	struct text rest = text_of(status_job_text(view->jobs, job->partition)), partition;
	if (set->left_out || view->jobs->is_scoped || !number_is_known(job->priority) || !job->priority)
		return;
	while (text_next(&rest, ',', &partition)) {
		char name[256];
		uint64_t before = 0;
		text_to_string(partition, name, sizeof name);
		alike.filters[JOBS_PARTITION] = name;
		for (size_t i = 0; i < set->count; i++)
			if (number_is_known(set->rows[i].priority) && set->rows[i].priority > job->priority &&
			    jobs_query_has(&alike, view->jobs, STATUS_PENDING, &set->rows[i]))
				before += set->rows[i].tasks;
		HTML(out, "<div><dt>Ahead of it in %, by priority alone</dt><dd>%</dd></div>\n", name,
		     words_count(before, "job").text);
	}
}

static void say_why(const struct jobs_view *view, const struct status_job *job, struct buf *out)
{
	struct buf advice = BUF_INIT;
	if (reason_words_advice(text_of(status_job_text(view->jobs, job->reason)), &advice))
		fact(out, "What helps", advice.bytes);
	fact_text(view, "Class of the reason", job->class, out);
	buf_done(&advice);
}

/* All that the tables have of it, as facts. */
static void say_columns(const struct jobs_view *view, enum status_stage stage, const struct status_job *job,
			struct buf *out)
{
	struct buf cell = BUF_INIT;
	for (size_t i = 0; i < jobs_column_count; i++) {
		const struct jobs_column *column = &jobs_columns[i];
		if (!jobs_column_is_of(column, stage))
			continue;
		buf_clear(&cell);
		column->cell(view, column, job, &cell);
		if (!cell.len)
			continue;
		HTML(out, "<div><dt>%</dt><dd>", column->head);
		buf_add_text(out, buf_text(&cell));
		buf_add_string(out, "</dd></div>\n");
	}
	buf_done(&cell);
}

/* And what they have not. */
static void say_more(const struct jobs_view *view, enum status_stage stage, const struct status_job *job,
		     struct buf *out)
{
	static const char *const exclusive[] = {
		[STATUS_CPUS_SOME] = "no: other jobs may share them", [STATUS_CPUS_ALL] = "yes"};
	if (stage == STATUS_PENDING)
		say_why(view, job, out);
	if (stage == STATUS_PENDING)
		say_place(view, job, out);
	fact_moment(out, "Submit time", job->submit);
	fact_moment(out, "Eligible time", job->eligible);
	fact_moment(out, stage == STATUS_PENDING ? "Expected start, as slurmctld forecasts" : "Start time", job->start);
	fact_moment(out, "End time", job->end);
	if (job->limit_s == NUMBER_INFINITE)
		fact(out, "Time limit", "none");
	fact_if_known(out, "Time limit", job->limit_s, words_seconds((double)job->limit_s));
	fact_if_known(out, "Restarts", job->restarts, words_number(job->restarts));
	if (stage == STATUS_HOLDING)
		fact_if_known(out, "Priority", job->priority, words_number(job->priority));
	fact_text(view, "All nodes", job->node_list, out);
	if (job->of_nodes != STATUS_CPUS_NOT_KNOWN)
		fact(out, "It holds all CPUs of its nodes", exclusive[job->of_nodes]);
	if (job->used_cpu_s >= 0)
		fact(out, "CPU time used", words_seconds(job->used_cpu_s).text);
	fact_if_known(out, "Peak memory", job->peak_memory_bytes, words_bytes((double)job->peak_memory_bytes));
	fact_if_known(out, "Energy in joules", job->energy_joules, words_number(job->energy_joules));
	fact_text(view, "SLUID", job->sluid, out);
	if (job->array_job_id)
		fact_if_known(out, "Raw ID", job->id, words_number(job->id));
	if (job->het_job_id)
		fact_if_known(out, "Het job", job->het_job_id, words_number(job->het_job_id));
}

static bool is_exactly(const struct jobs_query *query, const struct status_job *job, size_t count)
{
	return count == 1 || job->id == query->id_number;
}

/* True: there is one, and its facts were written. Of an array's ID that is its rest. */
static bool say_job(const struct jobs_view *view, enum status_stage stage, size_t cluster, struct buf *out)
{
	struct jobs_picked picked = jobs_pick(view->jobs, stage, view->query, view->now, PER_PAGE);
	const struct status_job *job = NULL;
	static const struct jobs_query none = {.page = 1};
	const struct jobs_view plain = {view->jobs, &none, view->cluster, view->now};
	for (size_t i = 0; i < picked.count && !job; i++)
		if (is_exactly(view->query, picked.items[i], picked.count))
			job = picked.items[i];
	if (job) {
		struct buf id = BUF_INIT, title = BUF_INIT;
		buf_printf(&id, "job-%s-%zu", jobs_stage_words[stage].key, cluster);
		buf_printf(&title, "%s: ", jobs_stage_words[stage].title);
		jobs_id(job, &title);
		frame_section(id.bytes, title.bytes, out);
		buf_add_string(out, "<dl class=\"facts\">\n");
		say_columns(&plain, stage, job, out);
		say_more(&plain, stage, job, out);
		buf_add_string(out, "</dl>\n</section>\n");
		buf_done(&id);
		buf_done(&title);
	}
	jobs_picked_done(&picked);
	return job;
}

/* The page */

static void say_choice(const struct jobs_view *view, const char *state, const char *text, struct buf *out)
{
	bool is_chosen = strcmp(view->query->state ? view->query->state : "", state) == 0;
	buf_add_string(out, "<li>");
	if (is_chosen)
		HTML(out, "<strong>%</strong>", text);
	else
		say_link(view, &(struct jobs_change){.state = state}, text, out);
	buf_add_string(out, "</li>");
}

static void say_choices(const struct jobs_view *view, struct buf *out)
{
	buf_add_string(out, "<nav aria-label=\"States\"><ul class=\"choices\">");
	say_choice(view, "", "All", out);
	for (int stage = 0; stage < STATUS_STAGES; stage++)
		say_choice(view, jobs_stage_words[stage].key, jobs_stage_words[stage].title, out);
	say_choice(view, "failed", "Failed", out);
	buf_add_string(out, "</ul></nav>\n");
}

static void say_filter(const struct jobs_view *view, const char *what, const char *value,
		       const struct jobs_change *without, struct buf *out)
{
	HTML(out, "<li>% <strong>%</strong> ", what, value);
	say_link(view, without, "any", out);
	buf_add_string(out, "</li>");
}

static void say_filters(const struct jobs_view *view, struct buf *out)
{
	const struct jobs_query *query = view->query;
	struct buf items = BUF_INIT;
	if (query->id)
		say_filter(view, "job", query->id, &(struct jobs_change){.id = ""}, &items);
	if (query->state && !query->is_group)
		say_filter(view, "state", query->state, &(struct jobs_change){.state = ""}, &items);
	for (int i = 0; i < JOBS_FILTERS; i++) {
		struct jobs_change without = {.page = 0};
		without.filters[i] = "";
		if (query->filters[i])
			say_filter(view, jobs_filter_names[i], query->filters[i], &without, &items);
	}
	if (items.len) {
		buf_add_string(out, "<ul class=\"choices\" aria-label=\"Only jobs of\">");
		buf_add_text(out, buf_text(&items));
		buf_add_string(out, "</ul>\n");
	}
	buf_done(&items);
}

static void say_json_link(const struct jobs_view *view, struct buf *out)
{
	buf_add_string(out, "<p class=\"more\"><a href=\"./api/v1/jobs?");
	jobs_query_link(view->query, view->cluster, &(struct jobs_change){.page = 0}, out);
	buf_add_string(out, "\">These as JSON</a></p>\n");
}

static void say_cluster(const struct status_site *site, size_t cluster, struct buf *out)
{
	const struct jobs_query *query = site->query;
	const struct status *status = site->clusters[cluster];
	bool is_one_of_several = site->cluster_count > 1;
	const struct jobs_view view = {&status->job_rows, query, is_one_of_several ? status->name : site->chosen,
				       site->now};
	bool is_found = false;
	for (int stage = 0; stage < STATUS_STAGES && query->id; stage++)
		is_found |= (query->stages >> stage & 1) && say_job(&view, (enum status_stage)stage, cluster, out);
	for (int stage = 0; stage < STATUS_STAGES && !is_found; stage++)
		if (query->stages >> stage & 1)
			say_stage(&view, status, cluster, (enum status_stage)stage, is_one_of_several, out);
}

void pages_jobs(const struct status_site *site, struct buf *out)
{
	const struct jobs_query *query = site->query;
	struct status_site here = *site;
	struct buf parameters = BUF_INIT, title = BUF_INIT;
	const char *name = site->cluster_count == 1 ? site->clusters[0]->name : "";
	const struct jobs_view all = {NULL, query, site->chosen, site->now};
	jobs_query_link(query, NULL, &(struct jobs_change){.page = query->page}, &parameters);
	here.parameters = parameters.bytes;
	buf_printf(&title, "Jobs%s%s", *name ? " of " : "", name);
	buf_add_string(&title, " – slurmscope");
	frame_begin(&here, title.bytes, out);
	HTML(out, "<h1>Jobs%%</h1>\n", *name ? " of " : "", name);
	say_choices(&all, out);
	say_filters(&all, out);
	say_json_link(&all, out);
	for (size_t i = 0; i < site->cluster_count; i++)
		say_cluster(site, i, out);
	frame_end(&here, out);
	buf_done(&parameters);
	buf_done(&title);
}
