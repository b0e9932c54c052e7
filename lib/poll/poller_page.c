#include "poll/poller_page.h"

#include "base/clock.h"
#include "base/words.h"
#include "cluster/fold.h"
#include "metrics/catalogue.h"
#include "poll/poller_role.h"
#include "poll/poller_state.h"
#include "poll/section.h"
#include "poll/status_gather.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Pages take at most this part of a core, and of wall time, which includes waiting for a slow disk. The pause between
 * two pages has a minimum and a maximum in seconds. */
#define PAGE_CPU 0.005
#define PAGE_DUTY 0.25
#define PAGE_GAP_S 1.0
#define PAGE_GAP_MAX_S 30.0
/* Before a request that takes longer, the poller makes a page. */
#define LONG_REQUEST_S 0.5
/* A round of states finds new jobs, and their details usually come within a second. A page that was made in between
 * would show these jobs without their owners. After a slow commit the next page is many seconds away. So a page waits
 * for the round and the details, but not longer than this. */
#define DETAILS_S 2.0

const char *poller_user(struct poller *poller)
{
	const char *user = poller->config->slurmrestd_user ? poller->config->slurmrestd_user
							   : token_user(client_token(poller->asker.client));
	arena_clear(&poller->user);
	return user ? name_hash(poller->hash, HASHED_USERS, text_of(user), &poller->user).bytes : NULL;
}

/* Jobs are as old as the last finished round of states, or list. */
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

/* Does a failure explain that jobs are not known? */
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

/* Are the endpoint's numbers missing, though the page had them once and the poller still asks for them? */
static bool is_too_old(const struct poller *poller, enum endpoint endpoint)
{
	size_t task = endpoint == ENDPOINT_JOB_STATES ? (size_t)TASK_JOB_STATES : (size_t)endpoint;
	return health_is_too_old(&poller->health, endpoint) && poller->leads && plan_is_allowed(poller->plan, task);
}

static void say_too_old(const struct poller *poller, struct buf *out)
{
	for (int i = 0; i < ENDPOINTS; i++)
		if (is_too_old(poller, (enum endpoint)i) && fetch_succeeded(poller->health.entries[i].result))
			buf_printf(out, "%s%s", out->len ? ", " : "too old to show: ", endpoint_table[i].name);
}

/* How long the planner thinks that this part of the task's round takes. What has been saved pays for a first round of states. */
static double left_s(const struct poller *poller, size_t task, double part)
{
	uint64_t now = clock_monotonic_ns();
	const struct plan_view view = plan_show(poller->plan, now, task);
	double round_s = view.round_slurmrestd_s / plan_show_totals(poller->plan, now).slurmrestd_duty_max;
	return fmax(view.due_in_s, 0) +
	       part * (task == TASK_JOB_DETAILS && view.interval_s > view.target_s ? view.interval_s : round_s);
}

/* How many jobs are known of how many. At a start most numbers wait for them. */
static void say_jobs(const struct poller *poller, struct buf *out)
{
	struct job_counts counts = job_table_counts(poller->cluster.job_table);
	uint64_t all = poller->jobs.reader.rounds.search.expected, known = counts.jobs;
	size_t task =
		plan_show(poller->plan, clock_monotonic_ns(), TASK_JOB_SEARCH).work ? TASK_JOB_SEARCH : TASK_JOB_STATES;
	if (poller->jobs.has_states) {
		all = known;
		known -= counts.jobs_without_details;
		task = TASK_JOB_DETAILS;
	}
	if (!number_is_known(all) || all <= known) {
		buf_add_string(out, "slurmscope is still looking for jobs");
		return;
	}
	buf_printf(out, "slurmscope knows %s%s of ", poller->jobs.has_states ? "the details of " : "",
		   words_number(known).text);
	buf_printf(out, "%s, ", words_count(all, "job").text);
	buf_printf(out, "and all in about %s",
		   words_seconds(left_s(poller, task, (double)(all - known) / (double)all)).text);
}

/* Writes why we are not ready; nothing: we are. Either we have not asked for something yet, or its numbers became too
 * old, or jobs are not known and no failure explains that. */
static void say_missing(const struct poller *poller, struct buf *out)
{
	say_unasked(poller, out);
	if (!out->len)
		say_too_old(poller, out);
	if (!out->len && poller->jobs.unverified_as_of > 0 && poller->cluster.jobs)
		buf_add_string(out, "jobs are from the state file, and slurmscope has not read all their states yet");
	if (!poller->leads || job_poller_is_complete(&poller->jobs) || is_job_failing(poller))
		return;
	uint64_t now = clock_monotonic_ns();
	buf_add_string(out, out->len ? "; " : "");
	if (poller->jobs.reads_list && plan_show(poller->plan, now, ENDPOINT_JOBS).reason == PLAN_NOT_ALLOWED)
		plan_say(poller->plan, now, ENDPOINT_JOBS, out);
	else
		say_jobs(poller, out);
}

/* One line, when the first page has all that there is. */
static void log_ready(struct poller *poller, const struct status *status)
{
	char jobs[32], took[32];
	if (status->not_ready || poller->was_ready || !poller->leads || poller->config->once)
		return;
	poller->was_ready = true;
	snprintf(took, sizeof took, "%.1f", clock_now() - poller->exporter.begin);
	snprintf(jobs, sizeof jobs, "%" PRIu64, job_table_counts(poller->cluster.job_table).jobs);
	log_line(LOG_LEVEL_INFO, "ready: the page has all that Slurm tells", "jobs", jobs, "seconds", took, NULL);
}

static void fill_exporter(struct poller *poller, const struct plan_totals *totals, uint64_t now)
{
	struct exporter *exporter = &poller->exporter;
	const struct token *token = client_token(poller->asker.client);
	exporter->is_standby = !poller->leads;
	for (int i = 0; i < ENDPOINTS; i++) {
		/* a list for reasons alone may fail, as single requests bring them, too */
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
	exporter->ends_known_until = event_poller_ends_known(&poller->events);
	exporter->keeps_state = poller->events.recorder.store != NULL;
	exporter->state_commit = poller->events.recorder.last_commit;
	exporter->state_bytes = exporter->state_commit > 0 ? store_bytes(poller->events.recorder.store) : 0;
	exporter->state_errors = poller->events.recorder.errors;
	exporter->is_cut_off = health_is_cut_off(&poller->health);
	exporter->user = poller_user(poller);
	exporter->token_expiry = token_expiry(token);
}

/* What the page may show of events. */
static const struct job_events *shown_events(const struct poller *poller)
{
	const struct recorder *recorder = &poller->events.recorder;
	return poller->config->once || recorder->is_hidden ? NULL : recorder->events;
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
		.ends = shown_events(poller),
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

/* Is an earlier poller's page better than what this one knows so far? */
static bool old_page_is_better(struct poller *poller, const struct status *status)
{
	const struct health_entry *ping = &poller->health.entries[ENDPOINT_PING];
	bool is_well = !ping->tried_ns || fetch_succeeded(ping->result);
	if (!is_well || !status->not_ready || clock_monotonic_ns() > poller->old_page_until_ns)
		poller->old_page_until_ns = 0;
	return poller->old_page_until_ns != 0;
}

static void log_page(uint64_t samples, double seconds)
{
	char took[32], count[32];
	snprintf(took, sizeof took, "%.3f", seconds);
	snprintf(count, sizeof count, "%" PRIu64, samples);
	log_line(LOG_LEVEL_DEBUG, "made a page", "seconds", took, "samples", count, NULL);
}

void poller_show(struct poller *poller, const struct plan_action *action)
{
	uint64_t begin = clock_monotonic_ns();
	double computed = clock_thread_cpu();
	struct samples samples = {.text = BUF_INIT};
	struct plan_totals totals = plan_show_totals(poller->plan, begin);
	if (!poller->config->once)
		poller_judge_jobs(poller);
	drop_what_is_not_known(poller);
	cluster_fold(&poller->cluster);
	if (!poller->config->once)
		poller_record(poller);
	fill_exporter(poller, &totals, begin);
	const struct page_facts facts = {.cluster = &poller->cluster,
					 .exporter = &poller->exporter,
					 .events = shown_events(poller),
					 .now = clock_now_s(),
					 .per_node = (enum per_node)poller->config->per_node,
					 .owner_histograms = (enum owner_histograms)poller->config->owner_histograms,
					 .labels = buf_text(&poller->labels)};
	catalogue_render(&facts, &samples);
	uint64_t sample_count = samples.sample_count;
	struct page *page = page_new(&samples, make_status(poller, &totals, action, &samples));
	log_ready(poller, page->status);
	if (old_page_is_better(poller, page->status))
		page_release(page);
	else
		page_slot_publish(poller->slot, page);
	uint64_t end = clock_monotonic_ns();
	log_page(sample_count, (double)(end - begin) / 1e9);
	double gap_s = fmax((clock_thread_cpu() - computed) / PAGE_CPU, (double)(end - begin) / 1e9 / PAGE_DUTY);
	poller->is_page_old = false;
	poller->next_page_ns = end + (uint64_t)(fmin(fmax(gap_s, PAGE_GAP_S), PAGE_GAP_MAX_S) * 1e9);
}

/* True: it took long before, or was never tried. */
static bool may_take_long(const struct poller *poller, const struct plan_action *action, uint64_t now)
{
	enum endpoint endpoint = task_endpoint(action->task, action->way);
	struct plan_view view = plan_show(poller->plan, now, action->task);
	bool is_part = view.work > action->records && action->records; /* of a round of several requests */
	double part = is_part ? (double)action->records / (double)view.work : 1;
	return !poller->health.entries[endpoint].tried_ns || view.round_slurmrestd_s * part > LONG_REQUEST_S;
}

/* Until when the page waits for the details of jobs that a round of states found; 0: it does not wait. The oldest news
 * limits that, because each round may find new jobs that have no details. */
static uint64_t held_until_ns(const struct poller *poller, uint64_t now)
{
	const struct job_poller *jobs = &poller->jobs;
	bool is_round = jobs->reader.rounds.is_open;
	if (!jobs->has_details || !(is_round || plan_show(poller->plan, now, TASK_JOB_DETAILS).work))
		return 0;
	uint64_t began = is_round ? jobs->round_began_ns : jobs->round_ended_ns;
	uint64_t longest = poller->news_since_ns > poller->next_page_ns ? poller->news_since_ns : poller->next_page_ns;
	return (began < longest ? began : longest) + (uint64_t)(DETAILS_S * 1e9);
}

uint64_t poller_next_page_ns(const struct poller *poller, uint64_t now)
{
	uint64_t held = held_until_ns(poller, now);
	return held > poller->next_page_ns && held > now ? held : poller->next_page_ns;
}

void poller_show_if_due(struct poller *poller, const struct plan_action *action)
{
	uint64_t now = clock_monotonic_ns();
	bool is_long = action->kind == PLAN_ASK && may_take_long(poller, action, now);
	bool becomes_old = health_next_ns(&poller->health) <= now;
	if (becomes_old || (poller->is_page_old && (is_long || now >= poller_next_page_ns(poller, now))))
		poller_show(poller, action);
}
