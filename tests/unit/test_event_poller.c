/* When what slurmdbd says of an end is believed. The clock is the test's, and so are the version that the client has found and
 * slurmdbd's answers: these functions are replaced (CMakeLists.txt). */
#include "events_world.h"
#include "model/job_run.h"
#include "poll/event_ends.h"
#include "poll/event_poller.h"
#include "polled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN = 1800000000, ID = 7 };

static int64_t now_s = BEGIN;
static struct job_run told; /* the only run that slurmdbd knows */
static unsigned hastened; /* tasks */
static unsigned others; /* runs that windows have beside it */
static bool is_away; /* slurmdbd */
static unsigned named; /* requests by name */

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
	if (is_away)
		return FETCH_UNREACHABLE;
	if (strstr(fetch->query, "&step=")) {
		named++;
		fetch->take(fetch->context, &told);
		return FETCH_OK;
	}
	if (sscanf(window, "start_time=%" SCNd64 "&end_time=%" SCNd64, &first, &last) != 2)
		CHECK(sscanf(window, "start_time=uts%" SCNd64 "&end_time=uts%" SCNd64, &first, &last) == 2);
	if ((int64_t)told.job.end_time >= first && (int64_t)told.job.end_time <= last)
		fetch->take(fetch->context, &told);
	for (unsigned i = 0; i < others && first < now_s; i++) {
		struct job_run other = {.job = running(1000000 + (uint64_t)last + i, BEGIN, BEGIN)};
		other.job.state = JOB_COMPLETED;
		other.job.end_time = (uint64_t)last;
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
	is_requeued(&told.job);
	check_row("but a while later");
	CHECK_NUMBER(ask(life, BEGIN + 75, "requeued"), 1);
	CHECK_NUMBER(ask(life, BEGIN + 75, "failed"), 0);
	life_free(life);
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
	told = (struct job_run){.job = running(ID + 1, back + 10, back + 20), .elapsed = 5, .cpus_allocated = 2};
	told.job.state = JOB_COMPLETED;
	told.job.end_time = (uint64_t)(back + 25);
	told.job.exit_code = told.job.exit_signal = 0;
	check_row("a short job, which only slurmdbd tells of");
	for (int64_t now = back + 30; now <= back + 300; now += 30) {
		life->polled.exporter.endpoints[ENDPOINT_DIAG].last_success = (double)now;
		show(life, &job, now);
		ask(life, now, "completed");
	}
	CHECK_NUMBER(ask(life, back + 330, "completed"), 1);
	life_free(life);
}

/* A restart: without it a search would begin at the first ID of all. */
static void test_runs_tell_the_newest_id(void)
{
	struct life *life = life_new();
	struct job old = running(ID + 500, BEGIN + 1, BEGIN + 2), young = running(ID, BEGIN + 3, BEGIN + 4);
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

int main(void)
{
	test_a_requeue_that_comes_later();
	test_a_job_that_never_completes();
	test_young_ends();
	test_a_late_end_where_many_end();
	test_a_late_end_that_never_is_whole();
	test_slurmdbd_is_gone();
	test_slurmdbd_comes_late();
	test_many_wait_for_slurmdbd();
	test_clock_set_back();
	test_runs_tell_the_newest_id();
	return check_done();
}
