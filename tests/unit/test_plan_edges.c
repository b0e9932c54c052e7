/* Where the planner's rules begin and end: the last that is allowed and the first that is not, and what is not carried
 * over. */
#include "plan_life.h"

#include "plan/cost.h"

#include <math.h>

static void later(struct life *life, double seconds)
{
	life->now_ns += (uint64_t)(seconds * 1e9);
}

static double brake(struct life *life, uint64_t threads, uint64_t queue)
{
	plan_note_load(life->plan, life->now_ns, threads, queue);
	return plan_show_totals(life->plan, life->now_ns).brake;
}

static void test_brake(void)
{
	struct life life = life_new(&plan_defaults, 1);
	CHECK_NUMBER(brake(&life, 191, 999), 1);
	CHECK_NUMBER(brake(&life, 192, 0), 2); /* three quarters of 256 */
	later(&life, 14);
	CHECK_NUMBER(brake(&life, 256, 0), 2); /* what it does is not seen at once */
	later(&life, 1);
	CHECK_NUMBER(brake(&life, 0, 1000), 4);
	later(&life, 15);
	CHECK_NUMBER(brake(&life, 192, 0), 8);
	later(&life, 100);
	CHECK_NUMBER(brake(&life, 192, 0), 8); /* at most */
	live(&life, 1);
	CHECK_NUMBER(show(&life, JOBS).interval_s, 8 * 15);
	CHECK_NUMBER(show(&life, LIST).interval_s, 100); /* the most that caution makes of it */
	CHECK_NUMBER(show(&life, DBD).interval_s, 20); /* slurmdbd is not asked less often */
	later(&life, 50);
	CHECK_NUMBER(brake(&life, 0, 0), 8); /* it was busy less than a minute ago */
	later(&life, 10);
	CHECK_NUMBER(brake(&life, 0, 0), 4);
	later(&life, 59);
	CHECK_NUMBER(brake(&life, 0, 0), 4);
	later(&life, 1);
	CHECK_NUMBER(brake(&life, 0, 0), 2);
	later(&life, 1000);
	CHECK_NUMBER(brake(&life, 0, 0), 1);
	CHECK_NUMBER(brake(&life, 0, 0), 1);
	plan_free(life.plan);
}

static void learn(struct cost *cost, double seconds, int times)
{
	while (times--)
		cost_learn(cost, 1, seconds);
}

static void test_what_is_slow(void)
{
	static const struct plan_cost guess = {0.001, 0, 0};
	struct cost cost;
	cost_init(&cost, &guess);
	learn(&cost, 0.001, 100);
	learn(&cost, 0.030, 3); /* thirty times, but by less than anybody notices */
	CHECK(!cost_is_slow(&cost));
	cost_init(&cost, &guess);
	learn(&cost, 0.1, 100);
	for (int i = 0; i < 5; i++) { /* of which each is an outlier */
		learn(&cost, 100, 1);
		learn(&cost, 0.1, 2);
	}
	CHECK(!cost_is_slow(&cost));
	learn(&cost, 0.4, 3);
	CHECK(cost_is_slow(&cost));
}

static void test_tokens(void)
{
	struct plan_options options = plan_defaults;
	options.requests_per_s = options.request_burst = 1;
	struct life life = life_new(&options, 1);
	live(&life, 0.9);
	CHECK_NUMBER(life.asked[PING] + life.asked[LIST] + life.asked[JOBS] + life.asked[DBD], 1);
	live(&life, 0.2);
	CHECK_NUMBER(life.asked[PING] + life.asked[LIST] + life.asked[JOBS] + life.asked[DBD], 1);
	plan_free(life.plan);
}

/* The plan's next request of the task, which nobody answers. */
static struct plan_action next_of(struct life *life, size_t task)
{
	for (;;) {
		struct plan_action action = plan_next(life->plan, life->now_ns);
		if (action.kind == PLAN_ASK && action.task == task)
			return action;
		if (action.kind == PLAN_ASK)
			answer(life, &action);
		else
			life->now_ns = action.until_ns;
	}
}

/* As much as the answer says; of how many records that is the time is another question. */
static void test_what_a_request_teaches(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, JOBS, 64);
	plan_allow_way(life.plan, JOBS, BULK, false);
	struct plan_action action = next_of(&life, JOBS);
	double before = show(&life, JOBS).round_slurmrestd_s;
	CHECK_NUMBER(action.records, 64);
	plan_note(life.plan, life.now_ns,
		  &(struct plan_outcome){.task = JOBS,
					 .way = BATCHES,
					 .result = PLAN_OK,
					 .records = 64,
					 .cost_records = 640,
					 .seconds = 0.001 + 4e-6 * 640 + 4e-9 * 640 * 640,
					 .is_round_done = true});
	CHECK(fabs(show(&life, JOBS).round_slurmrestd_s / before - 1) < 1e-6);
	plan_free(life.plan);
}

/* Slurm looked whether anything changed, and sent nothing. */
static void test_unchanged_answers_are_cheap(void)
{
	struct life life = life_new(&plan_defaults, 1);
	plan_allow_task(life.plan, PING, false);
	plan_allow_task(life.plan, LIST, false);
	plan_allow_task(life.plan, DBD, false);
	plan_allow_way(life.plan, JOBS, BATCHES, false);
	set_work(&life, JOBS, 40000); /* 8.1 ms of slurmctld, and 0.1 without them */
	struct plan_action action = next_of(&life, JOBS);
	plan_note(life.plan, life.now_ns,
		  &(struct plan_outcome){.task = JOBS,
					 .way = action.way,
					 .result = PLAN_UNCHANGED,
					 .seconds = 0.001,
					 .records = action.records,
					 .is_round_done = true});
	CHECK_NUMBER(action.way, BULK);
	CHECK(fabs(plan_show_totals(life.plan, life.now_ns).slurmctld_duty * 600 - 0.0001) < 1e-6);
	plan_free(life.plan);
}

static void test_batches(void)
{
	struct life life = life_new(&plan_defaults, 1);
	plan_allow_way(life.plan, JOBS, BULK, false);
	set_work(&life, JOBS, 10);
	live(&life, 300);
	CHECK(life.rounds[JOBS] > 10);
	set_work(&life, JOBS, 100000);
	CHECK_NUMBER(next_of(&life, JOBS).records, 64); /* nobody knows yet how more are taken */
	live(&life, 600);
	CHECK(life.last[JOBS].records >= 512);
	life.result[JOBS] = PLAN_FAILED;
	while (show(&life, JOBS).failures == 0)
		live(&life, 0.01);
	life.result[JOBS] = PLAN_OK;
	CHECK_NUMBER(next_of(&life, JOBS).records, 64);
	plan_free(life.plan);
}

static void test_a_round_that_is_over(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[JOBS] = 0.1;
	plan_allow_way(life.plan, JOBS, BULK, false);
	set_work(&life, JOBS, 1000000);
	live(&life, 2);
	CHECK(life.asked[JOBS] > 0 && life.rounds[JOBS] == 0);
	set_work(&life, JOBS, 0);
	set_work(&life, JOBS, 10); /* it is another one's, which begins in its turn */
	live(&life, 5);
	CHECK_NUMBER(life.asked[JOBS], 0);
	live(&life, 60);
	CHECK(life.rounds[JOBS] >= 3);
	plan_free(life.plan);
}

static void test_what_is_allowed_anew(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.result[LIST] = PLAN_FAILED;
	live(&life, 100);
	CHECK(show(&life, LIST).failures > 2);
	plan_allow_task(life.plan, LIST, false);
	plan_allow_task(life.plan, LIST, true);
	life.result[LIST] = PLAN_OK;
	live(&life, 1);
	CHECK_NUMBER(life.asked[LIST], 1);
	CHECK_NUMBER(show(&life, LIST).failures, 0);
	CHECK_NUMBER(show(&life, LIST).interval_s, 30);
	plan_free(life.plan);
}

static void test_probes_that_wait(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[PING] = 2;
	live(&life, 300);
	CHECK_NUMBER(show(&life, PING).interval_s, 2 / 0.06); /* it would be all that the budget gives */
	life.seconds[PING] = 10;
	live(&life, 3000);
	CHECK_NUMBER(show(&life, PING).interval_s, 60);
	life.seconds[PING] = 30; /* three of them would keep slurmrestd busy all the time */
	live(&life, 3000);
	CHECK_NUMBER(show(&life, PING).interval_s, 180);
	CHECK(strstr(say(&life, PING), "its last answer took 30 s") != NULL);
	life.result[PING] = PLAN_TIMED_OUT; /* it tells when the trouble is over: it does not wait for that */
	live(&life, 3000);
	CHECK_NUMBER(show(&life, PING).interval_s, 60);
	plan_free(life.plan);
}

/* With the account of everything that slurmctld did for us until now but the last ping, which is in the next. */
static void note_account(struct life *life, double *seconds, uint64_t *count, double list_s, double others_s,
			 uint64_t others)
{
	struct plan_action ping = next_of(life, PING);
	*seconds += (double)life->asked[PING] * life->seconds[PING] + (double)life->asked[LIST] * list_s +
		    (double)life->asked[JOBS] * 0.0001 + others_s;
	*count += life->asked[PING] + life->asked[LIST] + life->asked[JOBS] + others;
	memset(life->asked, 0, sizeof life->asked);
	answer(life, &ping);
	plan_note_slurmctld(life->plan, life->now_ns, *seconds, *count);
}

/* The account has what probes waited for, too: the rest is what the others cost. */
static void test_probes_in_the_account(void)
{
	struct life life = life_new(&plan_defaults, 1);
	double seconds = 0;
	uint64_t count = 0;
	life.seconds[PING] = 0.02;
	life.seconds[LIST] = 0.06;
	plan_note_slurmctld(life.plan, life.now_ns, 0, 0);
	for (int minute = 0; minute < 60; minute++) {
		uint64_t pings = life.asked[PING];
		live(&life, 60);
		life.asked[PING] += pings;
		note_account(&life, &seconds, &count, 0.05, 0, 0);
	}
	CHECK(show(&life, LIST).round_slurmctld_s > 0.035);
	CHECK(show(&life, LIST).round_slurmctld_s < 0.055);
	CHECK_NUMBER(show(&life, PING).round_slurmctld_s, 0.0001); /* as was guessed */
	plan_free(life.plan);
}

/* However often we have asked before, 300 RPCs in a minute are not ours. */
static void test_a_stranger_after_a_long_time(void)
{
	struct life life = life_new(&plan_defaults, 1);
	double seconds = 0;
	uint64_t count = 0;
	life.seconds[LIST] = 1;
	plan_note_slurmctld(life.plan, life.now_ns, 0, 0);
	for (int minute = 0; minute < 90; minute++) {
		live(&life, 60);
		bool is_joined = minute >= 60;
		note_account(&life, &seconds, &count, 0.001, is_joined ? 0.5 : 0, is_joined ? 300 : 0);
	}
	CHECK(show(&life, LIST).round_slurmctld_s < 0.002);
	plan_free(life.plan);
}

enum { ROUND_OF_REQUESTS = 1000000 };

/* A plan that asks for job states one after the other, each for 5 ms. */
static struct life life_of_requests(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[JOBS] = 0.005;
	plan_allow_way(life.plan, JOBS, BULK, false);
	plan_allow_task(life.plan, LIST, false);
	set_work(&life, JOBS, ROUND_OF_REQUESTS);
	return life;
}

/* What the round is predicted to cost slurmctld. */
static double predicted_s(struct life *life)
{
	life->now_ns++;
	plan_next(life->plan, life->now_ns);
	return show(life, JOBS).round_slurmctld_s;
}

static void ask_often(struct life *life, uint64_t requests)
{
	for (life->asked[JOBS] = 0; life->asked[JOBS] < requests;) {
		struct plan_action action = next_of(life, JOBS);
		answer(life, &action);
	}
}

/* A request costs slurmctld far more than was guessed. Accounts are called for until 200 requests have told it. */
static void test_accounts_that_are_called_for(void)
{
	enum { ACCOUNTS = 10, REQUESTS = 25, LEARNT = 5 };
	struct life life = life_of_requests();
	for (int i = 0; i < ACCOUNTS; i++) {
		ask_often(&life, REQUESTS);
		check_row(!i ? "slurmctld has not told of us at all" : i < ACCOUNTS - 1 ? "called for" : "known");
		CHECK_NUMBER(plan_wants_account(life.plan), i > 0 && i < ACCOUNTS - 1);
		CHECK(!plan_wants_account(life.plan)); /* once */
		plan_note_slurmctld(life.plan, life.now_ns, REQUESTS * 0.0025 * (i + 1), REQUESTS * (uint64_t)(i + 1));
		double requests = (double)ROUND_OF_REQUESTS / (double)show(&life, JOBS).records;
		CHECK(i < LEARNT || fabs(predicted_s(&life) / requests - 0.0025) < 0.001);
	}
	plan_free(life.plan);
}

/* By what the first account, of `times` what was predicted, multiplies the prediction. */
static double first_account(double times)
{
	enum { REQUESTS = 25 };
	struct life life = life_of_requests();
	ask_often(&life, 100); /* until batches are as large as they get */
	plan_note_slurmctld(life.plan, life.now_ns, 1, 1);
	double before_s = predicted_s(&life), covered = (double)life.covered[JOBS];
	ask_often(&life, REQUESTS);
	double part = ((double)life.covered[JOBS] - covered) / ROUND_OF_REQUESTS;
	plan_note_slurmctld(life.plan, life.now_ns, 1 + before_s * part * times, 1 + REQUESTS);
	double after_s = predicted_s(&life);
	plan_free(life.plan);
	return after_s / before_s;
}

static void test_the_first_account(void)
{
	check_row("it is believed more than later ones");
	CHECK(first_account(2.5) > 1.6);
	check_row("but it multiplies a cost by four at most");
	CHECK(first_account(8) < 4.2);
}

static void test_the_rest_of_a_round(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[JOBS] = 0.1;
	plan_allow_way(life.plan, JOBS, BULK, false);
	set_work(&life, JOBS, 1000000);
	live(&life, 2);
	CHECK(life.covered[JOBS] > 100 && life.rounds[JOBS] == 0);
	set_work(&life, JOBS, 100); /* what was covered is no part of it */
	CHECK(next_of(&life, JOBS).records >= 64);
	while (life.rounds[JOBS] == 0)
		live(&life, 1);
	double next_s = show(&life, JOBS).round_slurmrestd_s; /* nor of the next round */
	set_work(&life, JOBS, 100);
	CHECK_NUMBER(show(&life, JOBS).round_slurmrestd_s, next_s);
	plan_free(life.plan);
}

/* What the one asks for is taken from the other at once, and comes back slowly. */
static void test_shares_rise_fast_and_fall_slowly(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[LIST] = 1.5;
	live(&life, 3600);
	double alone_s = show(&life, LIST).interval_s;
	set_work(&life, DBD, 250);
	live(&life, 100);
	double soon_s = show(&life, LIST).interval_s;
	live(&life, 3600);
	double together_s = show(&life, LIST).interval_s;
	CHECK(together_s > 1.5 * alone_s);
	CHECK(soon_s > alone_s + 0.6 * (together_s - alone_s));
	set_work(&life, DBD, 0);
	live(&life, 60);
	CHECK(show(&life, LIST).interval_s > alone_s + 0.4 * (together_s - alone_s));
	live(&life, 3600);
	CHECK(show(&life, LIST).interval_s < 1.25 * alone_s);
	plan_free(life.plan);
}

static void test_a_round_keeps_its_way(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.seconds[JOBS] = 0.1;
	plan_allow_way(life.plan, JOBS, BULK, false);
	set_work(&life, JOBS, 20000);
	while (life.asked[JOBS] == 0)
		live(&life, 0.001);
	plan_allow_way(life.plan, JOBS, BULK, true);
	live(&life, 2);
	CHECK(life.asked[JOBS] > 0);
	CHECK(life.rounds[JOBS] == 0);
	CHECK_NUMBER(life.last[JOBS].way, BATCHES);
	live(&life, 600);
	CHECK_NUMBER(life.last[JOBS].way, BULK);
	plan_free(life.plan);
}

/* Predictions are off by some: a way that seems a little cheaper is not worth the change. */
static void test_a_little_cheaper(void)
{
	enum { FIRST, LITTLE, MUCH };
	static const struct plan_way ways[] = {{.name = "first", .slurmrestd_s = {.request = 0.1}},
					       {.name = "little", .slurmrestd_s = {.request = 0.08}},
					       {.name = "much", .slurmrestd_s = {.request = 0.07}}};
	static const struct plan_task tasks[] = {
		{"nodes", "nodes", 30, 0, 1, 0, false, true, false, .ways = ways, .way_count = 3}};
	struct life life = {.now_ns = UINT64_C(5000000000000), .seconds = {0.1}, .work = {1}};
	life.plan = plan_new(tasks, 1, &plan_defaults, 1, life.now_ns);
	plan_allow_way(life.plan, 0, LITTLE, false);
	plan_allow_way(life.plan, 0, MUCH, false);
	live(&life, 100);
	plan_allow_way(life.plan, 0, LITTLE, true);
	live(&life, 100);
	CHECK_NUMBER(life.last[0].way, FIRST);
	plan_allow_way(life.plan, 0, MUCH, true);
	live(&life, 100);
	CHECK_NUMBER(life.last[0].way, MUCH);
	plan_free(life.plan);
}

int main(void)
{
	static const struct rule tests[] = {
		{"brake", test_brake},
		{"slow", test_what_is_slow},
		{"tokens", test_tokens},
		{"teaches", test_what_a_request_teaches},
		{"unchanged", test_unchanged_answers_are_cheap},
		{"batches", test_batches},
		{"over", test_a_round_that_is_over},
		{"allowed anew", test_what_is_allowed_anew},
		{"probes", test_probes_that_wait},
		{"probes in the account", test_probes_in_the_account},
		{"stranger", test_a_stranger_after_a_long_time},
		{"called for", test_accounts_that_are_called_for},
		{"first account", test_the_first_account},
		{"rest", test_the_rest_of_a_round},
		{"rise and fall", test_shares_rise_fast_and_fall_slowly},
		{"same way", test_a_round_keeps_its_way},
		{"little cheaper", test_a_little_cheaper},
	};
	return check_rules(tests, sizeof tests / sizeof *tests);
}
