/* What happens to the tasks of arrays is counted once, each task as a job: a story per rule. */
#include "discovery/job_details.h"
#include "events_world.h"

enum { SUBMIT = BIRTH + 1 };

static struct job rest_of(const char *tasks)
{
	struct job job = job_of(100, JOB_PENDING, SUBMIT);
	job.array_job_id = 100;
	job.array_tasks = text_of(tasks);
	return job;
}

static struct job task_of(uint64_t id, uint64_t task, int64_t start)
{
	struct job job = running(id, SUBMIT, start);
	job.array_job_id = 100;
	job.array_task_id = task;
	return job;
}

static void end_rest(struct world *w, const char *tasks, uint64_t count, int64_t at)
{
	const struct job rest = rest_of(tasks);
	struct job_end end = end_of(&rest, "cancelled", at);
	end.tasks = count;
	job_events_take_end(w->events, &end);
}

static void test_split_later(void)
{
	struct world w;
	world_init(&w, true);
	check_row("an unsplit rest counts by its tasks");
	struct job rest = rest_of("0-9");
	put_and_look(&w, &rest, BIRTH + 5);
	check_cluster(&w, 10, 0, 0, 0);
	check_row("a task that is split from it was submitted with it; the rest is told as it was before");
	struct job task = task_of(101, 3, BIRTH + 10);
	put_and_look(&w, &task, BIRTH + 20);
	look(&w, BIRTH + 21);
	check_cluster(&w, 10, 1, 0, 2 * 11);
	rest = rest_of("0-2,4-9");
	put_and_look(&w, &rest, BIRTH + 22);
	check_cluster(&w, 10, 1, 0, 2 * 12);
	check_row("one that only slurmdbd tells of, too");
	const struct job shorter = task_of(102, 4, BIRTH + 23);
	take_end(&w, &shorter, "completed", BIRTH + 24);
	look(&w, BIRTH + 25);
	check_cluster(&w, 10, 2, 1, 2 * 16);
	check_row("after a restart, too");
	restart(&w, true, BIRTH + 30);
	const struct job other = task_of(103, 5, BIRTH + 30);
	rest = rest_of("0-2,6-9");
	put(&w, &rest, BIRTH + 31);
	put(&w, &task, BIRTH + 31);
	put_and_look(&w, &other, BIRTH + 32);
	check_cluster(&w, 10, 3, 1, 2 * 25);
	check_row("a task that was requeued is submitted anew");
	take_end(&w, &other, "requeued", BIRTH + 32);
	struct job again = task_of(103, 5, BIRTH + 40);
	again.submit_time = BIRTH + 33;
	put_and_look(&w, &again, BIRTH + 40);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 11);
	CHECK_NUMBER(in_cluster(&w, TALLY_STARTS, ""), 4);
	check_row("the rest is cancelled unsplit");
	end_rest(&w, "0-2,6-9", 7, BIRTH + 50);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 11);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "cancelled"), 7);
	world_done(&w);
}

static void test_split_before(void)
{
	struct world w;
	world_init(&w, true);
	check_row("tasks were split before the rest was seen: each counts once");
	const struct job task = task_of(101, 0, BIRTH + 2);
	put_and_look(&w, &task, BIRTH + 4);
	struct job rest = rest_of("1-9");
	put_and_look(&w, &rest, BIRTH + 20);
	check_cluster(&w, 10, 1, 0, 2 * 18);
	world_done(&w);
	for (int64_t listed = BIRTH + 3; listed <= BIRTH + 4; listed++) { /* in the same second, too */
		check_row("both are new, and the rest was listed first: the task may be among it");
		world_init(&w, true);
		rest = rest_of("0-9");
		put(&w, &rest, listed);
		put_and_look(&w, &task, BIRTH + 4);
		CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 1);
		look(&w, BIRTH + 5);
		CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 1);
		restart(&w, true, BIRTH + 6);
		rest = rest_of("1-9");
		put(&w, &task, BIRTH + 7);
		put_and_look(&w, &rest, BIRTH + 7);
		CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 10);
		world_done(&w);
	}
	check_row("likewise of one that only slurmdbd tells of; jobs/state counts the rest again");
	world_init(&w, true);
	rest = rest_of("0-9");
	put(&w, &rest, BIRTH + 3);
	take_end(&w, &task, "completed", BIRTH + 4);
	look(&w, BIRTH + 5);
	look(&w, BIRTH + 6);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 1);
	see(&w, 100, JOB_PENDING, BIRTH + 7);
	CHECK(job_table_set_tasks(w.table, 100, 9));
	look(&w, BIRTH + 8);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 10);
	world_done(&w);
	check_row("all are split before the rest is counted");
	world_init(&w, true);
	rest = rest_of("0-1");
	put(&w, &rest, BIRTH + 3);
	put_and_look(&w, &task, BIRTH + 4);
	const struct job last = task_of(100, 1, BIRTH + 5);
	put_and_look(&w, &last, BIRTH + 6);
	look(&w, BIRTH + 7);
	check_cluster(&w, 2, 2, 0, 2 * (5 + 2));
	CHECK_NUMBER(w.events->runs.used, 2);
	world_done(&w);
}

static void test_split_before_seen_after(void)
{
	struct world w;
	world_init(&w, true);
	check_row("a task that was split before the rest was counted is seen after it: it is none of the rest");
	struct job rest = rest_of("1-9");
	put_and_look(&w, &rest, BIRTH + 5);
	const struct job task = task_of(101, 0, BIRTH + 2);
	put_and_look(&w, &task, BIRTH + 7);
	put_and_look(&w, &rest, BIRTH + 8);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 10);
	world_done(&w);
	check_row("the last task ran and was requeued within a poll: its record is still shown as the rest");
	world_init(&w, true);
	rest = rest_of("0");
	put_and_look(&w, &rest, BIRTH + 5);
	const struct job last = task_of(100, 0, BIRTH + 6);
	take_end(&w, &last, "requeued", BIRTH + 7);
	see(&w, 100, JOB_PENDING, BIRTH + 20);
	CHECK(job_table_set_tasks(w.table, 100, 1));
	look(&w, BIRTH + 20);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 1);
	world_done(&w);
}

static void test_last_task(void)
{
	for (int by_slurmdbd = 0; by_slurmdbd < 2; by_slurmdbd++) {
		struct world w;
		world_init(&w, by_slurmdbd);
		check_row(by_slurmdbd ? "the last task takes the rest's record" : "likewise, without slurmdbd");
		struct job rest = rest_of("0-1");
		put_and_look(&w, &rest, BIRTH + 5);
		struct job first = task_of(101, 0, BIRTH + 10), last = task_of(100, 1, BIRTH + 11);
		put(&w, &first, BIRTH + 12);
		put_and_look(&w, &last, BIRTH + 12);
		check_cluster(&w, 2, 2, 0, 2 * (2 + 1));
		CHECK_NUMBER(w.events->runs.used, 2);
		first.state = last.state = JOB_COMPLETED;
		first.end_time = last.end_time = BIRTH + 20;
		put(&w, &first, BIRTH + 21);
		put(&w, &last, BIRTH + 21);
		take_end(&w, &first, "completed", BIRTH + 20);
		take_end(&w, &last, "completed", BIRTH + 20);
		look(&w, BIRTH + 21);
		check_cluster(&w, 2, 2, 2, 2 * (10 + 9));
		job_table_remove(w.table, 100);
		job_table_remove(w.table, 101);
		look(&w, BIRTH + 22);
		job_events_end_window(w.events, BIRTH + 4000, BIRTH + 3000);
		CHECK_NUMBER(w.events->runs.used, 0);
		CHECK_NUMBER(w.events->lost, 0);
		world_done(&w);
	}
}

static void test_last_task_without_details(void)
{
	for (int by_slurmdbd = 0; by_slurmdbd < 2; by_slurmdbd++) {
		struct world w;
		world_init(&w, by_slurmdbd);
		check_row(by_slurmdbd ? "the rest has gone, its last task lacks details"
				      : "likewise, without slurmdbd");
		struct job rest = rest_of("0");
		put_and_look(&w, &rest, BIRTH + 5);
		job_table_remove(w.table, 100);
		see(&w, 101, JOB_RUNNING, BIRTH + 10);
		look(&w, BIRTH + 10);
		CHECK_NUMBER(w.events->lost, 0);
		const struct job task = task_of(101, 0, BIRTH + 8);
		put_and_look(&w, &task, BIRTH + 20);
		check_cluster(&w, 1, 1, 0, 2 * 12);
		CHECK_NUMBER(w.events->lost, 0);
		CHECK_NUMBER(w.events->runs.used, 1);
		world_done(&w);
	}
	check_row("nobody ever tells of them: as many are lost");
	struct world w;
	world_init(&w, false);
	struct job rest = rest_of("0-4");
	put_and_look(&w, &rest, BIRTH + 5);
	job_table_remove(w.table, 100);
	look(&w, BIRTH + 10);
	look(&w, BIRTH + 3600);
	CHECK_NUMBER(w.events->lost, 0);
	look(&w, BIRTH + 3610);
	CHECK_NUMBER(w.events->lost, 5);
	CHECK_NUMBER(w.events->runs.used, 0);
	world_done(&w);
}

static void test_cancelled_unsplit(void)
{
	struct world w;
	world_init(&w, true);
	check_row("cancelled unsplit: an end for each task");
	struct job rest = rest_of("0-9");
	put_and_look(&w, &rest, BIRTH + 5);
	end_rest(&w, "0-9", 10, BIRTH + 7);
	end_rest(&w, "0-9", 10, BIRTH + 7);
	check_cluster(&w, 10, 0, 10, 0);
	world_done(&w);
	check_row("slurmdbd alone tells of it");
	world_init(&w, true);
	end_rest(&w, "0-9", 10, BIRTH + 7);
	end_rest(&w, "0-9", 10, BIRTH + 7);
	check_cluster(&w, 10, 0, 10, 0);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "cancelled"), 10);
	world_done(&w);
	check_row("of a task that was split before, slurmdbd tells later");
	world_init(&w, true);
	put_and_look(&w, &rest, BIRTH + 5);
	end_rest(&w, "1-9", 9, BIRTH + 7);
	job_table_remove(w.table, 100);
	look(&w, BIRTH + 8);
	job_events_end_window(w.events, BIRTH + 1000, BIRTH + 900);
	const struct job task = task_of(101, 0, BIRTH + 6);
	take_end(&w, &task, "cancelled", BIRTH + 7);
	check_cluster(&w, 10, 1, 10, 2 * 1);
	job_events_end_window(w.events, BIRTH + 1001, BIRTH + 901);
	CHECK_NUMBER(w.events->lost, 0);
	world_done(&w);
	check_row("of the others nobody tells");
	world_init(&w, true);
	put_and_look(&w, &rest, BIRTH + 5);
	end_rest(&w, "3-9", 7, BIRTH + 7);
	job_table_remove(w.table, 100);
	look(&w, BIRTH + 8);
	job_events_end_window(w.events, BIRTH + 3608, BIRTH + 3000);
	CHECK_NUMBER(w.events->lost, 0);
	job_events_end_window(w.events, BIRTH + 3609, BIRTH + 3000);
	CHECK_NUMBER(w.events->lost, 3);
	CHECK_NUMBER(w.events->runs.used, 0);
	world_done(&w);
	check_row("without slurmdbd");
	world_init(&w, false);
	put_and_look(&w, &rest, BIRTH + 5);
	rest.state = JOB_CANCELLED;
	rest.start_time = rest.end_time = BIRTH + 7;
	put_and_look(&w, &rest, BIRTH + 9);
	look(&w, BIRTH + 10);
	check_cluster(&w, 10, 0, 10, 0);
	job_table_remove(w.table, 100);
	look(&w, BIRTH + 608);
	CHECK_NUMBER(w.events->runs.used, 0);
	CHECK_NUMBER(w.events->lost, 0);
	world_done(&w);
}

static void test_cut_list(void)
{
	struct world w;
	world_init(&w, true);
	check_row("a list that is cut waits until its tasks are counted");
	struct job rest = rest_of("1,3,5,...");
	put_and_look(&w, &rest, BIRTH + 5);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 0);
	see(&w, 100, JOB_PENDING, BIRTH + 6);
	CHECK(job_table_set_tasks(w.table, 100, 50));
	look(&w, BIRTH + 6);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 50);
	put_and_look(&w, &rest, BIRTH + 7);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 50);
	world_done(&w);
	check_row("a task runs meanwhile, and is counted by itself");
	world_init(&w, true);
	put_and_look(&w, &rest, BIRTH + 5);
	const struct job task = task_of(101, 1, BIRTH + 6);
	put_and_look(&w, &task, BIRTH + 7);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 1);
	see(&w, 100, JOB_PENDING, BIRTH + 8);
	CHECK(job_table_set_tasks(w.table, 100, 49));
	look(&w, BIRTH + 8);
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), 50);
	world_done(&w);
	check_row("cancelled before it was counted: slurmdbd tells how many they were");
	world_init(&w, true);
	put_and_look(&w, &rest, BIRTH + 5);
	end_rest(&w, "", 50, BIRTH + 7);
	check_cluster(&w, 50, 0, 50, 0);
	world_done(&w);
}

static void test_before_birth(void)
{
	struct world w;
	world_init(&w, true);
	check_row("an array from before counting began: its tasks' starts and ends count");
	struct job rest = rest_of("0-9");
	rest.submit_time = BIRTH - 50;
	put_and_look(&w, &rest, BIRTH + 5);
	struct job task = task_of(101, 0, BIRTH + 6);
	task.submit_time = BIRTH - 50;
	put_and_look(&w, &task, BIRTH + 7);
	take_end(&w, &task, "completed", BIRTH + 8);
	check_cluster(&w, 0, 1, 1, 2 * 2);
	world_done(&w);
}

/* The rest of an array of many records gets another task's details. The number of its tasks is as old as the listing that told
 * it. Short tasks may be in that number, and have been seen by themselves since. */
static void test_lent_number(void)
{
	enum { TASKS = 6000, ARRAY = 100, RECORDS = 1100 };
	static const int seen_running[] = {0, 177, 900, RECORDS};
	for (size_t at = 0; at < sizeof seen_running / sizeof *seen_running; at++) {
		struct world w;
		struct job_details details;
		int64_t now = BIRTH + 10;
		world_init(&w, true);
		job_details_init(&details, w.table);
		CHECK(job_table_set_state(w.table, ARRAY, JOB_PENDING, 0, now));
		CHECK(job_table_set_tasks(w.table, ARRAY, TASKS));
		look(&w, now);
		for (uint64_t task = 1; task <= RECORDS; task++) {
			struct job job = running(ARRAY + task, BIRTH + 1, BIRTH + 10);
			job.array_job_id = ARRAY;
			job.array_task_id = task;
			if (task > (uint64_t)seen_running[at]) {
				job.state = JOB_COMPLETED;
				job.end_time = (uint64_t)now + 2;
			}
			CHECK(job_table_set_state(w.table, job.id, job.state, 0, now + 3));
			job_details_take(&details, &job, now + 3);
			if (task % 200 == 0 || task == (uint64_t)seen_running[at])
				look(&w, now + 3);
			now += task % 50 == 0;
		}
		look(&w, now + 5);
		CHECK(in_cluster(&w, TALLY_SUBMISSIONS, "") <= TASKS);
		for (uint64_t task = 1; task <= RECORDS; task++) { /* slurmdbd tells all ends */
			struct job job = running(ARRAY + task, BIRTH + 1, BIRTH + 10);
			job.array_job_id = ARRAY;
			job.array_task_id = task;
			take_end(&w, &job, "completed", BIRTH + 12);
		}
		CHECK(job_table_set_state(w.table, ARRAY, JOB_PENDING, 0, now + 60));
		CHECK(job_table_set_tasks(w.table, ARRAY, TASKS - RECORDS));
		look(&w, now + 61);
		CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), TASKS);
		CHECK_NUMBER(in_cluster(&w, TALLY_STARTS, ""), RECORDS);
		CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "completed"), RECORDS);
		job_details_done(&details);
		world_done(&w);
	}
}

/* The rest waits in all partitions that the array named, though the task that lends its details runs in one of them. */
static void test_lent_partitions(void)
{
	enum { TASKS = 3000, ARRAY = 100, RECORDS = 1100 };
	struct world w;
	struct job_details details;
	world_init(&w, true);
	job_details_init(&details, w.table);
	CHECK(job_table_set_state(w.table, ARRAY, JOB_PENDING, 0, BIRTH + 1));
	CHECK(job_table_set_tasks(w.table, ARRAY, TASKS));
	for (uint64_t task = 1; task <= RECORDS; task++) {
		struct job job = running(ARRAY + task, BIRTH, BIRTH);
		job.array_job_id = ARRAY;
		job.array_task_id = task;
		job.partitions = TEXT("a");
		job.partitions_named = TEXT("a,b");
		job_details_take(&details, &job, BIRTH);
	}
	for (int i = 0; i < 2; i++) {
		const struct job_usage *usage =
			map_find(&w.table->totals->entities[ENTITY_PARTITION], text_of(i ? "b" : "a"));
		CHECK(usage);
		CHECK_NUMBER(usage ? usage->jobs[JOB_PENDING] : 0, TASKS);
	}
	job_details_done(&details);
	world_done(&w);
}

/* Without slurmdbd nobody else tells how the task that has an array's first record began and ended. Its turn of its own brings
 * both, though all records of the array come with it. */
static void test_first_task_of_many(void)
{
	enum { ARRAY = 100, TASKS = 1200 };
	struct world w;
	struct job_details details;
	check_row("the first task of an array of many records");
	world_init(&w, false);
	job_details_init(&details, w.table);
	for (int state = JOB_RUNNING; state <= JOB_COMPLETED; state += JOB_COMPLETED - JOB_RUNNING) {
		int64_t now = state == JOB_RUNNING ? BIRTH + 30 : BIRTH + 100;
		for (uint64_t task = 0; task < TASKS; task++)
			CHECK(job_table_set_state(w.table, ARRAY + task, state, 0, now));
		for (uint64_t turn = 1; turn <= TASKS; turn++) { /* the first record comes last */
			uint64_t task = turn % TASKS;
			struct job job = running(ARRAY + task, BIRTH + 1, BIRTH + 20);
			job.array_job_id = ARRAY;
			job.array_task_id = task;
			job.state = state;
			job.end_time = state == JOB_COMPLETED ? BIRTH + 99 : 0;
			if (!task) {
				CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_ARRAYS), 1);
				CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_ARRAYS), ARRAY);
				CHECK(job_details_records(&details, ARRAY) >= TASKS);
			}
			job_details_take(&details, &job, now);
		}
		CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_ARRAYS), 0);
		look(&w, now + 1);
	}
	CHECK_NUMBER(in_cluster(&w, TALLY_SUBMISSIONS, ""), TASKS);
	CHECK_NUMBER(in_cluster(&w, TALLY_STARTS, ""), TASKS);
	CHECK_NUMBER(in_cluster(&w, TALLY_ENDS, "completed"), TASKS);
	job_details_done(&details);
	world_done(&w);
}

int main(void)
{
	test_split_later();
	test_split_before();
	test_split_before_seen_after();
	test_last_task();
	test_last_task_without_details();
	test_cancelled_unsplit();
	test_cut_list();
	test_before_birth();
	test_lent_number();
	test_lent_partitions();
	test_first_task_of_many();
	return check_done();
}
