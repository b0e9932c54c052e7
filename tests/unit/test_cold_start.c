/* First details out of slurmdbd's records: which are of use, what stays as jobs/state has it, and that slurmctld is
 * asked for the rest. */
#include "check.h"
#include "controller_model.h"
#include "discovery/job_rounds.h"
#include "discovery/job_runs.h"
#include "jobs/jobs_check.h"

enum { NOW = 5000, BATCH = 50 };
#define BIT(flag) (UINT64_C(1) << (flag))

static struct job_run run_of(uint64_t id, int state, uint64_t flags, uint64_t submit_time)
{
	return (struct job_run){.job = {.id = id,
					.array_task_id = NUMBER_UNSET,
					.state = state,
					.flags = flags,
					.user = TEXT("ann"),
					.account = TEXT("bio"),
					.partitions = TEXT("cpu"),
					.qos = TEXT("normal"),
					.submit_time = submit_time,
					.tres_requested = TEXT("cpu=2,mem=1G,node=1"),
					.cpus = 2,
					.nodes = 1}};
}

static void check_whole(struct job_table *table)
{
	struct error err = {""};
	job_table_settle(table, NULL);
	CHECK(jobs_check(table, &err));
	CHECK_STRING(err.text, "");
}

/* A row of jobs/state, and what slurmdbd says of its ID. */
static void test_rules(void)
{
	static const struct {
		const char *name;
		int state;
		uint64_t flags;
		struct {
			int state;
			uint64_t flags, submit_time; /* 0: no such run */
		} runs[3];
		uint64_t submit_time; /* of the run that is taken, 0: none */
	} rows[] = {
		{"the same", JOB_PENDING, 0, {{JOB_PENDING, 0, 10}}, 10},
		{"slurmdbd does not know that it runs", JOB_RUNNING, 0, {{JOB_PENDING, 0, 10}}, 0},
		{"nor that it ended", JOB_COMPLETED, 0, {{JOB_RUNNING, 0, 10}}, 0},
		{"it has ended", JOB_COMPLETED, 0, {{JOB_COMPLETED, 0, 10}}, 10},
		{"slurmctld's flags", JOB_RUNNING, BIT(JOB_FLAG_CONFIGURING), {{JOB_RUNNING, 0, 10}}, 10},
		{"suspended: since when?", JOB_SUSPENDED, 0, {{JOB_SUSPENDED, 0, 10}}, 0},
		{"it was requeued",
		 JOB_PENDING,
		 0,
		 {{JOB_PENDING, BIT(JOB_FLAG_REQUEUED), 10}, {JOB_PENDING, 0, 11}},
		 11},
		{"requeued, and the new run is not there yet",
		 JOB_PENDING,
		 0,
		 {{JOB_PENDING, BIT(JOB_FLAG_REQUEUED), 10}},
		 0},
		{"it was resized: when it was submitted its last row does not say",
		 JOB_RUNNING,
		 0,
		 {{JOB_PENDING, BIT(JOB_FLAG_RESIZING), 9}, {JOB_RUNNING, 0, 10}},
		 0},
		{"another job had the id",
		 JOB_RUNNING,
		 0,
		 {{JOB_RUNNING, 0, 10}, {JOB_RUNNING, 0, 30}, {JOB_RUNNING, 0, 20}},
		 30},
		{"nothing", JOB_PENDING, 0, {{0}}, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job_table *table = job_table_new();
		struct job_details details;
		struct job_view view;
		job_details_init(&details, table);
		CHECK(job_table_set_state(table, 7, rows[i].state, rows[i].flags, NOW));
		struct job_runs runs = {.table = table};
		struct job_run unknown = run_of(8, JOB_RUNNING, 0, 10);
		check_row(rows[i].name);
		job_runs_take(&runs, &unknown);
		for (size_t n = 0; n < 3 && rows[i].runs[n].submit_time; n++) {
			struct job_run run =
				run_of(7, rows[i].runs[n].state, rows[i].runs[n].flags, rows[i].runs[n].submit_time);
			job_runs_take(&runs, &run);
		}
		job_runs_apply(&runs, &details, NOW);
		job_runs_done(&runs);
		CHECK(!job_table_find(table, 8, &view));
		CHECK(job_table_find(table, 7, &view));
		CHECK(view.has_details == (rows[i].submit_time != 0));
		CHECK_NUMBER(view.submit_time, rows[i].submit_time);
		CHECK_NUMBER(view.state, rows[i].state);
		CHECK_NUMBER(view.flags, rows[i].flags);
		check_whole(table);
		job_details_done(&details);
		job_table_free(table);
	}
}

/* Of two jobs, whose runs come mixed, each gets its own latest one. */
static void test_runs_of_two_jobs(void)
{
	static const uint64_t runs[][2] = {{7, 10}, {8, 20}, {7, 30}, {8, 5}}; /* ID, submit time */
	struct job_table *table = job_table_new();
	struct job_details details;
	struct job_view view;
	check_row("two jobs of two runs each");
	job_details_init(&details, table);
	struct job_runs taken = {.table = table};
	for (uint64_t id = 7; id <= 8; id++)
		CHECK(job_table_set_state(table, id, JOB_RUNNING, 0, NOW));
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct job_run run = run_of(runs[i][0], JOB_RUNNING, 0, runs[i][1]);
		job_runs_take(&taken, &run);
	}
	job_runs_apply(&taken, &details, NOW);
	job_runs_done(&taken);
	CHECK(job_table_find(table, 7, &view) && view.submit_time == 30);
	CHECK(job_table_find(table, 8, &view) && view.submit_time == 20);
	check_whole(table);
	job_details_done(&details);
	job_table_free(table);
}

static void test_partitions(void)
{
	static const struct {
		const char *name, *partitions;
		int state;
		bool is_told;
	} rows[] = {
		{"cancelled before it ran: slurmdbd names two, slurmctld one of them", "cpu,gpu", JOB_CANCELLED, false},
		{"it ended in one", "gpu", JOB_CANCELLED, true},
		{"it waits for both", "cpu,gpu", JOB_PENDING, true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job_table *table = job_table_new();
		struct job_details details;
		struct job_view view;
		const uint64_t id = 7;
		check_row(rows[i].name);
		job_details_init(&details, table);
		CHECK(job_table_set_state(table, id, rows[i].state, 0, NOW));
		CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_WANTED), 1);
		struct job_runs runs = {.table = table};
		struct job_run earlier = run_of(id, rows[i].state, 0, 5), run = run_of(id, rows[i].state, 0, 10);
		run.job.partitions = text_of(rows[i].partitions);
		job_runs_take(&runs, &earlier); /* another job had the ID */
		job_runs_take(&runs, &run);
		job_runs_apply(&runs, &details, NOW + 100);
		job_runs_done(&runs);
		CHECK(job_table_find(table, id, &view) && view.has_details == rows[i].is_told);
		job_details_note_recorded(&details, &id, 1);
		CHECK(details.are_some_unrecorded == !rows[i].is_told);
		CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_WANTED), !rows[i].is_told);
		check_whole(table);
		job_details_done(&details);
		job_table_free(table);
	}
}

static void test_what_is_told(void)
{
	check_row("an array keeps the tasks that jobs/state counted, and its reason is not known");
	struct job_table *table = job_table_new();
	struct job_details details;
	struct job_view view;
	job_details_init(&details, table);
	CHECK(job_table_set_state(table, 7, JOB_PENDING, 0, NOW));
	CHECK(job_table_set_tasks(table, 7, 12));
	struct job_runs runs = {.table = table};
	struct job_run run = run_of(7, JOB_PENDING, 0, 10);
	run.job.array_job_id = 7;
	run.job.array_tasks = TEXT("0xff"); /* slurmdbd is behind */
	job_runs_take(&runs, &run);
	job_runs_apply(&runs, &details, NOW);
	job_runs_done(&runs);
	check_whole(table);
	CHECK(job_table_find(table, 7, &view) && view.is_unsplit && !view.details_wanted);
	CHECK_NUMBER(view.tasks, 12);
	const struct job_usage *cluster = job_totals_cluster(table->totals);
	CHECK_NUMBER(cluster->pending[REASON_UNKNOWN], 12);
	CHECK_NUMBER(cluster->cpus[PHASE_PENDING], 24);
	CHECK(map_find(&cluster->reasons, TEXT("Unknown")) != NULL);
	check_row("details that are there are not taken from slurmdbd");
	struct job known = run.job;
	known.array_tasks = TEXT("0-11");
	known.reason = TEXT("Priority");
	CHECK(job_table_put(table, &known, NOW));
	runs = (struct job_runs){.table = table};
	job_runs_take(&runs, &run);
	CHECK_NUMBER(runs.count, 0);
	job_runs_done(&runs);
	job_details_done(&details);
	job_table_free(table);
}

static void test_order(void)
{
	struct job_table *table = job_table_new();
	struct job_details details;
	uint64_t ids[BATCH];
	struct job known = run_of(5, JOB_RUNNING, 0, 10).job;
	job_details_init(&details, table);
	CHECK(job_table_put(table, &known, NOW));
	CHECK(job_table_set_state(table, 5, JOB_SUSPENDED, 0, NOW));
	CHECK(job_table_set_state(table, 6, JOB_COMPLETED, 0, NOW));
	for (uint64_t id = 7; id <= 9; id++)
		CHECK(job_table_set_state(table, id, JOB_PENDING, 0, NOW));
	check_row("jobs without details come first, the youngest of them before the others");
	CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_WANTED), 5);
	CHECK_NUMBER(job_details_unseen(&details), 4);
	CHECK_NUMBER(job_details_next_unseen(&details, ids, 3), 3);
	CHECK(ids[0] == 9 && ids[1] == 8 && ids[2] == 7);
	CHECK_NUMBER(job_details_unseen(&details), 1);
	CHECK_NUMBER(job_details_next_unseen(&details, ids, 3), 1);
	CHECK_NUMBER(ids[0], 6);
	CHECK_NUMBER(job_details_next_unseen(&details, ids, 3), 0);
	check_row("what slurmdbd does not have is slurmctld's to tell");
	ids[0] = 7, ids[1] = 8, ids[2] = 9;
	known.id = 8;
	CHECK(job_table_put(table, &known, NOW));
	job_details_note_recorded(&details, ids, 3);
	CHECK(details.are_some_unrecorded);
	CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_WANTED), 5);
	CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_WANTED), 4);
	CHECK(!details.are_some_unrecorded);
	CHECK_NUMBER(job_details_unseen(&details), 1);
	CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_WANTED), 6);
	CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_WANTED), 9);
	CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_WANTED), 7);
	check_row("until the next rotation");
	job_details_begin(&details, JOB_QUEUE_ROTATION);
	CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_WANTED), 4);
	CHECK_NUMBER(job_details_unseen(&details), 3);
	job_details_done(&details);
	job_table_free(table);
}

/* A slurmdbd that is behind: it lacks some records, of others it has an older state, of some the run before, too. */
struct late_slurmdbd {
	struct controller_model *model;
	struct job_runs runs;
};

static void take_late(void *context, const struct job *job)
{
	struct late_slurmdbd *slurmdbd = context;
	uint64_t fate = model_below(slurmdbd->model, 10);
	struct job_run run = {.job = *job};
	if (fate == 0)
		return;
	if (fate == 1)
		run.job.state = JOB_PENDING;
	job_runs_take(&slurmdbd->runs, &run);
	run.job.state = fate == 2 ? JOB_NODE_FAIL : JOB_PENDING;
	run.job.flags = fate == 2 ? 0 : BIT(JOB_FLAG_REQUEUED);
	run.job.submit_time--;
	job_runs_take(&slurmdbd->runs, &run);
}

static void take_row(void *context, const struct job_task *task)
{
	job_rounds_take(context, task);
}

static void take_job(void *context, const struct job *job)
{
	job_details_take(context, job, NOW);
}

static void check_random(uint64_t seed)
{
	struct controller_model model = {.first_id = 1, .last_id = 100000, .next_id = 1, .now = 1000, .random = seed};
	struct job_table *table = job_table_new();
	struct job_rounds rounds;
	struct job_details details;
	uint64_t ids[BATCH], single = 0, batches = 0;
	size_t count;
	for (int i = 0; i < 300; i++)
		model_submit(&model, 0, model_below(&model, 5) ? 0 : 1 + model_below(&model, 20));
	for (int i = 0; i < 400; i++)
		model_start(&model, &model.records[model_below(&model, model.count)]);
	for (int i = 0; i < 30; i++)
		model.records[model_below(&model, model.count)].state = JOB_COMPLETED;
	job_rounds_init(&rounds, table, 1, 100000);
	job_details_init(&details, table);
	job_rounds_ask_whole(&rounds);
	model_states(&model, TEXT(""), take_row, &rounds);
	job_rounds_apply(&rounds, NOW);

	job_details_begin(&details, JOB_QUEUE_WANTED);
	for (; (count = job_details_next_unseen(&details, ids, BATCH)); batches++) {
		struct late_slurmdbd slurmdbd = {&model, {.table = table}};
		for (size_t i = 0; i < count; i++)
			model_job(&model, ids[i], take_late, &slurmdbd);
		job_runs_apply(&slurmdbd.runs, &details, NOW);
		job_runs_done(&slurmdbd.runs);
		job_details_note_recorded(&details, ids, count);
	}
	CHECK(batches <= model.count / BATCH + 1);
	CHECK(details.are_some_unrecorded);
	job_details_begin(&details, JOB_QUEUE_WANTED);
	CHECK_NUMBER(job_details_unseen(&details), 0);
	for (uint64_t id; (id = job_details_next(&details, JOB_QUEUE_WANTED)); single++)
		model_job(&model, id, take_job, &details);
	CHECK(single > 10 && single < model.count / 2);
	CHECK_NUMBER(job_table_counts(table).rows, model.count);
	CHECK_NUMBER(job_table_counts(table).rows_without_details, 0);
	for (size_t i = 0; i < model.count; i++) {
		const struct record *record = &model.records[i];
		struct job_view view;
		CHECK(job_table_find(table, record->id, &view));
		CHECK_NUMBER(view.state, record->state);
		CHECK_NUMBER(view.submit_time, record->submit_time);
		CHECK_NUMBER(view.tasks, record->last - record->first + 1);
	}
	check_whole(table);
	job_rounds_done(&rounds);
	job_details_done(&details);
	job_table_free(table);
}

int main(void)
{
	test_rules();
	test_runs_of_two_jobs();
	test_partitions();
	test_what_is_told();
	test_order();
	for (uint64_t seed = 1; seed <= 20; seed++) {
		char name[32];
		snprintf(name, sizeof name, "seed %d", (int)seed);
		check_row(name);
		check_random(seed);
	}
	return check_done();
}
