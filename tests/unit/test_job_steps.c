/* Ended runs that wait for their steps: at most `steps_max` wait, and the oldest are given up, over restarts, too. */
#include "events_world.h"

enum { MAX = 50 };

static struct run_key key_of(uint64_t id)
{
	return (struct run_key){(uint32_t)id, RUN_NO_TASK, BIRTH + 1};
}

static void end(struct world *world, uint64_t id, int64_t time)
{
	const struct job job = running(id, BIRTH + 1, BIRTH + 10);
	take_end(world, &job, "completed", time);
}

static size_t waiting(struct world *world)
{
	return job_events_want_steps(world->events, INT64_MAX, NULL, 0);
}

static uint32_t oldest(struct world *world)
{
	struct run_key key = {0};
	job_events_want_steps(world->events, INT64_MAX, &key, 1);
	return key.id;
}

static void test_a_limit(void)
{
	struct world w;
	world_init(&w, true);
	w.events->steps_max = MAX;
	check_row("those above the limit are given up, the oldest first");
	for (uint64_t id = 1; id <= 3 * MAX; id++)
		end(&w, id, BIRTH + 20 + (int64_t)id);
	CHECK_NUMBER(waiting(&w), MAX);
	CHECK_NUMBER(oldest(&w), 2 * MAX + 1);
	CHECK_NUMBER(w.events->steps_given_up, 2 * MAX);
	check_row("and are forgotten as soon as slurmdbd is not asked for their ends again");
	look(&w, BIRTH + 1000);
	job_events_end_window(w.events, BIRTH + 2000, BIRTH + 2000);
	CHECK_NUMBER(w.events->runs.used, MAX);
	check_row("what was read makes room");
	for (uint64_t id = 2 * MAX + 1; id <= 2 * MAX + 10; id++) {
		const struct run_key key = key_of(id);
		job_events_no_steps(w.events, &key);
	}
	CHECK_NUMBER(waiting(&w), MAX - 10);
	for (uint64_t id = 1001; id <= 1010; id++)
		end(&w, id, BIRTH + 3000);
	CHECK_NUMBER(waiting(&w), MAX);
	CHECK_NUMBER(w.events->steps_given_up, 2 * MAX);
	check_row("nobody can tell");
	const struct run_key key = key_of(1001);
	job_events_give_up_steps(w.events, &key);
	job_events_give_up_steps(w.events, &key);
	CHECK_NUMBER(w.events->steps_given_up, 2 * MAX + 1);
	world_done(&w);
}

static void test_restart(void)
{
	struct world w;
	world_init(&w, true);
	w.events->steps_max = MAX;
	for (uint64_t id = 1; id <= MAX + 3; id++)
		end(&w, id, BIRTH + 5000 - (int64_t)id); /* reported from the last to the first */
	check_row("after a restart they wait in the order of their ends");
	restart(&w, true, BIRTH + 6000);
	CHECK_NUMBER(waiting(&w), MAX);
	CHECK_NUMBER(oldest(&w), MAX + 3);
	CHECK_NUMBER(w.events->steps_given_up, 3);
	check_row("with a lower limit the oldest are given up when the next run ends");
	w.events->steps_max = 10;
	end(&w, 1000, BIRTH + 6000);
	CHECK_NUMBER(waiting(&w), 10);
	CHECK_NUMBER(w.events->steps_given_up, 3 + MAX + 1 - 10);
	check_row("without a limit none waits that ends from then on");
	w.events->steps_max = 0;
	end(&w, 1001, BIRTH + 6000);
	CHECK_NUMBER(waiting(&w), 10);
	world_done(&w);
}

/* The ring goes round, with those read out of turn in between. */
static void test_any_order(void)
{
	struct world w;
	uint64_t ended = 0, random = 1;
	world_init(&w, true);
	w.events->steps_max = 300;
	for (int turn = 0; turn < 2000; turn++) {
		struct run_key keys[20];
		random = random * 6364136223846793005u + 1442695040888963407u;
		for (uint64_t i = 0; i < (random >> 60); i++)
			end(&w, ++ended, BIRTH + 20 + turn);
		size_t count = job_events_want_steps(w.events, BIRTH + turn, keys, 20);
		for (size_t i = 0; i < 20 && i < count; i++)
			CHECK(runs_find(&w.events->runs, &keys[i])->bits & RUN_WANTS_STEPS);
		for (size_t i = 0; i < 20 && i < count; i++)
			if (i % 3 || turn % 8)
				job_events_no_steps(w.events, &keys[i]);
		uint64_t bits = 0;
		for (size_t i = 0; i < w.events->runs.count; i++)
			bits += w.events->runs.items[i].is_used && w.events->runs.items[i].bits & RUN_WANTS_STEPS;
		CHECK(waiting(&w) >= bits);
		CHECK(bits <= 300 && bits <= w.events->steps.count && w.events->steps.count <= 300);
	}
	CHECK(ended > 10000 && w.events->steps_given_up == 0);
	CHECK(w.events->steps.capacity <= 512);
	world_done(&w);
}

int main(void)
{
	test_a_limit();
	test_restart();
	test_any_order();
	return check_done();
}
