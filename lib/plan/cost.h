/* What requests of one way cost. The shape is given (plan_cost); two factors are learnt, for the part per request and
 * the part per record. The median of the last three requests teaches, so that one outlier teaches nothing. Costs are in
 * seconds. */
#pragma once

#include "plan/plan.h"

struct cost_scale {
	double request, records; /* factors on the guess */
};

struct cost {
	struct plan_cost guess;
	double wait_s; /* that any request takes now, whatever it asks for (wait.c): not part of what is learnt */
	struct cost_scale now, usual; /* `usual` learns slowly: what is slow is measured by it */
	struct {
		double records, seconds;
	} last[3];
	uint64_t count; /* of requests learnt from; the ring's oldest is last[count % 3] */
};

void cost_init(struct cost *cost, const struct plan_cost *guess);

/* A first guess, corrected by the factors that `like` learnt. */
void cost_guess_like(struct cost *cost, const struct cost *like);

double cost_seconds(const struct cost *cost, uint64_t records); /* predicted */
/* The same, or more if the last request took more. One outlier teaches nothing, but it may be the first of many, so
 * the budget must have room for it. */
double cost_seconds_at_worst(const struct cost *cost, uint64_t records);
void cost_learn(struct cost *cost, uint64_t records, double seconds);
/* By slurmctld's account everything costs `factor` times what was predicted. */
void cost_multiply(struct cost *cost, double factor);

/* Were at least two of the last three answers more than three times slower than usual, by an amount that matters? */
bool cost_is_slow(const struct cost *cost);

/* The number of records for which a record costs least, where a request costs `price_s` besides;
 * HUGE_VAL if the cost is linear. */
double cost_best_records(const struct cost *cost, double price_s);
