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
	for (int64_t again_from = BIRTH + 60; again_from <= BIRTH + 65; again_from += 5) {
		job_events_end_window(w.events, BIRTH + 70, again_from);
		take_end(&w, &job, "completed", BIRTH + 65);
		check_cluster(&w, 1, 1, 1, 2 * 45);
		CHECK_NUMBER(w.events->runs.used, 1);
	}
	job_events_end_window(w.events, BIRTH + 700, BIRTH + 66);
	CHECK_NUMBER(w.events->runs.used, 0);
	CHECK_NUMBER(w.events->recovered + w.events->lost, 0);
	world_done(&w);
}

/* Of the account's and of the user's waits or run times. */
static double of_owners(const struct world *w, enum tally_what what, const char *detail)
{
	double account = count_of(w, ENTITY_ACCOUNT, "physics", "", what, detail);
	CHECK_NUMBER(count_of(w, ENTITY_USER, "alice", "physics", what, detail), account);
	return account;
}

/* A file that an older slurmscope left has none of these. */
static void forget_owners(struct world *w)
{
	for (size_t i = 0; i < w->memory.counters.count; i++) {
		struct text key = w->memory.counters.entries[i].key;
		if (memmem(key.bytes, key.len, "owner_", 6))
			*(double *)w->memory.counters.entries[i].value = NAN;
	}
}

static void test_owners(void)
{
	struct world w;
	world_init(&w, true);
	check_row("waits and run times of accounts and users");
	struct job job = running(1, BIRTH + 10, BIRTH + 20);
	job.eligible_time = BIRTH + 14;
	put_and_look(&w, &job, BIRTH + 30);
	take_end(&w, &job, "completed", BIRTH + 20 + 1000);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_WAIT_SECONDS, "60"), 1);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_WAIT_SECONDS, "sum"), 6);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_RUN_SECONDS, "60") + of_owners(&w, TALLY_OWNER_RUN_SECONDS, "900"), 0);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_RUN_SECONDS, "3600"), 1);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_RUN_SECONDS, "sum"), 1000);
	check_row("they survive a restart");
	restart(&w, true, BIRTH + 2000);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_WAIT_SECONDS, "sum"), 6);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_RUN_SECONDS, "3600"), 1);
	check_row("with a file of before they begin at 0, and the others go on");
	forget_owners(&w);
	restart(&w, false, BIRTH + 2000);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_WAIT_SECONDS, "sum") + of_owners(&w, TALLY_OWNER_RUN_SECONDS, "3600"),
		     0);
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "sum"), 1000);
	const struct job next = running(2, BIRTH + 2010, BIRTH + 2110);
	put_and_look(&w, &next, BIRTH + 2120);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_WAIT_SECONDS, "900"), 1);
	restart(&w, true, BIRTH + 2200);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_WAIT_SECONDS, "900"), 1);
	CHECK_NUMBER(of_owners(&w, TALLY_OWNER_WAIT_SECONDS, "sum"), 100);
	CHECK(!w.memory.fell);
	world_done(&w);
}

static void put_forecast(struct world *w, uint32_t id, int64_t forecast, int64_t now)
{
	struct job job = job_of(id, JOB_PENDING, BIRTH + 10);
	job.eligible_time = BIRTH + 14;
	job.start_time = (uint64_t)forecast;
	put_and_look(w, &job, now);
}

static void start_at(struct world *w, uint32_t id, int64_t start)
{
	const struct job job = running(id, BIRTH + 10, start);
	put_and_look(w, &job, start + 1);
}

static void test_forecasts(void)
{
	struct world w;
	world_init(&w, true);
	check_row("no forecast: the present moment, and what comes with --begin");
	put_forecast(&w, 1, BIRTH + 25, BIRTH + 15);
	put_forecast(&w, 2, BIRTH + 14, BIRTH + 13);
	put_forecast(&w, 3, 0, BIRTH + 15);
	put_forecast(&w, 4, INT64_MAX, BIRTH + 15);
	for (uint32_t id = 1; id <= 4; id++)
		start_at(&w, id, BIRTH + 20);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_AFTER_FORECAST_SECONDS, "60"), 0);
	check_row("the first forecast counts, whatever came later");
	put_forecast(&w, 5, BIRTH + 1000, BIRTH + 30);
	put_forecast(&w, 5, BIRTH + 9000, BIRTH + 31);
	start_at(&w, 5, BIRTH + 1061);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_AFTER_FORECAST_SECONDS, "600"), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_AFTER_FORECAST_SECONDS, "sum"), 61);
	check_row("exactly then is not earlier");
	put_forecast(&w, 6, BIRTH + 2000, BIRTH + 1070);
	start_at(&w, 6, BIRTH + 2000);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_AFTER_FORECAST_SECONDS, "60"), 1);
	check_row("earlier, and only slurmdbd tells of it");
	put_forecast(&w, 7, BIRTH + 9000, BIRTH + 2010);
	const struct job short_one = running(7, BIRTH + 10, BIRTH + 2020);
	take_end(&w, &short_one, "completed", BIRTH + 2021);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_BEFORE_FORECAST_SECONDS, "14400"), 1);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_BEFORE_FORECAST_SECONDS, "sum"), 9000 - 2020);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_AFTER_FORECAST_SECONDS, "sum"), 61);
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

/* slurmdbd reports the next run when it no longer reports the one before. */
static void test_excess_is_kept(void)
{
	struct world w;
	world_init(&w, true);
	check_row("what was counted too much waits for the run after it, which is told late");
	const struct job first = running(1, BIRTH, BIRTH + 10), second = running(1, BIRTH + 120, BIRTH + 130);
	put_and_look(&w, &first, BIRTH + 20);
	see(&w, 1, JOB_RUNNING, BIRTH + 200);
	look(&w, BIRTH + 200);
	take_end(&w, &first, "requeued", BIRTH + 100);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 310);
	job_events_end_window(w.events, BIRTH + 900, BIRTH + 800);
	job_events_end_window(w.events, BIRTH + 310 + 3600, BIRTH + 310 + 3500);
	CHECK_NUMBER(w.events->runs.used, 1);
	take_end(&w, &second, "completed", BIRTH + 301);
	check_cluster(&w, 2, 2, 2, 2 * (90 + 171));
	world_done(&w);
	check_row("but not for ever");
	world_init(&w, true);
	put_and_look(&w, &first, BIRTH + 20);
	look(&w, BIRTH + 200);
	take_end(&w, &first, "requeued", BIRTH + 100);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 310);
	job_events_end_window(w.events, BIRTH + 310 + 3601, BIRTH + 310 + 3500);
	CHECK_NUMBER(w.events->runs.used, 0);
	CHECK_NUMBER(w.events->lost, 0);
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

static void check_submitted_in_both(const struct world *w)
{
	check_cluster(w, 1, 1, 1, 2 * 10);
	CHECK_NUMBER(in_partition(w, "cpu", TALLY_SUBMISSIONS, ""), 1);
	CHECK_NUMBER(in_partition(w, "gpu", TALLY_SUBMISSIONS, ""), 1);
	CHECK_NUMBER(in_partition(w, "cpu", TALLY_STARTS, ""), 0);
	CHECK_NUMBER(in_partition(w, "gpu", TALLY_STARTS, ""), 1);
	CHECK_NUMBER(in_partition(w, "cpu", TALLY_ENDS, "completed"), 0);
	CHECK_NUMBER(in_partition(w, "gpu", TALLY_ENDS, "completed"), 1);
}

static void test_named_partitions(void)
{
	struct world w;
	struct job job = running(1, BIRTH + 1, BIRTH + 4);
	job.partitions = TEXT("gpu");
	job.partitions_named = TEXT("cpu,gpu,cpu");
	check_row("a job that starts before anybody sees it was submitted in each partition that it named, once");
	world_init(&w, true);
	put_and_look(&w, &job, BIRTH + 9);
	take_end(&w, &job, "completed", BIRTH + 14);
	check_submitted_in_both(&w);
	world_done(&w);
	check_row("so was one of which slurmdbd tells first");
	world_init(&w, true);
	struct job_end end = end_of(&job, "completed", BIRTH + 14);
	end.named = job.partitions_named;
	job_events_take_end(w.events, &end);
	check_submitted_in_both(&w);
	world_done(&w);
	check_row("and one that the table shows first when it has ended");
	world_init(&w, false);
	job.state = JOB_COMPLETED;
	job.end_time = BIRTH + 14;
	put_and_look(&w, &job, BIRTH + 15);
	check_submitted_in_both(&w);
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

static void take_end_without_start(struct world *w, const struct job *job, uint64_t cpus, int64_t at)
{
	struct job_end end = end_of(job, cpus ? "failed" : "cancelled", at);
	end.start_time = end.run_seconds = 0;
	end.cpus = cpus;
	job_events_take_end(w->events, &end);
}

static void test_start_not_told(void)
{
	struct world w;
	world_init(&w, true);
	check_row("slurmdbd was never told of a start that was seen");
	const struct job job = running(1, BIRTH + 1, BIRTH + 5);
	put_and_look(&w, &job, BIRTH + 15);
	take_end_without_start(&w, &job, 2, BIRTH + 25);
	check_cluster(&w, 1, 1, 1, 2 * 20);
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "sum"), 20);
	CHECK_NUMBER(in_cluster(&w, TALLY_EXITS, "zero"), 1);
	check_row("of one that nobody saw the end is all that is known");
	const struct job other = running(2, BIRTH + 1, BIRTH + 5);
	take_end_without_start(&w, &other, 2, BIRTH + 25);
	check_cluster(&w, 2, 1, 2, 2 * 20);
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "sum"), 20);
	check_row("one that slurmctld forgot it had started, and that waited until it was cancelled, did not run");
	const struct job third = running(3, BIRTH + 1, BIRTH + 5);
	put_and_look(&w, &third, BIRTH + 15);
	take_end_without_start(&w, &third, 0, BIRTH + 500);
	check_cluster(&w, 3, 2, 3, 2 * (20 + 10));
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "sum"), 20);
	world_done(&w);
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

/* Of one kind there may be more details than anybody has: what has a row goes on, the rest is counted together. */
static void test_many_details(void)
{
	struct tally tally;
	struct arena arena = {0};
	char name[32];
	check_row("more details than there is room for");
	tally_init(&tally, &arena, 1u << TALLY_NODE, TEXT("cn1"));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i <= TALLY_COUNTS_MAX; i++) {
			snprintf(name, sizeof name, "state%d", i);
			tally_add(&tally, TALLY_FAILURES, text_of(name), 1);
		}
	CHECK_NUMBER(tally.counts.count, TALLY_COUNTS_MAX + 1); /* `other` */
	for (size_t i = 0; i < tally.counts.count; i++) {
		const struct tally_count *count = tally.counts.entries[i].value;
		CHECK_NUMBER(count->value, 2);
		CHECK(text_equal(count->detail, LABEL_OTHER) == (i == TALLY_COUNTS_MAX));
	}
	tally_done(&tally);
	arena_done(&arena);
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

/* The last job of the whole cluster that was counted under `what` and `detail`; 0: no job is known. */
static uint32_t last_job(const struct world *w, enum tally_what what, const char *detail)
{
	const struct tally *tally = tallies_of(&w->events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	for (size_t i = 0; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		if (count->what == what && text_equal(count->detail, text_of(detail)) && count->last)
			return count->last->job;
	}
	return 0;
}

static void test_who_failed_last(void)
{
	struct world w;
	world_init(&w, true);
	check_row("who looks at failures finds the last one, whatever order they are told in");
	for (uint64_t id = 1; id <= 3; id++) {
		const struct job job = running(id, BIRTH + 1, BIRTH + 2);
		take_end(&w, &job, "failed", BIRTH + (id == 2 ? 20 : 10));
	}
	CHECK_NUMBER(last_job(&w, TALLY_ENDS, "failed"), 2);
	check_row("nobody looks at those that are well");
	const struct job well = running(4, BIRTH + 1, BIRTH + 2);
	take_end(&w, &well, "completed", BIRTH + 30);
	CHECK_NUMBER(last_job(&w, TALLY_ENDS, "completed"), 0);
	world_done(&w);
}

static void test_what_is_not_told(void)
{
	struct world w;
	world_init(&w, true);
	check_row("without a time from which it could start it waited from its submission on");
	struct job job = running(1, BIRTH + 5, BIRTH + 25);
	job.eligible_time = 0;
	put_and_look(&w, &job, BIRTH + 30);
	CHECK_NUMBER(in_queue(&w, TALLY_WAIT_SECONDS, "sum"), 20);
	check_row("without a limit it uses no part of one");
	struct job_end end = end_of(&job, "completed", BIRTH + 40);
	end.time_limit = 0;
	job_events_take_end(w.events, &end);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_TIME_LIMIT_RATIO, "+Inf"), 0);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_TIME_LIMIT_RATIO, "sum"), 0);
	world_done(&w);
}

static void test_suspended_before_birth(void)
{
	struct world w;
	world_init(&w, true);
	check_row("of one that was suspended most of the time no more can have run before birth than it ran");
	const struct job first = running(1, BIRTH - 2000, BIRTH - 1000), second = running(1, BIRTH + 15, BIRTH + 20);
	struct job_end end = end_of(&first, "requeued", BIRTH + 10);
	end.run_seconds = 50;
	job_events_take_end(w.events, &end);
	check_cluster(&w, 0, 0, 1, 0);
	put_and_look(&w, &second, BIRTH + 40);
	check_cluster(&w, 1, 1, 1, 2 * 20);
	world_done(&w);
}

/* A job that failed there; each is another. */
static void fail_on(struct world *w, const char *node, int64_t time)
{
	const struct job job = running(time % 100000000, time - 2, time - 1);
	struct job_end end = end_of(&job, "failed", time);
	end.node_list = text_of(node);
	job_events_take_end(w->events, &end);
	job_events_end_window(w->events, time - 10, time - 10);
}

static void fail_somewhere(struct world *w, unsigned number, int64_t time)
{
	char node[16];
	snprintf(node, sizeof node, "cn%05u", number);
	fail_on(w, node, time);
}

static size_t stored_rows(const struct memory *memory, const char *kind)
{
	size_t count = 0;
	for (size_t i = 0; i < memory->counters.count; i++) {
		struct text key = memory->counters.entries[i].key;
		count += text_equal(text_cut(&key, '\0'), text_of(kind)) &&
			 !isnan(*(double *)memory->counters.entries[i].value);
	}
	return count;
}

static void test_black_hole(void)
{
	enum { NODES = 10000, ROWS = 1000, FAILURES = 12 };
	struct world w;
	int64_t now = BIRTH + 10;
	world_init(&w, true);
	check_row("of more nodes than may have rows, the one that goes on failing jobs has one");
	const struct map *rows = &w.events->tallies.kinds[TALLY_NODE];
	for (unsigned i = 0; i < NODES; i++) {
		fail_somewhere(&w, i * 7919 % NODES, ++now);
		CHECK(rows->count <= ROWS);
		if (i % 777 == 0)
			memory_write(&w.memory, w.events, false);
	}
	for (unsigned i = 0; i < FAILURES; i++) {
		fail_on(&w, "hole", ++now);
		for (unsigned other = 0; other < ROWS / 2; other++)
			fail_somewhere(&w, (i * ROWS + other) * 7919 % NODES, ++now);
	}
	CHECK_NUMBER(count_of(&w, TALLY_NODE, "hole", "", TALLY_FAILURES, "failed"), FAILURES);
	CHECK(!w.events->tallies.others[TALLY_NODE]); /* which would look like one, too */
	CHECK(rows->count > ROWS / 2 && rows->count <= ROWS);
	CHECK_NUMBER(tallies_folded(&w.events->tallies, TALLY_NODE) + rows->count, NODES + 1);
	check_row("what was forgotten does not come back, what has a row has it after a restart, too");
	size_t before = rows->count;
	restart(&w, true, now + 10);
	rows = &w.events->tallies.kinds[TALLY_NODE];
	CHECK_NUMBER(rows->count, before);
	CHECK_NUMBER(stored_rows(&w.memory, "node"), before);
	CHECK_NUMBER(count_of(&w, TALLY_NODE, "hole", "", TALLY_FAILURES, "failed"), FAILURES);
	world_done(&w);
}

static void test_filters(void)
{
	struct world w;
	struct error err;
	static const char *const users[] = {"alice", "bob", "carol"};
	world_init(&w, true);
	check_row("whom a filter comes to deny a name is forgotten, and counted in `other` from then on");
	w.caps.kinds[ENTITY_USER].max = 2;
	for (uint64_t id = 1; id <= 6; id++) {
		struct job job = running(id, BIRTH + 1, BIRTH + 2);
		job.user = text_of(users[(id - 1) % 3]);
		put(&w, &job, BIRTH + 3);
	}
	look(&w, BIRTH + 3);
	memory_write(&w.memory, w.events, false);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "alice", "physics", TALLY_STARTS, ""), 2);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "carol", "physics", TALLY_STARTS, ""), 2); /* there is no room */
	size_t stored = stored_rows(&w.memory, "user");
	CHECK(pattern_set(&w.caps.kinds[ENTITY_USER].deny, "al.*", &err));
	CHECK(pattern_set(&w.caps.kinds[ENTITY_QOS].deny, "normal", &err));
	job_events_screen(w.events);
	CHECK_NUMBER(w.events->tallies.kinds[ENTITY_USER].count, 1);
	CHECK_NUMBER(w.events->tallies.kinds[ENTITY_QOS].count + w.events->tallies.kinds[TALLY_QUEUE].count, 0);
	CHECK_NUMBER(w.events->tallies.kinds[ENTITY_ACCOUNT].count, 1);
	CHECK_NUMBER(tallies_folded(&w.events->tallies, ENTITY_USER), 2);
	look(&w, BIRTH + 13); /* all of them run, which is counted of tallies that runs knew */
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "bob", "physics", TALLY_CPU_SECONDS, ""), 2 * 2 * 11);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "alice", "physics", TALLY_CPU_SECONDS, ""), 2 * 2 * 1 + 2 * 2 * 10);
	CHECK_NUMBER(count_of(&w, ENTITY_QOS, "normal", "", TALLY_CPU_SECONDS, ""), 6 * 2 * 10);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "carol", "physics", TALLY_CPU_SECONDS, ""), 2 * 2 * 10);
	memory_write(&w.memory, w.events, false);
	CHECK_NUMBER(stored_rows(&w.memory, "user"),
		     stored - 7 + 2); /* carol has one now, who starts nothing any more */
	CHECK(!w.memory.fell);
	world_done(&w);
}

static void submit(struct world *w, uint64_t id, const char *user, int64_t now)
{
	struct job job = job_of(id, JOB_PENDING, now);
	job.user = text_of(user);
	put_and_look(w, &job, now);
}

static double submissions_of(const struct world *w, const char *user)
{
	return count_of(w, ENTITY_USER, user, "physics", TALLY_SUBMISSIONS, "");
}

static double submissions_of_others(const struct world *w)
{
	const struct tally *others = w->events->tallies.others[ENTITY_USER];
	return others ? tally_get(others, TALLY_SUBMISSIONS, 0)->value : 0;
}

static void test_names_that_get_rows(void)
{
	struct world w;
	struct error err;
	world_init(&w, true);
	check_row("a limit that is raised gives a name its row, which counts from then on");
	w.caps.kinds[ENTITY_USER].max = 1;
	submit(&w, 1, "alice", BIRTH + 1);
	submit(&w, 2, "bob", BIRTH + 1);
	CHECK_NUMBER(submissions_of_others(&w), 1);
	w.caps.kinds[ENTITY_USER].max = 500;
	job_events_screen(w.events);
	for (uint64_t id = 11; id <= 20; id++)
		submit(&w, id, "bob", BIRTH + 2);
	CHECK_NUMBER(submissions_of(&w, "bob"), 10);
	CHECK_NUMBER(submissions_of_others(&w), 1);
	check_row("so does a filter that comes to let it be named");
	CHECK(pattern_set(&w.caps.kinds[ENTITY_USER].deny, "alice", &err));
	job_events_screen(w.events);
	submit(&w, 21, "alice", BIRTH + 3);
	CHECK_NUMBER(submissions_of_others(&w), 2);
	pattern_done(&w.caps.kinds[ENTITY_USER].deny);
	job_events_screen(w.events);
	for (uint64_t id = 31; id <= 40; id++)
		submit(&w, id, "alice", BIRTH + 4);
	CHECK_NUMBER(submissions_of(&w, "alice"), 10);
	CHECK_NUMBER(submissions_of_others(&w), 2);
	world_done(&w);
}

/* ID 1 of the second cluster of a federation. */
enum { FEDERATED = (2 << 26) + 1 };

static void test_siblings_elsewhere(void)
{
	for (int by_slurmdbd = 0; by_slurmdbd <= 1; by_slurmdbd++) {
		struct world w;
		world_init(&w, by_slurmdbd);
		check_row(by_slurmdbd ? "siblings that run elsewhere, with slurmdbd" : "siblings that run elsewhere");
		const struct job waits = job_of(FEDERATED, JOB_PENDING, BIRTH + 1),
				 origin = job_of(FEDERATED + 1, JOB_PENDING, BIRTH + 1);
		put(&w, &waits, BIRTH + 2);
		put_and_look(&w, &origin, BIRTH + 2);
		check_cluster(&w, 0, 0, 0, 0);
		job_table_remove(w.table, FEDERATED); /* a sibling is forgotten as another one starts */
		struct job revoked = origin; /* where it was submitted it stays */
		revoked.flags = 1 << JOB_FLAG_REVOKED;
		put_and_look(&w, &revoked, BIRTH + 3);
		revoked.state = JOB_COMPLETED;
		revoked.end_time = BIRTH + 9;
		put_and_look(&w, &revoked, BIRTH + 10);
		job_table_remove(w.table, FEDERATED + 1);
		look(&w, BIRTH + 20);
		look(&w, BIRTH + 8000);
		job_events_end_window(w.events, BIRTH + 8000, BIRTH + 7000);
		check_cluster(&w, 0, 0, 0, 0);
		CHECK_NUMBER(w.events->lost, 0);
		CHECK_NUMBER(w.events->runs.used, 0);
		world_done(&w);
	}
}

static void test_siblings_here(void)
{
	struct world w;
	world_init(&w, true);
	check_row("a federation's job is submitted where it starts, or ends without a start");
	const struct job waits = job_of(FEDERATED, JOB_PENDING, BIRTH + 1),
			 starts = running(FEDERATED, BIRTH + 1, BIRTH + 5),
			 cancelled = job_of(FEDERATED + 1, JOB_PENDING, BIRTH + 1);
	put(&w, &cancelled, BIRTH + 2);
	put_and_look(&w, &waits, BIRTH + 2);
	check_cluster(&w, 0, 0, 0, 0);
	put_and_look(&w, &starts, BIRTH + 6);
	check_cluster(&w, 1, 1, 0, 2);
	take_end(&w, &cancelled, "cancelled", BIRTH + 7);
	check_cluster(&w, 2, 1, 1, 2);
	take_end(&w, &starts, "completed", BIRTH + 10);
	check_cluster(&w, 2, 2 - 1, 2, 2 * 5);
	check_row("an array is the business of one cluster alone");
	struct job rest = job_of(FEDERATED + 10, JOB_PENDING, BIRTH + 11);
	rest.array_job_id = rest.id;
	rest.array_tasks = TEXT("1-4");
	put_and_look(&w, &rest, BIRTH + 12);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 6);
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
	w.events->steps_max = 100;
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
				  .run_seconds = 11,
				  .allocated_cpu_seconds = 22,
				  .used_cpu_seconds = 11,
				  .allocated_memory = 4096,
				  .peak_memory = 1024,
				  .energy = 5000};
	job_events_take_steps(w.events, &steps);
	job_events_take_steps(w.events, &steps);
	steps.key.id = 2;
	steps.used_cpu_seconds = -1; /* not known; its energy is */
	job_events_take_steps(w.events, &steps);
	steps.key.id = 99;
	job_events_take_steps(w.events, &steps);
	const struct run_key third = {3, RUN_NO_TASK, BIRTH + 1};
	job_events_no_steps(w.events, &third);
	CHECK_NUMBER(of_alice(&w, TALLY_ALLOCATED_CPU_SECONDS), 22);
	CHECK_NUMBER(of_alice(&w, TALLY_USED_CPU_SECONDS), 11);
	CHECK_NUMBER(of_alice(&w, TALLY_ALLOCATED_MEMORY_BYTE_SECONDS), 4096 * 11);
	CHECK_NUMBER(of_alice(&w, TALLY_PEAK_MEMORY_BYTE_SECONDS), 1024 * 11);
	CHECK_NUMBER(of_alice(&w, TALLY_ENERGY_JOULES), 10000);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_ENERGY_JOULES, ""), 10000);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENERGY_JOULES, ""), 10000);
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
	CHECK_NUMBER(w.events->steps_given_up, 1);
	CHECK_NUMBER(w.events->lost, 0);
	world_done(&w);
}

/* Without GPUs there is nothing to tell of their memory. A job that held some and used none of it counts all the same. */
static void test_gpu_memory(void)
{
	static const struct {
		const char *what;
		double gpus, peak, seconds, byte_seconds;
	} rows[] = {
		{"nobody measures", 4, -1, 0, 0},
		{"no GPUs", 0, 0, 0, 0},
		{"GPUs whose memory it did not use", 4, 0, 40, 0},
		{"GPUs", 4, 1e10, 80, 1e11},
	};
	struct world w;
	world_init(&w, true);
	w.events->steps_max = 100;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct job job = running(i + 1, BIRTH + 1, BIRTH + 10);
		const struct job_steps steps = {.key = {(uint32_t)i + 1, RUN_NO_TASK, BIRTH + 1},
						.run_seconds = 10,
						.used_cpu_seconds = -1,
						.allocated_gpus = rows[i].gpus,
						.peak_gpu_memory = rows[i].peak};
		check_row(rows[i].what);
		take_end(&w, &job, "completed", BIRTH + 20);
		job_events_take_steps(w.events, &steps);
		CHECK_NUMBER(of_alice(&w, TALLY_ALLOCATED_GPU_SECONDS), rows[i].seconds);
		CHECK_NUMBER(of_alice(&w, TALLY_PEAK_GPU_MEMORY_BYTE_SECONDS), rows[i].byte_seconds);
		CHECK_NUMBER(tallies_have(&w.events->tallies, TALLY_ALLOCATED_GPU_SECONDS), rows[i].seconds > 0);
	}
	world_done(&w);
}

/* What a row of each kind shows, and the one that all others share. */
static void test_energy(void)
{
	struct world w;
	struct job_steps steps = {.used_cpu_seconds = 1, .energy = 3.6e6};
	world_init(&w, true);
	w.events->steps_max = 100;
	w.caps.kinds[ENTITY_USER].max = 1;
	check_row("nobody measures");
	CHECK_NUMBER(tallies_have(&w.events->tallies, TALLY_ENERGY_JOULES), false);
	check_row("energy is counted once of each run, also of users without a row, over a kill, too");
	for (uint64_t id = 1; id <= 3; id++) {
		struct job job = running(id, BIRTH + 1, BIRTH + 10);
		if (id == 3)
			job.user = TEXT("bob");
		take_end(&w, &job, "completed", BIRTH + 20);
		steps.key = (struct run_key){(uint32_t)id, RUN_NO_TASK, BIRTH + 1};
		if (id == 2)
			restart(&w, true, BIRTH + 50);
		w.events->steps_max = 100;
		job_events_take_steps(w.events, &steps);
	}
	CHECK_NUMBER(of_alice(&w, TALLY_ENERGY_JOULES), 2 * 3.6e6);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "bob", "physics", TALLY_ENERGY_JOULES, ""), 3.6e6);
	CHECK_NUMBER(count_of(&w, ENTITY_USER, "carol", "biology", TALLY_ENERGY_JOULES, ""), 3.6e6); /* `other` */
	CHECK_NUMBER(in_cluster(&w, TALLY_ENERGY_JOULES, ""), 3 * 3.6e6);
	restart(&w, true, BIRTH + 100);
	CHECK_NUMBER(tallies_have(&w.events->tallies, TALLY_ENERGY_JOULES), true);
	CHECK_NUMBER(of_alice(&w, TALLY_ENERGY_JOULES), 2 * 3.6e6);
	steps.key.id = 1;
	job_events_take_steps(w.events, &steps);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENERGY_JOULES, ""), 3 * 3.6e6);
	world_done(&w);
}

static void test_steps_of_little(void)
{
	struct world w;
	world_init(&w, true);
	w.events->steps_max = 100;
	check_row("one that used no CPU held some all the same; without a peak nothing is told of memory");
	const struct job job = running(1, BIRTH + 1, BIRTH + 10);
	take_end(&w, &job, "completed", BIRTH + 21);
	const struct job_steps steps = {.raw_id = 1,
					.key = {1, RUN_NO_TASK, BIRTH + 1},
					.run_seconds = 11,
					.allocated_cpu_seconds = 22,
					.allocated_memory = 4096};
	job_events_take_steps(w.events, &steps);
	CHECK_NUMBER(of_alice(&w, TALLY_ALLOCATED_CPU_SECONDS), 22);
	CHECK_NUMBER(of_alice(&w, TALLY_USED_CPU_SECONDS), 0);
	CHECK_NUMBER(of_alice(&w, TALLY_ALLOCATED_MEMORY_BYTE_SECONDS), 0);
	CHECK_NUMBER(in_partition(&w, "cpu", TALLY_CPU_EFFICIENCY_RATIO, "0.01"), 1);
	check_row("that steps are given up survives a restart, though nothing else has changed");
	const struct job second = running(2, BIRTH + 1, BIRTH + 10);
	const struct run_key key = {2, RUN_NO_TASK, BIRTH + 1};
	take_end(&w, &second, "completed", BIRTH + 21);
	memory_write(&w.memory, w.events, false);
	CHECK_NUMBER(job_events_want_steps(w.events, BIRTH + 99, NULL, 0), 1);
	job_events_no_steps(w.events, &key);
	restart(&w, true, BIRTH + 100);
	CHECK_NUMBER(job_events_want_steps(w.events, BIRTH + 99, NULL, 0), 0);
	world_done(&w);
}

static void test_times_do_not_go_back(void)
{
	struct world w;
	world_init(&w, true);
	check_row("until when ends are known");
	job_events_end_window(w.events, BIRTH + 1000, BIRTH + 900);
	job_events_end_window(w.events, BIRTH + 500, BIRTH + 400);
	CHECK_NUMBER(w.events->ends_known_until, BIRTH + 1000);
	check_row("until when jobs were looked at: a restart counts no second twice");
	const struct job job = running(1, BIRTH + 10, BIRTH + 20);
	put_and_look(&w, &job, BIRTH + 50);
	memory_write(&w.memory, w.events, false); /* the run, which is not written again while it goes on */
	see(&w, 1, JOB_RUNNING, BIRTH + 100);
	look(&w, BIRTH + 100);
	look(&w, BIRTH + 60); /* the clock was set back */
	check_cluster(&w, 1, 1, 0, 2 * 80);
	restart(&w, true, BIRTH + 100);
	put_and_look(&w, &job, BIRTH + 110);
	check_cluster(&w, 1, 1, 0, 2 * 90);
	world_done(&w);
}

static void test_anothers_row(void)
{
	struct world w;
	world_init(&w, true);
	check_row("another job, submitted in the same second, takes the place in the table");
	const struct job first = running(1, BIRTH + 10, BIRTH + 20), second = running(2, BIRTH + 10, BIRTH + 100);
	put_and_look(&w, &first, BIRTH + 50);
	job_table_remove(w.table, 1);
	put_and_look(&w, &second, BIRTH + 110);
	check_cluster(&w, 2, 2, 0, 2 * (30 + 10));
	take_end(&w, &first, "completed", BIRTH + 60);
	check_cluster(&w, 2, 2, 1, 2 * (40 + 10));
	world_done(&w);
}

/* Ten seconds of a run with what it had, and ten when only one of these is another. */
static void test_each_change_of_a_run(void)
{
	const struct job before = {.cpus = 2,
				   .memory_per_node = 4096,
				   .tres_allocated = TEXT("gres/gpu=1"),
				   .account = TEXT("physics"),
				   .user = TEXT("alice"),
				   .qos = TEXT("normal")};
	struct job changed[6];
	const struct {
		const char *what;
		int kind;
		const char *name, *second;
		enum tally_what tally;
		const char *detail;
		double want;
		bool is_size;
	} rows[] = {
		{"cpus", ENTITY_CLUSTER, "", "", TALLY_CPU_SECONDS, "", 2 * 10 + 4 * 10, true},
		{"memory", ENTITY_CLUSTER, "", "", TALLY_MEMORY_BYTE_SECONDS, "", 4096 * 10 + 8192 * 10, true},
		{"gpus", ENTITY_CLUSTER, "", "", TALLY_GRES_SECONDS, "gpu", 1 * 10 + 3 * 10, false},
		{"account", ENTITY_ACCOUNT, "biology", "", TALLY_CPU_SECONDS, "", 2 * 10, false},
		{"user", ENTITY_USER, "bob", "physics", TALLY_CPU_SECONDS, "", 2 * 10, false},
		{"qos", ENTITY_QOS, "high", "", TALLY_CPU_SECONDS, "", 2 * 10, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		changed[i] = before;
	changed[0].cpus = 4;
	changed[1].memory_per_node = 8192;
	changed[2].tres_allocated = TEXT("gres/gpu=3");
	changed[3].account = TEXT("biology");
	changed[4].user = TEXT("bob");
	changed[5].qos = TEXT("high");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w;
		const struct run_key key = {1, RUN_NO_TASK, BIRTH + 5};
		world_init(&w, true);
		check_row(rows[i].what);
		for (int is_after = 0; is_after < 2; is_after++) {
			const struct job *has = is_after ? &changed[i] : &before;
			struct job job = running(1, BIRTH + 5, BIRTH + 10);
			job.cpus = has->cpus;
			job.memory_per_node = has->memory_per_node;
			job.tres_allocated = has->tres_allocated;
			job.account = has->account;
			job.user = has->user;
			job.qos = has->qos;
			put_and_look(&w, &job, BIRTH + 20 + 10 * is_after);
		}
		CHECK_NUMBER(count_of(&w, rows[i].kind, rows[i].name, rows[i].second, rows[i].tally, rows[i].detail),
			     rows[i].want);
		CHECK_NUMBER(runs_find(&w.events->runs, &key)->size_since, rows[i].is_size ? BIRTH + 20 : 0);
		world_done(&w);
	}
}

int main(void)
{
	test_a_life();
	test_owners();
	test_forecasts();
	test_short();
	test_requeue();
	test_unseen_requeue();
	test_excess_is_kept();
	test_partitions();
	test_named_partitions();
	test_het();
	test_suspended();
	test_killed_while_suspended();
	test_suspended_without_slurmdbd();
	test_cancelled_while_pending();
	test_start_not_told();
	test_id_reuse();
	test_caps();
	test_many_details();
	test_nodes();
	test_who_failed_last();
	test_what_is_not_told();
	test_suspended_before_birth();
	test_black_hole();
	test_filters();
	test_names_that_get_rows();
	test_siblings_elsewhere();
	test_siblings_here();
	test_steps();
	test_gpu_memory();
	test_energy();
	test_steps_of_little();
	test_times_do_not_go_back();
	test_anothers_row();
	test_each_change_of_a_run();
	return check_done();
}
