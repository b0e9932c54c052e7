/* A plan and a world that is as the test says, for the tests of one rule each. */
#pragma once

#include "check.h"
#include "plan/plan.h"

enum { PING, LIST, JOBS, DBD, TASKS };
enum { BATCHES, BULK };

static const struct plan_way small[] = {{"whole", {0.002, 0, 0}, {0.0001, 0, 0}, 0, 0, 1, 1}};
static const struct plan_way list[] = {{"list", {0.1, 0, 0}, {0.001, 0, 0}, 0, 0, 0, 0}};
static const struct plan_way jobs[] = {{"batches", {0.001, 4e-6, 4e-9}, {0.0001, 2e-7, 0}, 100, 0, 64, 5000},
				       {"bulk", {0.001, 1e-6, 0}, {0.0001, 2e-7, 0}, 1000, 20000, 0, 0}};

static const struct plan_task table[TASKS] = {
	[PING] = {"ping", "", 10, 0, 1, 0, true, true, false, .ways = small, .way_count = 1},
	[LIST] = {"nodes", "nodes", 30, 100, 1, 0, false, true, false, .ways = list, .way_count = 1},
	[JOBS] = {"job_states", "jobs", 15, 0, 1, 0, false, true, false, .ways = jobs, .way_count = 2},
	[DBD] = {"ended", "jobs", 20, 0, 1, 0, false, false, true, .ways = small, .way_count = 1},
};

struct life { /* of a plan, with a world that is as the test says */
	struct plan *plan;
	uint64_t now_ns;
	enum plan_result result[TASKS];
	double seconds[TASKS]; /* that a request takes */
	uint64_t asked[TASKS]; /* requests */
	uint64_t rounds[TASKS], covered[TASKS], work[TASKS];
	uint64_t first_ns[TASKS]; /* of the requests since the last live() began */
	struct plan_action last[TASKS];
};

static inline struct life life_new(const struct plan_options *options, uint64_t seed)
{
	struct life life = {.now_ns = UINT64_C(5000000000000)};
	life.plan = plan_new(table, TASKS, options, seed, life.now_ns);
	for (size_t t = 0; t < TASKS; t++) {
		life.seconds[t] = 0.002;
		life.work[t] = 1;
	}
	return life;
}

static inline void set_work(struct life *life, size_t task, uint64_t records)
{
	life->work[task] = records;
	life->covered[task] = 0;
	plan_set_work(life->plan, task, records);
}

static inline void answer(struct life *life, const struct plan_action *action)
{
	size_t task = action->task;
	bool is_good = life->result[task] == PLAN_OK;
	life->asked[task]++;
	life->last[task] = *action;
	if (!life->first_ns[task])
		life->first_ns[task] = life->now_ns;
	life->covered[task] += is_good ? action->records : 0;
	bool is_done = life->covered[task] >= life->work[task];
	if (is_done) {
		life->covered[task] = 0;
		life->rounds[task]++;
	}
	life->now_ns += (uint64_t)(life->seconds[task] * 1e9);
	plan_note(life->plan, life->now_ns,
		  &(struct plan_outcome){.task = task,
					 .way = action->way,
					 .result = life->result[task],
					 .seconds = life->seconds[task],
					 .records = action->records,
					 .is_round_done = is_done});
}

static inline void live(struct life *life, double seconds)
{
	uint64_t end_ns = life->now_ns + (uint64_t)(seconds * 1e9);
	memset(life->asked, 0, sizeof life->asked);
	memset(life->rounds, 0, sizeof life->rounds);
	memset(life->first_ns, 0, sizeof life->first_ns);
	while (life->now_ns < end_ns) {
		plan_note_scraped(life->plan, life->now_ns);
		struct plan_action action = plan_next(life->plan, life->now_ns);
		if (action.kind == PLAN_ASK)
			answer(life, &action);
		else
			life->now_ns = action.until_ns < end_ns ? action.until_ns : end_ns;
	}
}

static inline struct plan_view show(const struct life *life, size_t task)
{
	return plan_show(life->plan, life->now_ns, task);
}

static inline const char *say(const struct life *life, size_t task)
{
	static char text[512];
	struct buf out = BUF_INIT;
	plan_say(life->plan, life->now_ns, task, &out);
	text_to_string(buf_text(&out), text, sizeof text);
	buf_done(&out);
	return text;
}

struct rule {
	const char *name;
	void (*test)(void);
};

/* What main() is to return. */
static inline int check_rules(const struct rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_row(rules[i].name);
		rules[i].test();
	}
	return check_done();
}
