/* What slurmctld reports of itself and of us, and whether anybody scrapes. */
#include "plan/state.h"

#include <math.h>

/* The brake doubles the intervals of what asks slurmctld. More than this would help slurmctld little and cost the numbers
 * their use. */
#define BRAKE_MAX 8.0
#define BRAKE_HARDER_S 15.0 /* the target interval of diag, which tells what the last step did */
/* The brake eases after a minute without trouble, a step a minute: easing it at once would bring the load back at once. */
#define BRAKE_EASE_S 60.0
/* slurmctld's account counts RPCs, of which a request of ours causes one or two. If it counts more than this many, others
 * use our name, too. */
#define RPCS_PER_REQUEST_MAX 4.0
/* How much of its error an account corrects. It covers many requests of many ways, so each tells little of one way. The
 * first ones correct more: a way by its part of the requests that accounts have told of so far. */
#define ACCOUNT_RATE 0.3
/* The first guess counts like this number of requests: a few of them may all have waited for one lock. */
#define GUESS_REQUESTS 20.0
/* After this number of requests a way's cost is known. */
#define KNOWN_REQUESTS 200.0
/* Until then the next account is called for as soon as we waited for the way as long as this part of ten minutes' budget.
 * At a start without slurmdbd we asked for the details of 1,300 jobs before diag was due again. They took a third of the budget. */
#define UNSURE_PART 0.02
/* By what an account may multiply a cost: at most, and at least the inverse. */
#define FACTOR_MAX 2.0
#define FACTOR_MAX_FIRST 4.0

/* The error is divided among the ways by what each was charged with (as in cost.c). */
static void learn_account(struct plan *plan, double spent_s, double sum_s)
{
	double squares = 0;
	FOR_EACH_WAY (plan, way)
		squares += way->charged_s * way->charged_s;
	FOR_EACH_WAY (plan, way) {
		double most = way->told_requests < KNOWN_REQUESTS ? FACTOR_MAX_FIRST : FACTOR_MAX;
		way->told_requests += way->charged_requests;
		double rate = fmax(ACCOUNT_RATE, way->charged_requests / (GUESS_REQUESTS + way->told_requests));
		double factor = 1 + rate * (spent_s - sum_s) * way->charged_s / squares;
		cost_multiply(&way->slurmctld, fmin(fmax(factor, 1 / most), most));
	}
}

/* How many seconds slurmctld spent on all but probes. Its account says `spent_s`; the planner charged `sum_s`. The time
 * that probes waited is subtracted, because they may have waited for a lock. More than we waited for cannot be ours. An
 * account beyond that, or of too many RPCs, includes others who use our name; then only that limit is known. */
static double believed_s(const struct plan *plan, double spent_s, double rpcs, double sum_s)
{
	double least_s = fmax(spent_s - plan->probed_s, 0), most_s = fmin(spent_s, plan->waited_s);
	bool is_ours = rpcs <= RPCS_PER_REQUEST_MAX * (plan->requests_charged + 1) && least_s <= most_s;
	return is_ours ? fmin(fmax(sum_s, least_s), most_s) : fmin(sum_s, plan->waited_s);
}

void plan_note_slurmctld(struct plan *plan, uint64_t now_ns, double seconds, uint64_t count)
{
	double sum = 0;
	FOR_EACH_WAY (plan, way)
		sum += way->charged_s;
	bool is_later = plan->account.is_known && seconds >= plan->account.seconds && count > plan->account.count;
	if (is_later && sum > 0) {
		double rpcs = (double)(count - plan->account.count);
		double spent = believed_s(plan, seconds - plan->account.seconds, rpcs, sum);
		budget_correct(&plan->budgets[BY_SLURMCTLD], now_ns, spent - sum);
		learn_account(plan, spent, sum);
		plan->is_pace_old = true;
	}
	FOR_EACH_WAY (plan, way)
		way->charged_s = way->charged_requests = way->unsure_s = 0;
	plan->requests_charged = 0;
	plan->waited_s = 0;
	plan->probed_s = plan->tasks[plan->asked.task].seconds; /* diag's own RPC is part of the next account */
	plan->account.is_known = true;
	plan->account.seconds = seconds;
	plan->account.count = count;
}

bool plan_wants_account(struct plan *plan)
{
	double most_s = UNSURE_PART * plan->budgets[BY_SLURMCTLD].duty * BUDGET_WINDOW_S;
	bool is_wanted = false;
	FOR_EACH_WAY (plan, way) {
		if (!plan->account.is_known || way->told_requests >= KNOWN_REQUESTS || way->unsure_s < most_s)
			continue;
		way->unsure_s = 0;
		is_wanted = true;
	}
	return is_wanted;
}

void plan_note_load(struct plan *plan, uint64_t now_ns, uint64_t server_threads, uint64_t agent_queue)
{
	bool is_busy = 4 * server_threads >= 3 * plan->options.server_threads_max ||
		       agent_queue >= plan->options.agent_queue_max;
	double before = plan->brake;
	if (is_busy) {
		plan->busy_ns = now_ns;
		if (before == 1 || seconds_between(plan->braked_ns, now_ns) >= BRAKE_HARDER_S)
			plan->brake = fmin(2 * before, BRAKE_MAX);
	} else if (seconds_between(plan->busy_ns, now_ns) >= BRAKE_EASE_S &&
		   seconds_between(plan->braked_ns, now_ns) >= BRAKE_EASE_S) {
		plan->brake = fmax(before / 2, 1);
	}
	if (plan->brake == before)
		return;
	plan->braked_ns = now_ns;
	plan->is_pace_old = true;
}

void plan_note_scraped(struct plan *plan, uint64_t now_ns)
{
	plan->is_pace_old |= plan_is_idle(plan, now_ns);
	plan->scraped_ns = now_ns;
}
