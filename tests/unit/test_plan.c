/* The planner's rules by example, one test per rule; test_plan_trouble.c has what happens when something fails or is slow,
 * test_plan_simulation.c the properties. */
#include "plan_life.h"

#include "plan/budget.h"
#include "plan/cost.h"
#include "plan/demand.h"

#include <math.h>

static void test_targets_are_kept(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 1);
	for (size_t t = 0; t < TASKS; t++)
		CHECK_NUMBER(life.asked[t], 1);
	live(&life, 600);
	CHECK_NUMBER(life.asked[PING], 60);
	CHECK_NUMBER(life.asked[LIST], 20);
	CHECK_NUMBER(life.asked[DBD], 30);
	CHECK_NUMBER(show(&life, LIST).reason, PLAN_ON_TARGET);
	CHECK_STRING(say(&life, LIST), "nodes: every 30 s, by `list`: on target");
	CHECK(show(&life, LIST).age_s < 31);
	plan_free(life.plan);
}

static void test_a_round_is_said_as_it_was_begun(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[JOBS] = 0.5;
	set_work(&life, JOBS, 1000000);
	live(&life, 30);
	uint64_t covered = life.covered[JOBS];
	char before[512];
	CHECK(covered > 0 && covered < 1000000);
	snprintf(before, sizeof before, "%s", say(&life, JOBS));
	CHECK(strstr(before, "one round of 1,000,000 jobs takes about ") != NULL);
	plan_set_work(life.plan, JOBS, 1000000 - covered); /* what is left of it */
	CHECK_STRING(say(&life, JOBS), before);
	plan_free(life.plan);
}

static void test_budget_stretches_the_big_and_not_the_small(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[LIST] = 4;
	live(&life, 3600);
	live(&life, 3600);
	CHECK(life.asked[LIST] * 4 > 0.7 * 0.06 * 3600);
	CHECK(life.asked[LIST] * 4 <= 0.06 * 3600);
	CHECK(life.asked[DBD] >= 175);
	CHECK_NUMBER(show(&life, LIST).reason, PLAN_SLURMRESTD_BUDGET);
	CHECK(strstr(say(&life, LIST), "instead of 30 s, by `list`: one round takes about 4 s of slurmrestd, whose "
				       "budget for all tasks is 6 % of the time") != NULL);
	CHECK(plan_show_totals(life.plan, life.now_ns).slurmrestd_duty <= 0.066);
	plan_free(life.plan);
}

/* What was allowed is no debt. */
static void test_a_budget_that_is_lowered(void)
{
	struct plan_options options = plan_defaults;
	options.slurmrestd_duty = 0.9;
	struct life life = life_new(&options, 1);
	life.seconds[LIST] = 10;
	live(&life, 3600);
	CHECK(life.asked[LIST] * 10 > 0.2 * 3600);
	plan_set_options(life.plan, life.now_ns, &plan_defaults);
	live(&life, 600);
	uint64_t asked = life.asked[LIST];
	CHECK(asked >= 2);
	plan_set_options(life.plan, life.now_ns, &plan_defaults); /* the same again: what was spent counts */
	live(&life, 600);
	CHECK((asked + life.asked[LIST]) * 10 <= 0.055 * 1200);
	plan_free(life.plan);
}

static void test_budget_keeps_its_promise_for_large_requests(void)
{
	struct budget budget;
	uint64_t now_ns = UINT64_C(9000000000000);
	budget_init(&budget, 0.05, now_ns);
	CHECK(budget_fits(&budget, now_ns, 30, 0));
	CHECK(budget_fits(&budget, now_ns, 100, 0)); /* of 4000 s */
	budget_spend(&budget, now_ns, 50, 50); /* the window is 2000 s */
	CHECK(budget_fits(&budget, now_ns, 49, 0));
	now_ns += UINT64_C(700000000000);
	for (int i = 0; i < 3; i++)
		budget_spend(&budget, now_ns, 9.7, 9.7);
	CHECK(!budget_fits(&budget, now_ns, 2, 0)); /* ten minutes are full */
	now_ns += UINT64_C(700000000000);
	CHECK(budget_fits(&budget, now_ns, 14, 0));
	budget_spend(&budget, now_ns, 14, 14);
	CHECK(budget_fits(&budget, now_ns, 6, 0));
	CHECK(!budget_fits(&budget, now_ns, 5, 3));
	CHECK(!budget_fits(&budget, now_ns, 8, 0)); /* ten minutes have room, 2000 s have not */
	CHECK_NUMBER(budget_biggest(&budget, now_ns), 50);
	now_ns += UINT64_C(700000000000);
	CHECK(budget_fits(&budget, now_ns, 15, 0));
	CHECK_NUMBER(budget_biggest(&budget, now_ns), 0);
	budget_spend(&budget, now_ns, 40, 1); /* a surprise stops nobody else */
	CHECK(budget_fits(&budget, now_ns, 10, 0));
	budget_done(&budget);
}

/* What was spent, and how much at once, was another's budget. */
static void test_another_budget_begins_anew(void)
{
	struct budget budget;
	uint64_t now_ns = UINT64_C(9000000000000);
	budget_init(&budget, 0.06, now_ns);
	budget_spend(&budget, now_ns, 50, 50); /* the window is 1667 s */
	now_ns += UINT64_C(10000000000);
	budget_set_duty(&budget, 0.06, now_ns); /* the same */
	CHECK_NUMBER(budget_biggest(&budget, now_ns), 50);
	budget_set_duty(&budget, 0.05, now_ns);
	CHECK_NUMBER(budget_biggest(&budget, now_ns), 0);
	for (int i = 0; i < 29; i++) {
		now_ns += UINT64_C(1000000000);
		budget_spend(&budget, now_ns, 1, 1);
	}
	CHECK(budget_fits(&budget, now_ns, 0.9, 0));
	CHECK(!budget_fits(&budget, now_ns, 1.1, 0)); /* ten minutes of 5 % */
	budget_done(&budget);
}

static void test_shares(void)
{
	struct demand demands[] = {{1, 1, 0}, {10, 1, 0}, {10, 2, 0}, {0, 1, 0}};
	demands_divide(demands, 4, 7);
	CHECK_NUMBER(demands[0].granted, 1);
	CHECK_NUMBER(demands[1].granted, 2);
	CHECK_NUMBER(demands[2].granted, 4);
	demands_divide(demands, 4, 100);
	CHECK_NUMBER(demands[2].granted, 10);
	demands_divide(demands, 4, -1);
	CHECK_NUMBER(demands[2].granted, 0);
}

static void test_costs_are_learnt(void)
{
	static const struct plan_cost guess = {0.001, 1e-5, 0}, truth = {0.003, 4e-6, 0};
	struct cost cost;
	cost_init(&cost, &guess);
	for (int i = 0; i < 200; i++) {
		uint64_t n = i % 8 < 4 ? 1000 : 100;
		cost_learn(&cost, n, truth.request + truth.record * (double)n);
	}
	double far = cost_seconds(&cost, 5000) / 0.023, near = cost_seconds(&cost, 1) / 0.003;
	CHECK(far > 0.8 && far < 1.25);
	CHECK(near > 0.8 && near < 1.25);
	double before = cost_seconds(&cost, 1000);
	cost_learn(&cost, 1000, 10);
	CHECK(cost_seconds(&cost, 1000) / before < 1.1);
	CHECK(cost_seconds_at_worst(&cost, 1000) > 9);
	CHECK(!cost_is_slow(&cost));
	cost_learn(&cost, 1000, 10);
	cost_learn(&cost, 1000, 10);
	CHECK(cost_is_slow(&cost));
}

static void test_batches_grow(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, JOBS, 100000);
	plan_allow_way(life.plan, JOBS, BULK, false);
	live(&life, 0.005);
	CHECK_NUMBER(life.last[JOBS].records, 64);
	live(&life, 900);
	CHECK(life.last[JOBS].records >= 512);
	CHECK(life.rounds[JOBS] >= 30);
	CHECK_NUMBER(life.last[JOBS].way, BATCHES);
	life.result[JOBS] = PLAN_FAILED;
	live(&life, 30);
	life.result[JOBS] = PLAN_OK;
	live(&life, 600);
	CHECK(life.asked[JOBS] > 0);
	plan_free(life.plan);
}

static void test_the_cheapest_way_that_memory_allows(void)
{
	struct plan_options options = plan_defaults;
	struct life life = life_new(&options, 1);
	set_work(&life, JOBS, 20000);
	live(&life, 1);
	CHECK_NUMBER(life.last[JOBS].way, BULK);
	CHECK_NUMBER(life.last[JOBS].records, 20000);
	plan_free(life.plan);
	options.bulk_memory_max = 20000.0 * 19999;
	life = life_new(&options, 1);
	set_work(&life, JOBS, 20000);
	live(&life, 1);
	CHECK_NUMBER(life.last[JOBS].way, BATCHES);
	plan_set_work(life.plan, JOBS, 100); /* of as many in the whole list: */
	plan_set_whole(life.plan, JOBS, 20000);
	live(&life, 100);
	CHECK_NUMBER(life.last[JOBS].way, BATCHES);
	plan_allow_way(life.plan, JOBS, BATCHES, false);
	CHECK_NUMBER(show(&life, JOBS).work, 100);
	live(&life, 2);
	CHECK_NUMBER(show(&life, JOBS).reason, PLAN_NOT_ALLOWED);
	CHECK_NUMBER(show(&life, JOBS).due_in_s, -1);
	plan_free(life.plan);
}

static void test_unsupported_ways(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, JOBS, 1000);
	life.result[JOBS] = PLAN_UNSUPPORTED;
	live(&life, 5);
	CHECK_NUMBER(life.asked[JOBS], 2); /* each way once */
	CHECK(!plan_is_allowed(life.plan, JOBS));
	plan_allow_way(life.plan, JOBS, BULK, true); /* says nothing new */
	CHECK(!plan_is_allowed(life.plan, JOBS));
	CHECK(plan_refused_until_ns(life.plan, JOBS) > life.now_ns);
	live(&life, 50);
	CHECK_NUMBER(life.asked[JOBS], 0); /* for a minute */
	life.result[JOBS] = PLAN_OK;
	live(&life, 50);
	CHECK(life.asked[JOBS] > 0);
	CHECK_NUMBER(plan_refused_until_ns(life.plan, JOBS), 0);
	life.result[JOBS] = PLAN_UNSUPPORTED;
	live(&life, 2 * 3600); /* then twice as long each time, up to an hour */
	CHECK(life.asked[JOBS] >= 12 && life.asked[JOBS] <= 14);
	live(&life, 10 * 3600);
	CHECK(life.asked[JOBS] >= 2 * 9 && life.asked[JOBS] <= 2 * 10);
	life.result[JOBS] = PLAN_OK;
	live(&life, 3600);
	CHECK(life.asked[JOBS] > 0);
	life.result[JOBS] = PLAN_UNSUPPORTED;
	live(&life, 15);
	life.result[JOBS] = PLAN_OK; /* it was served since: that was a moment */
	live(&life, 65);
	CHECK(life.asked[JOBS] > 0);
	life.result[JOBS] = PLAN_UNSUPPORTED;
	live(&life, 30);
	life.result[JOBS] = PLAN_OK;
	plan_retry_unsupported(life.plan);
	live(&life, 5);
	CHECK(life.asked[JOBS] > 0);
	life.result[JOBS] = PLAN_UNSUPPORTED;
	live(&life, 100);
	CHECK(!plan_is_allowed(life.plan, JOBS));
	life.result[JOBS] = PLAN_OK;
	plan_allow_way(life.plan, JOBS, BULK, false);
	plan_allow_way(life.plan, JOBS, BULK, true); /* whether we want it says nothing of slurmrestd */
	CHECK(!plan_is_allowed(life.plan, JOBS));
	plan_allow_task(life.plan, JOBS, false);
	CHECK(plan_refused_until_ns(life.plan, JOBS) > 0);
	plan_retry_unsupported(life.plan);
	CHECK_NUMBER(plan_refused_until_ns(life.plan, JOBS), 0);
	plan_allow_task(life.plan, JOBS, true);
	CHECK(plan_is_allowed(life.plan, JOBS));
	live(&life, 5);
	CHECK(life.asked[JOBS] > 0);
	CHECK_NUMBER(life.last[JOBS].way, BULK);
	plan_free(life.plan);
}

static void test_requests_have_a_rate(void)
{
	struct plan_options options = plan_defaults;
	options.slurmrestd_duty = options.slurmctld_duty = 0.9;
	struct life life = life_new(&options, 1);
	set_work(&life, DBD, 100000); /* one record a request */
	life.seconds[DBD] = 1e-6;
	live(&life, 10);
	CHECK(life.asked[DBD] > 300 && life.asked[DBD] <= 200 + 500);
	plan_set_rate_limited(life.plan, true);
	live(&life, 100);
	CHECK(life.asked[DBD] > 80 && life.asked[DBD] <= 20 + 150);
	CHECK_NUMBER(show(&life, DBD).reason, PLAN_REQUEST_RATE);
	CHECK(plan_show_totals(life.plan, life.now_ns).is_rate_limited);
	plan_free(life.plan);
}

static void test_what_is_never_asked_is_not_on_target(void)
{
	struct plan_options options = plan_defaults;
	options.requests_per_s = 0.05; /* ping alone needs more */
	options.request_burst = 1;
	struct life life = life_new(&options, 1);
	live(&life, 600);
	CHECK_NUMBER(life.asked[LIST], 0);
	CHECK_NUMBER(show(&life, LIST).reason, PLAN_REQUEST_RATE);
	CHECK(strstr(say(&life, LIST), "all tasks together may send 0.05 a second") != NULL);
	plan_free(life.plan);
}

static void test_many_tasks_have_one_rate(void)
{
	static const struct plan_task many[] = {
		{"a", "jobs", 1, 0, 1, 0, false, true, false, .ways = small, .way_count = 1},
		{"b", "jobs", 1, 0, 1, 0, false, true, false, .ways = small, .way_count = 1},
		{"c", "jobs", 1, 0, 1, 0, false, true, false, .ways = small, .way_count = 1},
		{"d", "jobs", 1, 0, 1, 0, false, true, false, .ways = small, .way_count = 1},
	};
	struct life life = {.now_ns = UINT64_C(5000000000000)};
	life.plan = plan_new(many, 4, &plan_defaults, 1, life.now_ns);
	for (size_t t = 0; t < 4; t++)
		set_work(&life, t, 100000);
	uint64_t asked = 0;
	live(&life, 0.1);
	for (size_t t = 0; t < 4; t++)
		asked += life.asked[t];
	CHECK(asked >= 200 && asked <= 205);
	plan_free(life.plan);
}

/* A round takes 0.1 s, of which every 15 s take 0.67 % and every 24 s 0.42 %; the others want all that there is. */
static void test_bounds_come_first(void)
{
	enum { BOUND, GREEDY, GREEDIER, TASKS_HERE };
	static const struct plan_way tenth[] = {{.name = "whole", .slurmrestd_s = {.request = 0.1}}};
	struct plan_task tasks[TASKS_HERE] = {
		{"states", "jobs", 15, 0, 1, 24, false, true, false, .ways = tenth, .way_count = 1},
		{"nodes", "nodes", 1, 0, 3, 0, false, true, false, .ways = tenth, .way_count = 1},
		{"details", "jobs", 1, 0, 64, 0, false, true, false, .ways = tenth, .way_count = 1},
	};
	for (int with = 0; with < 2; with++) {
		struct plan_options options = plan_defaults;
		struct life life = {.now_ns = UINT64_C(5000000000000)};
		options.slurmrestd_duty = 0.01;
		tasks[BOUND].bound_s = with ? 24 : 0;
		life.plan = plan_new(tasks, TASKS_HERE, &options, 1, life.now_ns);
		for (size_t t = 0; t < TASKS_HERE; t++) {
			life.seconds[t] = 0.1;
			set_work(&life, t, 1);
		}
		live(&life, 1200);
		double oldest_s = 0;
		for (int i = 0; i < 3600; i++) {
			live(&life, 1);
			oldest_s = fmax(oldest_s, show(&life, BOUND).age_s);
		}
		CHECK(with ? oldest_s < 30 : oldest_s > 120);
		CHECK(show(&life, GREEDIER).interval_s < show(&life, GREEDY).interval_s);
		CHECK(plan_show_totals(life.plan, life.now_ns).slurmrestd_duty < 0.011);
		plan_free(life.plan);
	}
}

/* A round of 300 requests takes 3 s, of 36 s in ten minutes, which two tasks share: it is saved up for. */
static void test_spread_rounds(void)
{
	enum { DETAILS, OTHER, TASKS_HERE };
	static const struct plan_way one[] = {{"one", {0.01, 0, 0}, {0, 0, 0}, 0, 0, 1, 1}};
	struct plan_task tasks[TASKS_HERE] = {
		{"details", "jobs", 30, 0, 1, 0, false, true, false, .ways = one, .way_count = 1},
		{"other", "jobs", 1, 0, 1, 0, false, true, false, .ways = one, .way_count = 1},
	};
	for (int is_spread = 0; is_spread < 2; is_spread++) {
		struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.01, 0.01}};
		tasks[DETAILS].is_spread = is_spread;
		life.plan = plan_new(tasks, TASKS_HERE, &plan_defaults, 1, life.now_ns);
		set_work(&life, DETAILS, 1);
		set_work(&life, OTHER, 100000);
		live(&life, 300);
		set_work(&life, DETAILS, 300);
		plan_hasten(life.plan, DETAILS);
		live(&life, 15);
		CHECK(is_spread ? life.asked[DETAILS] > 20 && life.asked[DETAILS] < 150 : life.asked[DETAILS] == 0);
		live(&life, 180);
		CHECK(life.asked[DETAILS] >= 200);
		CHECK(plan_show_totals(life.plan, life.now_ns).slurmrestd_duty < 0.06);
		plan_free(life.plan);
	}
}

/* A round of 2,000 requests costs slurmctld 1.4 s of its 6 s in ten minutes. Spread out evenly it takes minutes. */
static void test_a_burst(void)
{
	static const struct plan_way batches[] = {{"batches", {0.0015, 0, 0}, {0.0007, 0, 0}, 0, 0, 500, 500}};
	struct plan_task task = {"search", "ids", 15, 0, 1, 0, false, true, false, .ways = batches, .way_count = 1};
	double seconds[2];
	for (int is_first = 0; is_first < 2; is_first++) {
		struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.0015}};
		task.burst = 0.3 * is_first;
		life.plan = plan_new(&task, 1, &plan_defaults, 1, life.now_ns);
		set_work(&life, 0, 1000000);
		for (seconds[is_first] = 0; !life.rounds[0]; seconds[is_first]++)
			live(&life, 1);
		CHECK(plan_show_totals(life.plan, life.now_ns).slurmctld_duty < 0.01);
		plan_free(life.plan);
	}
	CHECK(seconds[0] > 100);
	CHECK(seconds[1] < 50);
}

/* How long a list is, diag tells a moment after the start: 5,000 jobs take 0.33 s of slurmctld, half a minute's budget. */
static void test_a_first_round(void)
{
	static const struct plan_way lists[] = {{"list", {0.001, 10e-6, 0}, {0.0005, 65e-6, 0}, 0, 0, 0, 0}};
	const struct plan_task task = {"job_states",  "jobs",	     15, 0, 1, 0, false, true, false,
				       .ways = lists, .way_count = 1};
	struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.05}};
	life.plan = plan_new(&task, 1, &plan_defaults, 1, life.now_ns);
	set_work(&life, 0, 0);
	live(&life, 1);
	set_work(&life, 0, 1);
	plan_show(life.plan, life.now_ns, 0);
	set_work(&life, 0, 5000);
	live(&life, 1);
	CHECK_NUMBER(life.rounds[0], 1);
	plan_allow_task(life.plan, 0, false); /* what it spent it does not get back */
	plan_allow_task(life.plan, 0, true);
	live(&life, 1);
	CHECK_NUMBER(life.rounds[0], 0);
	plan_free(life.plan);
}

/* Single details want thousands of requests, and slurmctld's budget pays for few. Those that cost nothing need not wait. */
static void test_requests_that_nobody_uses(void)
{
	static const struct plan_way singles[] = {{"single", {0.0017, 0, 0}, {0.003, 0, 0}, 0, 0, 1, 1}};
	static const struct plan_way windows[] = {{"windows", {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0}};
	static const struct plan_task tasks[] = {
		{"details", "jobs", 30, 0, 8, 0, false, true, false, .ways = singles, .way_count = 1,
		 .is_spread = true},
		{"ends", "runs", 30, 0, 4, 0, false, false, true, .ways = windows, .way_count = 1},
	};
	struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.0017, 0.01}};
	uint64_t asked = 0;
	life.plan = plan_new(tasks, 2, &plan_defaults, 1, life.now_ns);
	set_work(&life, 0, 10000);
	set_work(&life, 1, 1);
	for (int i = 0; i < 60; i++) {
		plan_hasten(life.plan, 1);
		live(&life, 1);
		asked += life.asked[1];
	}
	CHECK(asked > 50);
	plan_free(life.plan);
}

/* A search takes what it can get, and is over. What it got is another's: at once if it lends its share, within minutes if not. */
static void test_rare_work(void)
{
	enum { SEARCH, DETAILS, TASKS_HERE };
	static const struct plan_way one[] = {{"one", {0.01, 0, 0}, {0, 0, 0}, 0, 0, 1, 1}};
	struct plan_task tasks[TASKS_HERE] = {
		{"search", "ids", 15, 0, 64, 0, false, true, false, .ways = one, .way_count = 1},
		{"details", "jobs", 30, 0, 1, 0, false, true, false, .ways = one, .way_count = 1, .is_spread = true},
	};
	uint64_t asked[2];
	for (int lends_share = 0; lends_share < 2; lends_share++) {
		struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.01, 0.01}};
		tasks[SEARCH].lends_share = lends_share;
		life.plan = plan_new(tasks, TASKS_HERE, &plan_defaults, 1, life.now_ns);
		set_work(&life, SEARCH, 100000);
		set_work(&life, DETAILS, 100000);
		live(&life, 120);
		CHECK(life.asked[SEARCH] > 10 * life.asked[DETAILS]);
		set_work(&life, SEARCH, 0);
		live(&life, 30);
		asked[lends_share] = life.asked[DETAILS];
		plan_free(life.plan);
	}
	CHECK(asked[1] > 3 * asked[0]);
}

/* A search among IDs without jobs: its answers teach no cost, but it goes on faster. */
static void test_empty_answers(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.result[JOBS] = PLAN_UNCHANGED;
	set_work(&life, JOBS, 1000000);
	live(&life, 60);
	CHECK(life.last[JOBS].records > 64);
	plan_free(life.plan);
}

/* A start knows of 50 jobs after it knew of none. Both budgets are hardly used, so the bound is not all that states get. */
static void test_bounds_are_no_limits(void)
{
	static const struct plan_way one[] = {{"whole", {0.002, 0, 0}, {0.0002, 0, 0}, 0, 0, 0, 0}};
	static const struct plan_way all[] = {{"whole", {0.001, 10e-6, 5e-9}, {0.0005, 64e-6, 0}, 0, 0, 0, 0}};
	static const struct plan_task tasks[] = {
		{"states", "jobs", 15, 0, 16, 26, false, true, false, .ways = all, .way_count = 1},
		{"others", "records", 60, 0, 1, 0, false, true, false, .ways = one, .way_count = 1},
	};
	struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.002, 0.002}};
	life.plan = plan_new(tasks, 2, &plan_defaults, 1, life.now_ns);
	set_work(&life, 0, 1);
	set_work(&life, 1, 1);
	live(&life, 2);
	set_work(&life, 0, 50);
	for (int i = 0; i < 30; i++) {
		live(&life, 2);
		CHECK_NUMBER(show(&life, 0).interval_s, 15);
	}
	plan_free(life.plan);
}

/* An answer shows that there is more to ask. */
static void test_hastened_while_asked(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 300);
	struct plan_action action;
	while ((action = plan_next(life.plan, life.now_ns)).kind != PLAN_ASK || action.task != LIST)
		if (action.kind == PLAN_ASK)
			answer(&life, &action);
		else
			life.now_ns = action.until_ns;
	plan_hasten(life.plan, LIST);
	answer(&life, &action);
	CHECK(show(&life, LIST).due_in_s < 10);
	check_row("once");
	live(&life, 15);
	CHECK_NUMBER(life.asked[LIST], 1);
	check_row("an action that was not noted is asked again");
	plan_hasten(life.plan, DBD);
	while ((action = plan_next(life.plan, life.now_ns)).kind != PLAN_ASK || action.task != DBD)
		if (action.kind == PLAN_ASK)
			answer(&life, &action);
		else
			life.now_ns = action.until_ns;
	action = plan_next(life.plan, life.now_ns);
	CHECK(action.kind == PLAN_ASK && action.task == DBD);
	plan_free(life.plan);
}

static void test_slurmctld_accounts(void)
{
	struct life life = life_new(&plan_defaults, 1);
	double before = show(&life, LIST).round_slurmctld_s, sum = 0;
	uint64_t count = 0;
	life.seconds[LIST] = 0.02;
	plan_note_slurmctld(life.plan, life.now_ns, 0, 0);
	for (int i = 0; i < 60; i++) { /* ten times what was guessed for everything */
		live(&life, 60);
		uint64_t rpcs = life.asked[PING] + life.asked[LIST] + life.asked[JOBS];
		sum += (double)life.asked[LIST] * 0.01 + (double)(rpcs - life.asked[LIST]) * 0.001;
		count += rpcs;
		plan_note_slurmctld(life.plan, life.now_ns, sum, count);
	}
	double learnt = show(&life, LIST).round_slurmctld_s;
	CHECK(before == 0 && learnt > 0.006 && learnt < 0.016);
	live(&life, 60);
	plan_note_slurmctld(life.plan, life.now_ns, 0.001, 3); /* reset */
	live(&life, 60);
	plan_note_slurmctld(life.plan, life.now_ns, 1000, 50000); /* somebody else's */
	live(&life, 2);
	CHECK(show(&life, LIST).round_slurmctld_s < 1.01 * learnt);
	CHECK(plan_show_totals(life.plan, life.now_ns).slurmctld_duty < 0.01);
	plan_free(life.plan);
}

/* Beside a tool with our name, which asks little and waits long: what we asked cost no more than we waited. */
static void test_others_in_the_account(void)
{
	static const double others_s[] = {0.05, 0.3, 2};
	for (size_t i = 0; i < sizeof others_s / sizeof *others_s; i++) {
		struct life life = life_new(&plan_defaults, 1);
		double sum = 0;
		uint64_t count = 0;
		plan_note_slurmctld(life.plan, life.now_ns, 0, 0);
		for (int minute = 0; minute < 4 * 120; minute++) {
			live(&life, 15);
			uint64_t rpcs = life.asked[PING] + life.asked[LIST] + life.asked[JOBS];
			sum += (double)rpcs * 0.0001 + others_s[i];
			count += rpcs + 5;
			plan_note_slurmctld(life.plan, life.now_ns, sum, count);
		}
		live(&life, 600);
		CHECK(life.asked[LIST] >= 18 && life.asked[JOBS] >= 36);
		CHECK(show(&life, LIST).round_slurmctld_s <= 0.0045);
		CHECK(plan_show_totals(life.plan, life.now_ns).slurmctld_duty < 0.01);
		plan_free(life.plan);
	}
}

/* slurmctld's budget is spent: slurmdbd does not wait for it. */
static void test_slurmdbd_does_not_wait_for_slurmctld(void)
{
	struct plan_options options = plan_defaults;
	static const struct plan_way free_way[] = {{"whole", {0.002, 0, 0}, {0, 0, 0}, 0, 0, 1, 1}};
	static const struct plan_task tasks[] = {
		{"nodes", "nodes", 30, 0, 1, 0, false, true, false, .ways = list, .way_count = 1},
		{"ended", "jobs", 20, 0, 1, 0, false, false, true, .ways = free_way, .way_count = 1},
	};
	struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.1, 0.002}, .work = {1, 1}};
	life.plan = plan_new(tasks, 2, &options, 1, life.now_ns);
	live(&life, 600);
	options.slurmctld_duty = 1e-6;
	plan_set_options(life.plan, life.now_ns, &options);
	live(&life, 600);
	CHECK_NUMBER(life.asked[0], 0);
	CHECK_NUMBER(life.asked[1], 30);
	plan_free(life.plan);
}

static void test_work_and_haste(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, DBD, 0);
	live(&life, 100);
	CHECK_NUMBER(life.asked[DBD], 0);
	CHECK_STRING(say(&life, DBD), "ended: nothing to do");
	set_work(&life, DBD, 3);
	live(&life, 1);
	CHECK_NUMBER(life.asked[DBD], 3);
	CHECK_NUMBER(life.rounds[DBD], 1);
	live(&life, 5);
	CHECK_NUMBER(life.asked[LIST], 0);
	plan_hasten(life.plan, LIST);
	live(&life, 5);
	CHECK_NUMBER(life.asked[LIST], 1);
	plan_allow_task(life.plan, LIST, false);
	live(&life, 100);
	CHECK_NUMBER(life.asked[LIST], 0);
	CHECK_STRING(say(&life, LIST), "nodes: not asked: switched off, or not available here");
	plan_free(life.plan);
}

int main(void)
{
	static const struct rule tests[] = {
		{"targets", test_targets_are_kept},
		{"round", test_a_round_is_said_as_it_was_begun},
		{"budget", test_budget_stretches_the_big_and_not_the_small},
		{"promise", test_budget_keeps_its_promise_for_large_requests},
		{"lowered budget", test_a_budget_that_is_lowered},
		{"another budget", test_another_budget_begins_anew},
		{"shares", test_shares},
		{"costs", test_costs_are_learnt},
		{"batches", test_batches_grow},
		{"ways", test_the_cheapest_way_that_memory_allows},
		{"unsupported", test_unsupported_ways},
		{"rate", test_requests_have_a_rate},
		{"never asked", test_what_is_never_asked_is_not_on_target},
		{"many tasks", test_many_tasks_have_one_rate},
		{"bounds", test_bounds_come_first},
		{"hastened while asked", test_hastened_while_asked},
		{"bounds are no limits", test_bounds_are_no_limits},
		{"rounds that are not saved up", test_spread_rounds},
		{"a burst", test_a_burst},
		{"a first round", test_a_first_round},
		{"requests that nobody uses", test_requests_that_nobody_uses},
		{"work that is over", test_rare_work},
		{"batches of empty answers", test_empty_answers},
		{"account", test_slurmctld_accounts},
		{"account of others", test_others_in_the_account},
		{"slurmdbd", test_slurmdbd_does_not_wait_for_slurmctld},
		{"work", test_work_and_haste},
	};
	return check_rules(tests, sizeof tests / sizeof *tests);
}
