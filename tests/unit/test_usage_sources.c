/* What a report takes from slurmdbd's runs, and from Prometheus' samples. Both answer here, as their queries ask: these functions are
 * replaced (CMakeLists.txt). tests/sim/test_report.py and tests/e2e/test_report.py have more jobs and real Prometheuses. */
#include "check.h"
#include "model/job_run.h"
#include "usage/from_prometheus.h"
#include "usage/from_slurmdbd.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum fetch_result __wrap_client_fetch(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
				      struct http_reply *ret_reply, struct error *err);
const struct api_version *__wrap_client_version(const struct client *client);
bool __wrap_prometheus_ask(struct prometheus *prometheus, const char *expression, int64_t time, series_fn *take,
			   void *context, struct error *err);
const char *__wrap_prometheus_warning(const struct prometheus *prometheus);

enum { FROM = 1700000000, HOUR = 3600, DAY = 86400, ALIVE = -FROM };

static double amount_of(const struct usage *use, enum usage_by by, const char *name, unsigned column)
{
	size_t count;
	double amount = NAN;
	struct usage_row **rows = usage_sorted(use, by, &count);
	for (size_t i = 0; i < count; i++)
		if (text_equal(rows[i]->name, text_of(name)))
			amount = rows[i]->amounts[column];
	free(rows);
	return amount;
}

/* slurmdbd */

static struct job_run runs[4]; /* that it knows */
static unsigned run_count, times; /* that it tells each run */
static int64_t windows[64]; /* their ends, as they were asked for */
static unsigned window_count;

const struct api_version *__wrap_client_version(const struct client *client)
{
	(void)client;
	return api_versions;
}

enum fetch_result __wrap_client_fetch(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
				      struct http_reply *ret_reply, struct error *err)
{
	(void)client, (void)err;
	*ret_answer = (struct answer){0};
	*ret_reply = (struct http_reply){0};
	if (fetch->endpoint == ENDPOINT_PING)
		return FETCH_OK;
	bool wants_ended = strstr(fetch->query, "&state=");
	uint64_t first = strtoull(strstr(fetch->query, "start_time=") + 11, NULL, 10);
	uint64_t last = strtoull(strstr(fetch->query, "end_time=") + 9, NULL, 10);
	if (wants_ended)
		windows[window_count++ % 64] = (int64_t)last - 1;
	for (unsigned i = 0; i < run_count * times; i++) {
		const struct job_run *run = &runs[i % run_count];
		uint64_t end = run->job.end_time;
		bool has_ended = job_run_has_ended(run) || job_run_is_size(run);
		if (wants_ended ? has_ended && end >= first && end <= last
				: run->job.eligible_time < last && (!has_ended || end >= first))
			fetch->take(fetch->context, run);
	}
	return FETCH_OK;
}

/* Two CPUs on one node, from and to these seconds of the span. */
static struct job_run *put_run(int64_t start, int64_t end, uint64_t suspended)
{
	struct job_run *run = &runs[run_count++];
	*run = (struct job_run){
		.job = {.id = 7,
			.account = TEXT("bio"),
			.user = TEXT("ann"),
			.partitions = TEXT("cpu"),
			.qos = TEXT("normal"),
			.state = end == ALIVE ? JOB_RUNNING : JOB_COMPLETED,
			.array_task_id = NUMBER_UNSET,
			.submit_time = (uint64_t)(FROM + start),
			.eligible_time = (uint64_t)(FROM + start),
			.start_time = (uint64_t)(FROM + start),
			.end_time = end == ALIVE ? 0 : (uint64_t)(FROM + end),
			.tres_allocated = TEXT("cpu=2,mem=1M,node=1,billing=3,gres/gpu:a100=4")},
		.elapsed = (uint64_t)((end == ALIVE ? 2 * HOUR : end) - start) - suspended,
		.suspended = suspended,
		.cpus_allocated = 2,
		.memory_allocated = 10,
		.energy_used = 500,
	};
	return run;
}

static void read_runs(struct usage *use, int64_t from, int64_t to)
{
	struct error err = {""};
	usage_init(use, "slurmdbd", FROM + from, FROM + to);
	CHECK(usage_from_slurmdbd(use, NULL, (1u << USAGE_BYS) - 1, &err));
	CHECK_STRING(err.text, "");
}

/* One run, and a span of an hour: a moment at its begin is of the span before, one at its end is its own. */
static void one_run(void)
{
	static const struct {
		const char *what;
		int64_t start, end;
		uint64_t suspended;
		double starts, ends, seconds;
		bool has_note;
	} rows[] = {
		{"within", 600, 1600, 0, 1, 1, 1000, false},
		{"of which it was suspended for a part", 600, 1600, 400, 1, 1, 600, false},
		{"starts before", -400, 1600, 0, NAN, 1, 1600, false},
		{"starts before, suspended in a half of its time", -400, 1600, 1000, NAN, 1, 800, true},
		{"starts with the span", 0, 1600, 400, NAN, 1, 1200, false},
		{"starts a second later", 1, 1600, 0, 1, 1, 1599, false},
		{"ends after it", 1600, 5600, 1000, 1, NAN, 1500, true},
		{"ends with it", 1600, HOUR, 400, 1, 1, 1600, false},
		{"ends a second later", 1600, HOUR + 1, 0, 1, NAN, 2000, false},
		{"longer than it", -400, HOUR + 400, 1100, NAN, NAN, 2700, true},
		{"still runs", 1600, ALIVE, 0, 1, NAN, 2000, false},
		{"still runs, and was suspended", 1600, ALIVE, 1400, 1, NAN, 1500, true},
		{"ended as the span began", -400, 0, 0, NAN, NAN, NAN, false},
		{"starts with its end", HOUR, HOUR + 500, 0, 1, NAN, NAN, false},
		{"starts after it", HOUR + 1, HOUR + 500, 0, NAN, NAN, NAN, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct usage use;
		check_row(rows[i].what);
		run_count = 0, times = 1;
		put_run(rows[i].start, rows[i].end, rows[i].suspended);
		read_runs(&use, 0, HOUR);
		for (enum usage_by by = 0; by < USAGE_BYS; by++) {
			static const char *const names[USAGE_BYS] = {"", "cpu", "bio", "ann", "normal"};
			CHECK_NUMBER(amount_of(&use, by, names[by], USAGE_STARTS), rows[i].starts);
			CHECK_NUMBER(amount_of(&use, by, names[by], USAGE_ENDS), rows[i].ends);
			CHECK_NUMBER(amount_of(&use, by, names[by], USAGE_CPU_SECONDS), 2 * rows[i].seconds);
			CHECK_NUMBER(amount_of(&use, by, names[by], USAGE_BILLING_SECONDS), 3 * rows[i].seconds);
			CHECK_NUMBER(amount_of(&use, by, names[by], USAGE_AMOUNTS), 4 * rows[i].seconds);
			CHECK_NUMBER(amount_of(&use, by, names[by], USAGE_MEMORY_BYTE_SECONDS), 10 * rows[i].seconds);
		}
		CHECK_NUMBER(amount_of(&use, USAGE_BY_USER, "ann", USAGE_ENERGY_JOULES), 500 * rows[i].ends);
		CHECK_NUMBER(amount_of(&use, USAGE_BY_CLUSTER, "", USAGE_ENERGY_JOULES), NAN);
		CHECK_NUMBER(use.note_count, rows[i].has_note);
		usage_done(&use);
	}
}

/* Two spans have together what the whole has, wherever they meet. */
static void two_spans(void)
{
	static const int64_t edges[] = {1, 599, 600, 601, 1600, 1601, 2000, 3000, HOUR - 1};
	run_count = 0, times = 1;
	put_run(600, 1600, 0);
	put_run(600, 2000, 700);
	put_run(1600, ALIVE, 0);
	struct job_run *size = put_run(600, 1600, 0); /* then it got another size */
	size->job.flags = UINT64_C(1) << JOB_FLAG_RESIZING;
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
		static const unsigned columns[] = {USAGE_STARTS, USAGE_ENDS, USAGE_CPU_SECONDS, USAGE_ENERGY_JOULES};
		struct usage whole, first, second;
		char name[24];
		snprintf(name, sizeof name, "at %d", (int)edges[i]);
		check_row(name);
		read_runs(&whole, 0, HOUR);
		read_runs(&first, 0, edges[i]);
		read_runs(&second, edges[i], HOUR);
		for (size_t column = 0; column < sizeof columns / sizeof *columns; column++) {
			double a = amount_of(&first, USAGE_BY_USER, "ann", columns[column]);
			double b = amount_of(&second, USAGE_BY_USER, "ann", columns[column]);
			CHECK_NUMBER((isnan(a) ? 0 : a) + (isnan(b) ? 0 : b),
				     amount_of(&whole, USAGE_BY_USER, "ann", columns[column]));
		}
		usage_done(&whole);
		usage_done(&first);
		usage_done(&second);
	}
}

static void odd_runs(void)
{
	struct usage use;
	check_row("cancelled while it waited in two partitions, one of which it named twice");
	run_count = 0, times = 1;
	struct job_run *run = put_run(600, 1600, 0);
	run->job.tres_allocated = TEXT("");
	run->job.partitions = TEXT("cpu,gpu,cpu");
	run->job.array_tasks = TEXT("1-5");
	run->energy_used = NUMBER_UNSET;
	run = put_run(600, 1600, 0);
	run->job.flags = UINT64_C(1) << JOB_FLAG_REVOKED;
	read_runs(&use, 0, HOUR);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_PARTITION, "cpu", USAGE_ENDS), 5);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_PARTITION, "gpu", USAGE_ENDS), 5);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_CLUSTER, "", USAGE_ENDS), 5);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_CLUSTER, "", USAGE_STARTS), NAN);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_USER, "ann", USAGE_ENERGY_JOULES), NAN);
	usage_done(&use);

	check_row("a run counts in the partition where it ran, and from the submission of its size");
	run_count = 0;
	run = put_run(600, 1600, 0);
	run->job.partitions = TEXT("cpu,gpu");
	run->job.submit_time = FROM + 1000;
	run->memory_allocated = NUMBER_UNSET;
	read_runs(&use, 0, HOUR);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_PARTITION, "cpu", USAGE_CPU_SECONDS), 1200);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_PARTITION, "gpu", USAGE_ENDS), NAN);
	CHECK_NUMBER(amount_of(&use, USAGE_BY_CLUSTER, "", USAGE_MEMORY_BYTE_SECONDS), NAN);
	usage_done(&use);
}

static void check_windows(int64_t to, const int64_t *want, size_t count)
{
	struct usage use;
	window_count = 0;
	read_runs(&use, 0, to);
	CHECK_NUMBER(window_count, count);
	for (size_t i = 0; want && i < count; i++)
		CHECK_NUMBER(windows[i] - FROM, want[i] * HOUR);
	usage_done(&use);
}

/* They grow to a day while there are few runs, stay as they are, and shrink when there are many. */
static void window_lengths(void)
{
	run_count = 0;
	put_run(0, ALIVE, 0)->job.tres_allocated = TEXT("");
	times = 4999;
	check_row("few runs");
	check_windows(80 * HOUR, (const int64_t[]){1, 3, 7, 15, 31, 55, 79, 80}, 8);
	for (times = 5000; times <= 20000; times += 15000) {
		check_row("neither few nor many");
		check_windows(3 * HOUR, (const int64_t[]){1, 2, 3}, 3);
	}
	check_row("many: they shrink to about a minute");
	times = 20001;
	check_windows(2 * HOUR, NULL, 8);
	CHECK_NUMBER(windows[1] - windows[0], HOUR / 2);
	CHECK_NUMBER(windows[2] - windows[1], HOUR / 4);
}

/* Prometheus */

struct line {
	const char *name, *instance;
	double slope; /* a second since the day before the span */
	double restart; /* seconds of the span; NAN: never */
	double constant; /* that it has since then, or always; NAN: it grows */
};

static const struct line *lines; /* ends without a name */

static double value_at(const struct line *line, double seconds)
{
	if (!isnan(line->constant))
		return seconds < line->restart ? 0 : line->constant;
	bool is_later = seconds >= line->restart;
	return line->slope * (seconds - (is_later ? line->restart : -2 * DAY));
}

static const char *after(const char *text, const char *what)
{
	return text_starts_with(text_of(text), what) ? text + strlen(what) : NULL;
}

/* Samples come every four minutes. */
bool __wrap_prometheus_ask(struct prometheus *prometheus, const char *expression, int64_t time, series_fn *take,
			   void *context, struct error *err)
{
	enum { STEP = 240 };
	const char *last = after(expression, "last_over_time("), *resets = after(expression, "sum(resets("),
		   *least = after(expression, "min(last_over_time(");
	const char *name = last ? last : resets ? resets : least ? least : expression;
	int64_t begin = time - strtoll(strchr(name, '[') + 1, NULL, 10);
	static struct sample samples[DAY / STEP + 2];
	(void)prometheus;
	for (const struct line *line = lines; line->name; line++) {
		struct series series = {.samples = samples};
		if (strncmp(line->name, name, strlen(line->name)) != 0)
			continue;
		double restarts = 0;
		for (int64_t at = (begin + STEP - 1) / STEP * STEP; at <= time; at += STEP) {
			double value = value_at(line, (double)(at - FROM));
			restarts += series.count && value < samples[series.count - 1].value;
			samples[series.count++] = (struct sample){.time = (double)at, .value = value};
		}
		if ((last || least) && series.count)
			samples[0] = samples[series.count - 1], series.count = 1;
		if (resets)
			samples[0].value = restarts, series.count = 1;
		series.labels[SERIES_CLUSTER] = TEXT("alpha");
		series.labels[SERIES_INSTANCE] = text_of(line->instance);
		series.labels[SERIES_ACCOUNT] = TEXT("bio");
		if (series.count && !take(context, &series, err))
			return false;
	}
	return true;
}

const char *__wrap_prometheus_warning(const struct prometheus *prometheus)
{
	(void)prometheus;
	return "";
}

#define STARTS "slurm_cluster_job_starts_total"
#define CPU "slurm_account_job_allocated_cpu_seconds_total"
#define LOST "slurmscope_job_events_lost_total"
#define KNOWN "slurmscope_job_ends_known_until_timestamp_seconds"

/* What was before the span counts no more, and what is in it does. */
static void counters(void)
{
	enum { SPAN = 2 * DAY + 2 * HOUR };
	static const struct {
		const char *what, *note; /* NULL: there is none */
		double total; /* of the account */
		struct line lines[4];
	} rows[] = {
		{"nothing happens", NULL, SPAN, {{CPU, "a", 1, NAN, NAN}}},
		{"it begins again on the day before", NULL, SPAN, {{CPU, "a", 1, -DAY / 2, NAN}}},
		{"it begins again within",
		 "counters began again at about 2023-11-15 10:16:00 UTC: what was counted between the last scrape before and that moment is missing",
		 SPAN - 80,
		 {{CPU, "a", 1, DAY / 2, NAN}}},
		{"events were lost on the day before",
		 NULL,
		 SPAN,
		 {{CPU, "a", 1, NAN, NAN}, {LOST, "a", 0, -DAY / 2, 3}}},
		{"within",
		 "3 events of alpha lost: nobody could tell slurmscope how these jobs went on",
		 SPAN,
		 {{CPU, "a", 1, NAN, NAN}, {LOST, "a", 0, DAY / 2, 3}}},
		{"ends are known", NULL, SPAN, {{CPU, "a", 1, NAN, NAN}, {KNOWN, "a", 0, NAN, FROM + SPAN - 900}}},
		{"until a moment after the span",
		 NULL,
		 SPAN,
		 {{CPU, "a", 1, NAN, NAN}, {KNOWN, "a", 0, NAN, FROM + SPAN + HOUR}}},
		{"for a second less",
		 "ends of jobs were known until 2023-11-16 23:58:19 UTC alone",
		 SPAN,
		 {{CPU, "a", 1, NAN, NAN}, {KNOWN, "a", 0, NAN, FROM + SPAN - 901}}},
	};
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct line all[6] = {{STARTS, "a", 1, NAN, NAN}};
		struct usage use;
		struct error err = {""};
		memcpy(all + 1, rows[i].lines, sizeof rows[i].lines);
		lines = all;
		check_row(rows[i].what);
		usage_init(&use, "Prometheus", FROM, FROM + SPAN);
		CHECK(usage_from_prometheus(&use, NULL, "", 1u << USAGE_BY_ACCOUNT, &err));
		CHECK_STRING(err.text, "");
		CHECK_NUMBER(amount_of(&use, USAGE_BY_ACCOUNT, "bio", USAGE_CPU_SECONDS), rows[i].total);
		CHECK_NUMBER(use.note_count, rows[i].note != NULL);
		CHECK(use.is_incomplete == (rows[i].note != NULL));
		if (rows[i].note && use.note_count)
			CHECK_STRING(use.notes[0].bytes, rows[i].note);
		usage_done(&use);
	}
}

int main(void)
{
	one_run();
	two_spans();
	odd_runs();
	window_lengths();
	counters();
	return check_done();
}
