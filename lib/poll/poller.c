#include "poll/poller.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/words.h"
#include "cluster/fold.h"
#include "metrics/catalogue.h"
#include "poll/poller_config.h"
#include "poll/poller_role.h"
#include "poll/poller_state.h"
#include "poll/section.h"
#include "poll/status_gather.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double request_bounds[] = {0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120};

/* Pages are made with at most so much of a core, and of the time, in which a slow disk may be waited for; but after so
 * many seconds at least and at most. */
#define PAGE_CPU 0.005
#define PAGE_DUTY 0.1
#define PAGE_GAP_S 1.0
#define PAGE_GAP_MAX_S 30.0
/* Before a request that takes longer, what is known is shown. */
#define LONG_REQUEST_S 0.5
#define REQUESTS_OF_ACTION 4 /* at most: with another version of the API, another token */
#define GRACE_S 30.0 /* for all that is no request */

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
	exporter_init(&poller->exporter);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&poller->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&poller->lock, NULL);
	const struct client_options options = config_client(config, &poller->stop);
	cluster_set_job_rows(&poller->cluster, config->job_rows, config->job_node_rows);
	config_labels(config, &poller->labels);
	poller->plan = tasks_plan(poller->tasks, config);
	poller->asker = (struct asker){
		.config = config,
		.client = client_new(&options, config_token(config), &poller->cluster.vocabulary, err),
		.cluster = &poller->cluster,
		.health = &poller->health,
		.exporter = &poller->exporter,
		.stop = &poller->stop,
	};
	job_poller_init(&poller->jobs, &poller->asker, poller->plan, poller->tasks);
	if (poller->asker.client && config_caps(config, &poller->cluster.caps, err))
		return poller;
	poller_free(poller);
	return NULL;
}

/* The last_update of what is shown, if the release can tell what changed since; else 0. */
static uint64_t since(const struct poller *poller, enum endpoint which)
{
	const char *release = endpoint_table[which].update_time_since;
	bool works = !release || strverscmp(poller->cluster.slurm_version, release) >= 0;
	return works && poller->health.entries[which].is_shown ? poller->last_update[which] : 0;
}

/* Diag was asked since `began`. */
static void note_clock(struct poller *poller, double began)
{
	uint64_t time = poller->cluster.scheduler.diag.time;
	double *ahead = &poller->asker.clock_ahead;
	if (number_is_known(time) && time)
		*ahead = clock_ahead(*ahead, time, began, clock_now());
}

/* Asks for the endpoint whole; *ret_outcome but for task and way. */
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
	if (fetch_succeeded(result))
		health_renew(&poller->health, which, plan_show(poller->plan, begin_ns, which).interval_s, begin_ns);
	return result;
}

/* That Slurm knows us as; NULL: unknown. */
static const char *user_of(const struct poller *poller)
{
	return poller->config->slurmrestd_user ? poller->config->slurmrestd_user
					       : token_user(client_token(poller->asker.client));
}

/* What slurmctld says of its own load, and of ours. */
static void note_diag(struct poller *poller)
{
	const struct scheduler_section *scheduler = &poller->cluster.scheduler;
	const char *user = user_of(poller);
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

/* What the planner is to know besides the outcome of the request. */
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
	job_poller_update(&poller->jobs);
	event_poller_update(&poller->events);
}

/* Are the daemons up, as of the last request? */
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
	judge_daemons(poller);
	if (action->task == ENDPOINT_PING)
		poller_follow(poller, outcome.result == PLAN_OK);
	tell_planner(poller);
	poller->is_page_old = true;
}

/* Jobs are as old as the round of states, or the list, that was finished last. */
static void expire_jobs(struct poller *poller, uint64_t now)
{
	struct health_entry *entries = poller->health.entries;
	health_expire(&poller->health, ENDPOINT_JOBS, now);
	health_expire(&poller->health, ENDPOINT_JOB_STATES, now);
	bool are_young = entries[ENDPOINT_JOBS].is_shown || entries[ENDPOINT_JOB_STATES].is_shown;
	poller->cluster.jobs_lack_details = !poller->jobs.has_details;
	bool are_known = poller->jobs.has_states || poller->jobs.unverified_as_of > 0;
	cluster_show_jobs(&poller->cluster, are_young && are_known);
}

static void drop_what_is_not_known(struct poller *poller)
{
	struct cluster *cluster = &poller->cluster;
	uint64_t now = clock_monotonic_ns();
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		if (i != ENDPOINT_JOBS && health_expire(&poller->health, (enum endpoint)i, now))
			section_drop((enum endpoint)i, cluster);
	expire_jobs(poller, now);
}

static void say_unasked(const struct poller *poller, struct buf *out)
{
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		if (i != ENDPOINT_JOBS && (poller->leads || i == ENDPOINT_PING) && !poller->health.entries[i].tried_ns)
			buf_printf(out, "%s%s", out->len ? ", " : "not asked yet: ", endpoint_table[i].name);
}

/* Did something keep jobs from being known? */
static bool is_job_failing(const struct poller *poller)
{
	const enum endpoint of_jobs[] = {ENDPOINT_JOBS, ENDPOINT_JOB_STATES, ENDPOINT_JOB};
	for (int i = 0; i < 3; i++) {
		const struct health_entry *entry = &poller->health.entries[of_jobs[i]];
		if (entry->tried_ns && !fetch_succeeded(entry->result))
			return true;
	}
	return !client_version(poller->asker.client);
}

/* Are the endpoint's numbers missing, though they were shown once and are still asked for? */
static bool is_too_old(const struct poller *poller, enum endpoint endpoint)
{
	size_t task = endpoint == ENDPOINT_JOB_STATES ? (size_t)TASK_JOB_STATES : (size_t)endpoint;
	return health_is_too_old(&poller->health, endpoint) && poller->leads && plan_is_allowed(poller->plan, task);
}

static void say_too_old(const struct poller *poller, struct buf *out)
{
	for (int i = 0; i < ENDPOINTS; i++)
		if (is_too_old(poller, (enum endpoint)i) && fetch_succeeded(poller->health.entries[i].result))
			buf_printf(out, "%s%s", out->len ? ", " : "too old to be shown: ", endpoint_table[i].name);
}

/* What keeps us from being ready, in words: something that can be asked for was not yet, or its numbers became too old, or
 * jobs are not known, and nothing failed that would explain it. Nothing: we are. */
static void say_missing(const struct poller *poller, struct buf *out)
{
	say_unasked(poller, out);
	if (!out->len)
		say_too_old(poller, out);
	if (!out->len && poller->jobs.unverified_as_of > 0 && poller->cluster.jobs)
		buf_add_string(out, "jobs are as the state file has them, and not verified yet");
	if (out->len || !poller->leads || job_poller_is_complete(&poller->jobs) || is_job_failing(poller))
		return;
	uint64_t now = clock_monotonic_ns();
	if (poller->jobs.reads_list && plan_show(poller->plan, now, ENDPOINT_JOBS).reason == PLAN_NOT_ALLOWED)
		plan_say(poller->plan, now, ENDPOINT_JOBS, out);
	else if (poller->jobs.has_states)
		buf_printf(out, "the details of %s are still missing",
			   words_count(job_table_counts(poller->cluster.job_table).jobs_without_details, "job").text);
	else
		buf_add_string(out, "jobs are still being looked for");
}

static void fill_exporter(struct poller *poller, const struct plan_totals *totals, uint64_t now)
{
	struct exporter *exporter = &poller->exporter;
	const struct token *token = client_token(poller->asker.client);
	exporter->is_standby = !poller->leads;
	for (int i = 0; i < ENDPOINTS; i++) {
		/* a list for reasons alone may fail: single requests tell them as well */
		bool is_missed = i != ENDPOINT_JOBS || poller->jobs.reads_list;
		exporter->endpoints[i].is_up = !is_missed || (fetch_succeeded(poller->health.entries[i].result) &&
							      !is_too_old(poller, (enum endpoint)i));
	}
	exporter->task_count = TASKS;
	for (size_t i = 0; i < TASKS; i++) {
		struct plan_view view = plan_show(poller->plan, now, i);
		enum endpoint endpoint = task_endpoint(i, 0);
		exporter->tasks[i] = (struct exporter_task){
			.name = poller->tasks[i].name,
			.strategy = view.way,
			.is_in_use = view.reason != PLAN_NOT_ALLOWED && view.reason != PLAN_NOTHING_TO_DO,
		};
		if (i < ENDPOINTS_POLLED || i == TASK_JOB_STATES || i == TASK_JOB_DETAILS || i == TASK_JOB_ENDS)
			exporter->endpoints[endpoint].interval = view.interval_s;
	}
	exporter->duty = (struct exporter_duty){totals->slurmrestd_duty, totals->slurmctld_duty,
						totals->slurmrestd_duty_max, totals->slurmctld_duty_max};
	exporter->coverage = job_search_coverage(&poller->jobs.reader.rounds.search, poller->cluster.job_table);
	exporter->keeps_state = poller->events.recorder.store != NULL;
	exporter->state_commit = poller->events.recorder.last_commit;
	exporter->state_errors = poller->events.recorder.errors;
	exporter->is_cut_off = health_is_cut_off(&poller->health);
	exporter->user = user_of(poller);
	exporter->token_expiry = token_expiry(token);
}

static struct status *make_status(const struct poller *poller, const struct plan_totals *totals,
				  const struct plan_action *action, const struct samples *samples)
{
	struct buf missing = BUF_INIT;
	say_missing(poller, &missing);
	const struct status_sources sources = {
		.asker = &poller->asker,
		.plan = poller->plan,
		.tasks = poller->tasks,
		.jobs = &poller->jobs,
		.events = &poller->events,
		.role = poller->config->ha == HA_OFF ? NULL : &poller->role,
		.leads = poller->leads,
		.waits_for = poller->waits_for.text,
		.totals = totals,
		.start = &poller->start,
		.action = action,
		.not_ready = missing.bytes,
		.series = samples->sample_count,
		.folded = samples->folded_count,
	};
	struct status *status = status_gather(&sources);
	buf_done(&missing);
	return status;
}

/* Is what an earlier poller left better than what this one knows so far? */
static bool old_page_is_better(struct poller *poller, const struct status *status)
{
	const struct health_entry *ping = &poller->health.entries[ENDPOINT_PING];
	bool is_well = !ping->tried_ns || fetch_succeeded(ping->result);
	if (!is_well || !status->not_ready || clock_monotonic_ns() > poller->old_page_until_ns)
		poller->old_page_until_ns = 0;
	return poller->old_page_until_ns != 0;
}

/* Shows what is known. `action` comes next; NULL: that is not known. */
static void publish(struct poller *poller, const struct plan_action *action)
{
	uint64_t begin = clock_monotonic_ns();
	double computed = clock_thread_cpu();
	struct samples samples = {.text = BUF_INIT};
	struct plan_totals totals = plan_show_totals(poller->plan, begin);
	const struct recorder *recorder = &poller->events.recorder;
	if (!poller->config->once)
		poller_judge_jobs(poller);
	drop_what_is_not_known(poller);
	cluster_fold(&poller->cluster);
	if (!poller->config->once)
		poller_record(poller);
	fill_exporter(poller, &totals, begin);
	const struct page_facts facts = {.cluster = &poller->cluster,
					 .exporter = &poller->exporter,
					 .events =
						 poller->config->once || recorder->is_hidden ? NULL : recorder->events,
					 .now = clock_now_s(),
					 .per_node = (enum per_node)poller->config->per_node,
					 .labels = buf_text(&poller->labels)};
	catalogue_render(&facts, &samples);
	struct page *page = page_new(&samples, make_status(poller, &totals, action, &samples));
	if (old_page_is_better(poller, page->status))
		page_release(page);
	else
		page_slot_publish(poller->slot, page);
	uint64_t end = clock_monotonic_ns();
	double gap_s = fmax((clock_thread_cpu() - computed) / PAGE_CPU, (double)(end - begin) / 1e9 / PAGE_DUTY);
	poller->is_page_old = false;
	poller->next_page_ns = end + (uint64_t)(fmin(fmax(gap_s, PAGE_GAP_S), PAGE_GAP_MAX_S) * 1e9);
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
	publish(poller, NULL);
	return all_answered;
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

/* It did so before, or nobody knows yet. */
static bool may_take_long(const struct poller *poller, const struct plan_action *action, uint64_t now)
{
	enum endpoint endpoint = task_endpoint(action->task, action->way);
	struct plan_view view = plan_show(poller->plan, now, action->task);
	bool is_part = view.work > action->records && action->records; /* of a round of several requests */
	double part = is_part ? (double)action->records / (double)view.work : 1;
	return !poller->health.entries[endpoint].tried_ns || view.round_slurmrestd_s * part > LONG_REQUEST_S;
}

/* Shows what happened: not too often, but always before a long request and before a long wait. */
static void publish_if_due(struct poller *poller, const struct plan_action *action)
{
	uint64_t now = clock_monotonic_ns();
	bool is_long = action->kind == PLAN_ASK && may_take_long(poller, action, now);
	bool becomes_old = health_next_ns(&poller->health) <= now;
	if (becomes_old || (poller->is_page_old && (is_long || now >= poller->next_page_ns)))
		publish(poller, action);
}

/* The next sign of life comes within so many seconds after that moment, unless something hangs. */
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
	poller->is_page_old = true; /* nothing is known yet, but a scrape finds the exporter itself */
	while (!atomic_load(&poller->stop)) {
		uint64_t now = clock_monotonic_ns();
		expect_sign(poller, now, GRACE_S + REQUESTS_OF_ACTION * (double)poller->config->timeout_s);
		if (poller_take_next_config(poller))
			tell_planner(poller);
		struct plan_action action = plan_next(poller->plan, now);
		bool led = poller->leads;
		publish_if_due(poller, &action);
		if (poller->leads != led) /* another one took the state file: now there is else to do */
			continue;
		if (action.kind == PLAN_ASK) {
			act(poller, &action);
			continue;
		}
		uint64_t until = health_next_ns(&poller->health);
		if (action.until_ns < until)
			until = action.until_ns;
		if (poller->is_page_old && poller->next_page_ns < until)
			until = poller->next_page_ns;
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
	return poller->has_thread || error_set(err, "a thread to poll in: %s", strerror(code));
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
	job_poller_done(&poller->jobs);
	event_poller_done(&poller->events);
	plan_free(poller->plan);
	cluster_done(&poller->cluster);
	buf_done(&poller->labels);
	pthread_cond_destroy(&poller->wake);
	pthread_mutex_destroy(&poller->lock);
	free(poller);
}
