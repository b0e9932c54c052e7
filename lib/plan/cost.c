#include "plan/cost.h"

#include <math.h>

/* How much of an error each request corrects: `now` follows a change within some ten requests, `usual` within a hundred.
 * So slowness that lasts a while does not become the usual at once. */
#define RATE_NOW 0.1
#define RATE_USUAL 0.01
/* The first guess may be off by any factor. After this many requests a prediction changes by at most two at a time, so
 * that one odd answer cannot upset the plan. */
#define FEW 3
/* A prediction that is off by this factor is not slightly wrong: the planner takes the median at once. Otherwise tasks
 * that are rarely asked would need days to learn. */
#define FAR_OFF 10.0
/* The waiting time of answers varies by this part. */
#define WAIT_VARIES 0.5
#define OWN_MIN_S 1e-6
/* Bounds of the learnt factors. A factor of 0 would make requests free; a cost that grows without end would stop them. */
#define SCALE_MIN 0.01
#define SCALE_MAX 1e5
/* Answers that are this many times slower than usual mean trouble, and Slurm is asked less often. The figure was not
 * measured. */
#define SLOW 3.0
/* A small answer that is later than usual by less than this is no trouble: something held a lock. */
#define SLOW_S 0.05

void cost_init(struct cost *cost, const struct plan_cost *guess)
{
	*cost = (struct cost){.guess = *guess, .now = {1, 1}, .usual = {1, 1}};
}

static double per_records(const struct plan_cost *guess, double records)
{
	return guess->record * records + guess->square * records * records;
}

static double seconds_of(const struct cost *cost, const struct cost_scale *scale, double records)
{
	return scale->request * cost->guess.request + scale->records * per_records(&cost->guess, records);
}

void cost_guess_like(struct cost *cost, const struct cost *like)
{
	double at_one = like->guess.request + like->guess.record;
	double factor = at_one > 0 ? seconds_of(like, &like->now, 1) / at_one : 1;
	cost->now = cost->usual = (struct cost_scale){factor, factor};
}

double cost_seconds(const struct cost *cost, uint64_t records)
{
	return cost->wait_s + seconds_of(cost, &cost->now, (double)records);
}

double cost_seconds_at_worst(const struct cost *cost, uint64_t records)
{
	double predicted = seconds_of(cost, &cost->now, (double)records);
	size_t newest = (size_t)((cost->count + 2) % 3);
	double expected = seconds_of(cost, &cost->now, cost->last[newest].records);
	bool is_known = cost->count > 0 && expected > 0;
	return cost->wait_s + (is_known ? predicted * fmax(1, cost->last[newest].seconds / expected) : predicted);
}

/* measured / predicted of the last three requests: the median; of fewer requests the smallest. */
static double median_ratio(const struct cost *cost, const struct cost_scale *scale, double allowed_s)
{
	double ratio[3];
	for (size_t i = 0; i < 3; i++) {
		size_t known = i < cost->count ? i : 0;
		double seconds = cost->last[known].seconds;
		double predicted = seconds_of(cost, scale, cost->last[known].records);
		ratio[i] = seconds > predicted && seconds < predicted + allowed_s ? 1 : seconds / predicted;
	}
	double low = fmin(ratio[0], ratio[1]), high = fmax(ratio[0], ratio[1]);
	return cost->count < 3 ? low : fmax(low, fmin(high, ratio[2]));
}

/* The error is divided between the two parts by what each adds to the prediction (normalised least mean squares). */
static void correct(const struct cost *cost, struct cost_scale *scale, double records, double ratio, double rate)
{
	double request = scale->request * cost->guess.request;
	double rest = scale->records * per_records(&cost->guess, records);
	double square = request * request + rest * rest;
	if (square <= 0)
		return;
	double step = rate * (ratio - 1) * (request + rest) / square;
	double most = rate < 1.0 / FEW ? 2 : SCALE_MAX, least = rate < 1 ? 0.5 : SCALE_MIN;
	scale->request *= fmin(fmax(1 + step * request, least), most);
	scale->records *= fmin(fmax(1 + step * rest, least), most);
	scale->request = fmin(fmax(scale->request, SCALE_MIN), SCALE_MAX);
	scale->records = fmin(fmax(scale->records, SCALE_MIN), SCALE_MAX);
}

/* What the request itself took. If its answer took about as long as any, that is only an upper limit. */
static double without_wait(const struct cost *cost, double records, double seconds)
{
	double own_s = seconds - cost->wait_s;
	return own_s < WAIT_VARIES * cost->wait_s ? fmin(fmax(own_s, OWN_MIN_S), seconds_of(cost, &cost->now, records))
						  : own_s;
}

void cost_learn(struct cost *cost, uint64_t records, double seconds)
{
	double n = (double)records, usual_s = seconds_of(cost, &cost->usual, n);
	seconds = without_wait(cost, n, seconds);
	if (usual_s <= 0 || seconds <= 0)
		return;
	size_t oldest = cost->count++ % 3;
	cost->last[oldest].records = n;
	cost->last[oldest].seconds = seconds;
	double eager = 1 / (double)cost->count; /* the first request is believed, as nothing else is known */
	double ratio = median_ratio(cost, &cost->now, 0);
	bool is_far_off = ratio > FAR_OFF || ratio < 1 / FAR_OFF;
	correct(cost, &cost->now, n, ratio, is_far_off ? 1 : fmax(RATE_NOW, eager));
	ratio = cost->count > FEW ? fmin(seconds / usual_s, 2) : seconds / usual_s;
	correct(cost, &cost->usual, n, ratio, fmax(RATE_USUAL, eager));
}

void cost_multiply(struct cost *cost, double factor)
{
	cost->now.request = fmin(fmax(cost->now.request * factor, SCALE_MIN), SCALE_MAX);
	cost->now.records = fmin(fmax(cost->now.records * factor, SCALE_MIN), SCALE_MAX);
}

bool cost_is_slow(const struct cost *cost)
{
	return cost->count > FEW && median_ratio(cost, &cost->usual, SLOW_S) > SLOW;
}

double cost_best_records(const struct cost *cost, double price_s)
{
	double square = cost->now.records * cost->guess.square;
	if (square <= 0)
		return HUGE_VAL;
	return sqrt((cost->wait_s + cost->now.request * cost->guess.request + price_s) / square);
}
