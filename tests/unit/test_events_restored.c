/* What a state file may hold of events: another program may have put anything into its rows. What no slurmscope writes
 * is passed over, and what is right beside it is taken. */
#include "check.h"
#include "events/events_record.h"

#include <math.h>

enum { NOW = 1800000000 };

static struct caps caps;
static struct vocabulary vocabulary;

static void test_counters(void)
{
	static const struct {
		const char *what;
		struct text name, detail;
		double value;
		unsigned want;
	} rows[] = {
		{"as we write it", TEXT("ann\x1fphysics"), TEXT(""), 3, 1},
		{"not UTF-8", TEXT("ann\xff\x1fphysics"), TEXT(""), 3, 0},
		{"NUL, which divides the keys of rows", TEXT("ann\0x\x1fphysics"), TEXT(""), 3, 0},
		{"a detail that is not UTF-8", TEXT("ann\x1fphysics"), TEXT("\xe9"), 3, 0},
		{"below zero", TEXT("ann\x1fphysics"), TEXT(""), -1, 0},
		{"not finite", TEXT("ann\x1fphysics"), TEXT(""), INFINITY, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job_events *events = job_events_new(&caps, &vocabulary, NOW);
		const struct events_counter counter = {TEXT("user"), rows[i].name, TEXT("starts"), rows[i].detail,
						       rows[i].value};
		check_row(rows[i].what);
		events_restore_counter(events, &counter);
		events_restored(events, NOW);
		CHECK_NUMBER(events->tallies.kinds[ENTITY_USER].count, rows[i].want);
		job_events_free(events);
	}
}

/* A second one would have the same series, and Prometheus drops the page for less. */
static void test_clusters(void)
{
	const struct events_counter first = {TEXT("cluster"), TEXT(""), TEXT("starts"), TEXT(""), 3};
	const struct events_counter second = {TEXT("cluster"), TEXT("x"), TEXT("starts"), TEXT(""), 4};
	struct job_events *events = job_events_new(&caps, &vocabulary, NOW);
	check_row("one cluster");
	events_restore_counter(events, &first);
	events_restore_counter(events, &second);
	events_restored(events, NOW);
	CHECK_NUMBER(events->tallies.kinds[ENTITY_CLUSTER].count, 1);
	job_events_free(events);
}

static struct events_run good_run(void)
{
	return (struct events_run){.run = {.key = {7, RUN_NO_TASK, NOW - 100},
					   .raw_id = 7,
					   .bits = RUN_STARTED | RUN_RUNS,
					   .tasks = 1,
					   .cpus = 4,
					   .began = NOW - 90,
					   .counted = 50,
					   .size_since = NOW - 90},
				   .owner = {TEXT("physics"), TEXT("ann"), TEXT("cpu"), TEXT("normal")},
				   .tres = TEXT("cpu=4")};
}

static void check_run(const char *what, const struct events_run *run, unsigned want)
{
	struct job_events *events = job_events_new(&caps, &vocabulary, NOW);
	check_row(what);
	events_restore_mark(events, text_of(events_mark_names[EVENTS_LOOKED_UNTIL]), NOW - 10);
	events_restore_run(events, run);
	events_restored(events, NOW);
	CHECK_NUMBER(events->runs.used, want);
	job_events_free(events);
}

static void test_runs(void)
{
	static const struct {
		const char *what;
		size_t offset;
		int64_t value;
	} rows[] = {
		{"a start before all time", offsetof(struct run, began), INT64_MIN},
		{"a start that no clock shows", offsetof(struct run, began), INT64_MAX},
		{"an end that no clock shows", offsetof(struct run, end_time), INT64_MAX},
		{"more seconds than it can have run", offsetof(struct run, ran_before), INT64_MAX},
		{"more seconds than can be counted", offsetof(struct run, counted), INT64_MIN},
		{"a size before all time", offsetof(struct run, size_since), INT64_MIN},
		{"a forecast before all time", offsetof(struct run, forecast), INT64_MIN},
		{"gone before all time", offsetof(struct run, gone_since), INT64_MIN},
		{"a submission before all time", offsetof(struct run, key.submit_time), INT64_MIN},
	};
	struct events_run run = good_run();
	check_run("as we write it", &run, 1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		run = good_run();
		memcpy((char *)&run.run + rows[i].offset, &rows[i].value, sizeof rows[i].value);
		check_run(rows[i].what, &run, 0);
	}
	run = good_run();
	run.owner.user = TEXT("ann\xff");
	check_run("a user that is not UTF-8", &run, 0);
	run = good_run();
	run.tres = TEXT("cpu=4\0");
	check_run("TRES with NUL", &run, 0);
}

int main(void)
{
	caps_init(&caps);
	vocabulary_init(&vocabulary);
	test_counters();
	test_clusters();
	test_runs();
	vocabulary_done(&vocabulary);
	caps_done(&caps);
	return check_done();
}
