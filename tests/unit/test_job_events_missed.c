/* What happens to jobs is counted once, whichever daemon reports it and however late: a story per rule. */
#include "events_world.h"

static void test_before_birth(void)
{
	struct world w;
	world_init(&w, true);
	check_row("before counting began: neither its submission nor its start, its time from then on, its end");
	const struct job old = running(1, BIRTH - 100, BIRTH - 90);
	put_and_look(&w, &old, BIRTH + 5);
	check_cluster(&w, 0, 0, 0, 2 * 5);
	take_end(&w, &old, "completed", BIRTH + 20);
	check_cluster(&w, 0, 0, 1, 2 * 20);
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "sum"), 110);
	check_row("of one that was never seen to run");
	const struct job other = running(2, BIRTH - 100, BIRTH - 90);
	take_end(&w, &other, "completed", BIRTH + 1);
	check_cluster(&w, 0, 0, 2, 2 * 21);
	check_row("of one that was over");
	const struct job over = running(3, BIRTH - 100, BIRTH - 90);
	take_end(&w, &over, "completed", BIRTH - 1);
	check_cluster(&w, 0, 0, 2, 2 * 21);
	world_done(&w);
	check_row("of one that was suspended then, resumed later");
	world_init(&w, true);
	struct job job = running(1, BIRTH - 100, BIRTH - 90);
	job.suspend_time = BIRTH + 30;
	job.ran_before = 40;
	put_and_look(&w, &job, BIRTH + 35);
	check_cluster(&w, 0, 0, 0, 2 * 5);
	struct job_end end = end_of(&job, "completed", BIRTH + 40);
	end.run_seconds = 50;
	job_events_take_end(w.events, &end);
	check_cluster(&w, 0, 0, 1, 2 * 10);
	check_row("and of one whose resumption nobody saw");
	job = running(2, BIRTH - 100, BIRTH - 90);
	job.state = JOB_SUSPENDED;
	job.suspend_time = BIRTH - 50;
	job.ran_before = 40;
	put_and_look(&w, &job, BIRTH + 45);
	job.state = JOB_COMPLETED;
	end = end_of(&job, "completed", BIRTH + 70);
	end.run_seconds = 50;
	job_events_take_end(w.events, &end);
	check_cluster(&w, 0, 0, 2, 2 * 20);
	world_done(&w);
}

static void test_clock_set_back(void)
{
	struct world w;
	world_init(&w, true);
	check_row("slurmctld's clock is set back: nothing goes back, nothing is counted twice");
	const struct job job = running(1, BIRTH, BIRTH + 10);
	put_and_look(&w, &job, BIRTH + 100);
	job_events_look(w.events, w.table, BIRTH + 50);
	check_cluster(&w, 1, 1, 0, 2 * 90);
	job_events_look(w.events, w.table, BIRTH + 101);
	check_cluster(&w, 1, 1, 0, 2 * 91);
	take_end(&w, &job, "completed", BIRTH + 80);
	check_cluster(&w, 1, 1, 1, 2 * 91);
	check_row("a job that ended before it started");
	const struct job odd = running(2, BIRTH + 20, BIRTH + 300);
	take_end(&w, &odd, "failed", BIRTH + 120);
	check_cluster(&w, 2, 1, 2, 2 * 91);
	world_done(&w);
}

static void test_our_clock_set_back(void)
{
	struct world w;
	world_init(&w, true);
	check_row("our clock is set back: what is told then is news");
	const struct job job = running(1, BIRTH, BIRTH + 10), next = running(2, BIRTH + 110, BIRTH + 111);
	put_and_look(&w, &job, BIRTH + 500);
	put(&w, &next, BIRTH + 120);
	look(&w, BIRTH + 120);
	check_cluster(&w, 2, 2, 0, 2 * (490 + 9));
	check_row("and goes on to be");
	put_and_look(&w, &job, BIRTH + 130);
	const struct job third = running(3, BIRTH + 125, BIRTH + 126);
	put_and_look(&w, &third, BIRTH + 131);
	CHECK_NUMBER(in_cluster(&w, TALLY_STARTS, ""), 3);
	world_done(&w);
}

static void test_gone(void)
{
	struct world w;
	world_init(&w, true);
	check_row("gone: slurmdbd has an hour to tell of its end");
	const struct job job = running(1, BIRTH, BIRTH + 10);
	put_and_look(&w, &job, BIRTH + 20);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 30);
	look(&w, BIRTH + 40);
	job_events_end_window(w.events, BIRTH + 3630, BIRTH + 3000);
	CHECK_NUMBER(w.events->lost, 0);
	job_events_end_window(w.events, BIRTH + 3631, BIRTH + 3000);
	CHECK_NUMBER(w.events->lost, 1);
	CHECK_NUMBER(w.events->runs.used, 0);
	world_done(&w);
	check_row("without slurmdbd nobody tells, unless it takes over");
	world_init(&w, false);
	put_and_look(&w, &job, BIRTH + 20);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 30);
	look(&w, BIRTH + 630);
	CHECK_NUMBER(w.events->lost, 0);
	look(&w, BIRTH + 631);
	CHECK_NUMBER(w.events->lost, 1);
	check_cluster(&w, 1, 1, 0, 2 * 10);
	world_done(&w);
}

static void test_without_slurmdbd(void)
{
	struct world w;
	world_init(&w, false);
	check_row("without slurmdbd: it counts when it is complete, of which no details need to tell");
	struct job job = running(1, BIRTH, BIRTH + 10);
	job.tres_requested = TEXT("cpu=1,mem=1M,node=1");
	job.tres_allocated = TEXT("cpu=2,mem=1M,node=1,billing=7,gres/gpu=3,gres/gpu:a100=2");
	put_and_look(&w, &job, BIRTH + 20);
	job.state = JOB_FAILED;
	job.flags = 1 << JOB_FLAG_COMPLETING;
	job.end_time = BIRTH + 40;
	job.exit_code = 3;
	put_and_look(&w, &job, BIRTH + 41);
	look(&w, BIRTH + 50);
	check_cluster(&w, 1, 1, 0, 2 * 10);
	see(&w, 1, JOB_FAILED, BIRTH + 60);
	look(&w, BIRTH + 60);
	check_cluster(&w, 1, 1, 1, 2 * 30);
	look(&w, BIRTH + 70);
	check_cluster(&w, 1, 1, 1, 2 * 30);
	CHECK_NUMBER(in_cluster(&w, TALLY_EXITS, "nonzero"), 1);
	CHECK_NUMBER(in_cluster(&w, TALLY_BILLING_SECONDS, ""), 7 * 30);
	CHECK_NUMBER(in_cluster(&w, TALLY_GRES_SECONDS, "gpu:a100"), 2 * 30);
	CHECK_NUMBER(in_cluster(&w, TALLY_GRES_SECONDS, "gpu"), 30);
	CHECK_NUMBER(count_of(&w, TALLY_NODE, "cn1", "", TALLY_FAILURES, "failed"), 1);
	check_row("one that was never seen to run held what was allocated");
	job.id = 2;
	job.flags = 0;
	put_and_look(&w, &job, BIRTH + 75);
	check_cluster(&w, 2, 2, 2, 2 * 60);
	job_table_remove(w.table, 2);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 80);
	check_row("a requeue is seen by the other submit time");
	struct job first = running(3, BIRTH + 50, BIRTH + 60);
	put_and_look(&w, &first, BIRTH + 90);
	struct job second = job_of(3, JOB_PENDING, BIRTH + 100);
	put_and_look(&w, &second, BIRTH + 110);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "requeued"), 1);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 4);
	CHECK_NUMBER(w.events->lost, 0);
	check_row("who ended is known for a while: slurmdbd may take over");
	look(&w, BIRTH + 640);
	CHECK_NUMBER(w.events->runs.used, 4);
	look(&w, BIRTH + 641);
	CHECK_NUMBER(w.events->runs.used, 2);
	world_done(&w);
}

static void test_restart(void)
{
	struct world w;
	world_init(&w, true);
	check_row("kill -9: what was not written happens again, what was does not");
	const struct job job = running(1, BIRTH, BIRTH + 10), unseen = running(2, BIRTH + 30, BIRTH + 31);
	struct job waiting = job_of(3, JOB_PENDING, BIRTH + 1);
	put(&w, &waiting, BIRTH + 20);
	put_and_look(&w, &job, BIRTH + 20);
	restart(&w, true, BIRTH + 100);
	check_cluster(&w, 2, 1, 0, 2 * 10);
	put(&w, &waiting, BIRTH + 101);
	put_and_look(&w, &job, BIRTH + 101);
	take_end(&w, &unseen, "completed", BIRTH + 32);
	check_cluster(&w, 3, 2, 1, 2 * (91 + 1));
	CHECK_NUMBER(w.events->recovered, 3);
	restart(&w, false, BIRTH + 200);
	check_cluster(&w, 2, 1, 0, 2 * 10);
	CHECK_NUMBER(w.events->recovered, 0);
	take_end(&w, &unseen, "completed", BIRTH + 32);
	take_end(&w, &job, "timeout", BIRTH + 150);
	check_cluster(&w, 3, 2, 2, 2 * (140 + 1));
	restart(&w, true, BIRTH + 300);
	take_end(&w, &job, "timeout", BIRTH + 150);
	take_end(&w, &unseen, "completed", BIRTH + 32);
	put_and_look(&w, &waiting, BIRTH + 301);
	check_cluster(&w, 3, 2, 2, 2 * (140 + 1));
	check_row("what ran on was counted until the last look, though its run was not written again");
	struct job later = running(3, BIRTH + 1, BIRTH + 310);
	put_and_look(&w, &later, BIRTH + 320);
	memory_write(&w.memory, w.events, false);
	look(&w, BIRTH + 350);
	restart(&w, true, BIRTH + 400);
	put_and_look(&w, &later, BIRTH + 410);
	check_cluster(&w, 3, 3, 2, 2 * (140 + 1 + 100));
	check_row("after it its row lacks details: it may be another run");
	restart(&w, true, BIRTH + 450);
	see(&w, 3, JOB_RUNNING, BIRTH + 460);
	look(&w, BIRTH + 460);
	check_cluster(&w, 3, 3, 2, 2 * (140 + 1 + 100));
	world_done(&w);
}

static void test_writing(void)
{
	struct world w;
	struct memory changes;
	world_init(&w, true);
	check_row("what did not change is not written again");
	for (uint64_t id = 1; id <= 10; id++) {
		const struct job job = running(id, BIRTH + 1, BIRTH + 2);
		put(&w, &job, BIRTH + 5);
	}
	look(&w, BIRTH + 5);
	memory_init(&changes);
	memory_write(&changes, w.events, false);
	CHECK_NUMBER(changes.count, 10);
	CHECK(changes.counters.count > 0);
	memory_done(&changes);
	memory_init(&changes);
	const struct job job = running(3, BIRTH + 1, BIRTH + 2);
	take_end(&w, &job, "completed", BIRTH + 3);
	memory_write(&changes, w.events, false);
	CHECK_NUMBER(changes.count, 1);
	memory_done(&changes);
	memory_init(&changes);
	memory_write(&changes, w.events, false);
	CHECK_NUMBER(changes.count, 0);
	CHECK_NUMBER(changes.counters.count, 0);
	check_row("but all of it if that is wanted");
	memory_write(&changes, w.events, true);
	CHECK_NUMBER(changes.count, 10);
	CHECK(changes.counters.count > 50);
	check_row("a run that is forgotten is removed once");
	const struct run_key key = {4, RUN_NO_TASK, BIRTH + 1};
	runs_remove(&w.events->runs, runs_find(&w.events->runs, &key));
	memory_write(&changes, w.events, false);
	CHECK_NUMBER(changes.count, 9);
	memory_write(&changes, w.events, false);
	CHECK_NUMBER(changes.removals, 1);
	memory_done(&changes);
	world_done(&w);
}

int main(void)
{
	test_before_birth();
	test_clock_set_back();
	test_our_clock_set_back();
	test_gone();
	test_without_slurmdbd();
	test_restart();
	test_writing();
	return check_done();
}
