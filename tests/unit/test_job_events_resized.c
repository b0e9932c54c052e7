/* A job that is resized: to slurmctld it stays the same one, but slurmdbd has a row for each size that it had. Here it
 * has two CPUs, is submitted at 5 and starts at 10. From 30 on it has one CPU, and it ends at 50: 60 CPU seconds. */
#include "events_world.h"

/* slurmdbd has a row for each size: submitted when the job got it, and started then (24.11, 26.05) or when it was (22.05). */
static void test_seen(int64_t last_start)
{
	struct world w;
	world_init(&w, true);
	check_row("resized: slurmctld goes on with when it was submitted, slurmdbd with another row");
	struct job job = running(1, BIRTH + 5, BIRTH + 10), last = running(1, BIRTH + 30, last_start);
	put_and_look(&w, &job, BIRTH + 30);
	job.cpus = last.cpus = 1;
	put_and_look(&w, &job, BIRTH + 40);
	check_cluster(&w, 1, 1, 0, 2 * 20 + 1 * 10);
	take_end(&w, &last, "completed", BIRTH + 50);
	check_cluster(&w, 1, 1, 1, 2 * 20 + 1 * 20);
	CHECK_NUMBER(in_queue(&w, TALLY_RUN_SECONDS, "sum"), 40);
	CHECK_NUMBER(in_queue(&w, TALLY_QUEUE_SECONDS, "sum"), 5);
	check_row("slurmctld still shows it, slurmdbd tells it again, what its steps used comes");
	put_and_look(&w, &job, BIRTH + 55);
	restart(&w, true, BIRTH + 56);
	put_and_look(&w, &job, BIRTH + 60);
	take_end(&w, &last, "completed", BIRTH + 50);
	check_cluster(&w, 1, 1, 1, 2 * 20 + 1 * 20);
	CHECK_NUMBER(w.events->runs.used, 1);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 70);
	job_events_end_window(w.events, BIRTH + 5000, BIRTH + 4000);
	CHECK_NUMBER(w.events->runs.used, 0);
	CHECK_NUMBER(w.events->lost, 0);
	world_done(&w);
	check_row("slurmctld has forgotten it before slurmdbd tells");
	world_init(&w, true);
	put_and_look(&w, &job, BIRTH + 40);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 55);
	take_end(&w, &last, "node_fail", BIRTH + 50);
	check_cluster(&w, 1, 1, 1, 40);
	world_done(&w);
	check_row("nobody ever saw it: it began when it got its last size");
	world_init(&w, true);
	take_end(&w, &last, "completed", BIRTH + 50);
	check_cluster(&w, 1, 1, 1, (double)(BIRTH + 50 - last_start));
	world_done(&w);
	check_row("requeued and started in one second, it is another run");
	world_init(&w, true);
	put_and_look(&w, &job, BIRTH + 20);
	take_end(&w, &job, "requeued", BIRTH + 30);
	last.start_time = BIRTH + 30;
	take_end(&w, &last, "completed", BIRTH + 50);
	check_cluster(&w, 2, 2, 2, 40);
	world_done(&w);
	check_row("likewise, of the first one slurmdbd tells late");
	world_init(&w, true);
	put_and_look(&w, &job, BIRTH + 20);
	put_and_look(&w, &last, BIRTH + 35);
	take_end(&w, &last, "completed", BIRTH + 50);
	take_end(&w, &job, "requeued", BIRTH + 30);
	check_cluster(&w, 2, 2, 2, 40);
	world_done(&w);
}

/* What slurmdbd tells of its first size, and of its last one. */
static void take_size(struct world *w, const struct job *job, int64_t until)
{
	const struct job_end size = end_of(job, "pending", until);
	job_events_take_size(w->events, &size);
}

static struct job first_size(void)
{
	struct job job = running(1, BIRTH + 5, BIRTH + 10);
	job.tres_allocated = TEXT("cpu=2,billing=10,gres/gpu=3,gres/gpu:a100=2");
	return job;
}

/* As slurmctld has it; as slurmdbd does. */
static struct job last_size(int64_t submit, int64_t start)
{
	struct job job = running(1, submit, start);
	job.cpus = 1;
	job.tres_allocated = TEXT("cpu=1,billing=5,gres/gpu=2,gres/gpu:a100=2");
	return job;
}

static void check_resized(struct world *w, const char *what, double cpu_seconds)
{
	const struct job last = last_size(BIRTH + 30, BIRTH + 30);
	check_row(what);
	take_end(w, &last, "completed", BIRTH + 50);
	check_cluster(w, 1, 1, 1, cpu_seconds);
	CHECK_NUMBER(in_cluster(w, TALLY_BILLING_SECONDS, ""), 5 * cpu_seconds);
	CHECK_NUMBER(in_cluster(w, TALLY_GRES_SECONDS, "gpu:a100"), 80);
	CHECK_NUMBER(in_cluster(w, TALLY_GRES_SECONDS, "gpu"), 20 + cpu_seconds - 60);
	CHECK_NUMBER(in_queue(w, TALLY_RUN_SECONDS, "sum"), 40);
	CHECK_NUMBER(in_queue(w, TALLY_QUEUE_SECONDS, "sum"), 5);
	const struct job first = first_size();
	take_size(w, &first, BIRTH + 30);
	take_end(w, &last, "completed", BIRTH + 50);
	check_cluster(w, 1, 1, 1, cpu_seconds);
	CHECK_NUMBER(w->events->runs.used, 1);
	world_done(w);
}

static void test_grown(void)
{
	struct world w;
	const struct job first = last_size(BIRTH + 5, BIRTH + 10);
	struct job now = first;
	world_init(&w, true);
	check_row("one that got larger: nothing more is counted of when it was small");
	now.cpus = 4;
	now.tres_allocated = TEXT("cpu=4,billing=20,gres/gpu=8,gres/gpu:a100=8");
	put_and_look(&w, &now, BIRTH + 40);
	check_cluster(&w, 1, 1, 0, 4 * 30);
	take_size(&w, &first, BIRTH + 30);
	check_cluster(&w, 1, 1, 0, 4 * 30);
	CHECK_NUMBER(in_cluster(&w, TALLY_BILLING_SECONDS, ""), 20 * 30);
	CHECK_NUMBER(in_cluster(&w, TALLY_GRES_SECONDS, "gpu:a100"), 8 * 30);
	world_done(&w);
}

static void test_unseen(void)
{
	struct world w;
	const struct job first = first_size(), now = last_size(BIRTH + 5, BIRTH + 10);
	world_init(&w, true);
	take_size(&w, &first, BIRTH + 30);
	take_size(&w, &first, BIRTH + 30);
	restart(&w, true, BIRTH + 31);
	look(&w, BIRTH + 55);
	check_resized(&w, "nobody ever saw it", 60);
	world_init(&w, true);
	take_size(&w, &first, BIRTH + 30);
	look(&w, BIRTH + 35);
	restart(&w, true, BIRTH + 36);
	look(&w, BIRTH + 55);
	check_resized(&w, "nobody ever saw it, though slurmdbd told of it while it lived", 60);
	world_init(&w, true);
	take_size(&w, &first, BIRTH + 30);
	look(&w, BIRTH + 35);
	check_cluster(&w, 1, 1, 0, 2 * 20);
	put_and_look(&w, &now, BIRTH + 40);
	check_cluster(&w, 1, 1, 0, 2 * 20 + 1 * 10);
	restart(&w, true, BIRTH + 41);
	put_and_look(&w, &now, BIRTH + 45);
	check_resized(&w, "slurmdbd told of its first size before it was seen", 60);
	world_init(&w, true);
	put_and_look(&w, &now, BIRTH + 40);
	restart(&w, true, BIRTH + 41);
	take_size(&w, &first, BIRTH + 30);
	check_cluster(&w, 1, 1, 0, 2 * 20 + 1 * 10);
	take_size(&w, &first, BIRTH + 30);
	put_and_look(&w, &now, BIRTH + 45);
	check_resized(&w, "only its last size was seen", 60);
	world_init(&w, true);
	put_and_look(&w, &first, BIRTH + 20);
	restart(&w, true, BIRTH + 22);
	put_and_look(&w, &now, BIRTH + 40);
	check_cluster(&w, 1, 1, 0, 2 * 10 + 1 * 20);
	take_size(&w, &first, BIRTH + 30);
	check_resized(&w, "it was resized while nobody looked", 60);
	world_init(&w, true);
	put_and_look(&w, &first, BIRTH + 20);
	job_table_remove(w.table, 1);
	look(&w, BIRTH + 55);
	take_size(&w, &first, BIRTH + 30);
	check_resized(&w, "it was resized and ended while nobody looked", 60);
	world_init(&w, true);
	struct job pending = job_of(1, JOB_PENDING, BIRTH + 5);
	pending.cpus = 7;
	put_and_look(&w, &pending, BIRTH + 8);
	take_size(&w, &first, BIRTH + 30);
	check_resized(&w, "it was seen while it waited", 60);
	world_init(&w, true);
	put_and_look(&w, &first, BIRTH + 35);
	take_size(&w, &first, BIRTH + 30);
	put_and_look(&w, &now, BIRTH + 40);
	check_resized(&w, "that it holds less was seen five seconds late", 65);
}

static void test_several(void)
{
	struct world w;
	struct job first = first_size(), second = last_size(BIRTH + 15, BIRTH + 15),
		   now = last_size(BIRTH + 5, BIRTH + 10);
	first.cpus = 8;
	second.cpus = 4;
	check_row("three sizes, none of which was seen");
	world_init(&w, true);
	take_size(&w, &first, BIRTH + 15);
	take_size(&w, &second, BIRTH + 30);
	check_cluster(&w, 1, 1, 0, 8 * 5 + 4 * 15);
	const struct job last = last_size(BIRTH + 30, BIRTH + 30);
	take_end(&w, &last, "completed", BIRTH + 50);
	check_cluster(&w, 1, 1, 1, 8 * 5 + 4 * 15 + 1 * 20);
	take_size(&w, &second, BIRTH + 30);
	check_cluster(&w, 1, 1, 1, 8 * 5 + 4 * 15 + 1 * 20);
	world_done(&w);
	check_row("of which the last was seen");
	world_init(&w, true);
	put_and_look(&w, &now, BIRTH + 40);
	take_size(&w, &first, BIRTH + 15);
	take_size(&w, &second, BIRTH + 30);
	check_cluster(&w, 1, 1, 0, 8 * 5 + 4 * 15 + 1 * 10);
	world_done(&w);
	check_row("it began before counting did");
	first = running(1, BIRTH - 100, BIRTH - 90);
	now = last_size(BIRTH - 100, BIRTH - 90);
	world_init(&w, true);
	put_and_look(&w, &now, BIRTH + 40);
	take_size(&w, &first, BIRTH + 30);
	check_cluster(&w, 0, 0, 0, 2 * 30 + 1 * 10);
	take_size(&w, &first, BIRTH - 10);
	check_cluster(&w, 0, 0, 0, 2 * 30 + 1 * 10);
	world_done(&w);
	check_row("requeued, and resized then: another run");
	world_init(&w, true);
	first = first_size();
	put_and_look(&w, &first, BIRTH + 20);
	take_end(&w, &first, "requeued", BIRTH + 25);
	first.submit_time = BIRTH + 25;
	first.start_time = BIRTH + 28;
	take_size(&w, &first, BIRTH + 30);
	take_end(&w, &last, "completed", BIRTH + 50);
	check_cluster(&w, 2, 2, 2, 2 * 15 + 2 * 2 + 1 * 20);
	world_done(&w);
}

int main(void)
{
	test_seen(BIRTH + 30);
	test_seen(BIRTH + 10);
	test_unseen();
	test_grown();
	test_several();
	return check_done();
}
