/* Properties of the planner over hours of a cluster's life: it keeps budgets in every window, starves nobody, and does
 * not go to and fro. Freshness comes back after trouble, and the request rate is never over its bucket.
 *
 *	test_plan_simulation [HOURS [SEED [JOBS]]]	JOBS: clusters of that size only, of the sizes in main(), and a start
 */
#include "check.h"
#include "plan_world.h"

static double noise(struct world *world)
{
	return exp((world_chance(world) + world_chance(world) - 1) * 0.5);
}

static double off_by(struct world *world) /* 0.33 .. 3 */
{
	return exp((world_chance(world) * 2 - 1) * log(3));
}

static void make_truth(struct world *world)
{
	for (int t = 0; t < TASKS; t++)
		for (size_t w = 0; w < world_tasks[t].way_count; w++) {
			const struct plan_way *way = &world_tasks[t].ways[w];
			for (int i = 0; i < 2; i++) {
				struct plan_cost cost = i ? way->slurmctld_s : way->slurmrestd_s;
				double states_cost = t == STATES ? world->scenario->states_cost : 1;
				bool is_known = world->scenario->states_cost > 0;
				double records = is_known ? states_cost : off_by(world);
				cost.request *= is_known ? states_cost : off_by(world);
				cost.record *= records;
				cost.square *= records;
				if (i && t == DETAILS && world->scenario->first_details_s > 0)
					cost = (struct plan_cost){world->scenario->first_details_s, 0, 0};
				if (i && t == STATES && world->scenario->locked_s > 0)
					cost.request = world->scenario->locked_s;
				world->truth[t][w][i] = cost;
			}
		}
}

static double cost_of(const struct plan_cost *cost, double n)
{
	return cost->request + cost->record * n + cost->square * n * n;
}

static double change_rate(const struct world *world) /* jobs a second */
{
	double storm = is_weather(world->scenario, STORM, world->now_s) ? 20 : 1;
	return (double)world->jobs * world->scenario->changes / 3600 * storm;
}

static struct second *second_at(const struct world *world, double s)
{
	double last = world->end_s + TIMEOUT_S;
	return &world->seconds[(size_t)fmin(fmax(s, 0), last)];
}

/* Spreads what a request cost over the time that it ran. */
static void spend(struct world *world, int i, double cost, double surprise)
{
	double left = cost, s = world->now_s;
	while (left > 0) {
		double part = fmin(left, floor(s) + 1 - s);
		struct second *second = second_at(world, s);
		second->cost[i] += part;
		second->largest[i] = fmax(second->largest[i], cost);
		second->surprise[i] = fmax(second->surprise[i], surprise);
		left -= part;
		s += part + 1e-9;
	}
}

/* What happens to a request; the seconds that we wait for it. */
static struct plan_outcome ask(struct world *world, const struct plan_action *action)
{
	const struct scenario *scenario = world->scenario;
	const struct plan_task *row = &world_tasks[action->task];
	struct plan_outcome outcome = {.task = action->task, .way = action->way, .records = action->records};
	double now_s = world->now_s, cost[2];
	if (is_weather(scenario, RESTD_DOWN, now_s)) {
		outcome.result = PLAN_FAILED;
		outcome.seconds = 0.0005;
		return outcome;
	}
	if (is_weather(scenario, CTLD_DOWN, now_s) && row->needs_slurmctld) {
		outcome.result = PLAN_FAILED;
		outcome.seconds = 10;
		world->account_s = 0; /* and its account begins again */
		world->account_count = 0;
		spend(world, 0, 0.001, 0);
		return outcome;
	}
	if (is_weather(scenario, FROZEN, now_s) && row->needs_slurmctld) {
		outcome.result = PLAN_TIMED_OUT;
		outcome.seconds = 10;
		spend(world, 0, 0.001, 0);
		return outcome;
	}
	bool is_outlier = world_chance(world) < 0.0005 && now_s > world->outlier_s + 3600;
	if (is_outlier)
		world->outlier_s = now_s;
	bool is_slow = is_weather(scenario, SLOW, now_s);
	bool is_new = world->tries[is_slow][action->task][action->way]++ < 3;
	struct plan_view view = plan_show(world->plan, world_ns(world), action->task);
	bool is_whole = row->ways[action->way].records_max == 0;
	for (int i = 0; i < 2; i++) {
		cost[i] = cost_of(&world->truth[action->task][action->way][i], (double)action->records);
		cost[i] *= noise(world) * (is_outlier ? 10 : 1) * (is_slow ? 6 : 1);
		double predicted = i ? view.round_slurmctld_s : view.round_slurmrestd_s;
		spend(world, i, cost[i], is_outlier || is_new ? cost[i] : is_whole ? fmax(cost[i] - predicted, 0) : 0);
	}
	/* ping waits for a controller that is off, diag for a lock, which is on slurmctld's account */
	bool waits = is_weather(scenario, WAITS, now_s) && row->is_probe;
	double waited_s = waits ? action->task == PING ? 2 : 0.6 : 0;
	world->account_s += cost[1] + (action->task == DIAG ? waited_s : 0);
	world->account_count++;
	outcome.result = cost[0] > TIMEOUT_S ? PLAN_TIMED_OUT : PLAN_OK;
	outcome.seconds = fmin(fmax(cost[0], cost[1]) + waited_s, TIMEOUT_S);
	outcome.bytes = row->ways[action->way].bytes_per_record * (double)action->records;
	return outcome;
}

static double work_of(const struct world *world, size_t task)
{
	switch (task) {
	case STATES:
		return (double)world->jobs;
	case DETAILS:
		return world->scenario->is_old ? (double)world->jobs : floor(world->queue);
	case ROTATION:
		return (double)world->jobs / 2;
	case NODES:
		return (double)world->nodes;
	case CAPACITY_STATES:
		return 1000;
	default:
		return 1;
	}
}

/* The caller's part: what a good answer means for the rest of the work. */
static void take_in(struct world *world, const struct plan_action *action, struct plan_outcome *outcome)
{
	size_t task = action->task;
	bool is_whole = world_tasks[task].ways[action->way].records_max == 0;
	world->covered[task] += (double)action->records;
	if (task == DETAILS) {
		world->queue = is_whole ? 0 : fmax(world->queue - (double)action->records, 0);
		outcome->is_round_done = world->queue < 1;
	} else {
		outcome->is_round_done = is_whole || world->covered[task] >= work_of(world, task);
	}
	if (!outcome->is_round_done)
		return;
	world->covered[task] = 0;
	world->rounds[task]++;
	world->fresh_s[task] = world->begun_s[task];
	world->begun_s[task] = -1;
	if (task == STATES) {
		double found = change_rate(world) * (world->now_s - world->found_s);
		world->queue = fmin(world->queue + found, (double)world->jobs);
		world->found_s = world->now_s;
	}
}

static void tell(struct world *world, const struct plan_action *action, bool is_good)
{
	uint64_t now_ns = world_ns(world);
	if (is_good && action->task == DIAG) {
		bool is_busy = is_weather(world->scenario, BUSY, world->now_s);
		plan_note_slurmctld(world->plan, now_ns, world->account_s, world->account_count);
		plan_note_load(world->plan, now_ns, is_busy ? 250 : 5, 0);
	}
	if (plan_wants_account(world->plan))
		plan_hasten(world->plan, DIAG);
	if (is_good && (action->task == DETAILS || action->task == STATES))
		plan_set_work(world->plan, DETAILS, (uint64_t)work_of(world, DETAILS));
	if (is_good && action->task == NEW_JOBS && world_chance(world) < 0.05)
		plan_hasten(world->plan, STATES);
	if (!is_weather(world->scenario, UNSCRAPED, world->now_s))
		plan_note_scraped(world->plan, now_ns);
	plan_set_rate_limited(world->plan, is_weather(world->scenario, LIMITED, world->now_s));
}

/* Does the interval swing in calm weather? Turns by more than a quarter are counted, as are changes
 * of way. */
static void watch_round(struct world *world, const struct plan_action *action)
{
	size_t task = action->task;
	double interval_s = plan_show(world->plan, world_ns(world), task).interval_s;
	double before_s = world->interval_s[task];
	int direction = (interval_s > 1.25 * before_s) - (interval_s < before_s / 1.25);
	world->begun_s[task] = world->now_s;
	if (is_calm(world, world->now_s)) {
		world->switches[task] += world->rounds[task] && world->way_now[task] != action->way;
		world->turns[task] += direction && direction == -world->direction[task];
		world->interval_max_s[task] = fmax(world->interval_max_s[task], interval_s);
	}
	world->way_now[task] = action->way;
	if (direction) {
		world->direction[task] = direction;
		world->interval_s[task] = interval_s;
	}
}

static void watch(struct world *world, const struct plan_action *action)
{
	size_t task = action->task;
	if (world->begun_s[task] < 0)
		watch_round(world, action);
	if (is_calm(world, world->now_s) && is_calm(world, world->asked_s[task]))
		world->gap_max_s[task] = fmax(world->gap_max_s[task], world->now_s - world->asked_s[task]);
	world->asked_s[task] = world->now_s;
	second_at(world, world->now_s)->requests++;
}

/* What the poller would do: after two failures in a row what was learnt in this round is too old to
 * go on. */
static void give_up(struct world *world, size_t task, struct plan_outcome *outcome)
{
	if (plan_show(world->plan, world_ns(world), task).failures < 1)
		return;
	outcome->is_round_done = true;
	world->covered[task] = 0;
	world->begun_s[task] = -1;
	if (task != DETAILS)
		plan_set_work(world->plan, task, (uint64_t)work_of(world, task));
}

static void pass(struct world *world, double seconds)
{
	for (double s = ceil(world->now_s); s < world->now_s + seconds; s++)
		second_at(world, s)->age_s = s - world->fresh_s[world->scenario->is_old ? DETAILS : STATES];
	world->now_s += seconds;
}

static void live(struct world *world)
{
	while (world->now_s < world->end_s) {
		struct plan_action action = plan_next(world->plan, world_ns(world));
		if (action.kind == PLAN_WAIT) {
			CHECK(action.until_ns > world_ns(world));
			pass(world, (double)(action.until_ns - world_ns(world)) / 1e9 + 1e-6);
			continue;
		}
		watch(world, &action);
		struct plan_outcome outcome = ask(world, &action);
		pass(world, outcome.seconds + 0.0002);
		bool is_good = outcome.result == PLAN_OK;
		if (is_good)
			take_in(world, &action, &outcome);
		else
			give_up(world, action.task, &outcome);
		plan_note(world->plan, world_ns(world), &outcome);
		tell(world, &action, is_good);
	}
}

/* The largest spent / allowed of any window; allowed: a tenth and one surprise more than the duty.
 */
static double worst_window(const struct world *world, int i, double duty, double *ret_duty)
{
	size_t count = (size_t)world->end_s;
	double *sum = calloc(count + 1, sizeof *sum), worst = 0;
	for (size_t s = 0; s < count; s++)
		sum[s + 1] = sum[s] + world->seconds[s].cost[i];
	*ret_duty = 0;
	for (size_t end = 600; end <= count; end += 7) {
		size_t window = 600, seen = 0;
		double largest = 0, surprise = 0;
		while (seen < window && seen < end) {
			const struct second *second = &world->seconds[end - ++seen];
			largest = fmax(largest, second->largest[i]);
			surprise = fmax(surprise, second->surprise[i]);
			window = (size_t)fmax((double)window, 2 * largest / duty);
		}
		if (window > end)
			continue;
		double spent = sum[end] - sum[end - window];
		worst = fmax(worst, (spent - surprise) / (1.1 * duty * (double)window));
		*ret_duty = fmax(*ret_duty, spent / (double)window);
	}
	free(sum);
	return worst;
}

/* A start may take more of slurmrestd (budget.start), and not of slurmctld. */
static double slurmrestd_duty(const struct world *world)
{
	return world->scenario->first_details_s > 0 ? 0.3 : plan_defaults.slurmrestd_duty;
}

static bool is_rate_kept(const struct world *world)
{
	for (size_t window = 1; window <= 60; window *= 4)
		for (size_t s = 0; s + window < (size_t)world->end_s; s++) {
			double requests = 0;
			bool is_limited = true;
			for (size_t i = s; i < s + window; i++) {
				requests += world->seconds[i].requests;
				is_limited &= is_weather(world->scenario, LIMITED, (double)i - 30) &&
					      is_weather(world->scenario, LIMITED, (double)i);
			}
			double start = slurmrestd_duty(world) / plan_defaults.slurmrestd_duty;
			double rate = is_limited ? plan_defaults.limited_per_s : start * plan_defaults.requests_per_s;
			double burst = is_limited ? plan_defaults.limited_burst : plan_defaults.request_burst;
			if (requests > burst + rate * (double)(window + 1))
				return false;
		}
	return true;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The states' age in calm weather: its median and maximum. */
static void ages(const struct world *world, double *ret_median, double *ret_max)
{
	size_t count = 0;
	double *sorted = calloc((size_t)world->end_s, sizeof *sorted);
	for (size_t s = 0; s < (size_t)world->end_s; s++)
		if (is_calm(world, (double)s))
			sorted[count++] = world->seconds[s].age_s;
	qsort(sorted, count, sizeof *sorted, by_size);
	*ret_median = count ? sorted[count / 2] : 0;
	*ret_max = count ? sorted[count - 1] : 0;
	free(sorted);
}

/* A round of states and the wait for it, when a third of the budget is theirs. Where bounds take nearly all of the
 * budget they are kept. */
static double age_allowed_s(const struct world *world)
{
	if (world->scenario->states_cost > 0)
		return 1.25 * world_tasks[STATES].bound_s;
	double round_s = cost_of(&world->truth[STATES][0][0], 1000) * (double)world->jobs / 1000;
	return 60 + 2.5 * round_s / (plan_defaults.slurmrestd_duty / 3);
}

static struct world *world_new(const struct scenario *scenario, uint64_t jobs, double hours, uint64_t seed)
{
	struct world *world = calloc(1, sizeof *world);
	world->scenario = scenario;
	world->jobs = jobs;
	world->nodes = (uint64_t)fmin(fmax((double)jobs / 10, 10), 20000);
	world->seed = seed;
	world->end_s = hours * 3600;
	world->seconds = calloc((size_t)(world->end_s + TIMEOUT_S) + 2, sizeof *world->seconds);
	make_truth(world);
	for (int t = 0; t < TASKS; t++)
		world->begun_s[t] = -1;
	struct plan_options options = plan_defaults;
	if (scenario->is_old)
		options.bulk_memory_max = 1e12;
	options.slurmrestd_duty = slurmrestd_duty(world);
	options.requests_per_s *= options.slurmrestd_duty / plan_defaults.slurmrestd_duty;
	memcpy(world->tasks, world_tasks, sizeof world_tasks);
	world->tasks[DETAILS].is_spread = world->tasks[DETAILS].lends_share = scenario->first_details_s > 0;
	world->plan = plan_new(world->tasks, TASKS, &options, seed, world_ns(world));
	for (size_t t = STATES; scenario->is_old && t <= ROTATION; t++)
		if (t == DETAILS)
			plan_allow_way(world->plan, t, 0, false);
		else
			plan_allow_task(world->plan, t, false);
	for (int t = 0; t < TASKS; t++) {
		plan_set_work(world->plan, (size_t)t, (uint64_t)work_of(world, (size_t)t));
		plan_set_whole(world->plan, (size_t)t, (uint64_t)work_of(world, (size_t)t));
	}
	if (scenario->first_details_s > 0) {
		world->queue = (double)jobs;
		plan_set_work(world->plan, DETAILS, jobs);
	}
	plan_set_whole(world->plan, DETAILS, jobs);
	plan_set_whole(world->plan, ROTATION, jobs);
	return world;
}

static void world_free(struct world *world)
{
	plan_free(world->plan);
	free(world->seconds);
	free(world);
}

static void check_life(const struct world *world)
{
	double duty[2], over[2], age, age_max;
	over[0] = worst_window(world, 0, slurmrestd_duty(world), &duty[0]);
	over[1] = worst_window(world, 1, plan_defaults.slurmctld_duty, &duty[1]);
	ages(world, &age, &age_max);
	printf("%9" PRIu64 "  %-16s %7.2f %% %7.2f %% %8.0f s %7.0f s\n", world->jobs, world->scenario->name,
	       100 * duty[0], 100 * duty[1], age, age_max);
	CHECK(over[0] <= 1);
	CHECK(over[1] <= 1);
	CHECK(is_rate_kept(world));
	CHECK(world->scenario->is_old || age_max <= age_allowed_s(world));
	for (size_t t = 0; t < TASKS; t++) {
		if (t == DETAILS || !plan_is_allowed(world->plan, t))
			continue;
		double interval_s = fmax(world->interval_max_s[t], world_tasks[t].target_s);
		CHECK(world->rounds[t] > 0 || t == ROTATION);
		CHECK(world->gap_max_s[t] <= 2.5 * interval_s + 60);
		CHECK((double)world->switches[t] <= 2 + world->end_s / 7200);
		CHECK((double)world->turns[t] <= 2 + world->end_s / 1800);
	}
}

static void explain(const struct world *world)
{
	for (size_t t = 0; t < TASKS; t++) {
		struct buf line = BUF_INIT;
		plan_say(world->plan, world_ns(world), t, &line);
		printf("    %.*s\n      rounds %" PRIu64 ", longest gap %.0f s of %.0f s, ways changed %" PRIu64
		       ", turns %" PRIu64 "\n",
		       (int)line.len, line.bytes, world->rounds[t], world->gap_max_s[t], world->interval_max_s[t],
		       world->switches[t], world->turns[t]);
		buf_done(&line);
	}
}

static const struct scenario scenarios[] = {
	{.name = "quiet", .changes = 0.1},
	{.name = "busy", .changes = 2},
	{.name = "storm of jobs", .changes = 0.5, STORM, {5400, 6000}},
	{.name = "slurmctld down", .changes = 0.5, CTLD_DOWN, {4800, 6600}},
	{.name = "slurmrestd down", .changes = 0.5, RESTD_DOWN, {4800, 5400}},
	{.name = "frozen", .changes = 0.5, FROZEN, {4800, 5700}},
	{.name = "slow", .changes = 0.5, SLOW, {4800, 6600}},
	{.name = "rates limited", .changes = 0.5, LIMITED, {3600, 6600}},
	{.name = "slurmctld busy", .changes = 0.5, BUSY, {4800, 6000}},
	{.name = "not scraped", .changes = 0.5, UNSCRAPED, {3600, 6600}},
	{.name = "probes wait", .changes = 0.5, WAITS, {0, 1e9}},
	{.name = "probes wait later", .changes = 0.5, WAITS, {4800, 1e9}},
	{.name = "bulk only", .changes = 0.5, .is_old = true},
	{.name = "bounds", .changes = 1, .states_cost = 1.7},
	{.name = "first details", .changes = 0.5, .states_cost = 1, .first_details_s = 0.0014},
	{.name = "locks held", .changes = 0.5, .states_cost = 1, .first_details_s = 0.0014, .locked_s = 0.0009},
};

int main(int argc, char **argv)
{
	static const uint64_t sizes[] = {100, 10000, 100000, 1000000};
	double hours = argc > 1 ? atof(argv[1]) : 2.5;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	uint64_t only = argc > 3 ? strtoull(argv[3], NULL, 10) : 0; /* of the sizes */
	printf("%9s  %-16s %9s %9s %10s %9s\n", "jobs", "scenario", "slurmrestd", "slurmctld", "states age", "at most");
	for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++)
		for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
			bool is_start = scenarios[s].first_details_s > 0; /* it is of one size, and short */
			if (only && sizes[j] != only && !is_start)
				continue;
			if (scenarios[s].is_old && sizes[j] > 10000)
				continue; /* nobody can */
			if (scenarios[s].states_cost > 0 && sizes[j] != 100000)
				continue; /* with more they cannot, with fewer they need not */
			struct world *world =
				world_new(&scenarios[s], sizes[j], is_start ? 0.5 : hours, seed + s + 100 * j);
			check_row(scenarios[s].name);
			int failures = check_failures;
			live(world);
			check_life(world);
			if (check_failures > failures)
				explain(world);
			world_free(world);
		}
	return check_done();
}
