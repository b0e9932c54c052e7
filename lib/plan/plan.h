/* What to ask next, how, and when: a pure planner. Times come as arguments (monotonic nanoseconds),
 * chance from its own seeded generator. It knows no clock, no socket, no thread and no endpoint of
 * Slurm: what can be asked is a table that the caller gives, and the caller alone asks.
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
 * as old as the start of the last finished round.
 *
 * The rules, in the order in which they bind:
 * 1. Budgets. Of any window of max(10 min, 2 x the largest request in it / duty), slurmrestd works
 *    for us at most the share `slurmrestd_duty`, and slurmctld, by its own account, the share
 *    `slurmctld_duty`. A request starts only if its predicted cost fits. Only the largest surprise
 *    in a window, what one request took beyond its prediction, comes on top.
 * 2. Shares. Each task asks for the cost of its round / its wish; budgets and the request rate are
 *    divided so that small askers get all they ask for and the others the rest by weight, after
 *    bounds were paid for, with 92 % at most, and 5 % are left. Who gets less is asked less often.
 *    What bounds take in half a minute is left to those that nearly keep theirs. A round that costs at
 *    most a tenth of ten minutes' budget is saved up and done at once, in debt if it costs more than was
 *    thought; a longer one is spread out. What is spent at once is set aside first.
 * 3. Requests. A token bucket; a smaller one where Slurm limits rates (rl_enable). A round of ten seconds' requests is not
 *    drawn out.
 * 4. Trouble. Failures: exponential back-off with full jitter, then one small request; batches grow
 *    and the interval shrinks by halves as it goes well. While a probe of its side fails a failed
 *    task is left alone (for ten minutes at most); when the probe is well again it is due, spread
 *    out. What failed after work (15 s and more) waits at least as long as it worked, doubled with each failure, ten
 *    minutes at most, and so again from when the probe is well. Answers three times slower than usual stretch the
 *    interval. A way that fails three times, and each time the probes were well since, is left for an hour, if there
 *    is another.
 * 5. Brake: slurmctld short of threads or with a long agent queue stretches what asks it.
 * 6. Idle: nobody scrapes, longer intervals.
 * Probes are small by promise: only rule 3 holds them back, and an interval of their last seconds / duty, at most a
 * minute. They are charged with a twentieth of what the budget earns in that at most: what they take beyond is waiting. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds that a request for n records costs: request + record * n + square * n * n. Slurm's bulk
 * lists are quadratic (slurmrestd frees an answer by walking a list). First guesses: the planner
 * learns how far they are off. */
struct plan_cost {
	double request, record, square;
};

struct plan_way {
	const char *name;
	struct plan_cost slurmrestd_s, slurmctld_s;
	double bytes_per_record;  /* of the answer; 0: not known */
	double memory_per_record; /* bytes that slurmrestd grows by, if those of the answer are right */
	/* Of one request; the smallest is what an unknown or sick cluster is asked first. 1 and 1:
	 * one by one. 0 and 0: the whole list in one request, see plan_set_whole. */
	uint64_t records_min, records_max;
};

struct plan_task {
	const char *name;
	const char *noun; /* its records in the plural, e.g. "jobs" */
	double wish_s;    /* the interval wished */
	double interval_max_s; /* the most that rules 4 to 6 make of it, budgets may more; 0: none */
	double weight;    /* its part where budgets are short; 0 is 1 */
	double bound_s;   /* an interval that is paid for before the wishes of others; 0: none */
	bool is_probe;    /* tells whether its side is well: ping, diag */
	bool needs_slurmctld, needs_slurmdbd;
	const struct plan_way *ways;
	size_t way_count;
};

struct plan_options {
	double slurmrestd_duty, slurmctld_duty; /* 0 .. 1 */
	double bulk_memory_max; /* bytes: no list, and no larger batch, that slurmrestd is predicted to grow by more for */
	double requests_per_s, request_burst;
	double limited_per_s, limited_burst; /* while rates are limited */
	uint64_t server_threads_max; /* of slurmctld: braked from 3/4 of them on */
	uint64_t agent_queue_max;    /* braked from this length on */
	double idle_after_s;         /* without a scrape; 0: never idle */
};
/* 0.06, 0.01, 1 GiB, 50/s and 200, 1.5/s and 20 (under Slurm's own default of 2/s and 30), 256, 1000,
 * 15 min. */
extern const struct plan_options plan_defaults;

struct plan; /* not for use by several threads */

/* The table and all it points to is borrowed and must outlive the plan, wishes and weights may change; at most
 * PLAN_TASKS_MAX. All is due at once and allowed, each task has work for 1 record. */
#define PLAN_TASKS_MAX 64
struct plan *plan_new(const struct plan_task *tasks, size_t task_count,
		      const struct plan_options *options, uint64_t seed, uint64_t now_ns);
void plan_free(struct plan *plan);

/* Other budgets from now on; after wishes were changed, too. What was learnt stays; of a budget that is another
 * nothing is spent yet. */
void plan_set_options(struct plan *plan, uint64_t now_ns, const struct plan_options *options);

/* How many records are to be asked for: in the rest of the round under way, or, if none is, in the
 * next and in those that follow. Each successful request takes what it covered off the round. 0:
 * nothing to do, the task is not asked, a round under way is over. To be called after plan_note. */
void plan_set_work(struct plan *plan, size_t task, uint64_t records);
/* How many records the whole list has: what a way without batches costs, if the work is less. */
void plan_set_whole(struct plan *plan, size_t task, uint64_t records);
/* Due now, once; as the budgets permit. */
void plan_hasten(struct plan *plan, size_t task);

/* What may be used at all, e.g. by the API version or the configuration. To say again what holds
 * already changes nothing; what is allowed anew is due with nothing held against it. */
void plan_allow_task(struct plan *plan, size_t task, bool is_allowed);
void plan_allow_way(struct plan *plan, size_t task, size_t way, bool is_allowed);
/* Is the task, and at least one of its ways that is not known to be unsupported? */
bool plan_is_allowed(const struct plan *plan, size_t task);
/* slurmrestd was upgraded: what it did not support may be tried at once (else after an hour). */
void plan_retry_unsupported(struct plan *plan);

/* Slurm limits our request rate (rl_enable): fewer, larger requests. */
void plan_set_rate_limited(struct plan *plan, bool is_limited);

struct plan_action {
	enum { PLAN_WAIT, PLAN_ASK } kind;
	uint64_t until_ns; /* wait: later than now; what the planner is told meanwhile may change it */
	size_t task, way;
	uint64_t records; /* so many at most may this request cover; a whole list: are expected */
};

/* One request at a time. An action that is never noted was not asked and costs nothing. */
struct plan_action plan_next(struct plan *plan, uint64_t now_ns);

enum plan_result {
	PLAN_OK,
	PLAN_UNCHANGED,   /* Slurm said that nothing changed: a success that teaches no cost */
	PLAN_FAILED,      /* an error, after however long: at most as dear as a success */
	PLAN_TIMED_OUT,   /* slurmrestd goes on computing: at least `seconds` are charged */
	PLAN_UNSUPPORTED, /* this way is not served or forbidden: not used for an hour, unless it is allowed anew */
};

struct plan_outcome { /* of the last action */
	size_t task, way;
	enum plan_result result;
	double seconds;   /* that slurmrestd took for it, as far as we know */
	double bytes;     /* of the answer's body */
	uint64_t records; /* covered: those asked for, or those listed */
	uint64_t cost_records; /* those that it cost the time of, if others; else 0 */
	bool is_round_done; /* after a failure: the round is given up and does not count */
};
void plan_note(struct plan *plan, uint64_t now_ns, const struct plan_outcome *outcome);

/* slurmctld's account of our user (diag: rpcs_by_user), sums since its statistics were reset; may go
 * back. It includes waiting for locks. Where it counts far more RPCs than we asked requests, or more
 * seconds than we waited for them, others use the name, too, and it is left aside. */
void plan_note_slurmctld(struct plan *plan, uint64_t now_ns, double seconds, uint64_t count);
/* diag: server_thread_count and agent_queue_size. */
void plan_note_health(struct plan *plan, uint64_t now_ns, uint64_t server_threads, uint64_t agent_queue);
void plan_note_scraped(struct plan *plan, uint64_t now_ns);

enum plan_reason { /* why the interval is what it is: what stretches it most */
	PLAN_AS_WISHED,
	PLAN_SLURMRESTD_BUDGET,
	PLAN_SLURMCTLD_BUDGET,
	PLAN_REQUEST_RATE,
	PLAN_BACK_OFF,     /* failed lately */
	PLAN_LATENCY,      /* slower than usual */
	PLAN_BRAKE,        /* slurmctld is busy */
	PLAN_IDLE,
	PLAN_NOTHING_TO_DO,
	PLAN_NOT_ALLOWED,  /* or not supported, or too much memory by each way */
	PLAN_REASONS
};
extern const char *const plan_reason_names[PLAN_REASONS]; /* label values: "as_wished", "slurmrestd_budget", ... */

struct plan_view {
	const char *way;  /* in use, or the one that would be; "" if none is allowed */
	enum plan_reason reason;
	double wish_s, interval_s; /* from the start of a round to the start of the next */
	double due_in_s;  /* 0: due; -1: not before something changes */
	double age_s;     /* since the start of the last finished round; -1: none yet */
	uint64_t work, records; /* of the next round, or of the rest of this one, and at most per request */
	double round_slurmrestd_s, round_slurmctld_s; /* predicted cost of a round */
	double duty;      /* slurmrestd seconds spent in the last 10 min, per second */
	uint64_t failures; /* in a row */
};
struct plan_view plan_show(const struct plan *plan, uint64_t now_ns, size_t task);

struct plan_totals {
	double slurmrestd_duty, slurmctld_duty; /* spent in the last 10 min, per second */
	double slurmrestd_duty_max, slurmctld_duty_max; /* the budgets */
	double requests_per_s; /* over the last 10 min */
	double brake;      /* 1: none; 2, 4, ...: so many times the intervals */
	bool is_idle, is_rate_limited;
};
struct plan_totals plan_show_totals(const struct plan *plan, uint64_t now_ns);

/* One plain sentence for a system administrator, without a newline: "job_states: every 42 s instead
 * of 15 s, by `batches` in requests of at most 1,000 jobs: one round of 100,000 jobs takes about 0.9 s
 * of slurmrestd and the budget for everything is 6 % of the time". */
void plan_say(const struct plan *plan, uint64_t now_ns, size_t task, struct buf *out);
