/* Hours of a busy site's ends: they are known soon, each is read about once, and none is passed over. Meanwhile
 * slurmdbd hears of them late, or not at all for some minutes. The planner divides its budgets among these windows and
 * all else that the poller asks. Arguments: hours. Prints a table. */
#include "check.h"
#include "events/end_windows.h"
#include "poll/tasks.h"

#include <math.h>
#include <stdlib.h>

enum {
	T = 1800000000,
	RECORDS = 4, /* of a job that slurmctld hands over: its start, a step's start and end, its end */
	HOUR = 3600,
	GROWS_S = 300, /* the lag grows if it was shorter this long ago */
	GROWN_S = 30, /* by this much */
};

struct site {
	double per_s; /* ends, for the first `busy_s`; then a tenth of that */
	int64_t busy_s, end;
	double away_every_s, away_s; /* slurmdbd is restarted */
	bool answers; /* meanwhile; else requests fail */
	bool is_never_empty; /* slurmctld's queue, when diag looks */
	/* the state of the simulation */
	double now, handed_over; /* all that was queued before is in slurmdbd */
	struct config config;
	struct plan_task rows[TASKS];
	struct plan *plan;
	uint64_t covered[TASKS];
	uint64_t runs, reads, known;
	uint8_t *is_known; /* of each run */
	int64_t lag_max;
	int64_t lag_then, next_look;
	bool was_on_target;
	double slurmrestd_s; /* for ends */
	uint64_t passed_over, read_before, untrue;
};

static double busy_runs(const struct site *site)
{
	return site->per_s * (double)site->busy_s;
}

static double end_of(const struct site *site, uint64_t run)
{
	double number = (double)run, busy = busy_runs(site);
	return number <= busy ? T + number / site->per_s
			      : T + (double)site->busy_s + (number - busy) * 10 / site->per_s;
}

/* The first run that ends then or later. */
static uint64_t first_run(const struct site *site, double then)
{
	double since = then - T, busy = (double)site->busy_s;
	double number = since <= busy ? since * site->per_s : busy_runs(site) + (since - busy) * site->per_s / 10;
	uint64_t run = number <= 0 ? 0 : (uint64_t)number;
	while (run < site->runs && end_of(site, run) < then)
		run++;
	return run < site->runs ? run : site->runs;
}

/* slurmctld queues a record some seconds after the end: most within two, some within eight. */
static double queued_at(const struct site *site, uint64_t run)
{
	uint64_t random = (run + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	return end_of(site, run) + (double)(random % 1000 ? random % 20 : random % 80) / 10;
}

static bool is_away(const struct site *site, double then)
{
	double turn = site->away_every_s ? (then - T) / site->away_every_s : 0;
	return turn >= 1 && (turn - (double)(int64_t)turn) * site->away_every_s < site->away_s;
}

/* slurmdbd takes what waits at ten times the pace of the ends. */
static void pass_time(struct site *site, double seconds)
{
	for (double rest = seconds; rest > 0; rest -= 1) {
		double step = rest < 1 ? rest : 1;
		site->now += step;
		if (is_away(site, site->now))
			continue;
		double taken = site->handed_over + 10 * step, newest = site->now - 1;
		site->handed_over = taken < newest ? taken : newest;
	}
}

static void ask_diag(const struct site *site, struct end_windows *windows)
{
	double waits = site->now - 1 - site->handed_over;
	uint64_t waiting = (uint64_t)(waits > 0 ? waits * site->per_s * RECORDS : 0);
	uint64_t random = (uint64_t)site->now * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	end_windows_note_queue(windows, (int64_t)site->now,
			       waiting + (site->is_never_empty ? 1 + random % (uint64_t)(site->per_s + 3) : 0));
}

static struct end_answer read_window(struct site *site, struct end_window window)
{
	struct end_answer answer = {0};
	uint64_t first = first_run(site, (double)window.first), last = first_run(site, (double)window.last + 1);
	uint64_t recent[END_WINDOWS_RECENT] = {0};
	for (uint64_t run = first; run < last; run++) {
		if (queued_at(site, run) > site->handed_over)
			continue;
		answer.newest = (int64_t)end_of(site, run);
		uint64_t *slot = &recent[answer.runs++ % END_WINDOWS_RECENT];
		answer.recent = (int64_t)*slot;
		*slot = (uint64_t)answer.newest;
		site->known += !site->is_known[run];
		site->is_known[run] = true;
	}
	site->reads += answer.runs;
	return answer;
}

/* Every run that ended before known_until is known. */
static void look_for_passed_over(struct site *site, int64_t from, int64_t to)
{
	uint64_t last = first_run(site, (double)to);
	for (uint64_t run = first_run(site, (double)from); run < last; run++)
		site->passed_over += !site->is_known[run];
}

static uint64_t now_ns(const struct site *site)
{
	return (uint64_t)(site->now * 1e9);
}

/* 3,000 jobs on 500 nodes. Each job that starts wants details, and each that ended its steps: more than there is budget
 * for, where many do. */
static uint64_t work_of(const struct site *site, size_t task)
{
	switch (task) {
	case ENDPOINT_JOBS:
	case TASK_JOB_SEARCH:
	case TASK_JOB_ARRAYS:
		return 0;
	case TASK_JOB_STATES:
	case TASK_JOB_ROTATION:
		return 3000;
	case TASK_JOB_DETAILS:
	case TASK_JOB_STEPS:
		return (uint64_t)(site->per_s * 30);
	case TASK_JOB_REASONS:
		return 100;
	case ENDPOINT_NODES:
		return 500;
	default:
		return 1;
	}
}

static void make_plan(struct site *site)
{
	config_defaults(&site->config);
	tasks_fill(site->rows, &site->config);
	site->rows[TASK_JOB_DETAILS].weight = 8; /* as the poller says (job_poller_plan.c) */
	const struct plan_options options = tasks_options(&site->config, false);
	site->plan = plan_new(site->rows, TASKS, &options, 1, now_ns(site));
	for (size_t t = 0; t < TASKS; t++) {
		plan_set_work(site->plan, t, work_of(site, t));
		plan_set_whole(site->plan, t, work_of(site, t));
	}
	plan_allow_task(site->plan, ENDPOINT_JOBS, false);
	plan_allow_way(site->plan, TASK_JOB_STATES, STATES_LIST, false);
	plan_allow_way(site->plan, TASK_JOB_DETAILS, DETAILS_ACCOUNTING, false);
	for (size_t t = TASK_JOB_DETAILS; t < TASKS; t++)
		if (t == TASK_JOB_DETAILS || t == TASK_JOB_REASONS || t == TASK_JOB_ROTATION)
			plan_allow_way(site->plan, t, DETAILS_LIST, false);
}

static double cost_of(const struct site *site, const struct plan_action *action, uint64_t records)
{
	const struct plan_cost *cost = &site->rows[action->task].ways[action->way].slurmrestd_s;
	double n = (double)records;
	return cost->request + cost->record * n + cost->square * n * n;
}

/* False: slurmdbd does not answer. */
static bool ask_window(struct site *site, struct end_windows *windows, const struct plan_action *action)
{
	int64_t now = (int64_t)site->now, known = windows->known_until;
	struct end_window window = end_windows_next(windows, now, now - 10 - now % 23);
	site->read_before += window.first < known;
	if (is_away(site, site->now) && !site->answers) {
		end_windows_note_failure(windows);
		pass_time(site, 0.005);
		return false;
	}
	const struct end_answer answer = read_window(site, window);
	double cost = cost_of(site, action, answer.runs);
	site->slurmrestd_s += cost;
	pass_time(site, cost);
	if (end_windows_note(windows, window, &answer))
		plan_hasten(site->plan, TASK_JOB_ENDS);
	look_for_passed_over(site, known, windows->known_until);
	plan_note(site->plan, now_ns(site),
		  &(struct plan_outcome){.task = action->task,
					 .way = action->way,
					 .seconds = cost,
					 .records = answer.runs,
					 .is_round_done = true});
	tasks_pace_ends(site->rows, &site->config, end_windows_behind(windows));
	plan_set_whole(site->plan, TASK_JOB_ENDS, answer.runs + 1);
	plan_set_work(site->plan, TASK_JOB_ENDS, answer.runs + 1);
	return true;
}

static void ask(struct site *site, struct end_windows *windows, const struct plan_action *action)
{
	size_t task = action->task;
	struct plan_outcome outcome = {.task = task, .way = action->way, .records = action->records};
	if (task == TASK_JOB_ENDS && ask_window(site, windows, action))
		return;
	if (task == ENDPOINT_DIAG)
		ask_diag(site, windows);
	outcome.seconds = cost_of(site, action, action->records);
	outcome.result = task == TASK_JOB_ENDS ? PLAN_FAILED : PLAN_OK;
	pass_time(site, outcome.seconds);
	site->covered[task] += action->records;
	bool is_hungry = task == TASK_JOB_DETAILS || task == TASK_JOB_STEPS;
	outcome.is_round_done = !is_hungry && site->covered[task] >= work_of(site, task);
	if (outcome.is_round_done)
		site->covered[task] = 0;
	plan_note(site->plan, now_ns(site), &outcome);
	if (is_hungry)
		plan_set_work(site->plan, task, work_of(site, task));
}

/* Does the planner say that ends are on target, now and at the last look, while the lag grew? */
static void look_at_lag(struct site *site, const struct end_windows *windows)
{
	int64_t lag = (int64_t)site->now - windows->told_until;
	site->lag_max = lag > site->lag_max ? lag : site->lag_max;
	if ((int64_t)site->now < site->next_look)
		return;
	bool is_on_target = plan_show(site->plan, now_ns(site), TASK_JOB_ENDS).reason == PLAN_ON_TARGET;
	site->untrue +=
		is_on_target && site->was_on_target && !site->away_s && lag > site->lag_then + GROWN_S && lag > 120;
	site->lag_then = lag;
	site->was_on_target = is_on_target;
	site->next_look = (int64_t)site->now + GROWS_S;
}

static void live(struct site *site, struct end_windows *windows)
{
	site->now = site->handed_over = T;
	site->runs = (uint64_t)(busy_runs(site) + (double)(site->end - site->busy_s) * site->per_s / 10);
	site->is_known = calloc(site->runs, 1);
	end_windows_init(windows, T);
	make_plan(site);
	while (site->now < (double)(T + site->end)) {
		look_at_lag(site, windows);
		plan_note_scraped(site->plan, now_ns(site));
		struct plan_action action = plan_next(site->plan, now_ns(site));
		if (action.kind == PLAN_ASK)
			ask(site, windows, &action);
		else
			pass_time(site, (double)(action.until_ns - now_ns(site)) / 1e9 + 1e-6);
	}
	free(site->is_known);
}

static void print_row(const struct site *site, const char *name, const struct end_windows *windows)
{
	printf("| %g | %s | %.2f | %" PRId64 " s | %" PRId64 " s | %.2f %% |\n", site->per_s, name,
	       (double)site->reads / (double)site->known, site->lag_max, (int64_t)site->now - windows->told_until,
	       100 * site->slurmrestd_s / (site->now - T));
}

/* Lags are limits; reads: of each run, on average. */
static const struct row {
	const char *name;
	double per_s, away_every_s, away_s;
	bool answers, is_never_empty;
	double busy_share; /* of the time; later a tenth ends */
	double reads_max;
	int64_t lag_max, lag_last_max;
} rows[] = {
	{"slurmdbd is well", 1, 0, 0, true, false, 1, 10, 120, 120},
	{"slurmdbd is well", 15, 0, 0, true, false, 1, 1.6, 120, 120},
	{"slurmdbd is well", 25, 0, 0, true, false, 1, 1.5, 120, 120},
	{"slurmdbd is well", 40, 0, 0, true, false, 1, 1.5, 120, 120},
	{"slurmctld's queue is never empty", 40, 0, 0, true, true, 1, 1.5, 120, 120},
	{"slurmdbd is restarted, 5 s, each 10 min", 40, 600, 5, false, false, 1, 1.5, 240, 120},
	{"slurmdbd is away for 4 min each hour", 40, 3600, 240, false, false, 1, 1.5, 900, 300},
	{"slurmdbd takes nothing for 4 min each hour, but answers", 40, 3600, 240, true, false, 1, 1.5, 900, 300},
	{"slurmdbd is well", 100, 0, 0, true, false, 1, 1.2, 120, 120},
	{"slurmctld's queue is never empty", 100, 0, 0, true, true, 1, 1.2, 240, 200},
	{"a sixth of the time 15,000 a minute, then a tenth", 250, 0, 0, true, false, 1. / 6, 1.5, HOUR * 24, 120},
	{"15,000 a minute", 250, 0, 0, true, false, 1, 1.2, HOUR * 24, HOUR * 24},
};

int main(int argc, char **argv)
{
	int64_t hours = argc > 1 ? atoll(argv[1]) : 24;
	printf("| ends a second, %" PRId64
	       " h | what happens | reads of a run | longest lag | lag at the end | slurmrestd |\n"
	       "|---|---|---|---|---|---|\n",
	       hours);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		char name[120];
		struct end_windows windows;
		struct site site = {.per_s = row->per_s,
				    .end = hours * HOUR,
				    .busy_s = (int64_t)((double)(hours * HOUR) * row->busy_share),
				    .away_every_s = row->away_every_s,
				    .away_s = row->away_s,
				    .answers = row->answers,
				    .is_never_empty = row->is_never_empty};
		snprintf(name, sizeof name, "%g a second: %s", row->per_s, row->name);
		check_row(name);
		live(&site, &windows);
		print_row(&site, row->name, &windows);
		CHECK_NUMBER(site.passed_over, 0);
		CHECK_NUMBER(site.read_before, 0); /* runs that ended before are forgotten, and would count twice */
		CHECK((double)site.reads / (double)site.known <= row->reads_max);
		CHECK(site.lag_max <= row->lag_max);
		CHECK((int64_t)site.now - windows.told_until <= row->lag_last_max);
		CHECK_NUMBER(site.untrue, 0);
		plan_free(site.plan);
	}
	check_row(NULL);
	return check_done();
}
