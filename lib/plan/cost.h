/* What requests of one way cost: the shape is given (plan_cost), how far it is off is learnt, for the
 * part per request and the part per record. One outlier teaches nothing: the median of the last three
 * does. */
#pragma once

#include "plan/plan.h"

struct cost_scale {
	double request, records; /* factors on the guess */
};

struct cost {
	struct plan_cost guess;
	struct cost_scale now, usual; /* the second learns slowly */
	struct {
		double records, seconds;
	} last[3];
	uint64_t count; /* of requests learnt from; the ring's oldest is last[count % 3] */
};

void cost_init(struct cost *cost, const struct plan_cost *guess);

/* A first guess that errs as `like` was found to. */
void cost_guess_like(struct cost *cost, const struct cost *like);

double cost_seconds(const struct cost *cost, uint64_t records); /* predicted */
/* The same, or what the last request tells if that is more: an outlier teaches nothing, but may be the
 * first of many. */
double cost_seconds_at_worst(const struct cost *cost, uint64_t records);
void cost_learn(struct cost *cost, uint64_t records, double seconds);
/* It was found otherwise that all costs so many times what was believed. */
void cost_multiply(struct cost *cost, double factor);

/* Were the last answers, but for one, more than three times slower than usual, and notably? */
bool cost_is_slow(const struct cost *cost);

/* The number of records for which a record costs least, where a request costs `price_s` besides;
 * HUGE_VAL if the cost is linear. */
double cost_best_records(const struct cost *cost, double price_s);
