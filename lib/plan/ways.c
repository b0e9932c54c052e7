#include "plan/state.h"

#include <math.h>

/* Another way is taken only if it costs less than this part: prediction errors must not make the planner switch back
 * and forth. */
#define CHEAPER 0.75
#define CHEAPER_IN_ROUND 0.25 /* a round of small batches would take days where each answer takes a minute */

/* Requests of one size cannot show what a request costs and what a record costs. So of each SIZES_EVERY requests
 * SIZES_TRIED are of half the size. They come in a row, for cost.c takes a single one for an outlier. */
#define SIZES_EVERY 32
#define SIZES_TRIED 4

bool way_is_usable(const struct way *way, uint64_t now_ns)
{
	return way->is_allowed && now_ns >= way->avoid_until_ns;
}

bool way_is_whole(const struct way *way)
{
	return way->row->records_max == 0;
}

static double memory_per_record(const struct way *way)
{
	const struct plan_way *row = way->row;
	bool is_known = way->bytes_per_record > 0 && row->bytes_per_record > 0;
	return row->memory_per_record * (is_known ? way->bytes_per_record / row->bytes_per_record : 1);
}

/* How many records a request should have, so that a record costs least. A request also costs a token. That is worth the
 * seconds that the budget earns until the next token comes: where requests are scarce, batches are larger. */
uint64_t way_best_records(const struct plan *plan, const struct way *way)
{
	double price_s = plan->budgets[BY_SLURMRESTD].duty / requests_per_s(plan);
	double best = fmin(cost_best_records(&way->slurmrestd, price_s), (double)way->row->records_max);
	double memory = memory_per_record(way);
	if (memory > 0)
		best = fmin(best, plan->options.bulk_memory_max / memory);
	return (uint64_t)fmax(best, (double)way->row->records_min);
}

static uint64_t list_length(const struct task *task)
{
	return task->whole > task->work ? task->whole : task->work;
}

static uint64_t rest_of_round(const struct task *task)
{
	if (task->covered < task->work)
		return task->work - task->covered;
	return 1;
}

uint64_t way_next_records(const struct plan *plan, const struct task *task)
{
	const struct way *way = &task->ways[task->way];
	if (way_is_whole(way))
		return list_length(task);
	uint64_t best = way_best_records(plan, way), rest = rest_of_round(task);
	if (way->batch < best)
		best = way->batch;
	else if (way->slurmrestd.count % SIZES_EVERY < SIZES_TRIED)
		best = best / 2 > way->row->records_min ? best / 2 : way->row->records_min;
	return rest < best ? rest : best;
}

void way_request_cost(const struct way *way, uint64_t records, double cost[SCARCE])
{
	cost[BY_SLURMRESTD] = cost_seconds(&way->slurmrestd, records);
	cost[BY_SLURMCTLD] = cost_seconds(&way->slurmctld, records);
	cost[BY_REQUESTS] = 1;
}

static void round_cost(const struct plan *plan, const struct task *task, const struct way *way, double cost[SCARCE])
{
	if (way_is_whole(way)) {
		way_request_cost(way, list_length(task), cost);
		return;
	}
	uint64_t records = way_best_records(plan, way), work = round_records(task);
	uint64_t whole = work / records, rest = work % records;
	double full[SCARCE], last[SCARCE] = {0};
	way_request_cost(way, records, full);
	if (rest)
		way_request_cost(way, rest, last);
	for (int i = 0; i < SCARCE; i++)
		cost[i] = (double)whole * full[i] + last[i];
}

void way_round_cost(const struct plan *plan, struct task *task)
{
	round_cost(plan, task, &task->ways[task->way], task->round);
	way_request_cost(&task->ways[task->way], way_next_records(plan, task), task->cost);
}

/* For how many seconds the budgets must save for a round; HUGE_VAL: the list takes too much of slurmrestd's memory. */
static double price(const struct plan *plan, const struct task *task, const struct way *way)
{
	if (way_is_whole(way) && (double)list_length(task) * memory_per_record(way) > plan->options.bulk_memory_max)
		return HUGE_VAL;
	double cost[SCARCE];
	round_cost(plan, task, way, cost);
	return fmax(fmax(cost[BY_SLURMRESTD] / plan->budgets[BY_SLURMRESTD].duty,
			 cost[BY_SLURMCTLD] / plan->budgets[BY_SLURMCTLD].duty),
		    cost[BY_REQUESTS] / requests_per_s(plan));
}

static bool may_take(const struct task *task, size_t way)
{
	return !task->is_in_round || way == task->way ||
	       (!way_is_whole(&task->ways[way]) && !way_is_whole(&task->ways[task->way]));
}

/* A round keeps its way, or takes another one that asks in batches if it is cheaper by far. A slow machine is slow by each
 * way. So the guess of a way that was never tried is assumed to be as far off as that of the way in use. */
void way_choose(struct plan *plan, struct task *task, uint64_t now_ns)
{
	size_t count = task->row->way_count, cheapest = count;
	bool can_stay = has_way(task) && way_is_usable(&task->ways[task->way], now_ns);
	double stay = can_stay ? price(plan, task, &task->ways[task->way]) : HUGE_VAL;
	double least = HUGE_VAL;
	for (size_t i = 0; i < count; i++) {
		struct way *way = &task->ways[i];
		if (!way_is_usable(way, now_ns) || (can_stay && !may_take(task, i)))
			continue;
		if (can_stay && way->slurmrestd.count == 0 && i != task->way)
			cost_guess_like(&way->slurmrestd, &task->ways[task->way].slurmrestd);
		double cost = price(plan, task, way);
		if (cost < least) {
			least = cost;
			cheapest = i;
		}
	}
	if (!can_stay || (stay == HUGE_VAL && !task->is_in_round) ||
	    least < (task->is_in_round ? CHEAPER_IN_ROUND : CHEAPER) * stay)
		task->way = cheapest;
}
