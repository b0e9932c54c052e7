/* Without slurmdbd jobs come and go unseen; slurmctld's number of starts tells how many. */
#include "events_world.h"

enum { PERIOD = BIRTH - 5000, LATE = UNSEEN_AFTER_S };

static void tell(struct world *w, int64_t at, uint64_t started)
{
	const struct starts_told told = {PERIOD, at, started};
	job_events_note_starts(w->events, &told);
}

static void world_begin(struct world *w)
{
	world_init(w, false);
	tell(w, BIRTH, 700);
}

/* A job that is seen, and one that is not. */
static void test_unseen(void)
{
	struct world w;
	world_begin(&w);
	check_row("starts from before the first answer, and those that were seen, are not lost");
	const struct job old = running(1, BIRTH - 100, BIRTH - 90), job = running(2, BIRTH, BIRTH + 50);
	put(&w, &old, BIRTH + 60);
	put_and_look(&w, &job, BIRTH + 60);
	tell(&w, BIRTH + 100, 701);
	look(&w, BIRTH + 100 + LATE);
	CHECK_NUMBER(w.events->lost, 0);
	check_row("of five more nobody saw four: they are lost, once, when a search cannot find them any more");
	const struct job next = running(3, BIRTH + 400, BIRTH + 420);
	put_and_look(&w, &next, BIRTH + 430);
	tell(&w, BIRTH + 440, 706);
	look(&w, BIRTH + 440 + LATE - 1);
	CHECK_NUMBER(w.events->lost, 0);
	look(&w, BIRTH + 440 + LATE);
	CHECK_NUMBER(w.events->lost, 4);
	tell(&w, BIRTH + 1000, 706);
	look(&w, BIRTH + 1000 + LATE);
	CHECK_NUMBER(w.events->lost, 4);
	world_done(&w);
}

/* A start may be in the second of an answer. It is taken to be in that answer, and not in the first one. */
static void test_in_the_same_second(void)
{
	struct world w;
	world_begin(&w);
	check_row("a start in the second of the first answer, and one in that of another answer, are not lost");
	const struct job first = running(1, BIRTH - 10, BIRTH), last = running(2, BIRTH, BIRTH + 100);
	put_and_look(&w, &first, BIRTH + 60);
	tell(&w, BIRTH + 100, 702);
	put_and_look(&w, &last, BIRTH + 110);
	look(&w, BIRTH + 100 + LATE);
	CHECK_NUMBER(w.events->lost, 0);
	check_row("each of several answers is compared in its turn");
	for (int64_t i = 1; i <= 3; i++)
		tell(&w, BIRTH + 1000 + i * UNSEEN_SAMPLE_EVERY_S, 702 + (uint64_t)(i * i));
	for (int64_t i = 1; i <= 3; i++) {
		look(&w, BIRTH + 1000 + i * UNSEEN_SAMPLE_EVERY_S + LATE);
		CHECK_NUMBER(w.events->lost, i * i);
	}
	check_row("two answers in one second are of one period");
	tell(&w, BIRTH + 5000, 712);
	tell(&w, BIRTH + 5000, 713);
	tell(&w, BIRTH + 5000 + UNSEEN_SAMPLE_EVERY_S, 713);
	look(&w, BIRTH + 5000 + UNSEEN_SAMPLE_EVERY_S + LATE);
	CHECK_NUMBER(w.events->lost, 11);
	world_done(&w);
}

/* A start that slurmctld counted, of a job that is there. */
static void test_awaited(void)
{
	struct world w;
	world_begin(&w);
	check_row("a job without details, one whose nodes boot and one that is completing are not lost");
	see(&w, 1, JOB_RUNNING, BIRTH + 70);
	struct job boots = running(2, BIRTH, BIRTH + 50), ends = running(3, BIRTH, BIRTH + 60);
	boots.flags = 1 << JOB_FLAG_CONFIGURING;
	ends.state = JOB_COMPLETED;
	ends.end_time = BIRTH + 65;
	ends.flags = 1 << JOB_FLAG_COMPLETING;
	put(&w, &boots, BIRTH + 70);
	put_and_look(&w, &ends, BIRTH + 70);
	tell(&w, BIRTH + 100, 703);
	look(&w, BIRTH + 100 + LATE);
	CHECK_NUMBER(w.events->lost, 0);
	check_row("nor when they are told, with the start that slurmctld moved");
	boots.flags = 0;
	boots.start_time = BIRTH + 450;
	ends.flags = 0;
	const struct job first = running(1, BIRTH, BIRTH + 40);
	put(&w, &first, BIRTH + 460);
	put(&w, &ends, BIRTH + 460);
	put_and_look(&w, &boots, BIRTH + 460);
	tell(&w, BIRTH + 500, 703);
	look(&w, BIRTH + 500 + LATE);
	CHECK_NUMBER(in_cluster(&w, TALLY_STARTS, ""), 3);
	CHECK_NUMBER(w.events->lost, 0);
	check_row("starts after an answer do not hide those that it counts");
	tell(&w, BIRTH + 1000, 704);
	const struct job later = running(4, BIRTH + 1000, BIRTH + 1001);
	put_and_look(&w, &later, BIRTH + 1010);
	look(&w, BIRTH + 1000 + LATE);
	CHECK_NUMBER(w.events->lost, 1);
	world_done(&w);
}

/* One that was seen waiting, and went. */
static void test_gone_while_it_waited(void)
{
	struct world w;
	world_begin(&w);
	check_row("a job that was seen to wait, started and went is lost once");
	const struct job job = job_of(1, JOB_PENDING, BIRTH + 10);
	put_and_look(&w, &job, BIRTH + 20);
	tell(&w, BIRTH + 100, 701);
	CHECK(job_table_remove(w.table, 1));
	for (int64_t at = BIRTH + 200; at < BIRTH + 3000; at += 100)
		look(&w, at);
	CHECK_NUMBER(w.events->lost, 1);
	world_done(&w);
}

/* One that was seen to start, and went: it hides no start that nobody saw. */
static void test_gone_after_it_started(void)
{
	struct world w;
	world_begin(&w);
	check_row("beside it a start that nobody saw is lost");
	const struct job job = running(1, BIRTH, BIRTH + 50);
	put_and_look(&w, &job, BIRTH + 60);
	tell(&w, BIRTH + 100, 702);
	CHECK(job_table_remove(w.table, 1));
	look(&w, BIRTH + 110);
	look(&w, BIRTH + 100 + LATE);
	CHECK_NUMBER(w.events->lost, 1);
	check_row("when its end is given up, too");
	for (int64_t at = BIRTH + 200 + LATE; at < BIRTH + 3000; at += 100)
		look(&w, at);
	CHECK_NUMBER(w.events->lost, 2);
	tell(&w, BIRTH + 3000, 703);
	look(&w, BIRTH + 3000 + LATE);
	CHECK_NUMBER(w.events->lost, 3);
	world_done(&w);
}

/* An array's tasks, of which none was seen to start. */
static void test_rest_gone_while_it_waited(void)
{
	struct world w;
	world_begin(&w);
	check_row("tasks of a rest that went are lost once");
	struct job rest = job_of(1, JOB_PENDING, BIRTH + 10);
	rest.array_job_id = 1;
	rest.array_tasks = TEXT("1-3");
	put_and_look(&w, &rest, BIRTH + 20);
	tell(&w, BIRTH + 100, 703);
	CHECK(job_table_remove(w.table, 1));
	for (int64_t at = BIRTH + 200; at < BIRTH + 7300; at += 100)
		look(&w, at);
	CHECK_NUMBER(w.events->lost, 3);
	CHECK_NUMBER(w.events->runs.used, 0);
	check_row("and a fourth start, of a job that nobody saw, once more");
	tell(&w, BIRTH + 8000, 704);
	look(&w, BIRTH + 8000 + LATE);
	CHECK_NUMBER(w.events->lost, 4);
	world_done(&w);
}

/* slurmctld's counter begins again. */
static void test_periods(void)
{
	struct world w;
	world_begin(&w);
	check_row("a new period: it is compared from its first answer on");
	struct starts_told told = {BIRTH + 80, BIRTH + 100, 5};
	job_events_note_starts(w.events, &told);
	told = (struct starts_told){BIRTH + 80, BIRTH + 200, 7};
	job_events_note_starts(w.events, &told);
	look(&w, BIRTH + 200 + LATE);
	CHECK_NUMBER(w.events->lost, 2);
	check_row("slurmctld's clock is set back, or the counter is: another one begins");
	told = (struct starts_told){BIRTH + 80, BIRTH + 150, 100};
	job_events_note_starts(w.events, &told);
	told = (struct starts_told){BIRTH + 80, BIRTH + 250, 50};
	job_events_note_starts(w.events, &told);
	look(&w, BIRTH + 1000);
	CHECK_NUMBER(w.events->lost, 2);
	check_row("diag does not tell");
	told = (struct starts_told){.since = 0};
	job_events_note_starts(w.events, &told);
	told = (struct starts_told){.since = 0, .time = BIRTH + 1100, .started = 70};
	job_events_note_starts(w.events, &told);
	look(&w, BIRTH + 2000);
	CHECK_NUMBER(w.events->lost, 2);
	check_row("more answers than samples, while no look is complete");
	tell(&w, BIRTH + 2000, 100);
	for (int64_t i = 1; i < 3 * UNSEEN_SAMPLE_EVERY_S; i++)
		tell(&w, BIRTH + 2000 + i, 100);
	CHECK_NUMBER(w.events->unseen.count, 2); /* they are apart */
	tell(&w, BIRTH + 2000, 100);
	for (uint64_t i = 1; i <= 2 * UNSEEN_SAMPLES; i++)
		tell(&w, BIRTH + 2000 + (int64_t)i * UNSEEN_SAMPLE_EVERY_S, 100 + i);
	look(&w, BIRTH + 10000);
	CHECK_NUMBER(w.events->lost, 2 + UNSEEN_SAMPLES);
	tell(&w, BIRTH + 10000, 100 + 2 * UNSEEN_SAMPLES);
	look(&w, BIRTH + 11000);
	CHECK_NUMBER(w.events->lost, 2 + 2 * UNSEEN_SAMPLES);
	world_done(&w);
}

static void test_restart(void)
{
	struct world w;
	world_begin(&w);
	check_row("what came and went while slurmscope was away is lost, too");
	const struct job job = running(1, BIRTH, BIRTH + 50);
	put_and_look(&w, &job, BIRTH + 60);
	tell(&w, BIRTH + 100, 702);
	restart(&w, true, BIRTH + 5000);
	w.events->ends_by_slurmdbd = true; /* it is not known yet that there is none */
	tell(&w, BIRTH + 5010, 710);
	w.events->ends_by_slurmdbd = false;
	put_and_look(&w, &job, BIRTH + 5020);
	tell(&w, BIRTH + 5030, 711);
	look(&w, BIRTH + 5030 + LATE);
	CHECK_NUMBER(w.events->lost, 10);
	check_row("and not again after the next one");
	restart(&w, true, BIRTH + 6000);
	put_and_look(&w, &job, BIRTH + 6010);
	tell(&w, BIRTH + 6020, 711);
	look(&w, BIRTH + 6020 + LATE);
	CHECK_NUMBER(w.events->lost, 10);
	check_row("slurmdbd takes over: it tells of all");
	w.events->ends_by_slurmdbd = w.events->slurmdbd_told = true;
	tell(&w, BIRTH + 7000, 720);
	tell(&w, BIRTH + 7100, 730);
	look(&w, BIRTH + 7100 + LATE);
	CHECK_NUMBER(w.events->lost, 10);
	world_done(&w);
}

int main(void)
{
	test_unseen();
	test_in_the_same_second();
	test_awaited();
	test_gone_while_it_waited();
	test_gone_after_it_started();
	test_rest_gone_while_it_waited();
	test_periods();
	test_restart();
	return check_done();
}
