/* What the planner does when something fails, is slow or is busy, one test per rule. */
#include "plan_life.h"

#include <math.h>

static void test_back_off(void)
{
	struct life life = life_new(&plan_defaults, 1), other = life_new(&plan_defaults, 2);
	life.result[DBD] = other.result[DBD] = PLAN_FAILED;
	live(&life, 300);
	live(&other, 300);
	CHECK(life.asked[DBD] >= 3 && life.asked[DBD] <= 20);
	CHECK(show(&life, DBD).due_in_s != show(&other, DBD).due_in_s); /* jitter */
	CHECK_NUMBER(show(&life, DBD).reason, PLAN_BACK_OFF);
	CHECK(strstr(say(&life, DBD), "times in a row") != NULL);
	CHECK_NUMBER(life.asked[PING], 30);
	live(&life, 3600);
	uint64_t late = life.asked[DBD];
	CHECK(late >= 4 && late <= 40);
	plan_allow_task(life.plan, DBD, true); /* says nothing new, forgives nothing */
	CHECK(show(&life, DBD).failures > 3);
	life.result[DBD] = PLAN_OK;
	live(&life, 601);
	CHECK(life.asked[DBD] > 0);
	live(&life, 300);
	CHECK_NUMBER(show(&life, DBD).interval_s, 20); /* by steps, but back */
	plan_free(life.plan);
	plan_free(other.plan);
}

static void test_probe_tells_when_its_side_is_well(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 100);
	life.result[PING] = life.result[LIST] = life.result[JOBS] = PLAN_FAILED;
	life.seconds[PING] = life.seconds[LIST] = life.seconds[JOBS] = 1;
	live(&life, 500);
	CHECK(life.asked[PING] >= 24 && life.asked[PING] <= 50); /* every 17 s or so = 1 s / 6 % */
	CHECK(life.asked[LIST] <= 3 && life.asked[JOBS] <= 3);
	CHECK(life.asked[DBD] >= 24); /* not of this side */
	memset(life.result, 0, sizeof life.result);
	live(&life, 35);
	CHECK(life.asked[LIST] > 0 && life.asked[JOBS] > 0);
	CHECK(life.first_ns[LIST] - life.first_ns[PING] <= UINT64_C(11000000000));
	plan_free(life.plan);
}

/* As dbd_ping on Slurm 22.05: it failed while slurmrestd was away, and is refused since. */
static void test_a_probe_that_is_not_served_is_not_waited_for(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 100);
	life.result[PING] = life.result[LIST] = PLAN_FAILED;
	live(&life, 100);
	CHECK(show(&life, PING).failures > 0 && show(&life, LIST).failures > 0);
	life.result[PING] = PLAN_UNSUPPORTED;
	life.result[LIST] = PLAN_OK;
	live(&life, 35);
	CHECK(life.asked[LIST] > 0);
	CHECK_NUMBER(show(&life, PING).failures, 0);
	plan_free(life.plan);
}

/* Until it is asked once; how long that took. */
static double live_until_asked(struct life *life, size_t task, double seconds)
{
	uint64_t from_ns = life->now_ns, end_ns = from_ns + (uint64_t)(seconds * 1e9);
	do
		live(life, 0.5);
	while (!life->asked[task] && life->now_ns < end_ns);
	return life->asked[task] ? (double)(life->first_ns[task] - from_ns) / 1e9 : HUGE_VAL;
}

static const double minute_s = 60;

/* LIST works for a minute, and slurmrestd is away for so long. */
static void kill_slurmrestd(struct life *life, double away_s)
{
	life->result[LIST] = life->result[PING] = life->result[JOBS] = PLAN_FAILED;
	life->seconds[LIST] = minute_s;
	live_until_asked(life, LIST, 3600);
	life->seconds[LIST] = 0.001; /* refused from then on */
	live(life, away_s);
	memset(life->result, 0, sizeof life->result);
	live_until_asked(life, PING, 60);
}

static void test_what_killed_slurmrestd_is_not_tried_at_once(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct life life = life_new(&plan_defaults, seed);
		kill_slurmrestd(&life, 300);
		CHECK_NUMBER(show(&life, LIST).failures, 1);
		CHECK(strstr(say(&life, LIST), "slurmscope asks again a while after its probe is well, or in ") !=
		      NULL);
		live(&life, minute_s - 1);
		CHECK(life.asked[JOBS] > 0); /* harmless */
		CHECK_NUMBER(life.asked[LIST], 0);
		live(&life, minute_s + 2);
		CHECK(life.asked[LIST] > 0);
		CHECK_NUMBER(show(&life, LIST).failures, 0);
		plan_free(life.plan);
	}
}

static void test_what_kills_slurmrestd_again_waits_longer(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.result[LIST] = PLAN_FAILED;
	life.seconds[LIST] = minute_s;
	live_until_asked(&life, LIST, 60);
	for (double least_s = minute_s; least_s <= 16 * minute_s; least_s *= 2) {
		life.result[PING] = PLAN_FAILED;
		live(&life, 30);
		life.result[PING] = PLAN_OK;
		live_until_asked(&life, PING, 60);
		double waited_s = live_until_asked(&life, LIST, 3600);
		CHECK(waited_s >= fmin(least_s, 300) - 1 && waited_s <= fmin(2 * least_s, 600));
	}
	plan_free(life.plan);
}

/* It is tried after ten minutes and refused at once: that does not prove that its work was harmless. */
static void test_what_killed_slurmrestd_is_not_forgotten(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct life life = life_new(&plan_defaults, seed);
		kill_slurmrestd(&life, 900);
		CHECK_NUMBER(show(&life, LIST).failures, 2);
		live(&life, minute_s - 1);
		CHECK_NUMBER(life.asked[LIST], 0);
		plan_free(life.plan);
	}
}

static void test_what_killed_slurmrestd_is_asked_though_probes_come_and_go(void)
{
	struct life life = life_new(&plan_defaults, 1);
	kill_slurmrestd(&life, 30);
	uint64_t asked = 0;
	for (int i = 0; i < 80; i++) {
		life.result[PING] = i % 2 ? PLAN_OK : PLAN_FAILED;
		live(&life, 15);
		asked += life.asked[LIST];
	}
	CHECK(asked > 0);
	plan_free(life.plan);
}

/* All else is well meanwhile. */
static void test_work_that_fails_waits_as_long_as_it_took(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 60);
	life.result[LIST] = PLAN_FAILED;
	life.seconds[LIST] = minute_s;
	live_until_asked(&life, LIST, 60);
	for (double least_s = minute_s; least_s <= 16 * minute_s; least_s *= 2) {
		double waited_s = live_until_asked(&life, LIST, 3600);
		CHECK(waited_s >= fmin(least_s, 300) - 1 && waited_s <= fmin(2 * least_s, 600));
	}
	CHECK(show(&life, PING).failures == 0 && show(&life, JOBS).failures == 0);
	plan_free(life.plan);
}

static void test_the_longest_work_counts(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.result[LIST] = PLAN_FAILED;
	life.seconds[LIST] = minute_s;
	live_until_asked(&life, LIST, 60);
	life.seconds[LIST] = minute_s / 3;
	live_until_asked(&life, LIST, 600);
	CHECK(live_until_asked(&life, LIST, 600) >= 2 * minute_s - 1);
	plan_free(life.plan);
}

static void test_work_is_forgiven(void)
{
	for (int is_allowed_anew = 0; is_allowed_anew < 2; is_allowed_anew++) {
		struct life life = life_new(&plan_defaults, 1);
		life.result[LIST] = PLAN_FAILED;
		life.seconds[LIST] = minute_s;
		live_until_asked(&life, LIST, 60);
		life.seconds[LIST] = 0.1;
		if (is_allowed_anew) {
			plan_allow_task(life.plan, LIST, false);
			plan_allow_task(life.plan, LIST, true);
		} else {
			life.result[LIST] = PLAN_OK;
			live_until_asked(&life, LIST, 600);
		}
		life.result[LIST] = PLAN_FAILED;
		live_until_asked(&life, LIST, 600);
		CHECK_NUMBER(show(&life, LIST).failures, 1);
		CHECK(live_until_asked(&life, LIST, 600) <= 10);
		plan_free(life.plan);
	}
}

/* Nobody was answered: what timed out beside ping did not work. */
static void test_who_waited_with_the_probe_is_asked_soon(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.result[LIST] = life.result[PING] = PLAN_TIMED_OUT;
	life.seconds[LIST] = life.seconds[PING] = 20;
	live(&life, 200);
	life.result[LIST] = life.result[PING] = PLAN_OK;
	life.seconds[LIST] = life.seconds[PING] = 0.1;
	live_until_asked(&life, PING, 60);
	CHECK(live_until_asked(&life, LIST, 600) <= 10);
	plan_free(life.plan);
}

/* ping times out after it, as slurmrestd still works: that does not prove that the task only waited. */
static void test_what_was_dear_waits_though_the_probe_timed_out_after_it(void)
{
	for (uint64_t seed = 1; seed <= 3; seed++)
		for (int is_first = 0; is_first < 2; is_first++) {
			struct life life = life_new(&plan_defaults, seed);
			live(&life, 100);
			life.result[JOBS] = PLAN_TIMED_OUT;
			life.seconds[JOBS] = minute_s;
			life.seconds[PING] = 10;
			if (is_first) {
				life.result[PING] = PLAN_TIMED_OUT;
				live_until_asked(&life, PING, 60);
			}
			live_until_asked(&life, JOBS, 60);
			life.result[PING] = PLAN_TIMED_OUT;
			live(&life, 30);
			life.result[PING] = life.result[JOBS] = PLAN_OK;
			life.seconds[PING] = life.seconds[JOBS] = 0.01;
			live_until_asked(&life, PING, 60);
			double waited_s = live_until_asked(&life, JOBS, 600);
			CHECK(is_first ? waited_s <= 10 : waited_s >= minute_s - 1);
			plan_free(life.plan);
		}
}

static void test_what_was_dear_asks_for_less(void)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct life life = life_new(&plan_defaults, seed);
		plan_allow_way(life.plan, JOBS, BULK, false);
		set_work(&life, JOBS, 20000);
		live(&life, 100);
		CHECK(life.last[JOBS].records > 64);
		life.result[JOBS] = PLAN_FAILED;
		life.seconds[JOBS] = minute_s;
		live_until_asked(&life, JOBS, 600);
		CHECK(strstr(say(&life, JOBS), ", then for 64 jobs at first") != NULL);
		CHECK(live_until_asked(&life, JOBS, 600) >= minute_s - 1);
		CHECK_NUMBER(life.last[JOBS].records, 64);
		plan_free(life.plan);
	}
}

static void test_timeouts_are_charged(void)
{
	struct life life = life_new(&plan_defaults, 1);
	life.result[LIST] = PLAN_TIMED_OUT;
	life.seconds[LIST] = 20;
	live(&life, 21);
	CHECK(show(&life, LIST).duty * 600 > 19.9);
	CHECK(plan_show_totals(life.plan, life.now_ns).slurmrestd_duty * 600 > 19.9);
	life.result[PING] = PLAN_TIMED_OUT; /* a probe is small: it waited for others' work */
	life.seconds[PING] = 10;
	double before = plan_show_totals(life.plan, life.now_ns).slurmrestd_duty;
	plan_allow_task(life.plan, LIST, false);
	live(&life, 60);
	CHECK(plan_show_totals(life.plan, life.now_ns).slurmrestd_duty < before + 0.001);
	plan_free(life.plan);
}

/* One of two controllers is off, and each ping waits for it; or diag waits for a lock. */
static void test_a_slow_probe_starves_nobody(void)
{
	static const double seconds[] = {0.6, 2, 10};
	for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
		for (double duty = 0.005; duty < 0.1; duty *= 10) {
			struct plan_options options = plan_defaults;
			options.slurmrestd_duty = duty;
			struct life life = life_new(&options, 1);
			life.seconds[PING] = seconds[i];
			live(&life, 600);
			live(&life, 3600);
			CHECK(life.asked[LIST] >= 100 && life.asked[DBD] >= 150);
			CHECK(life.asked[PING] >= 50 && life.asked[PING] <= 3600 / fmin(60, seconds[i] / duty));
			CHECK_NUMBER(show(&life, LIST).reason, PLAN_ON_TARGET);
			CHECK(show(&life, PING).round_slurmrestd_s >
			      fmin(0.9 * seconds[i], 1.9)); /* that is no secret */
			CHECK(show(&life, PING).duty <= 0.051 * duty);
			plan_free(life.plan);
		}
}

static void test_brake(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 100);
	for (int i = 0; i < 6; i++) {
		plan_note_load(life.plan, life.now_ns, 200, 0);
		live(&life, 20);
	}
	CHECK_NUMBER(plan_show_totals(life.plan, life.now_ns).brake, 8);
	CHECK_NUMBER(show(&life, JOBS).interval_s, 120);
	CHECK_NUMBER(show(&life, LIST).interval_s, 100); /* its interval_max_s */
	CHECK_NUMBER(show(&life, PING).interval_s, 10);
	CHECK_NUMBER(show(&life, DBD).interval_s, 20);
	CHECK_NUMBER(show(&life, JOBS).reason, PLAN_BRAKE);
	for (double brake = 4; brake >= 1; brake /= 2) { /* back by steps */
		live(&life, 61);
		plan_note_load(life.plan, life.now_ns, 10, 10);
		CHECK_NUMBER(plan_show_totals(life.plan, life.now_ns).brake, brake);
	}
	plan_note_load(life.plan, life.now_ns, 10, 2000);
	CHECK_NUMBER(plan_show_totals(life.plan, life.now_ns).brake, 2);
	plan_free(life.plan);
}

/* An administrator may want longer intervals than the longest one. */
static void test_a_target_above_the_longest_interval(void)
{
	struct plan_task own[TASKS];
	struct life life = life_new(&plan_defaults, 1);
	memcpy(own, table, sizeof own);
	own[LIST].target_s = own[LIST].interval_max_s + 50;
	plan_free(life.plan);
	life.plan = plan_new(own, TASKS, &plan_defaults, 1, life.now_ns);
	for (int is_braked = 0; is_braked < 2; is_braked++) {
		live(&life, 100);
		CHECK_NUMBER(show(&life, LIST).interval_s, 150);
		plan_note_load(life.plan, life.now_ns, 200, 0);
	}
	plan_free(life.plan);
}

static void test_idle(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 100);
	life.now_ns += UINT64_C(901000000000);
	plan_next(life.plan, life.now_ns);
	CHECK_NUMBER(show(&life, JOBS).interval_s, 60);
	CHECK_NUMBER(show(&life, LIST).interval_s, 100);
	CHECK_NUMBER(show(&life, JOBS).reason, PLAN_IDLE);
	plan_note_scraped(life.plan, life.now_ns);
	plan_next(life.plan, life.now_ns);
	CHECK_NUMBER(show(&life, JOBS).interval_s, 15);
	plan_free(life.plan);
}

static void test_slow_answers_stretch(void)
{
	struct life life = life_new(&plan_defaults, 1);
	live(&life, 600);
	life.seconds[DBD] = 0.2;
	live(&life, 200);
	CHECK_NUMBER(show(&life, DBD).reason, PLAN_LATENCY);
	CHECK(show(&life, DBD).interval_s >= 40);
	life.seconds[DBD] = 0.002;
	live(&life, 600);
	CHECK_NUMBER(show(&life, DBD).interval_s, 20);
	plan_free(life.plan);
}

static void test_a_way_that_always_fails_is_left(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, JOBS, 20000);
	life.result[JOBS] = PLAN_FAILED;
	live(&life, 1);
	CHECK_NUMBER(life.last[JOBS].way, BULK);
	live(&life, 200);
	CHECK_NUMBER(life.last[JOBS].way, BATCHES);
	CHECK_NUMBER(life.last[JOBS].records, 64);
	plan_free(life.plan);
}

/* Three failures in a row, not three in its life. */
static void test_a_way_that_fails_now_and_then_is_kept(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, JOBS, 20000);
	live(&life, 100);
	for (int i = 0; i < 5; i++) {
		life.result[JOBS] = PLAN_FAILED;
		live_until_asked(&life, JOBS, 600);
		CHECK_NUMBER(show(&life, JOBS).failures, 1);
		life.result[JOBS] = PLAN_OK;
		live_until_asked(&life, JOBS, 600);
		CHECK_NUMBER(show(&life, JOBS).failures, 0);
		live(&life, 100); /* in which probes are asked */
		CHECK_NUMBER(life.last[JOBS].way, BULK);
	}
	plan_free(life.plan);
}

/* What fails while nobody asked a probe since may be slurmrestd's fault, and is not the way's. */
static void test_a_way_that_fails_between_probes(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, JOBS, 20000);
	live(&life, 100);
	CHECK_NUMBER(life.last[JOBS].way, BULK);
	const struct plan_outcome failure = {.task = JOBS, .way = BULK, .result = PLAN_FAILED, .seconds = 0.001};
	for (int i = 0; i < 9; i++)
		plan_note(life.plan, life.now_ns, &failure);
	life.result[PING] = PLAN_FAILED;
	live(&life, 20);
	memset(life.result, 0, sizeof life.result);
	live(&life, 200);
	CHECK_NUMBER(life.last[JOBS].way, BULK);
	plan_free(life.plan);
}

static void fail(struct life *life, size_t way)
{
	plan_note(life->plan, life->now_ns,
		  &(struct plan_outcome){.task = JOBS, .way = way, .result = PLAN_FAILED, .seconds = minute_s});
}

/* The task went over to another way while each of the three requests was under way. */
static void test_a_failure_is_the_way_s_that_was_asked(void)
{
	struct life life = life_new(&plan_defaults, 1);
	set_work(&life, JOBS, 20000);
	plan_allow_way(life.plan, JOBS, BATCHES, false);
	live(&life, 100);
	for (int i = 0; i < 3; i++) {
		CHECK(live_until_asked(&life, PING, 25) < 25); /* is well: each failure is the way's own */
		plan_allow_way(life.plan, JOBS, BATCHES, i == 2);
		fail(&life, BATCHES);
		CHECK(strcmp(show(&life, JOBS).way, "bulk") == 0);
	}
	CHECK_NUMBER(show(&life, JOBS).failures, 3);
	live_until_asked(&life, JOBS, 600);
	CHECK_NUMBER(life.last[JOBS].way, BULK);
	plan_free(life.plan);
}

static void test_a_failure_shrinks_the_batch_of_no_other_way(void)
{
	struct life life = life_new(&plan_defaults, 1);
	plan_allow_way(life.plan, JOBS, BULK, false);
	set_work(&life, JOBS, 20000);
	live(&life, 100);
	uint64_t records = show(&life, JOBS).records;
	CHECK(records > 64);
	fail(&life, BULK);
	CHECK_NUMBER(show(&life, JOBS).records, records);
	plan_free(life.plan);
}

/* No way is left when the answer comes. The sanitizers see it if the answer is put down to a way that is none. */
static void test_an_answer_after_all_ways_are_gone(void)
{
	static const enum plan_result results[] = {PLAN_OK, PLAN_FAILED, PLAN_UNSUPPORTED};
	for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
		struct life life = life_new(&plan_defaults, 1);
		set_work(&life, JOBS, 20000);
		live(&life, 100);
		plan_allow_way(life.plan, JOBS, BULK, false);
		plan_allow_way(life.plan, JOBS, BATCHES, false);
		live(&life, 30);
		CHECK_NUMBER(show(&life, JOBS).reason, PLAN_NOT_ALLOWED);
		plan_note(life.plan, life.now_ns,
			  &(struct plan_outcome){.task = JOBS, .way = BULK, .result = results[i], .seconds = 0.001});
		CHECK_NUMBER(show(&life, JOBS).failures, results[i] == PLAN_FAILED);
		plan_allow_way(life.plan, JOBS, BULK, true);
		CHECK(live_until_asked(&life, JOBS, 300) < 300);
		plan_free(life.plan);
	}
}

int main(void)
{
	static const struct rule tests[] = {
		{"back-off", test_back_off},
		{"probe", test_probe_tells_when_its_side_is_well},
		{"probe that is not served", test_a_probe_that_is_not_served_is_not_waited_for},
		{"killer", test_what_killed_slurmrestd_is_not_tried_at_once},
		{"killer again", test_what_kills_slurmrestd_again_waits_longer},
		{"killer that is refused", test_what_killed_slurmrestd_is_not_forgotten},
		{"killer of a sick side", test_what_killed_slurmrestd_is_asked_though_probes_come_and_go},
		{"work that fails", test_work_that_fails_waits_as_long_as_it_took},
		{"longest work", test_the_longest_work_counts},
		{"forgiven work", test_work_is_forgiven},
		{"waited", test_who_waited_with_the_probe_is_asked_soon},
		{"timeouts", test_timeouts_are_charged},
		{"dear before the probe", test_what_was_dear_waits_though_the_probe_timed_out_after_it},
		{"dear asks for less", test_what_was_dear_asks_for_less},
		{"slow probe", test_a_slow_probe_starves_nobody},
		{"brake", test_brake},
		{"long target", test_a_target_above_the_longest_interval},
		{"idle", test_idle},
		{"slow", test_slow_answers_stretch},
		{"failing way", test_a_way_that_always_fails_is_left},
		{"failing now and then", test_a_way_that_fails_now_and_then_is_kept},
		{"failing between probes", test_a_way_that_fails_between_probes},
		{"failure of the way asked", test_a_failure_is_the_way_s_that_was_asked},
		{"failure's batch", test_a_failure_shrinks_the_batch_of_no_other_way},
		{"answer without ways", test_an_answer_after_all_ways_are_gone},
	};
	return check_rules(tests, sizeof tests / sizeof *tests);
}
