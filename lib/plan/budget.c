#include "plan/budget.h"

#include <math.h>

/* The longest window, and how far the ledger goes back. At 6 % a request of 648 s has this window; the longest that was
 * measured, a list of 100,000 jobs (26.05), took 363 s. */
#define SPAN_S (6 * 3600.0)
/* A request surprises if it takes this part of ten minutes' budget beyond its prediction. Smaller errors would fill the
 * ring of `bigs` and push out the large ones. */
#define SURPRISE 0.05
#define NEEDED_STEPS 20

void budget_set_duty(struct budget *budget, double duty, uint64_t now_ns)
{
	if (budget->duty == fmax(duty, 1e-6))
		return;
	budget->duty = fmax(duty, 1e-6);
	budget->since_ns = now_ns;
	budget->big_count = 0;
}

void budget_init(struct budget *budget, double duty, uint64_t now_ns)
{
	*budget = (struct budget){.duty = 0};
	budget_set_duty(budget, duty, now_ns);
	ledger_init(&budget->ledger, SPAN_S, now_ns);
}

void budget_done(struct budget *budget)
{
	ledger_done(&budget->ledger);
}

double budget_window_s(const struct budget *budget, double seconds)
{
	return fmin(fmax(BUDGET_WINDOW_S, 2 * seconds / budget->duty), SPAN_S);
}

static size_t bigs_kept(const struct budget *budget)
{
	return budget->big_count < BUDGET_BIGS ? budget->big_count : BUDGET_BIGS;
}

static double age_s(const struct budget *budget, size_t big, uint64_t now_ns)
{
	return (double)(now_ns - budget->bigs[big].ns) / 1e9;
}

double budget_biggest(const struct budget *budget, uint64_t now_ns)
{
	double biggest = 0;
	for (size_t i = 0; i < bigs_kept(budget); i++) {
		double planned_s = budget->bigs[i].seconds - budget->bigs[i].surprise;
		double window_s = budget_window_s(budget, planned_s);
		if (window_s > BUDGET_WINDOW_S && age_s(budget, i, now_ns) < window_s)
			biggest = fmax(biggest, planned_s);
	}
	return biggest;
}

/* Does the window hold a request so large that the promise holds only for longer windows? */
static bool is_too_short(const struct budget *budget, uint64_t now_ns, double window_s)
{
	for (size_t i = 0; i < bigs_kept(budget); i++)
		if (age_s(budget, i, now_ns) < window_s && budget_window_s(budget, budget->bigs[i].seconds) > window_s)
			return true;
	return false;
}

static double surprise(const struct budget *budget, uint64_t now_ns, double window_s)
{
	double largest = 0;
	for (size_t i = 0; i < bigs_kept(budget); i++)
		if (age_s(budget, i, now_ns) < window_s)
			largest = fmax(largest, budget->bigs[i].surprise);
	return largest;
}

static bool fits_window(const struct budget *budget, uint64_t now_ns, double window_s, double seconds)
{
	double since_s = (double)(now_ns - budget->since_ns) / 1e9;
	double spent = ledger_spent(&budget->ledger, now_ns, fmin(window_s, since_s));
	return is_too_short(budget, now_ns, window_s) ||
	       spent + seconds <= budget->duty * window_s + surprise(budget, now_ns, window_s);
}

bool budget_fits(const struct budget *budget, uint64_t now_ns, double seconds, double left_s)
{
	double shortest_s = budget_window_s(budget, seconds), needed_s = seconds + left_s;
	if (!fits_window(budget, now_ns, shortest_s, needed_s))
		return false;
	for (size_t i = 0; i < bigs_kept(budget); i++) {
		double window_s = budget_window_s(budget, budget->bigs[i].seconds);
		if (window_s > shortest_s && age_s(budget, i, now_ns) < window_s &&
		    !fits_window(budget, now_ns, window_s, needed_s))
			return false;
	}
	return true;
}

double budget_needed(const struct budget *budget, uint64_t now_ns, double per_s)
{
	if (per_s <= 0)
		return 0;
	double since_s = (double)(now_ns - budget->since_ns) / 1e9;
	double spent = ledger_spent(&budget->ledger, now_ns, fmin(BUDGET_WINDOW_S, since_s)), needed = 0;
	for (int step = 1; step <= NEEDED_STEPS; step++) {
		double ahead_s = BUDGET_WINDOW_S * step / NEEDED_STEPS;
		double stays = ledger_spent(&budget->ledger, now_ns, fmin(BUDGET_WINDOW_S - ahead_s, since_s));
		needed = fmax(needed, per_s * ahead_s - (spent - stays));
	}
	return needed;
}

void budget_spend(struct budget *budget, uint64_t now_ns, double seconds, double predicted_s)
{
	double beyond_s = fmax(seconds - predicted_s, 0);
	ledger_add(&budget->ledger, now_ns, seconds);
	if (budget_window_s(budget, seconds) <= BUDGET_WINDOW_S && beyond_s < SURPRISE * budget->duty * BUDGET_WINDOW_S)
		return;
	size_t next = budget->big_count++ % BUDGET_BIGS;
	budget->bigs[next].ns = now_ns;
	budget->bigs[next].seconds = seconds;
	budget->bigs[next].surprise = beyond_s;
}

void budget_correct(struct budget *budget, uint64_t now_ns, double seconds)
{
	ledger_add(&budget->ledger, now_ns, seconds);
}

double budget_duty(const struct budget *budget, uint64_t now_ns)
{
	return fmax(0, ledger_spent(&budget->ledger, now_ns, BUDGET_WINDOW_S) / BUDGET_WINDOW_S);
}
