/* What happens to jobs is counted once: a story per rule, of jobs that are of no array. */
#include "events_world.h"

static void test_a_life(void)
{
	check_row("submitted, started and ended before our eyes");
	struct world w;
	world_init(&w, true);
	struct job job = job_of(1, JOB_PENDING, BIRTH + 10);
	job.eligible_time = BIRTH + 14;
	put_and_look(&w, &job, BIRTH + 15);
	check_cluster(&w, 1, 0, 0, 0);
	job = running(1, BIRTH + 10, BIRTH + 20);
	job.eligible_time = BIRTH + 14;
	put_and_look(&w, &job, BIRTH + 30);
	check_cluster(&w, 1, 1, 0, 2 * 10);
	look(&w, BIRTH + 40);
	take_end(&w, &job, "completed", BIRTH + 65);
	check_cluster(&w, 1, 1, 1, 2 * 45);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "completed"), 1);
	CHECK_NUMBER(in_cluster(&w, TALLY_MEMORY_BYTE_SECONDS, ""), 4096 * 45);
	CHECK_NUMBER(in_cluster(&w, TALLY_EXITS, "zero"), 1);
	CHECK_NUMBER(in_queue(&w, TALLY_WAIT_SECONDS, "sum"), 6);
	CHECK_NUMBER(in_queue(&w, TALLY_QUEUE_SECONDS, "sum"), 10);
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "60"), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_TIME_LIMIT_RATIO, "0.05"), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_SIZE_CPUS, "2"), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_SIZE_NODES, "1"), 1);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "alice", "physics", TALLY_STARTS, ""), 1);
	CHECK_NUMBER(count_of(&w, ENTITY_ACCOUNT, "physics", "", TALLY_STARTS, ""), 1);
	CHECK_NUMBER(count_of(&w, ENTITY_QOS, "normal", "", TALLY_CPU_SECONDS, ""), 2 * 45);
	check_row("told again, it is known, as long as it is told again");
	take_end(&w, &job, "completed", BIRTH + 65);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 70);
	job_events_end_window(w.events, BIRTH + 70, BIRTH + 60);
	take_end(&w, &job, "completed", BIRTH + 65);
	check_cluster(&w, 1, 1, 1, 2 * 45);
	CHECK_NUMBER(w.events->runs.used, 1);
	job_events_end_window(w.events, BIRTH + 700, BIRTH + 66);
	CHECK_NUMBER(w.events->runs.used, 0);
	CHECK_NUMBER(w.events->recovered + w.events->lost, 0);
	world_done(&w);
}

static void test_short(void)
{
	check_row("a short job of which only slurmdbd tells");
	struct world w;
	world_init(&w, true);
	const struct job job = running(1, BIRTH + 1, BIRTH + 2);
	take_end(&w, &job, "failed", BIRTH + 4);
	check_cluster(&w, 1, 1, 1, 2 * 2);
	take_end(&w, &job, "failed", BIRTH + 4);
	check_cluster(&w, 1, 1, 1, 2 * 2);
	check_row("the table shows it still, as running: it was late");
	put_and_look(&w, &job, BIRTH + 5);
	check_cluster(&w, 1, 1, 1, 2 * 2);
	check_row("and keeps it so for long: it is not forgotten meanwhile");
	job_events_end_window(w.events, BIRTH + 5000, BIRTH + 4000);
	put_and_look(&w, &job, BIRTH + 5001);
	check_cluster(&w, 1, 1, 1, 2 * 2);
	world_done(&w);
}

static void test_requeue(void)
{
	struct world w;
	world_init(&w, true);
	check_row("requeued: the old submit time stays until the epilog has ended");
	struct job first = running(1, BIRTH, BIRTH + 10);
	put_and_look(&w, &first, BIRTH + 20);
	struct job epilog = first;
	epilog.state = JOB_PENDING;
	epilog.flags = 1 << JOB_FLAG_COMPLETING;
	epilog.node_list = TEXT("");
	put_and_look(&w, &epilog, BIRTH + 50);
	check_cluster(&w, 1, 1, 0, 2 * 10);
	take_end(&w, &first, "requeued", BIRTH + 45);
	check_cluster(&w, 1, 1, 1, 2 * 35);
	job_events_end_window(w.events, BIRTH + 2000, BIRTH + 1000);
	put_and_look(&w, &epilog, BIRTH + 2000);
	check_cluster(&w, 1, 1, 1, 2 * 35);
	check_row("then it waits again, with another");
	struct job second = job_of(1, JOB_PENDING, BIRTH + 2010);
	put_and_look(&w, &second, BIRTH + 2020);
	check_cluster(&w, 2, 1, 1, 2 * 35);
	second = running(1, BIRTH + 2010, BIRTH + 2100);
	put_and_look(&w, &second, BIRTH + 2110);
	take_end(&w, &second, "completed", BIRTH + 2120);
	check_cluster(&w, 2, 2, 2, 2 * 55);
	world_done(&w);
	check_row("requeued within one poll: the end of the first comes before the second is seen");
	world_init(&w, true);
	put_and_look(&w, &first, BIRTH + 20);
	take_end(&w, &first, "requeued", BIRTH + 25);
	second = running(1, BIRTH + 26, BIRTH + 27);
	put_and_look(&w, &second, BIRTH + 30);
	check_cluster(&w, 2, 2, 1, 2 * (15 + 3));
	check_row("and is over before it is seen");
	take_end(&w, &second, "completed", BIRTH + 31);
	check_cluster(&w, 2, 2, 2, 2 * (15 + 4));
	world_done(&w);
}

static void test_unseen_requeue(void)
{
	struct world w;
	world_init(&w, true);
	check_row("a requeue that nobody saw: what was counted too much is taken from the next run");
	const struct job first = running(1, BIRTH, BIRTH + 10), second = running(1, BIRTH + 120, BIRTH + 130);
	put_and_look(&w, &first, BIRTH + 20);
	see(&w, 1, JOB_RUNNING, BIRTH + 200);
	look(&w, BIRTH + 200);
	check_cluster(&w, 1, 1, 0, 2 * 190);
	take_end(&w, &first, "requeued", BIRTH + 100);
	put_and_look(&w, &second, BIRTH + 210);
	check_cluster(&w, 2, 2, 1, 2 * 190);
	put_and_look(&w, &second, BIRTH + 300);
	check_cluster(&w, 2, 2, 1, 2 * (90 + 170));
	take_end(&w, &second, "completed", BIRTH + 301);
	check_cluster(&w, 2, 2, 2, 2 * (90 + 171));
	world_done(&w);
	check_row("the second is seen before the end of the first is told");
	world_init(&w, true);
	put_and_look(&w, &first, BIRTH + 20);
	see(&w, 1, JOB_RUNNING, BIRTH + 200);
	look(&w, BIRTH + 200);
	put_and_look(&w, &second, BIRTH + 210);
	take_end(&w, &first, "requeued", BIRTH + 100);
	take_end(&w, &second, "completed", BIRTH + 301);
	check_cluster(&w, 2, 2, 2, 2 * (90 + 171));
	world_done(&w);
	check_row("the second is never seen to run");
	world_init(&w, true);
	put_and_look(&w, &first, BIRTH + 20);
	look(&w, BIRTH + 110);
	take_end(&w, &first, "requeued", BIRTH + 100);
	take_end(&w, &second, "completed", BIRTH + 301);
	check_cluster(&w, 2, 2, 2, 2 * (90 + 171));
	world_done(&w);
}

static void test_partitions(void)
{
	struct world w;
	world_init(&w, true);
	check_row("waits in two partitions: submitted in each, once in the cluster");
	struct job job = job_of(1, JOB_PENDING, BIRTH + 1);
	job.partitions = TEXT("cpu,gpu");
	put_and_look(&w, &job, BIRTH + 2);
	job = running(1, BIRTH + 1, BIRTH + 4);
	job.partitions = TEXT("gpu");
	put_and_look(&w, &job, BIRTH + 9);
	take_end(&w, &job, "completed", BIRTH + 14);
	check_cluster(&w, 1, 1, 1, 2 * 10);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_SUBMISSIONS, ""), 1);
	CHECK_NUMBER(in_partition(&w, "gpu", TALLY_SUBMISSIONS, ""), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_STARTS, ""), 0);
	CHECK_NUMBER(in_partition(&w, "gpu", TALLY_STARTS, ""), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_CPU_SECONDS, ""), 0);
	CHECK_NUMBER(in_partition(&w, "gpu", TALLY_CPU_SECONDS, ""), 20);
	CHECK_NUMBER(in_partition(&w, "gpu", TALLY_ENDS, "completed"), 1);
	world_done(&w);
}

static void test_het(void)
{
	struct world w;
	world_init(&w, true);
	check_row("components of a het job are jobs");
	for (uint64_t id = 1; id <= 3; id++) {
		const struct job job = running(id, BIRTH + 1, BIRTH + 2);
		put(&w, &job, BIRTH + 5);
	}
	look(&w, BIRTH + 5);
	for (uint64_t id = 1; id <= 3; id++) {
		const struct job job = running(id, BIRTH + 1, BIRTH + 2);
		take_end(&w, &job, "completed", BIRTH + 12);
	}
	check_cluster(&w, 3, 3, 3, 3 * 2 * 10);
	world_done(&w);
}

static void test_suspended(void)
{
	struct world w;
	world_init(&w, true);
	check_row("suspended and resumed: what it does not run does not count");
	struct job job = running(1, BIRTH, BIRTH + 10);
	put_and_look(&w, &job, BIRTH + 20);
	see(&w, 1, JOB_SUSPENDED, BIRTH + 40); /* details come later */
	look(&w, BIRTH + 40);
	check_cluster(&w, 1, 1, 0, 2 * 10);
	see(&w, 1, JOB_RUNNING, BIRTH + 60);
	look(&w, BIRTH + 60);
	check_cluster(&w, 1, 1, 0, 2 * 10);
	job.suspend_time = BIRTH + 55;
	job.ran_before = 20;
	put_and_look(&w, &job, BIRTH + 61);
	check_cluster(&w, 1, 1, 0, 2 * 26);
	look(&w, BIRTH + 65);
	check_cluster(&w, 1, 1, 0, 2 * 30);
	check_row("suspended and resumed between two looks, with its details still to come");
	see(&w, 1, JOB_SUSPENDED, BIRTH + 70);
	see(&w, 1, JOB_RUNNING, BIRTH + 90);
	look(&w, BIRTH + 90);
	check_cluster(&w, 1, 1, 0, 2 * 30);
	job.suspend_time = BIRTH + 90;
	job.ran_before = 34;
	put_and_look(&w, &job, BIRTH + 95);
	check_cluster(&w, 1, 1, 0, 2 * 39);
	struct job_end end = end_of(&job, "completed", BIRTH + 100);
	end.run_seconds = 44;
	job_events_take_end(w.events, &end);
	check_cluster(&w, 1, 1, 1, 2 * 44);
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "sum"), 44);
	world_done(&w);
}

static void test_killed_while_suspended(void)
{
	struct world w;
	world_init(&w, true);
	check_row("killed while suspended, its end is before what slurmdbd is asked for");
	struct job job = running(1, BIRTH, BIRTH + 10);
	put_and_look(&w, &job, BIRTH + 20);
	job.state = JOB_SUSPENDED;
	job.suspend_time = BIRTH + 30;
	job.ran_before = 20;
	put_and_look(&w, &job, BIRTH + 50);
	job.state = JOB_CANCELLED;
	job.end_time = BIRTH + 30;
	put_and_look(&w, &job, BIRTH + 70);
	check_cluster(&w, 1, 1, 0, 2 * 10);
	job_events_end_window(w.events, BIRTH + 1000, BIRTH + 1000);
	look(&w, BIRTH + 1001);
	check_cluster(&w, 1, 1, 1, 2 * 20);
	take_end(&w, &job, "cancelled", BIRTH + 30);
	check_cluster(&w, 1, 1, 1, 2 * 20);
	check_row("of jobs that it does not know slurmdbd alone tells");
	job.id = 2;
	put_and_look(&w, &job, BIRTH + 1002);
	check_cluster(&w, 1, 1, 1, 2 * 20);
	world_done(&w);
}

static void test_suspended_without_slurmdbd(void)
{
	struct world w;
	world_init(&w, false);
	check_row("without slurmdbd: cancelled while suspended, its end is when it was suspended");
	struct job job = running(1, BIRTH, BIRTH + 10);
	put_and_look(&w, &job, BIRTH + 20);
	job.state = JOB_SUSPENDED;
	job.suspend_time = BIRTH + 30;
	job.ran_before = 20;
	put_and_look(&w, &job, BIRTH + 50);
	job.state = JOB_CANCELLED;
	job.end_time = BIRTH + 30;
	put_and_look(&w, &job, BIRTH + 70);
	check_cluster(&w, 1, 1, 1, 2 * 20);
	world_done(&w);
}

static void test_cancelled_while_pending(void)
{
	for (int by_slurmdbd = 0; by_slurmdbd < 2; by_slurmdbd++) {
		struct world w;
		world_init(&w, by_slurmdbd);
		check_row(by_slurmdbd ? "cancelled while it waits" : "likewise, without slurmdbd");
		struct job job = job_of(1, JOB_PENDING, BIRTH + 1);
		put_and_look(&w, &job, BIRTH + 2);
		if (by_slurmdbd)
			take_end(&w, &job, "cancelled", BIRTH + 7);
		job.state = JOB_CANCELLED;
		job.start_time = job.end_time = BIRTH + 7; /* as Slurm has it */
		put_and_look(&w, &job, BIRTH + 9);
		put_and_look(&w, &job, BIRTH + 10);
		check_cluster(&w, 1, 0, 1, 0);
		CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "cancelled"), 1);
		CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "1"), 0);
		world_done(&w);
	}
}

static void test_id_reuse(void)
{
	struct world w;
	world_init(&w, true);
	check_row("an id is given again after the wrap: another job, also while the first end is told again");
	const struct job first = running(7, BIRTH + 1, BIRTH + 2), second = running(7, BIRTH + 60, BIRTH + 70);
	put_and_look(&w, &first, BIRTH + 10);
	take_end(&w, &first, "completed", BIRTH + 12);
	put_and_look(&w, &second, BIRTH + 80);
	take_end(&w, &first, "completed", BIRTH + 12);
	check_cluster(&w, 2, 2, 1, 2 * (10 + 10));
	take_end(&w, &second, "completed", BIRTH + 90);
	check_cluster(&w, 2, 2, 2, 2 * (10 + 20));
	world_done(&w);
}

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
	check_row("without slurmdbd nobody tells");
	world_init(&w, false);
	put_and_look(&w, &job, BIRTH + 20);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 30);
	look(&w, BIRTH + 40);
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
	job.tres_allocated = TEXT("cpu=2,mem=1M,node=1,gres/gpu=3,gres/gpu:a100=2");
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
	CHECK_NUMBER(w.events->runs.used, 0);
	check_row("a requeue is seen by the other submit time");
	struct job first = running(3, BIRTH + 50, BIRTH + 60);
	put_and_look(&w, &first, BIRTH + 90);
	struct job second = job_of(3, JOB_PENDING, BIRTH + 100);
	put_and_look(&w, &second, BIRTH + 110);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "requeued"), 1);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 4);
	CHECK_NUMBER(w.events->lost, 0);
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
	memory_done(&changes);
	world_done(&w);
}

static void test_caps(void)
{
	struct world w;
	world_init(&w, true);
	check_row("who comes when there is no room is counted in `other`, also after a restart");
	w.caps.kinds[ENTITY_USER].max = 1;
	struct job job = running(1, BIRTH + 1, BIRTH + 2);
	put_and_look(&w, &job, BIRTH + 3);
	static const char *const users[] = {"bob", "carol", "other"};
	for (uint64_t id = 2; id < 5; id++) {
		job = running(id, BIRTH + 1, BIRTH + 2);
		job.user = text_of(users[id - 2]);
		put_and_look(&w, &job, BIRTH + 3);
	}
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "alice", "physics", TALLY_STARTS, ""), 1);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "carol", "physics", TALLY_STARTS, ""), 3);
	CHECK_NUMBER(w.events->tallies.kinds[ENTITY_USER].count, 1);
	restart(&w, true, BIRTH + 10);
	CHECK_NUMBER(w.events->tallies.others[ENTITY_USER] != NULL, 1);
	take_end(&w, &job, "completed", BIRTH + 12);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "carol", "physics", TALLY_STARTS, ""), 3);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "dave", "physics", TALLY_ENDS, "completed"), 1);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "alice", "physics", TALLY_STARTS, ""), 1);
	check_cluster(&w, 4, 4, 1, 2 * (3 * 1 + 10));
	world_done(&w);
}

static void test_nodes(void)
{
	struct world w;
	world_init(&w, true);
	check_row("a failure is of a node where it is known of which");
	struct job job = running(1, BIRTH + 1, BIRTH + 2);
	struct job_end end = end_of(&job, "node_fail", BIRTH + 3);
	end.node_list = TEXT("cn[01-04]");
	end.nodes = 4;
	job_events_take_end(w.events, &end);
	CHECK_NUMBER(w.events->tallies.kinds[TALLY_NODE].count, 0);
	end.key.id = 2;
	end.failed_node = TEXT("cn03");
	job_events_take_end(w.events, &end);
	end.key.id = 3;
	end.failed_node = TEXT("");
	end.state = TEXT("failed");
	job_events_take_end(w.events, &end);
	end.key.id = 4;
	end.state = TEXT("timeout");
	job_events_take_end(w.events, &end);
	CHECK_NUMBER(count_of(&w, TALLY_NODE, "cn03", "", TALLY_FAILURES, "node_fail"), 1);
	CHECK_NUMBER(count_of(&w, TALLY_NODE, "cn01", "", TALLY_FAILURES, "failed"), 1);
	CHECK_NUMBER(w.events->tallies.kinds[TALLY_NODE].count, 2);
	world_done(&w);
}

static double of_alice(const struct world *w, enum tally_what what)
{
	return count_of(w, ENTITY_USER, "alice", "physics", what, "");
}

static void test_steps(void)
{
	struct world w;
	struct run_key keys[4];
	world_init(&w, true);
	w.events->reads_steps = true;
	check_row("what steps used is counted once, of runs that started, as long as there is a hope to read it");
	for (uint64_t id = 1; id <= 4; id++) {
		const struct job job = running(id, BIRTH + 1, BIRTH + 10);
		take_end(&w, &job, "completed", BIRTH + 20 + (int64_t)id);
	}
	const struct job cancelled = job_of(5, JOB_PENDING, BIRTH + 1);
	take_end(&w, &cancelled, "cancelled", BIRTH + 20);
	CHECK_NUMBER(job_events_want_steps(w.events, BIRTH + 21, NULL, 0), 0);
	CHECK_NUMBER(job_events_want_steps(w.events, BIRTH + 24, NULL, 0), 3);
	CHECK_NUMBER(job_events_want_steps(w.events, BIRTH + 99, keys, 4), 4);
	struct job_steps steps = {.raw_id = 1,
				  .key = {1, RUN_NO_TASK, BIRTH + 1},
				  .allocated_cpu_seconds = 22,
				  .used_cpu_seconds = 11,
				  .allocated_memory = 4096,
				  .peak_memory = 1024};
	job_events_take_steps(w.events, &steps);
	job_events_take_steps(w.events, &steps);
	steps.key.id = 2;
	steps.used_cpu_seconds = -1; /* not known */
	job_events_take_steps(w.events, &steps);
	steps.key.id = 99;
	job_events_take_steps(w.events, &steps);
	const struct run_key third = {3, RUN_NO_TASK, BIRTH + 1};
	job_events_no_steps(w.events, &third);
	CHECK_NUMBER(of_alice(&w, TALLY_ALLOCATED_CPU_SECONDS), 22);
	CHECK_NUMBER(of_alice(&w, TALLY_USED_CPU_SECONDS), 11);
	CHECK_NUMBER(of_alice(&w, TALLY_PEAK_MEMORY_BYTES), 1024);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_CPU_EFFICIENCY_RATIO, "0.5"), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_MEMORY_EFFICIENCY_RATIO, "sum"), 0.25);
	check_row("one that waits for its steps is kept for a day, over a restart, too");
	restart(&w, true, BIRTH + 100);
	look(&w, BIRTH + 101);
	job_events_end_window(w.events, BIRTH + 80000, BIRTH + 70000);
	CHECK_NUMBER(w.events->runs.used, 1);
	CHECK_NUMBER(job_events_want_steps(w.events, BIRTH + 99, keys, 4), 1);
	CHECK_NUMBER(keys[0].id, 4);
	job_events_end_window(w.events, BIRTH + 86425, BIRTH + 70000);
	CHECK_NUMBER(w.events->runs.used, 0);
	CHECK_NUMBER(w.events->lost, 0);
	world_done(&w);
}

int main(void)
{
	test_a_life();
	test_short();
	test_requeue();
	test_unseen_requeue();
	test_partitions();
	test_het();
	test_suspended();
	test_killed_while_suspended();
	test_suspended_without_slurmdbd();
	test_cancelled_while_pending();
	test_id_reuse();
	test_before_birth();
	test_clock_set_back();
	test_gone();
	test_without_slurmdbd();
	test_restart();
	test_writing();
	test_caps();
	test_nodes();
	test_steps();
	return check_done();
}
