/* What to ask next, how, and when: a pure planner. Times come as arguments (monotonic nanoseconds),
 * random numbers from its own seeded generator. It knows no clock, socket, thread or endpoint of
 * Slurm. The caller gives a table of what can be asked, and only the caller asks.
 *
 *	for (;;) {
 *		struct plan_action action = plan_next(plan, now);
 *		if (action.kind == PLAN_WAIT)
 *			sleep until action.until_ns, or until something happens
 *		else
 *			ask, then plan_note(plan, now, &outcome)
 *	}
 *
 * A *task* is something to be kept fresh, a *way* is how it can be done. Its *work* is the number of
 * records that a *round* covers; a round takes one request or, in batches, several. What is known is
 * as old as the start of the last finished round. A task's *bound* is an interval that the budgets pay for before
 * they pay for anybody's target interval.
 *
 * The rules, in the order in which they bind (the constants and their reasons stand in the files that are named):
 * 1. Budgets (budget.c). slurmrestd works for us for at most the share `slurmrestd_duty` of any window.
 *    slurmctld, by its own account, works for us for at most the share `slurmctld_duty`.
 *    A window is max(10 min, 2 x the largest request in it / duty), since one request may cost more than
 *    ten minutes' budget. A request starts only if its predicted cost fits. The largest surprise in a window,
 *    what one request took beyond its prediction, may come on top.
 * 2. Shares (pace.c). Each task asks for the cost of its round / its target interval. The planner leaves 5 % of a budget
 *    undivided and pays for bounds first, with at most 92 % of the rest. It divides what remains, so that small askers
 *    get all they ask for and the others share the rest by weight. A task that gets less is asked less often. The further
 *    bounds are beyond those 92 %, the more others get: from twice as much on, all of their parts by weight.
 *    When a window is nearly full, other tasks leave what the bounds need in the next 30 s (next.c). After a burst, as
 *    at a start, nothing leaves the window for minutes. Then they leave what the bounds need until something does.
 *    A round that costs at most a tenth of ten minutes' budget is saved up and done at once. What it costs beyond the
 *    prediction is a debt. A longer round is spread out, and so is each round of a task that says so (is_spread).
 *    A task whose `burst` is set may spend that part of ten minutes' budget at once, whatever its round costs.
 *    What may be spent at once is set aside first.
 * 3. Requests (pace.c). A token bucket; a smaller one where Slurm limits rates (rl_enable). A round that needs at most
 *    ten seconds' requests may make them at once. Shares bind while the bucket is less than half full.
 * 4. Trouble (trouble.c). A failed task backs off exponentially with jitter and then begins with one small request.
 *    Batches grow and the interval shrinks by halves while answers are good. While a probe of its side fails, a failed
 *    task waits (at most ten minutes). When the probe is well again, the task is due within seconds.
 *    A task that failed after work (15 s and more) waits at least as long as it worked. That doubles with each failure
 *    up to ten minutes, and begins again when the probe is well. Answers three times slower than usual stretch the
 *    interval. A way that failed three times, with the probes well after each failure, is left for an hour if there is
 *    another. A way that is refused (not served, or forbidden) is left for a minute, then twice as long, up to an hour.
 * 5. Brake (load.c). If slurmctld is short of threads or has a long agent queue, tasks that ask it come less often.
 * 6. Idle (pace.c). If nobody scrapes, intervals are longer. Probes are small by promise. Only rule 3 holds them back,
 *    and an interval of their last seconds / duty, at most a minute, or six times a longer answer. After a slow one all
 *    others have a turn. The budget is charged with at most a twentieth of what it earns in that interval: the rest was
 *    waiting. Waiting (wait.c). If the quickest of a side's last four answers took a second or more, each of its
 *    requests will take as much. What it costs beyond that is learnt apart. So one quick answer ends it. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds that a request for n records costs: request + record * n + square * n * n. Slurm's bulk lists are
 * quadratic, since slurmrestd frees an answer by walking a list. These are first guesses: the planner learns how
 * far they are off. */
struct plan_cost {
	double request, record, square;
};

struct plan_way {
	const char *name;
	struct plan_cost slurmrestd_s, slurmctld_s;
	double bytes_per_record; /* of the answer; 0: not known */
	double memory_per_record; /* bytes that slurmrestd grows by, if bytes_per_record is right */
	/* Of one request. A cluster that is unknown or sick is asked for records_min first. 1 and 1: one by
	 * one. 0 and 0: the whole list in one request, see plan_set_whole. */
	uint64_t records_min, records_max;
};

struct plan_task {
	const char *name;
	const char *noun; /* its records in the plural, e.g. "jobs" */
	double target_s; /* the target interval */
	double interval_max_s; /* rules 4 to 6 make it no longer than this, budgets may; 0: no limit */
	double weight; /* its part where budgets are short; 0 is 1 */
	double bound_s; /* an interval that is paid for before the target intervals of others; 0: none */
	bool is_probe; /* tells whether its side is well: ping, diag */
	bool needs_slurmctld, needs_slurmdbd;
	const struct plan_way *ways; /* those that ask in batches cover records in the same order */
	size_t way_count;
	double burst; /* the part of ten minutes' budget that it may spend before it has earned it (rule 2); 0: a round */
	bool is_spread; /* each answer is of use by itself, so its rounds are not saved up for (rule 2) */
	bool lends_share; /* others get its share as soon as it has nothing to do, because its work varies a lot */
};

struct plan_options {
	double slurmrestd_duty, slurmctld_duty; /* 0 .. 1 */
	double bulk_memory_max; /* bytes that slurmrestd may be predicted to grow by for one list or batch */
	double requests_per_s, request_burst;
	double limited_per_s, limited_burst; /* while rates are limited */
	uint64_t server_threads_max; /* that slurmctld may have; the brake begins at 3/4 of them */
	uint64_t agent_queue_max; /* the brake begins at this length */
	double idle_after_s; /* without a scrape; 0: never idle */
};
extern const struct plan_options plan_defaults; /* plan.c says why they are what they are */

struct plan; /* for use by one thread */

/* The plan borrows the table and all it points to, which must outlive it. The caller may change target intervals and
 * weights, and then calls plan_set_options. At most PLAN_TASKS_MAX. At first all tasks are allowed and due, and each
 * has work for 1 record. */
#define PLAN_TASKS_MAX 64
struct plan *plan_new(const struct plan_task *tasks, size_t task_count, const struct plan_options *options,
		      uint64_t seed, uint64_t now_ns);
void plan_free(struct plan *plan);

/* Other budgets from now on. To be called after target intervals were changed, too. What was learnt stays. A budget
 * that changes begins with nothing spent. */
void plan_set_options(struct plan *plan, uint64_t now_ns, const struct plan_options *options);

/* How many records are to be asked for in the rest of the round under way; if there is none, in each round that follows.
 * Each successful request takes what it covered off the round. 0: there is nothing to do; the task is not asked and
 * a round under way is over. To be called after plan_note. */
void plan_set_work(struct plan *plan, size_t task, uint64_t records);
/* How many records the whole list has: a way without batches costs as much, even if the work is less. */
void plan_set_whole(struct plan *plan, size_t task, uint64_t records);
/* The task is due now, once, as the budgets permit. */
void plan_hasten(struct plan *plan, size_t task);

/* Whether the API version and the configuration allow it at all. A call that repeats the present state changes nothing.
 * A task that becomes allowed is due at once, and its failures are forgotten; that a way was refused is not. */
void plan_allow_task(struct plan *plan, size_t task, bool is_allowed);
void plan_allow_way(struct plan *plan, size_t task, size_t way, bool is_allowed);
/* Is the task allowed, and at least one of its ways that is not known to be unsupported? */
bool plan_is_allowed(const struct plan *plan, size_t task);
/* Until when all ways that are allowed are left, whether the task is allowed or not; 0: they are not; UINT64_MAX: none is
 * allowed. */
uint64_t plan_refused_until_ns(const struct plan *plan, size_t task);
/* slurmrestd was upgraded: what it did not support may be tried at once. */
void plan_retry_unsupported(struct plan *plan);

/* Slurm limits our request rate (rl_enable): fewer, larger requests. */
void plan_set_rate_limited(struct plan *plan, bool is_limited);

struct plan_action {
	enum { PLAN_WAIT, PLAN_ASK } kind;
	uint64_t until_ns; /* wait: later than now; ask again earlier after telling the planner something */
	size_t task, way;
	uint64_t records; /* that this request may cover at most; of a whole list: that are expected */
};

/* There is one request at a time. An action that is never noted counts as not asked and costs nothing. */
struct plan_action plan_next(struct plan *plan, uint64_t now_ns);

enum plan_result {
	PLAN_OK,
	PLAN_UNCHANGED, /* Slurm said that nothing changed: a success that teaches no cost */
	PLAN_FAILED, /* an error: however late it came, it is charged at most like a success */
	PLAN_TIMED_OUT, /* slurmrestd goes on computing: at least `seconds` are charged */
	PLAN_UNSUPPORTED, /* not served or forbidden: the way is left for a while */
};

struct plan_outcome { /* of the last action */
	size_t task, way;
	enum plan_result result;
	double seconds; /* that slurmrestd took for it, as far as we know */
	double bytes; /* of the answer's body */
	uint64_t records; /* covered: those asked for, or those listed */
	uint64_t cost_records; /* that took the time, where an array's ID brought more; 0: as many as `records` */
	bool is_round_done; /* after a failure: the round is given up and does not count */
};
void plan_note(struct plan *plan, uint64_t now_ns, const struct plan_outcome *outcome);

/* slurmctld's account of our user (diag: rpcs_by_user): sums since its statistics were reset, so they may go back.
 * The seconds include waiting for locks. It may count far more RPCs than we made requests, or more seconds than we
 * waited. Then others use the name, too, and the planner believes it only in part (load.c). */
void plan_note_slurmctld(struct plan *plan, uint64_t now_ns, double seconds, uint64_t count);
/* Should the next account come now? True once, after requests whose cost for slurmctld few accounts have told. The caller
 * hastens the task that brings accounts (diag). */
bool plan_wants_account(struct plan *plan);
/* diag: server_thread_count and agent_queue_size. */
void plan_note_load(struct plan *plan, uint64_t now_ns, uint64_t server_threads, uint64_t agent_queue);
void plan_note_scraped(struct plan *plan, uint64_t now_ns);

enum plan_reason { /* why the interval is what it is: the cause that stretches it most */
		   PLAN_ON_TARGET,
		   PLAN_SLURMRESTD_BUDGET,
		   PLAN_SLURMCTLD_BUDGET,
		   PLAN_REQUEST_RATE,
		   PLAN_BACK_OFF, /* failed lately */
		   PLAN_LATENCY, /* slower than usual */
		   PLAN_BRAKE, /* slurmctld is busy */
		   PLAN_IDLE,
		   PLAN_NOTHING_TO_DO,
		   PLAN_NOT_ALLOWED, /* or not supported, or too much memory by each way */
		   PLAN_REASONS
};
extern const char *const plan_reason_names[PLAN_REASONS]; /* label values: "on_target", "slurmrestd_budget", ... */

struct plan_view {
	const char *way; /* in use, or the one that would be; "" if none is allowed */
	enum plan_reason reason;
	double target_s, interval_s; /* from the start of a round to the start of the next */
	double due_in_s; /* 0: due; -1: not due until something changes */
	double age_s; /* since the start of the last finished round; -1: none yet */
	uint64_t work, records; /* work: of the rest of this round, or of the next; records: at most per request */
	double round_slurmrestd_s, round_slurmctld_s; /* predicted cost of a round */
	double duty; /* slurmrestd seconds spent in the last 10 min, per second */
	uint64_t failures; /* in a row */
};
struct plan_view plan_show(const struct plan *plan, uint64_t now_ns, size_t task);

struct plan_totals {
	double slurmrestd_duty, slurmctld_duty; /* spent in the last 10 min, per second */
	double slurmrestd_duty_max, slurmctld_duty_max; /* the budgets */
	double requests_per_s; /* over the last 10 min */
	double brake; /* factor on the intervals of what asks slurmctld; 1: no brake */
	bool is_idle, is_rate_limited;
};
struct plan_totals plan_show_totals(const struct plan *plan, uint64_t now_ns);

/* Appends one plain sentence for a system administrator, without a newline, such as "nodes: every 30 s, by `list`: on
 * target". */
void plan_say(const struct plan *plan, uint64_t now_ns, size_t task, struct buf *out);
