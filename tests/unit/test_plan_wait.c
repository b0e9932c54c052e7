/* What the planner does while whatever it asks is slow, one test per rule; test_plan_slow.c lives a day with it. */
#include "plan_life.h"

#include <math.h>

static double predicted_s(const struct life *life, size_t task)
{
	return show(life, task).round_slurmrestd_s;
}

static void slow_down(struct life *life, double seconds)
{
	for (size_t t = 0; t < TASKS; t++)
		life->seconds[t] = seconds;
}

/* A task need not be asked itself: others' answers tell. */
static void test_slow_answers_tell_of_all(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 300);
	double before_s = predicted_s(&life, LIST);
	slow_down(&life, 20);
	plan_allow_task(life.plan, LIST, false); /* not asked meanwhile */
	live(&life, 600);
	plan_allow_task(life.plan, LIST, true);
	life.now_ns += 1;
	plan_next(life.plan, life.now_ns);
	CHECK(fabs(predicted_s(&life, LIST) - before_s - 20) < 0.1);
	CHECK(strstr(say(&life, LIST), "; each answer takes 20 s now") != NULL);
	live(&life, 3600);
	CHECK(fabs(predicted_s(&life, LIST) - before_s - 20) < 0.1); /* its own cost is what it was */
	slow_down(&life, 0.002);
	life.seconds[LIST] = before_s;
	live(&life, 400); /* until a probe was asked */
	CHECK(life.asked[PING] > 0);
	CHECK(fabs(predicted_s(&life, LIST) - before_s) < 0.1);
	CHECK(strstr(say(&life, LIST), "any answer") == NULL);
	plan_free(life.plan);
}

/* slurmdbd is quick meanwhile. */
static void test_each_side_waits_for_itself(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 300);
	life.seconds[PING] = life.seconds[LIST] = life.seconds[JOBS] = 20;
	live(&life, 600);
	CHECK(predicted_s(&life, LIST) > 19);
	CHECK(predicted_s(&life, DBD) < 0.01);
	CHECK_NUMBER(show(&life, DBD).interval_s, 20);
	plan_free(life.plan);
}

/* A probe alone waits: for a controller that is off. */
static void test_quick_answers_say_that_nothing_waits(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[PING] = 10;
	live(&life, 600);
	CHECK(predicted_s(&life, JOBS) < 0.01);
	plan_free(life.plan);
}

/* Below a second it is part of each way's cost, which is learnt from few answers however far off it was. */
static void test_what_is_far_off_is_believed(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[DBD] = 0.9;
	live(&life, 600);
	CHECK(fabs(predicted_s(&life, DBD) / 0.9 - 1) < 0.01);
	life.seconds[DBD] = 0.002;
	while (life.asked[DBD] < 2)
		live(&life, 60);
	live(&life, 300);
	CHECK(predicted_s(&life, DBD) < 0.01);
	plan_free(life.plan);
}

enum { PING_1, PING_2, PING_3, OTHER, SLOW_TASKS };
static const struct plan_task slow_table[SLOW_TASKS] = {
	[PING_1] = {"ping", "", 10, 0, 1, 0, true, true, false, .ways = small, .way_count = 1},
	[PING_2] = {"diag", "", 10, 0, 1, 0, true, true, false, .ways = small, .way_count = 1},
	[PING_3] = {"third", "", 10, 0, 1, 0, true, true, false, .ways = small, .way_count = 1},
	[OTHER] = {"ended", "jobs", 20, 0, 1, 0, false, false, true, .ways = small, .way_count = 1},
};

/* slurmctld hangs, and each probe waits until it times out. Another one is always due then. */
static void test_others_have_a_turn_after_a_slow_probe(void)
{
	struct life life = {.now_ns = UINT64_C(5000000000000), .work = {1, 1, 1, 1}};
	life.plan = plan_new(slow_table, SLOW_TASKS, &plan_defaults, 1, life.now_ns);
	for (size_t t = PING_1; t <= PING_3; t++) {
		life.result[t] = PLAN_TIMED_OUT;
		life.seconds[t] = 120;
	}
	life.seconds[OTHER] = 0.01;
	live(&life, 7200);
	CHECK(life.asked[OTHER] >= 7200 / 121 - 1);
	for (size_t t = PING_1; t <= PING_3; t++) /* nor do probes starve each other */
		CHECK(life.asked[t] >= 15);
	plan_free(life.plan);
}

/* Half of what there is, twice as much, and a hundred times as much: the first goes, by their parts. */
static void test_bounds_that_cannot_be_kept_leave_others_their_parts(void)
{
	static const struct plan_way ways[] = {{"whole", {1, 0, 0}, {0, 0, 0}, 0, 0, 0, 0}};
	static const struct {
		double bound_s, least, most; /* of what is divided, that the other one gets */
	} rows[] = {{40, 0.2, 0.35}, {20, 0.04, 0.1}, {13, 0.2, 0.4}, {9, 0.45, 0.55}, {0.2, 0.45, 0.55}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct plan_task tasks[] = {
			{"bound", "", 1, 0, 1, rows[i].bound_s, false, true, false, .ways = ways, .way_count = 1},
			{"other", "", 1, 0, 1, 0, false, true, false, .ways = ways, .way_count = 1}};
		struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {1, 1}, .work = {1, 1}};
		life.plan = plan_new(tasks, 2, &plan_defaults, 1, life.now_ns);
		live(&life, 1800);
		double other = 1 / show(&life, 1).interval_s, bound = 1 / show(&life, 0).interval_s;
		CHECK(other / (other + bound) >= rows[i].least);
		CHECK(other / (other + bound) <= rows[i].most);
		plan_free(life.plan);
	}
}

/* A round of small batches would take for ever. */
static void test_a_round_goes_on_with_larger_batches(void)
{
	enum { SMALL, LARGE };
	static const struct plan_way ways[] = {{"small", {0.001, 4e-6, 4e-9}, {0, 0, 0}, 0, 0, 10, 50},
					       {"large", {0.001, 4e-6, 4e-9}, {0, 0, 0}, 0, 0, 500, 4000}};
	static const struct plan_task tasks[] = {
		{"states", "jobs", 15, 0, 1, 0, false, true, false, .ways = ways, .way_count = 2},
		{"other", "", 1, 0, 1, 0, false, true, false, .ways = small, .way_count = 1}};
	struct plan_options options = plan_defaults;
	options.slurmrestd_duty = 1;
	struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.001, 0.001}, .work = {1, 1}};
	life.plan = plan_new(tasks, 2, &options, 1, life.now_ns);
	set_work(&life, 0, 100000);
	plan_allow_way(life.plan, 0, LARGE, false);
	live(&life, 4);
	CHECK(life.covered[0] > 0);
	plan_allow_way(life.plan, 0, LARGE, true);
	slow_down(&life, 5);
	uint64_t rounds = life.rounds[0];
	live(&life, 100);
	CHECK_NUMBER(life.rounds[0], rounds == 0 ? 0 : life.rounds[0]); /* it is the same round */
	CHECK_NUMBER(life.last[0].way, LARGE);
	CHECK(life.last[0].records >= 500);
	plan_free(life.plan);
}

int main(void)
{
	static const struct rule tests[] = {
		{"all wait", test_slow_answers_tell_of_all},
		{"one side", test_each_side_waits_for_itself},
		{"a probe alone", test_quick_answers_say_that_nothing_waits},
		{"far off", test_what_is_far_off_is_believed},
		{"turns", test_others_have_a_turn_after_a_slow_probe},
		{"bounds", test_bounds_that_cannot_be_kept_leave_others_their_parts},
		{"larger batches", test_a_round_goes_on_with_larger_batches},
	};
	return check_rules(tests, sizeof tests / sizeof *tests);
}
