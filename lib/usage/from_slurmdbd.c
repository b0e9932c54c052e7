#include "usage/from_slurmdbd.h"

#include "base/buf.h"
#include "base/words.h"
#include "model/job_run.h"
#include "slurmrest/job_runs_query.h"

#include <math.h>
#include <time.h>

/* As many as slurmrestd can answer within some seconds (SLURMRESTD.md, "Costs"). */
enum { WINDOW_MIN_S = 60, WINDOW_FIRST_S = 3600, WINDOW_MAX_S = 86400, RUNS_FEW = 5000, RUNS_MANY = 20000 };

/* That a job may name, and may name twice. */
enum { PARTITIONS_MAX = 64 };

struct window {
	struct usage *use;
	unsigned kinds;
	double from, to; /* ends at `from` are of the window before, those at `to` of this one */
	uint64_t runs;
};

/* It held nodes, and slurmdbd knows since when. It gives a start to what was cancelled before it got nodes, too, and 22.05 even CPUs. */
static bool has_run(const struct job_run *run)
{
	return run->job.start_time && tres_count(run->job.tres_allocated, TEXT("node"));
}

/* A row of a resized job was submitted when the job got that size, which is its start; but on 22.05 that is the job's own. */
static double start_of(const struct job_run *run)
{
	const struct job *job = &run->job;
	return (double)(job->start_time > job->submit_time ? job->start_time : job->submit_time);
}

/* How long it ran, and how much of that is in the window, with its suspensions spread evenly. */
static double seconds_in(const struct window *window, const struct job_run *run)
{
	double start = start_of(run), elapsed = (double)run->elapsed;
	double end = job_run_has_ended(run) || job_run_is_size(run) ? (double)run->job.end_time : window->to;
	double from = start > window->from ? start : window->from, to = end < window->to ? end : window->to;
	if (to <= from)
		return 0;
	if (!number_is_known(run->suspended) || !run->suspended)
		return to - from;
	return (to - from) * elapsed / (elapsed + (double)run->suspended);
}

static bool is_in(const struct window *window, double time)
{
	return time > window->from && time <= window->to;
}

static void add_name(const struct window *window, enum usage_by by, struct text name, struct text account,
		     unsigned column, double amount)
{
	const struct usage_name whose = {.by = by, .name = name, .account = account};
	if (window->kinds & 1u << by)
		usage_add(window->use, &whose, column, amount);
}

static bool is_among(const struct text *texts, unsigned count, struct text text)
{
	for (unsigned i = 0; i < count; i++)
		if (text_equal(texts[i], text))
			return true;
	return false;
}

/* A run that was cancelled while it waited in several partitions counts in each of them. One that ran counts where it ran,
 * which slurmctld names first. */
static void add(const struct window *window, const struct job_run *run, unsigned column, double amount)
{
	const struct job *job = &run->job;
	struct text rest = job->partitions, partition;
	if (column != USAGE_ENERGY_JOULES) {
		add_name(window, USAGE_BY_CLUSTER, TEXT(""), TEXT(""), column, amount);
		add_name(window, USAGE_BY_QOS, job->qos, TEXT(""), column, amount);
	}
	add_name(window, USAGE_BY_ACCOUNT, job->account, TEXT(""), column, amount);
	add_name(window, USAGE_BY_USER, job->user, job->account, column, amount);
	unsigned count = 0;
	struct text counted[PARTITIONS_MAX];
	while (count < PARTITIONS_MAX && !(count && has_run(run)) && text_next(&rest, ',', &partition))
		if (!is_among(counted, count, partition)) {
			add_name(window, USAGE_BY_PARTITION, partition, TEXT(""), column, amount);
			counted[count++] = partition;
		}
}

static void add_time(const struct window *window, const struct job_run *run, double seconds)
{
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(run->job.tres_allocated, gres), column;
	add(window, run, USAGE_CPU_SECONDS, seconds * (double)run->cpus_allocated);
	if (number_is_known(run->memory_allocated))
		add(window, run, USAGE_MEMORY_BYTE_SECONDS, seconds * (double)run->memory_allocated);
	add(window, run, USAGE_BILLING_SECONDS, seconds * (double)tres_count(run->job.tres_allocated, TEXT("billing")));
	for (unsigned i = 0; i < count; i++)
		if (usage_gres_column(window->use, gres[i].name, gres[i].type, &column))
			add(window, run, column, seconds * (double)gres[i].count);
}

static void note_suspended(const struct window *window, const struct job_run *run)
{
	const struct usage *use = window->use;
	bool reaches_over = (int64_t)run->job.start_time < use->from || !job_run_has_ended(run) ||
			    (int64_t)run->job.end_time > use->to;
	if (number_is_known(run->suspended) && run->suspended && reaches_over)
		usage_note(
			window->use, false,
			"a job that reaches over the edge of the span was suspended, nobody knows when: a part of its time counts in proportion");
}

/* A resized job has a row for each size: the end of one is the start of the next. */
static void take_lived(void *context, const void *record)
{
	struct window *window = context;
	const struct job_run *run = record;
	window->runs++;
	if (run->job.flags >> JOB_FLAG_REVOKED & 1 || !has_run(run))
		return;
	if (is_in(window, start_of(run)))
		add(window, run, USAGE_STARTS, 1);
	if (job_run_is_size(run) && is_in(window, (double)run->job.end_time))
		add(window, run, USAGE_STARTS, -1);
	double seconds = seconds_in(window, run);
	if (seconds > 0) {
		add_time(window, run, seconds);
		note_suspended(window, run);
	}
}

static void take_ended(void *context, const void *record)
{
	const struct window *window = context;
	const struct job_run *run = record;
	bool is_cut,
		is_end = job_run_has_ended(run) && !job_run_is_size(run) && !(run->job.flags >> JOB_FLAG_REVOKED & 1);
	if (!is_end || !is_in(window, (double)run->job.end_time))
		return;
	add(window, run, USAGE_ENDS, (double)job_count(&run->job, &is_cut));
	if (number_is_known(run->energy_used))
		add(window, run, USAGE_ENERGY_JOULES, (double)run->energy_used);
}

static void rest(double seconds)
{
	const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&time, NULL);
}

static bool ask(struct client *client, const struct window *window, const struct buf *query, record_fn *take,
		struct error *err)
{
	struct answer answer;
	struct http_reply reply;
	const struct fetch fetch = {
		.endpoint = ENDPOINT_DBD_JOBS, .take = take, .context = (void *)window, .query = query->bytes};
	enum fetch_result result = client_fetch(client, &fetch, &answer, &reply, err);
	rest(reply.seconds);
	return fetch_succeeded(result) || error_prefix(err, "slurmdbd's jobs from %s to %s",
						       words_time(window->from).text, words_time(window->to).text);
}

/* What started or ended at `to` may have become eligible then, too: such runs come if later ones are asked for. A run
 * that was cancelled before it was eligible comes only if ended ones are asked for. If a request fails, the rows have a
 * part of a window: then the whole report fails. */
static bool ask_window(struct client *client, const char *cluster, struct window *window, struct error *err)
{
	struct buf lived = BUF_INIT, ended = BUF_INIT;
	uint64_t from = (uint64_t)window->from, to = (uint64_t)window->to + 1;
	const struct job_runs_query query = {.version = client_version(client), .cluster = cluster};
	job_runs_query_lived(&query, from, to, &lived);
	job_runs_query_ended(&query, from, to, true, &ended);
	bool is_told = ask(client, window, &lived, take_lived, err) && ask(client, window, &ended, take_ended, err);
	buf_done(&lived);
	buf_done(&ended);
	return is_told;
}

static void ignore(void *context, const void *record)
{
	(void)context, (void)record;
}

bool usage_from_slurmdbd(struct usage *use, struct client *client, unsigned kinds, struct error *err)
{
	struct answer answer;
	struct http_reply reply;
	const struct fetch ping = {.endpoint = ENDPOINT_PING, .take = ignore};
	double length = WINDOW_FIRST_S;
	if (!fetch_succeeded(client_fetch(client, &ping, &answer, &reply, err)))
		return false;
	const char *cluster = answer.cluster;
	struct window window = {.use = use, .kinds = kinds | 1u << USAGE_BY_CLUSTER, .to = (double)use->from};
	while (window.to < (double)use->to) {
		window.from = window.to;
		window.to += length;
		if (window.to > (double)use->to)
			window.to = (double)use->to;
		window.runs = 0;
		if (!ask_window(client, cluster, &window, err))
			return false;
		if (window.runs > RUNS_MANY && length > WINDOW_MIN_S)
			length /= 2;
		else if (window.runs < RUNS_FEW && length < WINDOW_MAX_S)
			length = fmin(2 * length, WINDOW_MAX_S);
	}
	usage_check_sums(use);
	return true;
}
