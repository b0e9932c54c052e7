/* The promise: of any window of max(10 min, 2 x the largest request in it / duty), at most `duty` is spent. The largest
 * surprise in it, what one request took beyond its prediction, may come on top. When the duty changes, the promise
 * starts again: otherwise a budget that is halved would allow no request until the old ones leave the window. */
#pragma once

#include "plan/ledger.h"

#include <stdbool.h>

#define BUDGET_WINDOW_S 600.0 /* at 6 % it holds 36 s of slurmrestd */
#define BUDGET_BIGS 64 /* how many are kept; large requests are rare, as each fills half of its window */

struct budget {
	double duty;
	uint64_t since_ns; /* when the duty was set */
	struct ledger ledger;
	struct {
		uint64_t ns;
		double seconds, surprise;
	} bigs[BUDGET_BIGS]; /* the last with a window longer than ten minutes, or that surprised */
	size_t big_count; /* ever; the ring's newest is before it */
};

void budget_init(struct budget *budget, double duty, uint64_t now_ns);
void budget_set_duty(struct budget *budget, double duty, uint64_t now_ns);
void budget_done(struct budget *budget);

/* The window, in seconds, that the promise holds for beside a request of `seconds`. */
double budget_window_s(const struct budget *budget, double seconds);

/* Does a request of `seconds` keep the promise in each window that ends now, and leave `left_s` in it for others? */
bool budget_fits(const struct budget *budget, uint64_t now_ns, double seconds, double left_s);

/* What has to be left now for others that need `per_s` seconds in each second from now on. What was spent leaves the
 * window as time goes by, and pays for part of it. After a burst nothing leaves for minutes. */
double budget_needed(const struct budget *budget, uint64_t now_ns, double per_s);

/* The predicted seconds of the largest request whose window is longer than ten minutes and not over; 0: none. */
double budget_biggest(const struct budget *budget, uint64_t now_ns);

void budget_spend(struct budget *budget, uint64_t now_ns, double seconds, double predicted_s);
/* Corrects what was spent by what slurmctld measured; may be negative. */
void budget_correct(struct budget *budget, uint64_t now_ns, double seconds);
double budget_duty(const struct budget *budget, uint64_t now_ns); /* spent, in the last ten minutes */
