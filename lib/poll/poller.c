#include "poll/poller.h"

#include "base/clock.h"
#include "base/memory.h"
#include "poll/event_ends.h"
#include "poll/poller_config.h"
#include "poll/poller_page.h"
#include "poll/poller_role.h"
#include "poll/poller_state.h"
#include "poll/section.h"

#include <stdio.h>
#include <stdlib.h>

static const double request_bounds[] = {0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120};

#define REQUESTS_OF_ACTION 4 /* at most: with another version of the API, another token */
#define GRACE_S 30.0 /* for everything but requests */

static void exporter_init(struct exporter *exporter)
{
	exporter->begin = clock_now();
	exporter->result_names = fetch_result_names;
	exporter->result_count = FETCH_RESULTS;
	exporter->endpoint_count = ENDPOINTS;
	for (int i = 0; i < ENDPOINTS; i++) {
		struct exporter_endpoint *endpoint = &exporter->endpoints[i];
		endpoint->name = endpoint_table[i].name;
		endpoint->is_optional = endpoint_table[i].is_optional;
		endpoint->request_seconds.bounds = request_bounds;
		endpoint->request_seconds.bound_count = sizeof request_bounds / sizeof *request_bounds;
	}
}

struct poller *poller_new(struct setup *setup, const struct config *config, struct page_slot *slot, struct error *err)
{
	struct poller *poller = NEW(struct poller);
	poller->setup = setup_hold(setup);
	poller->config = config;
	poller->slot = slot;
	cluster_init(&poller->cluster);
	config_groups(config, &poller->cluster.groups);
	if (poller->cluster.groups.count)
		poller->cluster.caps.groups = &poller->cluster.groups;
	exporter_init(&poller->exporter);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&poller->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&poller->lock, NULL);
	struct client_options options = config_client(config, &poller->stop);
	bool has_key = config_name_hash(config, &poller->hash, err);
	options.hash = poller->hash;
	poller_set_job_rows(poller);
	config_labels(config, &poller->labels);
	poller->plan = tasks_plan(poller->tasks, config);
	poller->asker = (struct asker){
		.config = config,
		.client = has_key ? client_new(&options, config_token(config), &poller->cluster.vocabulary, err) : NULL,
		.hash = poller->hash,
		.cluster = &poller->cluster,
		.health = &poller->health,
		.exporter = &poller->exporter,
		.stop = &poller->stop,
	};
	job_poller_init(&poller->jobs, &poller->asker, poller->plan, poller->tasks);
	if (poller->asker.client && config_caps(config, &poller->cluster.caps, err) &&
	    config_causes(config, &poller->cluster.causes, err))
		return poller;
	poller_free(poller);
	return NULL;
}

/* The last_update of the numbers on the page, if the release can report what changed since; else 0. */
static uint64_t since(const struct poller *poller, enum endpoint which)
{
	const char *release = endpoint_table[which].update_time_since;
	bool works = !release || strverscmp(poller->cluster.slurm_version, release) >= 0;
	return works && poller->health.entries[which].is_shown ? poller->last_update[which] : 0;
}

/* Diag was asked at `began`, and has answered: notes by how much slurmctld's clock is ahead. */
static void note_clock(struct poller *poller, double began)
{
	uint64_t time = poller->cluster.scheduler.diag.time;
	double *ahead = &poller->asker.clock_ahead;
	if (number_is_known(time) && time)
		*ahead = clock_ahead(*ahead, time, began, clock_now());
}

/* Asks the endpoint for everything. Fills in *ret_outcome except for task and way. */
static enum fetch_result poll_endpoint(struct poller *poller, enum endpoint which, struct plan_outcome *ret_outcome)
{
	struct section_build build = {.cluster = &poller->cluster, .now = clock_now_s()};
	uint64_t begin_ns = clock_monotonic_ns();
	double began = clock_now();
	char query[96];
	endpoint_cluster_query(which, poller->cluster.name, query, sizeof query);
	const struct fetch fetch = {which, section_take(which), &build, .query = query, .since = since(poller, which)};

	build.built = section_start(which, &poller->cluster, build.now);
	enum fetch_result result = asker_ask(&poller->asker, &fetch, ret_outcome);
	ret_outcome->is_round_done = fetch_succeeded(result);
	if (result == FETCH_OK) {
		section_commit(which, &poller->cluster, build.built);
		poller->last_update[which] = poller->asker.last_update;
		if (which == ENDPOINT_DIAG)
			note_clock(poller, began);
	} else {
		section_discard(which, build.built);
		if (!fetch_succeeded(result))
			poller->last_update[which] = 0;
	}
	if (fetch_succeeded(result) && which == ENDPOINT_NODES)
		poller->cluster.nodes_as_of = asker_time_s(&poller->asker, began);
	if (fetch_succeeded(result))
		health_renew(&poller->health, which, plan_show(poller->plan, begin_ns, which).interval_s, begin_ns);
	return result;
}

/* Takes what slurmctld says of its own load, and of ours. */
static void note_diag(struct poller *poller)
{
	const struct scheduler_section *scheduler = &poller->cluster.scheduler;
	const char *user = poller_user(poller);
	uint64_t now = clock_monotonic_ns();
	if (!scheduler->is_known)
		return;
	if (number_is_known(scheduler->diag.threads) && number_is_known(scheduler->diag.agent_queue))
		plan_note_load(poller->plan, now, scheduler->diag.threads, scheduler->diag.agent_queue);
	const struct rpc_sum *ours = user ? map_find(&scheduler->rpcs_by_user.rows, text_of(user)) : NULL;
	if (ours)
		plan_note_slurmctld(poller->plan, now, (double)running_sum_total(&ours->time_us) / 1e6,
				    running_sum_total(&ours->count));
}

/* Ends the start when its time has come. */
static void note_start(struct poller *poller, uint64_t now)
{
	bool was_start = poller->start.until_ns;
	const struct job_poller *jobs = &poller->jobs;
	bool is_complete = poller->start.is_warm ? job_poller_is_complete(jobs) && !(jobs->unverified_as_of > 0)
						 : job_poller_knows_reasons(jobs);
	if (was_start && !start_goes_on(&poller->start, is_complete, now))
		poller_set_budgets(poller);
}

/* Tells the planner what it needs besides the outcome of the request. */
static void tell_planner(struct poller *poller)
{
	uint64_t now = clock_monotonic_ns(), scrapes = page_board_scrapes(poller->slot->board);
	const struct api_version *version = client_version(poller->asker.client);
	if (scrapes != poller->scrapes)
		plan_note_scraped(poller->plan, now);
	poller->scrapes = scrapes;
	if (version != poller->version)
		plan_retry_unsupported(poller->plan);
	poller->version = version;
	if (!poller->leads)
		return;
	note_start(poller, now);
	poller->jobs.tells_ends = !poller->events.recorder.events->ends_by_slurmdbd;
	job_poller_update(&poller->jobs);
	event_poller_update(&poller->events);
	tasks_pace_ends(poller->tasks, poller->config, end_windows_behind(&poller->events.windows));
}

/* Judges after a request which daemons are up. */
static void judge_daemons(struct poller *poller)
{
	struct cluster *cluster = &poller->cluster;
	bool any_up = false;
	for (unsigned i = 0; i < cluster->controller_count; i++)
		any_up |= cluster->controllers[i].is_up;
	poller->was_down_for_sure = !any_up && health_is_down_for_sure(&poller->health, poller->was_down_for_sure);
	cluster->controllers_are_sure = any_up || poller->was_down_for_sure;
	cluster->accounting_up = health_accounting_up(&poller->health, cluster->dbd_responds);
}

static void act(struct poller *poller, const struct plan_action *action)
{
	struct plan_outcome outcome;
	if (action->task == TASK_JOB_ENDS || action->task == TASK_JOB_STEPS) {
		event_poller_poll(&poller->events, action, &outcome);
	} else if (action->task == ENDPOINT_JOBS || action->task >= ENDPOINTS_POLLED) {
		job_poller_poll(&poller->jobs, action, &outcome);
	} else {
		poll_endpoint(poller, (enum endpoint)action->task, &outcome);
		outcome.task = action->task;
		outcome.way = action->way;
	}
	if (atomic_load(&poller->stop))
		return;
	plan_note(poller->plan, clock_monotonic_ns(), &outcome);
	if (action->task < ENDPOINTS_POLLED && outcome.result == PLAN_OK && outcome.records)
		plan_set_work(poller->plan, action->task, outcome.records);
	if (action->task == ENDPOINT_DIAG && outcome.result == PLAN_OK)
		note_diag(poller);
	if (plan_wants_account(poller->plan))
		plan_hasten(poller->plan, ENDPOINT_DIAG);
	judge_daemons(poller);
	if (action->task == ENDPOINT_PING)
		poller_follow(poller, outcome.result == PLAN_OK);
	tell_planner(poller);
	poller_note_news(poller);
}

bool poller_poll_all(struct poller *poller)
{
	bool all_answered = true;
	log_about(poller->config->name);
	poller_lead(poller);
	struct plan_outcome outcome;
	for (int i = 0; i < ENDPOINTS_POLLED && !atomic_load(&poller->stop); i++) {
		if (i == ENDPOINT_JOBS)
			continue;
		enum fetch_result result = poll_endpoint(poller, (enum endpoint)i, &outcome);
		all_answered &= fetch_succeeded(result) || asker_expects((enum endpoint)i, result);
	}
	all_answered &= job_poller_poll_all(&poller->jobs);
	judge_daemons(poller);
	poller_show(poller, NULL);
	return all_answered;
}

/* When the planner has to hear of ends that may count from then on. */
static uint64_t ends_settle_ns(const struct poller *poller, uint64_t now_ns)
{
	int64_t seconds = poller->leads ? event_ends_settle_in(&poller->events) : -1;
	return seconds < 0 ? UINT64_MAX : now_ns + (uint64_t)seconds * 1000000000u;
}

static void wait_until(struct poller *poller, uint64_t moment_ns)
{
	struct timespec moment = {.tv_sec = (time_t)(moment_ns / 1000000000u),
				  .tv_nsec = (long)(moment_ns % 1000000000u)};
	pthread_mutex_lock(&poller->lock);
	while (!atomic_load(&poller->stop) && !poller->next_config && clock_monotonic_ns() < moment_ns)
		pthread_cond_timedwait(&poller->wake, &poller->lock, &moment);
	pthread_mutex_unlock(&poller->lock);
}

/* Unless something hangs, the next sign of life comes within `seconds` after that moment. */
static void expect_sign(struct poller *poller, uint64_t moment_ns, double seconds)
{
	uint64_t ns = (uint64_t)(seconds * 1e9);
	atomic_store(&poller->next_sign_ns, moment_ns < UINT64_MAX - ns ? moment_ns + ns : UINT64_MAX);
}

bool poller_makes_progress(struct poller *poller, uint64_t now_ns)
{
	uint64_t next_sign_ns = atomic_load(&poller->next_sign_ns);
	return !next_sign_ns || now_ns < next_sign_ns;
}

static void *run(void *context)
{
	struct poller *poller = context;
	log_about(poller->config->name);
	poller_begin(poller);
	tell_planner(poller);
	poller_note_news(poller); /* nothing is known yet, but a scrape gets the exporter's own metrics */
	while (!atomic_load(&poller->stop)) {
		uint64_t now = clock_monotonic_ns();
		expect_sign(poller, now, GRACE_S + REQUESTS_OF_ACTION * (double)poller->config->timeout_s);
		if (poller_take_next_config(poller) || ends_settle_ns(poller, now) <= now)
			tell_planner(poller);
		struct plan_action action = plan_next(poller->plan, now);
		bool led = poller->leads;
		poller_show_if_due(poller, &action);
		if (poller->leads != led) /* another slurmscope took the state file: now there are other things to do */
			continue;
		if (action.kind == PLAN_ASK) {
			act(poller, &action);
			continue;
		}
		uint64_t until = health_next_ns(&poller->health);
		if (action.until_ns < until)
			until = action.until_ns;
		uint64_t settle = ends_settle_ns(poller, now), next_page = poller_next_page_ns(poller, now);
		if (settle < until)
			until = settle;
		if (poller->is_page_old && next_page < until)
			until = next_page;
		expect_sign(poller, until, GRACE_S);
		wait_until(poller, until);
	}
	poller_record(poller);
	atomic_store(&poller->next_sign_ns, 0);
	return NULL;
}

bool poller_start(struct poller *poller, struct error *err)
{
	expect_sign(poller, clock_monotonic_ns(), GRACE_S);
	int code = pthread_create(&poller->thread, NULL, run, poller);
	poller->has_thread = code == 0;
	if (code)
		atomic_store(&poller->next_sign_ns, 0);
	return poller->has_thread || error_set(err, "cannot start the thread that polls: %s", strerror(code));
}

void poller_tell_to_stop(struct poller *poller)
{
	pthread_mutex_lock(&poller->lock);
	atomic_store(&poller->stop, true);
	pthread_cond_signal(&poller->wake);
	pthread_mutex_unlock(&poller->lock);
}

void poller_stop(struct poller *poller)
{
	poller_tell_to_stop(poller);
	if (poller->has_thread)
		pthread_join(poller->thread, NULL);
	poller->has_thread = false;
}

void poller_free(struct poller *poller)
{
	if (!poller)
		return;
	setup_release(poller->setup);
	setup_release(poller->next_setup);
	job_events_free(poller->counted_before);
	client_free(poller->asker.client);
	name_hash_free(poller->hash);
	arena_done(&poller->user);
	job_poller_done(&poller->jobs);
	event_poller_done(&poller->events);
	plan_free(poller->plan);
	cluster_done(&poller->cluster);
	buf_done(&poller->labels);
	pthread_cond_destroy(&poller->wake);
	pthread_mutex_destroy(&poller->lock);
	free(poller);
}
