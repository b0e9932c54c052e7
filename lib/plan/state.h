/* What the planner's own files share. */
#pragma once

#include "plan/budget.h"
#include "plan/cost.h"
#include "plan/plan.h"

/* What is scarce. */
enum scarce { BY_SLURMRESTD, BY_SLURMCTLD, BY_REQUESTS, SCARCE };

struct way {
	const struct plan_way *row;
	bool is_allowed;
	uint64_t avoid_until_ns; /* not supported, or failed again and again */
	struct cost slurmrestd, slurmctld;
	double charged_s, charged_requests; /* of slurmctld since its last account; 0 for probes */
	double told_requests; /* that accounts have told of */
	double unsure_s; /* waited for slurmctld since its last account, or since the next one was called for */
	double bytes_per_record; /* learnt; 0: not yet */
	uint64_t batch; /* how far the records of one request have grown */
	uint64_t failures, refusals; /* in a row */
};

struct task {
	const struct plan_task *row;
	struct way *ways;
	size_t way; /* in use; way_count: none can be used */
	bool is_allowed;
	uint64_t work, whole, covered; /* covered: of the work, since that was set */
	uint64_t before; /* what the round under way had covered when its work was set last */

	bool is_hastened, is_in_round, was_begun, was_finished;
	uint64_t begun_ns; /* when the last round began */
	uint64_t asked_ns; /* when the last request began */
	uint64_t fresh_ns; /* when the last round that was finished began */

	/* what pace.c says */
	double cost[SCARCE]; /* of the next request, predicted */
	double round[SCARCE]; /* of a whole round */
	double asked[SCARCE]; /* share of the budget that the target interval needs, smoothed */
	double burst[SCARCE]; /* what may be saved up and spent at once */
	double per_s[SCARCE]; /* what is earned in a second */
	double saved[SCARCE]; /* earned and not spent; below 0: debt */
	double cautious_s; /* the interval before budgets */
	double interval_s;
	enum plan_reason reason;

	/* trouble.c */
	enum plan_result result; /* of the last request */
	double seconds; /* that it took */
	uint64_t failures; /* in a row */
	double worked_s; /* seconds of the longest of those failures, if it was work; else 0 */
	uint64_t sick_ns; /* when the first of those failures came */
	uint64_t failed_ns, retry_ns;
	double stretch; /* 1, 2, 4: after failures or slow answers */
	enum plan_reason stretched_by;
	uint64_t stretched_ns; /* when it changed last */

	struct ledger spent; /* seconds of slurmrestd */
};

/* Who is asked behind slurmrestd. */
enum side { SIDE_SLURMCTLD, SIDE_SLURMDBD, SIDES };
enum { WAIT_ANSWERS = 4 };

/* The records of a whole round: the work that is left, and what the round under way has covered. */
static inline uint64_t round_records(const struct task *task)
{
	return task->before + task->work;
}

struct plan {
	struct plan_options options;
	struct task *tasks;
	size_t task_count;
	struct budget budgets[BY_REQUESTS]; /* of seconds */
	double bound_per_s[SCARCE]; /* what bounds take */
	double tokens; /* for requests */
	bool is_rate_limited;
	struct ledger requests;
	double requests_charged; /* since slurmctld's last account */
	struct wait {
		struct {
			const struct task *task;
			double seconds;
		} last[WAIT_ANSWERS]; /* the last answers; the oldest is last[count % WAIT_ANSWERS] */
		uint64_t count;
		double seconds; /* that any answer takes now; 0: not noticeable */
	} waits[SIDES];
	double waited_s, probed_s; /* waited for slurmctld since its last account: by all but probes, by probes */

	struct {
		bool is_known;
		double seconds;
		uint64_t count;
	} account; /* slurmctld's, as last told */

	double brake;
	uint64_t braked_ns; /* when it changed last */
	uint64_t busy_ns; /* when slurmctld was too busy last */
	uint64_t scraped_ns;
	uint64_t random;

	uint64_t ticked_ns, paced_ns;
	bool is_pace_old;
	struct {
		size_t task;
		uint64_t ns, records;
		bool was_hastened; /* and it was not noted yet */
	} asked; /* the last action */
};

/* Of all tasks. */
#define FOR_EACH_WAY(plan, way)                                                                                        \
	for (struct task *task = (plan)->tasks; task < (plan)->tasks + (plan)->task_count; task++)                     \
		for (struct way *way = task->ways; way < task->ways + task->row->way_count; way++)

static inline double seconds_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0;
}

static inline uint64_t after(uint64_t ns, double seconds)
{
	return ns + (uint64_t)(seconds * 1e9);
}

static inline bool has_way(const struct task *task)
{
	return task->way < task->row->way_count;
}

/* ways.c: which way, how many records a request */
bool way_is_usable(const struct way *way, uint64_t now_ns);
bool way_is_whole(const struct way *way);
uint64_t way_best_records(const struct plan *plan, const struct way *way);
uint64_t way_next_records(const struct plan *plan, const struct task *task);
void way_request_cost(const struct way *way, uint64_t records, double cost[SCARCE]);
void way_choose(struct plan *plan, struct task *task, uint64_t now_ns);
/* Fills in the cost of a round by the task's way. */
void way_round_cost(const struct plan *plan, struct task *task);

/* next.c: when the task may be asked; UINT64_MAX: not before something changes. */
uint64_t task_ready_ns(const struct plan *plan, const struct task *task, uint64_t now_ns);

/* pace.c: how often */
double requests_per_s(const struct plan *plan);
double request_burst(const struct plan *plan);
bool plan_is_idle(const struct plan *plan, uint64_t now_ns);
/* Lets tasks earn until now. If something changed or a second went by, divides the budgets again. */
void pace(struct plan *plan, uint64_t now_ns);
/* What a task is charged for a request that took `spent`: of a probe only a part. */
double pace_charged(const struct plan *plan, const struct task *task, enum scarce by, double spent);
/* What the task's next request and round cost now. */
void pace_refresh(const struct plan *plan, struct task *task);

/* wait.c: the time that every answer of a side waits */
enum side wait_side(const struct task *task);
void wait_note(struct plan *plan, const struct task *task, double seconds);

/* trouble.c. `way`: the one that was asked; the task may have another by now, or none. */
void trouble_note_failure(struct plan *plan, struct task *task, struct way *way, double seconds, uint64_t now_ns);
void trouble_note_success(struct plan *plan, struct task *task, uint64_t now_ns);
void trouble_note_pace(struct task *task, bool is_slow, uint64_t now_ns);
/* Does a probe of the task's side fail? */
bool trouble_is_side_sick(const struct plan *plan, const struct task *task);
/* Until when the task must wait; 0: it has not failed. */
uint64_t trouble_until_ns(const struct plan *plan, const struct task *task);
