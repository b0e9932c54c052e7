/* The promise: of any window of max(10 min, 2 x the largest request in it / duty), at most `duty` is
 * spent, but for the largest surprise in it: what one request took beyond its prediction. With another duty it
 * begins anew: who may spend half of what he did is not to spend nothing first. */
#pragma once

#include "plan/ledger.h"

#include <stdbool.h>

#define BUDGET_WINDOW_S 600.0
#define BUDGET_BIGS 64

struct budget {
	double duty;
	uint64_t since_ns; /* that it is this one */
	struct ledger ledger;
	struct {
		uint64_t ns;
		double seconds, surprise;
	} bigs[BUDGET_BIGS]; /* the last with a window longer than ten minutes, or that surprised */
	size_t big_count;    /* ever; the ring's newest is before it */
};

void budget_init(struct budget *budget, double duty, uint64_t now_ns);
void budget_set_duty(struct budget *budget, double duty, uint64_t now_ns);
void budget_done(struct budget *budget);

/* The window that a request of so many seconds makes the promise hold for. */
double budget_window_s(const struct budget *budget, double seconds);

/* Does a request of so many seconds keep the promise, in any window that ends now, and leave so many of them? */
bool budget_fits(const struct budget *budget, uint64_t now_ns, double seconds, double left_s);

/* The largest request, as far as it was predicted, whose window is longer than ten minutes and not
 * over; or 0. */
double budget_biggest(const struct budget *budget, uint64_t now_ns);

void budget_spend(struct budget *budget, uint64_t now_ns, double seconds, double predicted_s);
/* Corrects what was spent by what somebody else measured; may be negative. */
void budget_correct(struct budget *budget, uint64_t now_ns, double seconds);
double budget_duty(const struct budget *budget, uint64_t now_ns); /* spent, in the last ten minutes */
