/* A day of the planner, with the poller's own table, beside a slurmrestd that takes 5 to 60 seconds for whatever it is
 * asked. Prints what each task gets: lib/plan/README.md has that table.
 *
 *	test_plan_slow [HOURS [SEED]]
 */
#include "check.h"
#include "poll/tasks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define QUICK_S 3600.0 /* before slurmrestd is slow */
#define LEARN_S 7200.0 /* of the slow time, that are not looked at */

struct life {
	struct plan *plan;
	double answer_s, now_s; /* seconds that any answer takes; since the start */
	uint64_t seed, jobs;
	uint64_t covered[TASKS];
	struct task_life {
		uint64_t requests, rounds;
		double gap_max_s; /* between requests */
		double asked_s;
		double spent_s;
	} tasks[TASKS];
};

static double chance(struct life *life)
{
	life->seed = life->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(life->seed >> 11) * 0x1p-53;
}

static uint64_t now_ns(const struct life *life)
{
	return (uint64_t)(life->now_s * 1e9) + UINT64_C(1000000000000);
}

static uint64_t work_of(const struct life *life, size_t task)
{
	switch (task) {
	case ENDPOINT_JOBS:
	case TASK_JOB_SEARCH:
	case TASK_JOB_ARRAYS:
		return 0;
	case TASK_JOB_STATES:
	case TASK_JOB_ROTATION:
		return life->jobs;
	case TASK_JOB_DETAILS:
		return life->jobs / 100; /* that changed */
	case TASK_JOB_REASONS:
		return life->jobs / 2 < 1000 ? life->jobs / 2 : 1000;
	case ENDPOINT_NODES:
		return life->jobs < 100000 ? life->jobs / 10 : 10000;
	case TASK_JOB_STEPS:
		return 20;
	default:
		return 1;
	}
}

static void plan_work(struct life *life)
{
	for (size_t t = 0; t < TASKS; t++) {
		plan_set_work(life->plan, t, work_of(life, t));
		plan_set_whole(life->plan, t, t == TASK_JOB_STATES ? life->jobs : work_of(life, t));
	}
	plan_allow_task(life->plan, ENDPOINT_JOBS, false);
	plan_allow_way(life->plan, TASK_JOB_STATES, STATES_LIST, false);
	plan_allow_way(life->plan, TASK_JOB_DETAILS, DETAILS_LIST, false);
	plan_allow_way(life->plan, TASK_JOB_DETAILS, DETAILS_ACCOUNTING, false);
	plan_allow_way(life->plan, TASK_JOB_REASONS, DETAILS_LIST, false);
	plan_allow_way(life->plan, TASK_JOB_ROTATION, DETAILS_LIST, false);
}

static double cost_of(const struct plan_cost *cost, double n)
{
	return cost->request + cost->record * n + cost->square * n * n;
}

static void answer(struct life *life, const struct plan_task *rows, const struct plan_action *action)
{
	size_t task = action->task;
	const struct plan_way *way = &rows[task].ways[action->way];
	double wave = 0.9 + 0.2 * chance(life);
	double seconds = wave * (life->answer_s + cost_of(&way->slurmrestd_s, (double)action->records));
	struct task_life *mine = &life->tasks[task];
	mine->gap_max_s = fmax(mine->gap_max_s, life->now_s - mine->asked_s);
	mine->asked_s = life->now_s;
	mine->requests++;
	mine->spent_s += seconds;
	life->now_s += seconds + 0.0002;
	life->covered[task] += action->records;
	bool is_done = way->records_max == 0 || life->covered[task] >= work_of(life, task);
	if (is_done) {
		life->covered[task] = 0;
		mine->rounds++;
	}
	plan_note(life->plan, now_ns(life),
		  &(struct plan_outcome){.task = task,
					 .way = action->way,
					 .seconds = seconds,
					 .records = action->records,
					 .is_round_done = is_done});
	plan_note_scraped(life->plan, now_ns(life));
}

static void live(struct life *life, const struct plan_task *rows, double seconds)
{
	double end_s = life->now_s + seconds;
	for (size_t t = 0; t < TASKS; t++)
		life->tasks[t] = (struct task_life){.asked_s = life->now_s};
	while (life->now_s < end_s) {
		struct plan_action action = plan_next(life->plan, now_ns(life));
		if (action.kind == PLAN_ASK)
			answer(life, rows, &action);
		else
			life->now_s = fmin((double)(action.until_ns - now_ns(life)) / 1e9 + life->now_s + 1e-6, end_s);
	}
	for (size_t t = 0; t < TASKS; t++)
		life->tasks[t].gap_max_s = fmax(life->tasks[t].gap_max_s, end_s - life->tasks[t].asked_s);
}

static struct plan_view show(const struct life *life, size_t task)
{
	return plan_show(life->plan, now_ns(life), task);
}

static void print(const struct life *life, const struct plan_task *rows, double hours)
{
	printf("\n%g s an answer, %" PRIu64 " jobs\n", life->answer_s, life->jobs);
	for (size_t t = 0; t < TASKS; t++) {
		const struct task_life *mine = &life->tasks[t];
		if (!work_of(life, t))
			continue;
		struct buf line = BUF_INIT;
		plan_say(life->plan, now_ns(life), t, &line);
		printf("%-13s %7.1f requests, %7.1f rounds a day, at most %6.0f s between, %4.1f %% of the time; %.*s\n",
		       rows[t].name, (double)mine->requests / hours * 24, (double)mine->rounds / hours * 24,
		       mine->gap_max_s, 100 * mine->spent_s / hours / 3600, (int)line.len, line.bytes);
		buf_done(&line);
	}
}

/* Between two requests of a task, as the planner tells its interval, and some for windows that are full. A round may end
 * before its interval does. */
static double gap_allowed_s(const struct life *life, const struct plan_task *rows, size_t task)
{
	struct plan_view view = show(life, task);
	bool is_long = rows[task].is_spread || task == TASK_JOB_STATES;
	double requests = is_long ? fmax(1, (double)view.work / fmax(1, (double)view.records)) : 1;
	double pause_s = requests > 1 && !rows[task].is_spread ? view.interval_s / 2 : 0;
	return 2.5 * view.interval_s / requests + pause_s + 100 * life->answer_s;
}

static void check_slow(const struct life *life, const struct plan_task *rows, double hours)
{
	double probes_s = 0, others_s = 0;
	for (size_t t = 0; t < TASKS; t++) {
		struct plan_view view = show(life, t);
		if (!work_of(life, t))
			continue;
		*(rows[t].is_probe ? &probes_s : &others_s) += life->tasks[t].spent_s;
		CHECK(life->tasks[t].gap_max_s <= gap_allowed_s(life, rows, t));
		CHECK(view.interval_s > rows[t].target_s);
		CHECK(view.reason == (rows[t].is_probe ? PLAN_LATENCY : PLAN_SLURMRESTD_BUDGET));
		CHECK(!rows[t].is_probe || life->tasks[t].gap_max_s <= 60 + 9 * life->answer_s);
	}
	CHECK(life->tasks[TASK_JOB_STATES].spent_s >= 0.007 * hours * 3600);
	CHECK(life->jobs > 1000 || life->tasks[TASK_JOB_STATES].gap_max_s <= 300 * life->answer_s);
	CHECK(life->tasks[ENDPOINT_NODES].gap_max_s <= 1200 * life->answer_s);
	CHECK(life->tasks[TASK_JOB_ENDS].gap_max_s <= 900 * life->answer_s);
	CHECK(probes_s <= 0.52 * hours * 3600);
	CHECK(others_s <= 0.06 * hours * 3600 + 1.1 * life->answer_s);
	CHECK(others_s >= 0.02 * hours * 3600);
}

/* slurmrestd is as quick as before: so is the planner. */
static void check_quick(struct life *life, const struct plan_task *rows)
{
	life->answer_s = 0;
	live(life, rows, QUICK_S);
	live(life, rows, QUICK_S);
	for (size_t t = 0; t < TASKS; t++)
		if (work_of(life, t)) {
			CHECK_NUMBER(show(life, t).interval_s, rows[t].target_s);
			CHECK(life->tasks[t].gap_max_s <= 3 * rows[t].target_s + 120);
		}
}

static void slow_day(double answer_s, double quick_s, uint64_t jobs, double hours, uint64_t seed)
{
	struct config config;
	struct plan_task rows[TASKS];
	config_defaults(&config);
	tasks_fill(rows, &config);
	rows[TASK_JOB_DETAILS].weight = 8; /* as the poller says (job_poller.c) */
	tasks_pace_ends(rows, &config, 0);
	struct plan_options options = tasks_options(&config, false);
	struct life life = {.seed = seed, .jobs = jobs};
	life.plan = plan_new(rows, TASKS, &options, seed, now_ns(&life));
	plan_work(&life);
	live(&life, rows, quick_s);
	life.answer_s = answer_s;
	live(&life, rows, LEARN_S);
	live(&life, rows, hours * 3600);
	print(&life, rows, hours);
	check_slow(&life, rows, hours);
	if (jobs <= 1000) /* details of more cost more than the budget has, slow or not */
		check_quick(&life, rows);
	plan_free(life.plan);
}

int main(int argc, char **argv)
{
	static const double answers_s[] = {5, 15, 20, 22, 30, 60};
	static const uint64_t sizes[] = {1000, 100000};
	double hours = argc > 1 ? atof(argv[1]) : 24;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
		for (size_t i = 0; i < sizeof answers_s / sizeof *answers_s; i++) {
			char row[40];
			snprintf(row, sizeof row, "%g s, %" PRIu64 " jobs", answers_s[i], sizes[j]);
			check_row(row);
			slow_day(answers_s[i], QUICK_S, sizes[j], hours, seed);
		}
	check_row("slow from the start on");
	slow_day(60, 0, 1000, hours, seed);
	return check_done();
}
