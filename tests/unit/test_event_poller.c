/* When what slurmdbd says of an end is believed. The clock is the test's, and so are the version that the client has found and
 * slurmdbd's answers: these functions are replaced (CMakeLists.txt). */
#include "events_world.h"
#include "model/job_run.h"
#include "poll/event_ends.h"
#include "poll/event_poller.h"
#include "poll/event_steps.h"
#include "polled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN = 1800000000, ID = 7 };

static int64_t now_s = BEGIN;
static struct job_run told; /* the only run that slurmdbd knows */
static const struct job_run *told_then; /* but for this one, which it tells of after it; NULL: none */
static unsigned hastened; /* tasks */
static unsigned others; /* runs that windows have beside it */
static bool is_away; /* slurmdbd */
static unsigned named; /* requests by name */
static char names[200]; /* of the last one */

const struct api_version *__wrap_client_version(const struct client *client);
enum fetch_result __wrap_asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome);
int64_t __wrap_asker_now_s(const struct asker *asker);
int64_t __wrap_clock_now_s(void);
void __wrap_plan_hasten(struct plan *plan, size_t task);

void __wrap_plan_hasten(struct plan *plan, size_t task)
{
	(void)plan, (void)task;
	hastened++;
}

const struct api_version *__wrap_client_version(const struct client *client)
{
	(void)client;
	return version_of("v0.0.45");
}

enum fetch_result __wrap_asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome)
{
	(void)asker;
	int64_t first = 0, last = 0;
	const char *window = strstr(fetch->query, "start_time=");
	*ret_outcome = (struct plan_outcome){.result = is_away ? PLAN_FAILED : PLAN_OK, .records = 1};
	const char *by_name = strstr(fetch->query, "&step=");
	if (by_name)
		snprintf(names, sizeof names, "%s", by_name);
	if (is_away)
		return FETCH_UNREACHABLE;
	if (by_name) {
		named++;
		fetch->take(fetch->context, &told);
		return FETCH_OK;
	}
	if (sscanf(window, "start_time=%" SCNd64 "&end_time=%" SCNd64, &first, &last) != 2)
		CHECK(sscanf(window, "start_time=uts%" SCNd64 "&end_time=uts%" SCNd64, &first, &last) == 2);
	if ((int64_t)told.job.end_time >= first && (int64_t)told.job.end_time <= last)
		fetch->take(fetch->context, &told);
	if (told_then && (int64_t)told_then->job.end_time >= first && (int64_t)told_then->job.end_time <= last)
		fetch->take(fetch->context, told_then);
	for (unsigned i = 0; i < others && first < now_s; i++) {
		struct job_run other = {.job = running(1000000 + (uint64_t)last + i, BEGIN, BEGIN)};
		other.job.state = JOB_COMPLETED;
		other.job.end_time = (uint64_t)(i < 10 && first ? first : last);
		fetch->take(fetch->context, &other);
	}
	return FETCH_OK;
}

int64_t __wrap_asker_now_s(const struct asker *asker)
{
	(void)asker;
	return now_s;
}

int64_t __wrap_clock_now_s(void)
{
	return now_s;
}

struct life {
	struct polled polled;
	struct job_rounds rounds;
	struct event_poller poller;
};

static struct life *life_new(void)
{
	now_s = BEGIN;
	others = 0;
	told_then = NULL;
	is_away = false;
	struct life *life = calloc(1, sizeof *life);
	polled_init(&life->polled);
	job_rounds_init(&life->rounds, life->polled.cluster.job_table, 1, 67043328);
	event_poller_init(&life->poller, &life->polled.asker, life->polled.plan, &life->rounds, NULL);
	event_poller_update(&life->poller);
	return life;
}

static void life_free(struct life *life)
{
	event_poller_done(&life->poller);
	job_rounds_done(&life->rounds);
	polled_done(&life->polled);
	free(life);
}

/* slurmctld shows the job so, and the table is looked at. */
static void show(struct life *life, const struct job *job, int64_t now)
{
	now_s = now;
	job_table_put(life->polled.cluster.job_table, job, now);
	event_poller_record(&life->poller, now);
}

static void is_requeued(struct job *job)
{
	job->state = JOB_PENDING;
	job->flags = 1 << JOB_FLAG_REQUEUED;
}

/* How many ends in the state were counted, once slurmdbd was asked. */
static double ask(struct life *life, int64_t now, const char *state)
{
	const struct plan_action action = {.task = TASK_JOB_ENDS};
	struct plan_outcome outcome;
	unsigned before;
	now_s = now;
	do {
		event_poller_update(&life->poller);
		before = hastened;
		event_poller_poll(&life->poller, &action, &outcome);
	} while (hastened != before); /* another is due at once */
	const struct world world = {.events = life->poller.recorder.events};
	return in_cluster(&world, TALLY_ENDS, state);
}

/* Of a job whose exit code asks for another run (RequeueExit) slurmdbd hears first that it failed. It hears of the requeue
 * when the job has completed. */
static void test_a_requeue_that_comes_later(void)
{
	struct life *life = life_new();
	struct job job = running(ID, BEGIN + 1, BEGIN + 2);
	show(life, &job, BEGIN + 5);
	told = (struct job_run){
		.job = job, .elapsed = 28, .suspended = 0, .cpus_allocated = 2, .memory_allocated = 4096};
	job.state = told.job.state = JOB_FAILED;
	job.end_time = told.job.end_time = BEGIN + 30;
	told.job.exit_code = 3;
	job.flags = 1 << JOB_FLAG_COMPLETING;
	show(life, &job, BEGIN + 31);
	show(life, &job, BEGIN + 60);
	check_row("not believed while the job is completing");
	CHECK_NUMBER(ask(life, BEGIN + 61, "failed"), 0);
	job.flags = 0;
	show(life, &job, BEGIN + 62);
	check_row("nor just after, for slurmdbd may not have heard yet");
	CHECK_NUMBER(ask(life, BEGIN + 62, "failed"), 0);
	show(life, &job, BEGIN + 70);
	CHECK_NUMBER(ask(life, BEGIN + 70, "failed"), 0);
	is_requeued(&told.job);
	check_row("but a while later");
	CHECK_NUMBER(ask(life, BEGIN + 75, "requeued"), 1);
	CHECK_NUMBER(ask(life, BEGIN + 75, "failed"), 0);
	life_free(life);
}

/* The table may be a requeue behind slurmdbd, or one ahead of it. */
static void test_a_completing_row_of_another_run(void)
{
	static const struct {
		const char *what;
		int64_t submitted; /* the run that slurmdbd tells of; the row is of one from BEGIN + 10 */
		double ends;
	} rows[] = {
		{"the row is of an earlier run: nothing is known of this one's end", BEGIN + 11, 0},
		{"it is of this run", BEGIN + 10, 0},
		{"it is of the next run", BEGIN + 9, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct life *life = life_new();
		struct job job = running(ID, BEGIN + 10, BEGIN + 12);
		check_row(rows[i].what);
		job.state = JOB_FAILED;
		job.end_time = BEGIN + 30;
		job.flags = 1 << JOB_FLAG_COMPLETING;
		show(life, &job, BEGIN + 31);
		told = (struct job_run){.job = running(ID, rows[i].submitted, BEGIN + 12), .elapsed = 18};
		told.job.state = JOB_FAILED;
		told.job.end_time = BEGIN + 30;
		CHECK_NUMBER(ask(life, BEGIN + 45, "failed"), rows[i].ends);
		life_free(life);
	}
}

/* The poller does not wait for ever for a job that keeps completing, for example on a node that does not answer. */
static void test_a_job_that_never_completes(void)
{
	struct life *life = life_new();
	struct job job = running(ID, BEGIN + 1, BEGIN + 2);
	show(life, &job, BEGIN + 5);
	told = (struct job_run){.job = job, .elapsed = 28, .cpus_allocated = 2, .memory_allocated = 4096};
	job.state = told.job.state = JOB_COMPLETED;
	job.end_time = told.job.end_time = BEGIN + 30;
	told.job.exit_code = told.job.exit_signal = 0;
	job.flags = 1 << JOB_FLAG_COMPLETING;
	check_row("it is believed after five minutes");
	for (int64_t now = BEGIN + 31; now <= BEGIN + 330; now += 30)
		show(life, &job, now);
	CHECK_NUMBER(ask(life, BEGIN + 330, "completed"), 0);
	CHECK_NUMBER(ask(life, BEGIN + 331, "completed"), 1);
	life_free(life);
}

static void test_young_ends(void)
{
	static const struct {
		const char *what;
		uint64_t runs; /* in the window */
		bool is_hastened;
		int64_t settle_in; /* at BEGIN + 38 */
	} rows[] = {
		{"a young end is asked for again as soon as it may be believed", 5, true, 3},
		{"but not where many end", 1000, false, -1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct life *life = life_new();
		struct job job = running(ID, BEGIN + 1, BEGIN + 2);
		show(life, &job, BEGIN + 5);
		told = (struct job_run){.job = job, .elapsed = 28, .cpus_allocated = 2, .memory_allocated = 4096};
		job.state = told.job.state = JOB_COMPLETED;
		job.end_time = told.job.end_time = BEGIN + 30;
		told.job.exit_code = told.job.exit_signal = 0;
		check_row(rows[i].what);
		CHECK_NUMBER(ask(life, BEGIN + 33, "completed"), 0);
		life->poller.last_runs = rows[i].runs;
		hastened = 0;
		CHECK_NUMBER(event_ends_settle_in(&life->poller), -1); /* nobody has looked since */
		show(life, &job, BEGIN + 38);
		event_poller_update(&life->poller);
		CHECK_NUMBER(hastened, 0);
		CHECK_NUMBER(event_ends_settle_in(&life->poller), rows[i].settle_in);
		show(life, &job, BEGIN + 45);
		CHECK_NUMBER(event_ends_settle_in(&life->poller), rows[i].is_hastened ? 0 : -1);
		for (int again = 0; again < 3; again++)
			event_poller_update(&life->poller);
		CHECK_NUMBER(hastened, rows[i].is_hastened);
		end_windows_note_queue(&life->poller.windows, BEGIN + 46, 0);
		CHECK_NUMBER(ask(life, BEGIN + 46, "completed"), 1);
		hastened = 0;
		event_poller_update(&life->poller);
		CHECK_NUMBER(hastened, 0);
		CHECK_NUMBER((int64_t)event_poller_ends_known(&life->poller), BEGIN + 30 - 10);
		life_free(life);
	}
}

/* Where many jobs end, no window comes back to one whose end was not whole. It is asked for by name. */
static void test_a_late_end_where_many_end(void)
{
	struct life *life = life_new();
	struct job job = running(ID, BEGIN + 1, BEGIN + 2);
	show(life, &job, BEGIN + 5);
	told = (struct job_run){.job = job, .elapsed = 28, .cpus_allocated = 2, .memory_allocated = 4096};
	job.state = told.job.state = JOB_FAILED;
	job.end_time = told.job.end_time = BEGIN + 30;
	told.job.exit_code = 3;
	job.flags = 1 << JOB_FLAG_COMPLETING;
	others = 1000;
	for (int64_t now = BEGIN + 40; now <= BEGIN + 150; now += 10) {
		show(life, &job, now);
		CHECK_NUMBER(ask(life, now, "requeued"), 0);
	}
	check_row("windows have gone on, and it is held");
	CHECK(life->poller.windows.known_until > BEGIN + 31);
	CHECK_NUMBER(life->poller.late.count, 1);
	CHECK_NUMBER(life->poller.late.items[0].raw_id, ID);
	CHECK_NUMBER(life->poller.recorder.events->ends_known_until <= BEGIN + 30, true);
	job.flags = 0;
	is_requeued(&told.job);
	show(life, &job, BEGIN + 155);
	named = 0;
	CHECK_NUMBER(ask(life, BEGIN + 158, "requeued"), 0);
	CHECK_NUMBER(named, 0);
	check_row("ten seconds after it was seen completing last");
	CHECK_NUMBER(ask(life, BEGIN + 175, "requeued"), 1);
	CHECK_NUMBER(named, 1);
	CHECK_NUMBER(life->poller.late.count, 0);
	ask(life, BEGIN + 176, "requeued");
	CHECK(life->poller.recorder.events->ends_known_until > BEGIN + 31);
	CHECK_NUMBER(ask(life, BEGIN + 200, "requeued"), 1);
	life_free(life);
}

/* Two runs of a requeued job wait, and slurmdbd has the second one whole first. So does a job submitted with that one. */
static void test_two_late_ends_of_one_job(void)
{
	struct life *life = life_new();
	const int64_t submitted[] = {BEGIN + 1, BEGIN + 40};
	struct job another = running(ID + 1, BEGIN + 1, BEGIN + 2);
	late_ends_add(
		&life->poller.late,
		&(struct late_end){.key = {ID + 2, RUN_NO_TASK, submitted[1]}, .raw_id = ID + 2, .end = BEGIN + 1000});
	for (size_t i = 0; i < 2; i++)
		late_ends_add(&life->poller.late, &(struct late_end){.key = {ID, RUN_NO_TASK, submitted[i]},
								     .raw_id = ID,
								     .end = submitted[i] + 20});
	for (size_t i = 2; i-- > 0;) {
		told = (struct job_run){.job = running(ID, submitted[i], submitted[i] + 5), .elapsed = 15};
		told.job.state = JOB_COMPLETED;
		told.job.end_time = (uint64_t)submitted[i] + 20;
		check_row(i ? "the end of the second run leaves that of the first one" : "which comes later");
		const int64_t now = BEGIN + 140 - 40 * (int64_t)i;
		show(life, &another, now);
		CHECK_NUMBER(ask(life, now, "completed"), 2 - i);
		CHECK_NUMBER(life->poller.late.count, 1 + i);
		CHECK_NUMBER(life->poller.late.items[0].raw_id, ID + 2);
		CHECK(!i || life->poller.late.items[1].key.submit_time == submitted[0]);
	}
	life_free(life);
}

/* slurmdbd keeps to have it only in part, or does not tell of it any more. */
static void test_a_late_end_that_never_is_whole(void)
{
	struct life *life = life_new();
	const struct late_end late = {.key = {ID, RUN_NO_TASK, BEGIN + 1}, .raw_id = ID, .end = BEGIN + 30};
	told = (struct job_run){.job = running(ID + 1, BEGIN + 1, BEGIN + 2)};
	late_ends_add(&life->poller.late, &late);
	named = 0;
	for (int64_t now = BEGIN + 20; now <= BEGIN + 330; now += 10)
		ask(life, now, "completed");
	CHECK_NUMBER(named, 11); /* every thirty seconds */
	CHECK_NUMBER(life->poller.late.count, 1);
	ask(life, BEGIN + 350, "completed");
	CHECK_NUMBER(life->poller.late.count, 0);
	life_free(life);
}

/* When it is asked for, and when it is given up, to the second. */
static void test_when_a_late_end_is_given_up(void)
{
	enum { END = BEGIN + 30, MANY = 60 }; /* more than a request names */
	static const struct {
		const char *what;
		int64_t now;
		bool is_away;
		unsigned named, left;
	} steps[] = {
		{"five minutes after its end", END + 300, false, 2, MANY},
		{"it was asked for half a minute ago, but a second", END + 329, false, 0, MANY},
		{"half a minute ago, but slurmdbd does not answer", END + 330, true, 0, MANY},
		{"nor for an hour", END + 3600, true, 0, MANY},
		{"each of them was asked for before it is given up", END + 3640, false, 2, 0},
	};
	struct life *life = life_new();
	told = (struct job_run){.job = running(ID + 1000, BEGIN + 1, BEGIN + 2)};
	ask(life, BEGIN + 20, "completed");
	for (uint32_t id = ID; id < ID + MANY; id++)
		late_ends_add(&life->poller.late,
			      &(struct late_end){.key = {id, RUN_NO_TASK, BEGIN + 1}, .raw_id = id, .end = END});
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		check_row(steps[i].what);
		named = 0;
		is_away = steps[i].is_away;
		ask(life, steps[i].now, "completed");
		CHECK_NUMBER(named, steps[i].named);
		CHECK_NUMBER(life->poller.late.count, steps[i].left);
	}
	check_row("after an hour it is, though slurmdbd does not answer; a task has its array's name");
	late_ends_add(&life->poller.late,
		      &(struct late_end){.key = {900, 3, BEGIN + 1}, .raw_id = ID, .end = END + 100});
	is_away = true;
	ask(life, END + 3701, "completed");
	CHECK(strstr(names, "900_3"));
	CHECK_NUMBER(life->poller.late.count, 0);
	is_away = false;
	life_free(life);
}

/* An end is believed in the second after ten, if the table was looked at in the second after it. */
static void test_when_an_end_is_settled(void)
{
	static const struct {
		const char *what;
		int64_t looked, asked;
		bool lacks_partition;
		double ends;
	} rows[] = {
		{"nobody has looked since that second", BEGIN + 30, BEGIN + 60, false, 0},
		{"ten seconds", BEGIN + 31, BEGIN + 40, false, 0},
		{"eleven", BEGIN + 31, BEGIN + 41, false, 1},
		{"slurmdbd has not heard of the start yet", BEGIN + 31, BEGIN + 330, true, 0},
		{"and never does", BEGIN + 31, BEGIN + 331, true, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct life *life = life_new();
		struct job job = running(ID, BEGIN + 1, BEGIN + 2);
		check_row(rows[i].what);
		show(life, &job, rows[i].looked);
		told = (struct job_run){.job = job, .elapsed = 28, .cpus_allocated = 2};
		told.job.state = JOB_COMPLETED;
		told.job.end_time = BEGIN + 30;
		told.job.partitions = rows[i].lacks_partition ? TEXT("") : told.job.partitions;
		CHECK_NUMBER(ask(life, rows[i].asked, "completed"), rows[i].ends);
		life_free(life);
	}
}

/* A job that nobody saw was resized in its last second. slurmdbd tells of its sizes in any order. */
static void test_a_size_that_ends_with_the_job(void)
{
	for (int is_size_first = 0; is_size_first < 2; is_size_first++) {
		struct life *life = life_new();
		struct job waiting = running(ID + 1, BEGIN + 1, BEGIN + 2);
		struct job_run size = {.job = running(ID, BEGIN + 1, BEGIN + 2), .elapsed = 28, .cpus_allocated = 2},
			       end = {.job = running(ID, BEGIN + 30, BEGIN + 30), .cpus_allocated = 8};
		check_row(is_size_first ? "the size first" : "the end first");
		waiting.state = JOB_PENDING;
		show(life, &waiting, BEGIN + 60);
		size.job.state = end.job.state = JOB_COMPLETED;
		size.job.end_time = end.job.end_time = BEGIN + 30;
		size.job.flags = 1 << JOB_FLAG_RESIZING;
		told = is_size_first ? size : end;
		told_then = is_size_first ? &end : &size;
		CHECK_NUMBER(ask(life, BEGIN + 75, "completed"), 1);
		const struct world world = {.events = life->poller.recorder.events};
		CHECK_NUMBER(in_cluster(&world, TALLY_STARTS, ""), 1);
		CHECK_NUMBER(in_cluster(&world, TALLY_CPU_SECONDS, ""), 56);
		life_free(life);
	}
}

/* slurmdbd told of ends, and is gone for hours. */
static void test_slurmdbd_is_gone(void)
{
	struct life *life = life_new();
	struct job job = running(ID, BEGIN + 1, BEGIN + 2), next = running(ID + 1, BEGIN + 15000, BEGIN + 15001);
	told = (struct job_run){.job = job};
	ask(life, BEGIN + 60, "completed");
	is_away = true;
	show(life, &job, BEGIN + 70);
	for (int64_t now = BEGIN + 100; now <= BEGIN + 14000; now += 100) {
		show(life, &job, now);
		ask(life, now, "completed");
	}
	job.state = JOB_COMPLETED;
	job.end_time = BEGIN + 14050;
	job.exit_code = job.exit_signal = 0;
	show(life, &job, BEGIN + 14060);
	CHECK_NUMBER(ask(life, BEGIN + 14060, "completed"), 0);
	check_row("slurmctld tells of ends after four");
	for (int64_t now = BEGIN + 14100; now <= BEGIN + 14800; now += 100)
		show(life, &job, now);
	ask(life, BEGIN + 14800, "completed");
	show(life, &job, BEGIN + 14801);
	CHECK_NUMBER(ask(life, BEGIN + 14801, "completed"), 1);
	next.state = JOB_COMPLETED;
	next.end_time = BEGIN + 15100;
	next.exit_code = next.exit_signal = 0;
	show(life, &next, BEGIN + 15101);
	CHECK_NUMBER(ask(life, BEGIN + 15102, "completed"), 2);
	CHECK_NUMBER(event_poller_ends_known(&life->poller), BEGIN + 15101);
	check_row("slurmdbd comes back, and tells of it again, when it is forgotten");
	job_table_remove(life->polled.cluster.job_table, next.id);
	for (int64_t now = BEGIN + 15200; now <= BEGIN + 16000; now += 100)
		show(life, &job, now);
	CHECK_NUMBER(life->poller.recorder.events->runs.used, 1);
	is_away = false;
	told = (struct job_run){.job = next, .elapsed = 99, .cpus_allocated = 2};
	for (int64_t now = BEGIN + 16100; now <= BEGIN + 20000; now += 100) {
		show(life, &job, now);
		CHECK_NUMBER(ask(life, now, "completed"), 2);
	}
	CHECK(life->poller.recorder.events->ends_by_slurmdbd);
	life_free(life);
}

/* Whether there is a slurmdbd is not known at the start: the state file may say that there was one. */
static void test_who_tells_after_a_start(void)
{
	const struct job job = running(ID, BEGIN + 1, BEGIN + 2);
	for (int was_there = 0; was_there < 2; was_there++) {
		const int64_t waits = was_there ? 4 * 3600 + 1 : 120;
		struct life *life = life_new();
		check_row(was_there ? "it told before the start" : "it never told");
		life->poller.recorder.events->slurmdbd_told = was_there;
		for (int64_t after = -1; after <= 0; after++) {
			show(life, &job, BEGIN + waits + after);
			event_poller_update(&life->poller);
			CHECK_NUMBER(life->poller.recorder.events->ends_by_slurmdbd, after < 0);
		}
		life_free(life);
	}
}

/* The table may change twice in one second. */
static void test_looks_twice_in_a_second(void)
{
	struct life *life = life_new();
	for (uint64_t id = ID; id <= ID + 1; id++) {
		const struct job job = running(id, BEGIN + 1, BEGIN + 2);
		show(life, &job, BEGIN + 5);
	}
	const struct world world = {.events = life->poller.recorder.events};
	CHECK_NUMBER(in_cluster(&world, TALLY_STARTS, ""), 2);
	life_free(life);
}

/* It is waited for, for two minutes. What slurmctld told until it comes counts once. */
static void test_slurmdbd_comes_late(void)
{
	struct life *life = life_new();
	struct job job = running(ID, BEGIN + 1, BEGIN + 2);
	is_away = true;
	show(life, &job, BEGIN + 10);
	ask(life, BEGIN + 10, "completed");
	job.state = JOB_COMPLETED;
	job.end_time = BEGIN + 50;
	job.exit_code = job.exit_signal = 0;
	for (int64_t now = BEGIN + 60; now < BEGIN + 120; now += 10) {
		show(life, &job, now);
		CHECK_NUMBER(ask(life, now, "completed"), 0);
	}
	CHECK_NUMBER(ask(life, BEGIN + 119, "completed"), 0);
	CHECK(life->poller.recorder.events->ends_by_slurmdbd);
	ask(life, BEGIN + 120, "completed");
	show(life, &job, BEGIN + 121);
	CHECK_NUMBER(ask(life, BEGIN + 121, "completed"), 1);
	is_away = false;
	told = (struct job_run){.job = job, .elapsed = 48, .cpus_allocated = 2};
	for (int64_t now = BEGIN + 200; now <= BEGIN + 2000; now += 100) {
		show(life, &job, now);
		CHECK_NUMBER(ask(life, now, "completed"), 1);
	}
	CHECK(life->poller.recorder.events->ends_by_slurmdbd);
	life_free(life);
}

/* Memory is bounded before the four hours are over. */
static void test_many_wait_for_slurmdbd(void)
{
	struct life *life = life_new();
	const struct job job = running(ID, BEGIN + 1, BEGIN + 2);
	struct job_events *events = life->poller.recorder.events;
	told = (struct job_run){.job = job};
	ask(life, BEGIN + 160, "completed");
	for (uint32_t id = 1000; id <= 101001; id++)
		runs_add(&events->runs, &(struct run_key){id, RUN_NO_TASK, BEGIN});
	show(life, &job, BEGIN + 170);
	check_row("slurmdbd may be about to tell how they ended");
	event_poller_update(&life->poller);
	CHECK(events->ends_by_slurmdbd);
	is_away = true;
	show(life, &job, BEGIN + 800);
	check_row("it is gone");
	event_poller_update(&life->poller);
	CHECK(!events->ends_by_slurmdbd);
	is_away = false;
	life_free(life);
}

/* slurmctld's clock was an hour ahead for long, and is set right. */
static void test_clock_set_back(void)
{
	struct life *life = life_new();
	struct job job = running(ID, BEGIN + 1, BEGIN + 2);
	life->polled.cluster.scheduler.is_known = true;
	told = (struct job_run){.job = job};
	for (int64_t now = BEGIN + 60; now <= BEGIN + 7200; now += 60) {
		life->polled.exporter.endpoints[ENDPOINT_DIAG].last_success = (double)now;
		show(life, &job, now);
		ask(life, now, "completed");
	}
	const int64_t back = BEGIN + 3600;
	CHECK(life->poller.recorder.events->ends_known_until > back);
	late_ends_add(&life->poller.late,
		      &(struct late_end){.key = {ID + 2, RUN_NO_TASK, back}, .raw_id = ID + 2, .end = back + 5});
	told = (struct job_run){.job = running(ID + 1, back + 10, back + 20), .elapsed = 5, .cpus_allocated = 2};
	told.job.state = JOB_COMPLETED;
	told.job.end_time = (uint64_t)(back + 25);
	told.job.exit_code = told.job.exit_signal = 0;
	check_row("a short job, which only slurmdbd tells of");
	for (int64_t now = back + 30; now <= back + 300; now += 30) {
		life->polled.exporter.endpoints[ENDPOINT_DIAG].last_success = (double)now;
		show(life, &job, now);
		ask(life, now, "completed");
		CHECK_NUMBER(life->poller.late.count, 0); /* windows bring it again */
	}
	CHECK_NUMBER(ask(life, back + 330, "completed"), 1);
	life_free(life);
}

/* A restart: without it a search would begin at the first ID of all. */
static void test_runs_tell_the_newest_id(void)
{
	struct life *life = life_new();
	struct job old = running(ID + 500, BEGIN + 1, BEGIN + 2), young = running(ID, BEGIN + 3, BEGIN + 4),
		   before = running(ID - 1, BEGIN + 3, BEGIN + 4);
	show(life, &before, BEGIN + 5);
	show(life, &old, BEGIN + 5);
	show(life, &young, BEGIN + 6);
	struct event_poller next;
	struct job_rounds rounds;
	job_rounds_init(&rounds, life->polled.cluster.job_table, 1, 67043328);
	check_row("of what was counted the youngest run tells where Slurm gives ids");
	struct job_events *events = life->poller.recorder.events;
	life->poller.recorder.events =
		job_events_new(life->poller.recorder.caps, life->poller.recorder.vocabulary, BEGIN);
	event_poller_init(&next, &life->polled.asker, life->polled.plan, &rounds, events);
	CHECK_NUMBER(job_frontiers_top(&rounds.frontiers), ID + 1);
	CHECK_NUMBER(rounds.frontiers.newest_submit_time[0], young.submit_time);
	event_poller_done(&next);
	job_rounds_done(&rounds);
	life_free(life);
}

enum { ARRAY = 900 };

static struct job task_of(uint32_t task)
{
	struct job job = running(ARRAY + task, BEGIN + 1, BEGIN + 2);
	job.array_job_id = ARRAY;
	job.array_task_id = task;
	job.state = JOB_COMPLETED;
	job.end_time = BEGIN + 30;
	return job;
}

static void end_tasks(struct life *life, uint32_t first, uint32_t last)
{
	for (uint32_t task = first; task <= last; task++) {
		const struct job job = task_of(task);
		const struct job_end end = end_of(&job, "completed", BEGIN + 30);
		job_events_take_end(life->poller.recorder.events, &end);
	}
}

/* Tasks of one array, with steps that slurmrestd cannot read: each is asked for by itself, and by its array and number. */
static void test_steps_that_fail(void)
{
	static const struct {
		const char *what;
		bool is_away, answers_others; /* before */
		uint64_t used_us;
		const char *names; /* in the request */
		uint64_t records, waiting, suspects;
		double given_up, allocated;
		bool is_done;
	} steps[] = {
		{"three at once fail", true, true, 0, "900_1", 3, 3, 3, 0, 0, false},
		{"so each is asked for alone", true, false, 0, "900_1", 1, 3, 3, 0, 0, false},
		{"nobody answers: it is not this run's fault", true, false, 0, "900_1", 1, 3, 3, 0, 0, false},
		{"other requests are answered: it is given up", true, true, 0, "900_1", 1, 2, 3, 1, 0, false},
		{"another task of the array fails for the first time", true, true, 0, "900_2", 1, 2, 3, 1, 0, false},
		{"it is read; what it used is not known", false, false, NUMBER_UNSET, "900_2", 1, 1, 2, 1, 0, false},
		{"the last one is read", false, false, 5000000, "900_3", 1, 0, 1, 1, 20, true},
	};
	struct life *life = life_new();
	struct plan_action action = {.task = TASK_JOB_STEPS, .records = 10};
	struct plan_outcome outcome;
	const struct job_events *events = life->poller.recorder.events;
	const struct world world = {.events = life->poller.recorder.events};
	end_tasks(life, 1, 3);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		check_row(steps[i].what);
		is_away = false;
		told = (struct job_run){.job = running(ID, BEGIN + 1, BEGIN + 2)};
		if (steps[i].answers_others)
			ask(life, BEGIN + 100 + (int64_t)i, "completed");
		is_away = steps[i].is_away;
		told = (struct job_run){.job = task_of(i + 1 == sizeof steps / sizeof *steps ? 3 : 2),
					.elapsed = 10,
					.cpus_allocated = 2,
					.cpu_used_us = steps[i].used_us};
		now_s = BEGIN + 100 + (int64_t)i;
		event_poller_poll(&life->poller, &action, &outcome);
		CHECK(strstr(names, steps[i].names));
		CHECK_NUMBER(outcome.records, steps[i].records);
		CHECK_NUMBER(event_steps_count(&life->poller), steps[i].waiting);
		CHECK_NUMBER(life->poller.suspects, steps[i].suspects);
		CHECK_NUMBER(events->steps_given_up, steps[i].given_up);
		CHECK_NUMBER(count_of(&world, ENTITY_USER, "alice", "physics", TALLY_ALLOCATED_CPU_SECONDS, ""),
			     steps[i].allocated);
		CHECK(is_away || outcome.is_round_done == steps[i].is_done);
	}
	check_row("when all that failed together were asked for, many are asked for at once again");
	end_tasks(life, 4, 6);
	event_poller_poll(&life->poller, &action, &outcome);
	CHECK_NUMBER(outcome.records, 1);
	event_poller_poll(&life->poller, &action, &outcome);
	CHECK_NUMBER(outcome.records, 2);
	life_free(life);
}

int main(void)
{
	test_a_requeue_that_comes_later();
	test_a_completing_row_of_another_run();
	test_a_job_that_never_completes();
	test_young_ends();
	test_a_late_end_where_many_end();
	test_two_late_ends_of_one_job();
	test_a_late_end_that_never_is_whole();
	test_when_a_late_end_is_given_up();
	test_when_an_end_is_settled();
	test_a_size_that_ends_with_the_job();
	test_slurmdbd_is_gone();
	test_who_tells_after_a_start();
	test_looks_twice_in_a_second();
	test_steps_that_fail();
	test_slurmdbd_comes_late();
	test_many_wait_for_slurmdbd();
	test_clock_set_back();
	test_runs_tell_the_newest_id();
	return check_done();
}
