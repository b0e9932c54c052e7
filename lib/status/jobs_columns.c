#include "status/jobs_columns.h"

#include "base/words.h"
#include "model/reason_words.h"
#include "model/tres.h"
#include "status/html.h"

#include <inttypes.h>
#include <math.h>

#define OF(stage) (1u << (STATUS_##stage))
enum { ALL = OF(PENDING) | OF(HOLDING) | OF(ENDED), LIVE = OF(PENDING) | OF(HOLDING) };

static double known(uint64_t number)
{
	return number_is_known(number) ? (double)number : NAN;
}

double jobs_run_seconds(const struct status_job *job, double now)
{
	double since = known(job->runs_since), before = known(job->run_s);
	return isnan(since) ? before : before + fmax(now - since, 0);
}

double jobs_left_seconds(const struct status_job *job, double now)
{
	return job->limit_s == NUMBER_INFINITE ? (double)INFINITY : known(job->limit_s) - jobs_run_seconds(job, now);
}

double jobs_cpu_efficiency(const struct status_job *job)
{
	double held = known(job->cpus) * known(job->run_s);
	return job->used_cpu_s >= 0 && held > 0 ? job->used_cpu_s / held : NAN;
}

void jobs_id(const struct status_job *job, struct buf *out)
{
	if (job->array_job_id && job->array_task_id != UINT32_MAX)
		buf_printf(out, "%" PRIu32 "_%" PRIu32, job->array_job_id, job->array_task_id);
	else
		buf_printf(out, "%" PRIu32, job->id);
}

void jobs_gres(const struct status_job_rows *jobs, const struct status_job *job, struct buf *out)
{
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(text_of(status_job_text(jobs, job->tres)), gres);
	for (unsigned i = 0; i < count; i++) {
		buf_add_string(out, i ? ", " : "");
		buf_add_text(out, gres[i].name);
		buf_add_string(out, gres[i].type.len ? ":" : "");
		buf_add_text(out, gres[i].type);
		buf_printf(out, "=%" PRIu64, gres[i].count);
	}
}

/* To sort by */

static double number_id(const struct status_job *job, double now)
{
	(void)now;
	return job->array_job_id ? job->array_job_id : job->id;
}

#define NUMBER_OF(name, value)                                                                                         \
	static double number_##name(const struct status_job *job, double now)                                          \
	{                                                                                                              \
		(void)now;                                                                                             \
		return value;                                                                                          \
	}
NUMBER_OF(priority, known(job->priority))
NUMBER_OF(submit, known(job->submit))
NUMBER_OF(eligible, known(job->eligible))
NUMBER_OF(start, known(job->start))
NUMBER_OF(end, known(job->end))
NUMBER_OF(cpus, known(job->cpus))
NUMBER_OF(memory, known(job->memory_bytes))
NUMBER_OF(nodes, known(job->nodes))
NUMBER_OF(gpus, known(job->gpus))
NUMBER_OF(tasks, known(job->tasks))
NUMBER_OF(peak, known(job->peak_memory_bytes) / known(job->memory_bytes))
NUMBER_OF(efficiency, jobs_cpu_efficiency(job))

/* Cells */

static const char *text_in(const struct jobs_view *view, uint32_t text)
{
	return status_job_text(view->jobs, text);
}

static uint32_t text_member(const struct jobs_column *column, const struct status_job *job)
{
	uint32_t text;
	memcpy(&text, (const char *)job + column->text, sizeof text);
	return text;
}

static void say_text(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		     struct buf *out)
{
	HTML(out, "%", text_in(view, text_member(column, job)));
}

static void say_link(const struct jobs_view *view, const struct jobs_change *change, const char *text, struct buf *out)
{
	buf_add_string(out, "<a href=\"?");
	jobs_query_link(view->query, view->cluster, change, out);
	HTML(out, "\">%</a>", text);
}

/* Leads to all jobs of that name; of a list, of each of its names. */
static void say_filter(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		       struct buf *out)
{
	struct text rest = text_of(text_in(view, text_member(column, job))), name;
	enum jobs_filter filter = 0;
	while (filter + 1 < JOBS_FILTERS && strcmp(jobs_filter_names[filter], column->key) != 0)
		filter++;
	bool is_list = filter == JOBS_PARTITION || filter == JOBS_QOS;
	for (bool is_first = true; text_next(&rest, is_list ? ',' : '\0', &name); is_first = false) {
		char one[1024];
		struct jobs_change change = {.id = ""};
		text_to_string(name, one, sizeof one);
		change.filters[filter] = one;
		buf_add_string(out, is_first ? "" : ", ");
		say_link(view, &change, one, out);
	}
}

static void say_id(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		   struct buf *out)
{
	static const struct jobs_query none = {.page = 1};
	const struct jobs_view alone = {view->jobs, &none, view->cluster, view->now};
	struct buf id = BUF_INIT;
	(void)column;
	jobs_id(job, &id);
	say_link(&alone, &(struct jobs_change){.id = id.bytes}, id.bytes, out);
	buf_done(&id);
}

static void say_reason(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		       struct buf *out)
{
	struct buf meaning = BUF_INIT;
	say_filter(view, column, job, out);
	if (reason_words_meaning(text_of(text_in(view, job->reason)), &meaning))
		HTML(out, " <small>%</small>", meaning.bytes);
	buf_done(&meaning);
}

static void say_state(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		      struct buf *out)
{
	say_text(view, column, job, out);
	if (number_is_known(job->exit_signal) && job->exit_signal)
		buf_printf(out, " <small>signal %" PRIu64 "</small>", job->exit_signal);
	else if (number_is_known(job->exit_code) && job->exit_code)
		buf_printf(out, " <small>exit code %" PRIu64 "</small>", job->exit_code);
	if (job->failed_node)
		HTML(out, " <small>% failed</small>", text_in(view, job->failed_node));
}

static void say_plain(double number, struct words words, struct buf *out)
{
	buf_add_string(out, isnan(number) ? "–" : words.text);
}

static void say_number(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		       struct buf *out)
{
	double number = column->number(job, view->now);
	say_plain(number, words_number(isnan(number) ? 0 : (uint64_t)number), out);
}

static void say_tasks(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		      struct buf *out)
{
	(void)view, (void)column;
	if (job->is_array_rest)
		buf_printf(out, "× %s", words_count(job->tasks, "task").text);
}

static void say_memory(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		       struct buf *out)
{
	double bytes = column->number(job, view->now);
	say_plain(bytes, words_bytes(bytes), out);
}

static void say_peak(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		     struct buf *out)
{
	double share = column->number(job, view->now);
	if (isfinite(share))
		buf_printf(out, "%s used", words_share(share).text);
}

static void say_share(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		      struct buf *out)
{
	double share = column->number(job, view->now);
	say_plain(share, words_share(share), out);
}

static void say_gpus(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		     struct buf *out)
{
	struct buf gres = BUF_INIT;
	say_number(view, column, job, out);
	jobs_gres(view->jobs, job, &gres);
	if (gres.len)
		HTML(out, " <small>%</small>", gres.bytes);
	buf_done(&gres);
}

enum { NODE_LIST_SHOWN = 60 };

/* The list may be long: all of it stands in the page of the job alone. */
static void say_nodes(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		      struct buf *out)
{
	struct text list = text_of(text_in(view, job->node_list)), front = text_limit(list, NODE_LIST_SHOWN);
	char shown[NODE_LIST_SHOWN + 1];
	text_to_string(front, shown, sizeof shown);
	say_number(view, column, job, out);
	if (list.len)
		HTML(out, " <small>%%</small>", shown, front.len < list.len ? "…" : "");
}

/* How long ago, or in how long. */
static void say_moment(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		       struct buf *out)
{
	double moment = column->number(job, view->now), ago = view->now - moment;
	if (isnan(moment))
		buf_add_string(out, "–");
	else
		HTML(out, "<span title=\"%\">%%%</span>", words_time(moment).text, ago < 0 ? "in " : "",
		     words_seconds(fabs(ago)).text, ago < 0 ? "" : " ago");
}

static void say_duration(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
			 struct buf *out)
{
	double seconds = column->number(job, view->now);
	say_plain(seconds, words_seconds(seconds), out);
}

static void say_run(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		    struct buf *out)
{
	double seconds = column->number(job, view->now);
	if (!isnan(seconds))
		buf_printf(out, "ran for %s", words_seconds(seconds).text);
}

static void say_left(const struct jobs_view *view, const struct jobs_column *column, const struct status_job *job,
		     struct buf *out)
{
	double seconds = column->number(job, view->now);
	if (isinf(seconds))
		buf_add_string(out, "no limit");
	else if (!isnan(seconds))
		buf_printf(out, "%s %s", words_seconds(fabs(seconds)).text, seconds < 0 ? "over its limit" : "left");
}

#define TEXT_OF(member) offsetof(struct status_job, member), NULL

const struct jobs_column jobs_columns[] = {
	{"id", "Job", ALL, false, false, false, 0, number_id, say_id},
	{"name", "name", ALL, true, false, false, TEXT_OF(name), say_text},
	{"user", "User", ALL, false, false, false, TEXT_OF(user), say_filter},
	{"account", "account", ALL, true, false, false, TEXT_OF(account), say_filter},
	{"partition", "Partition", ALL, false, false, false, TEXT_OF(partition), say_filter},
	{"qos", "QOS", ALL, true, false, false, TEXT_OF(qos), say_filter},
	{"reason", "Reason", OF(PENDING), false, false, false, TEXT_OF(reason), say_reason},
	{"state", "State", OF(HOLDING) | OF(ENDED), false, false, false, TEXT_OF(state), say_state},
	{"priority", "Priority", OF(PENDING), false, true, true, 0, number_priority, say_number},
	{"eligible", "Eligible", OF(PENDING), false, true, false, 0, number_eligible, say_moment},
	{"submit", "submitted", OF(PENDING), true, true, false, 0, number_submit, say_moment},
	{"start", "Start", OF(PENDING), false, true, false, 0, number_start, say_moment},
	{"elapsed", "Elapsed", OF(HOLDING), false, true, true, 0, jobs_run_seconds, say_duration},
	{"left", "left", OF(HOLDING), true, true, false, 0, jobs_left_seconds, say_left},
	{"end", "Ended", OF(ENDED), false, true, true, 0, number_end, say_moment},
	{"run", "run time", OF(ENDED), true, true, true, 0, jobs_run_seconds, say_run},
	{"cpus", "CPUs", ALL, false, true, true, 0, number_cpus, say_number},
	{"tasks", "tasks", OF(PENDING), true, true, true, 0, number_tasks, say_tasks},
	{"efficiency", "CPU use", OF(ENDED), false, true, false, 0, number_efficiency, say_share},
	{"memory", "Memory", ALL, false, true, true, 0, number_memory, say_memory},
	{"peak", "peak", OF(ENDED), true, true, false, 0, number_peak, say_peak},
	{"gpus", "GPUs", ALL, false, true, true, 0, number_gpus, say_gpus},
	{"nodes", "Nodes", ALL, false, true, true, 0, number_nodes, say_nodes},
};
const size_t jobs_column_count = sizeof jobs_columns / sizeof *jobs_columns;

const struct jobs_column *jobs_column_find(const char *key)
{
	for (size_t i = 0; i < jobs_column_count; i++)
		if (strcmp(jobs_columns[i].key, key) == 0)
			return &jobs_columns[i];
	return NULL;
}

const struct jobs_column *jobs_column_of(const struct jobs_query *query, enum status_stage stage,
					 bool *ret_is_descending)
{
	static const char *const keys[STATUS_STAGES] = {
		[STATUS_PENDING] = "priority", [STATUS_HOLDING] = "left", [STATUS_ENDED] = "end"};
	const struct jobs_column *column = query->sort ? jobs_column_find(query->sort) : NULL;
	bool is_asked = column && jobs_column_is_of(column, stage);
	column = is_asked ? column : jobs_column_find(keys[stage]);
	*ret_is_descending = is_asked ? query->is_descending : column->begins_high;
	return column;
}
