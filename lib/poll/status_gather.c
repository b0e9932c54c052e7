#include "poll/status_gather.h"

#include "base/clock.h"
#include "config/exposure.h"
#include "model/number.h"
#include "poll/plan_words.h"
#include "poll/status_cluster.h"
#include "poll/status_jobs.h"

static const char *const abouts[TASKS] = {
	[ENDPOINT_PING] = "whether slurmctld answers",
	[ENDPOINT_DIAG] = "scheduler and load of slurmctld",
	[ENDPOINT_PARTITIONS] = "limits and state of each",
	[ENDPOINT_NODES] = "state and load of each",
	[ENDPOINT_JOBS] = "all jobs as one list",
	[ENDPOINT_RESERVATIONS] = "who has reserved what",
	[ENDPOINT_LICENSES] = "in use and free",
	[ENDPOINT_SHARES] = "fairshare",
	[ENDPOINT_CONF] = "settings of slurmctld",
	[ENDPOINT_DBD_PING] = "whether slurmdbd answers",
	[ENDPOINT_DBD_DIAG] = "load of slurmdbd",
	[ENDPOINT_QOS] = "QOS and their limits",
	[ENDPOINT_ASSOCIATIONS] = "accounts, users and their limits",
	[TASK_JOB_STATES] = "states of all jobs, and new ones",
	[TASK_JOB_SEARCH] = "jobs that slurmctld counts and slurmscope does not know",
	[TASK_JOB_DETAILS] = "details of new and changed jobs",
	[TASK_JOB_REASONS] = "why jobs wait",
	[TASK_JOB_ROTATION] = "details of all jobs, in turn",
	[TASK_JOB_ARRAYS] = "large arrays",
	[TASK_JOB_ENDS] = "how jobs ended",
	[TASK_JOB_STEPS] = "what ended jobs used",
};

/* A moment of the monotonic clock in Unix seconds, as of the status. */
static double unix_of(const struct status *status, uint64_t now_ns, uint64_t then_ns)
{
	return then_ns > now_ns ? status->made + (double)(then_ns - now_ns) * 1e-9
				: status->made - (double)(now_ns - then_ns) * 1e-9;
}

static enum standing standing_of(const struct exporter_endpoint *endpoint, bool is_cut_off)
{
	if (!endpoint->is_tried)
		return STANDING_NOT_ASKED;
	if (endpoint->is_optional && !endpoint->is_supported)
		return STANDING_NOT_SERVED;
	if (endpoint->is_optional && endpoint->is_forbidden)
		return STANDING_NOT_ALLOWED;
	return endpoint->is_up && !is_cut_off ? STANDING_UP : STANDING_DOWN;
}

static void gather_endpoints(struct status *status, const struct asker *asker, uint64_t now_ns)
{
	status->endpoint_count = ENDPOINTS;
	status->endpoints = arena_new(&status->arena, ENDPOINTS * sizeof *status->endpoints);
	for (int i = 0; i < ENDPOINTS; i++) {
		const struct exporter_endpoint *endpoint = &asker->exporter->endpoints[i];
		const struct health_entry *entry = &asker->health->entries[i];
		const struct ask_failure *failure = &asker->failures[i];
		status->endpoints[i] = (struct status_endpoint){
			.name = endpoint->name,
			.standing = standing_of(endpoint, status->is_cut_off),
			.is_refused = entry->tried_ns && entry->result == FETCH_UNAUTHORIZED,
			.last_success = endpoint->last_success,
			.failing_since = failure->since,
			.error = failure->time > 0 ? status_copy(status, text_of(failure->error.text)) : NULL,
			.error_time = failure->time,
			.is_kept = i < ENDPOINTS_POLLED || i == ENDPOINT_JOB_STATES,
			.is_held = entry->is_shown,
			.is_too_old = endpoint->is_tried && fetch_succeeded(entry->result) && !endpoint->is_up,
			.held_until = unix_of(status, now_ns, entry->too_old_ns),
		};
		for (int result = 0; result < FETCH_RESULTS; result++)
			status->endpoints[i].requests += endpoint->requests[result];
	}
}

/* The planner's sentence without the name before it. */
static const char *sentence_of(struct status *status, const struct status_sources *sources, uint64_t now_ns,
			       size_t task)
{
	struct buf said = BUF_INIT;
	plan_say(sources->plan, now_ns, task, &said);
	struct text rest = buf_text(&said);
	text_cut(&rest, ' ');
	const char *sentence = status_copy(status, rest);
	buf_done(&said);
	return sentence;
}

static void gather_tasks(struct status *status, const struct status_sources *sources, uint64_t now_ns)
{
	status->task_count = TASKS;
	status->tasks = arena_new(&status->arena, TASKS * sizeof *status->tasks);
	for (size_t i = 0; i < TASKS; i++) {
		struct plan_view view = plan_show(sources->plan, now_ns, i);
		bool is_allowed = view.reason != PLAN_NOT_ALLOWED;
		bool has_work = is_allowed && view.reason != PLAN_NOTHING_TO_DO;
		status->tasks[i] = (struct status_task){
			.name = sources->tasks[i].name,
			.about = abouts[i],
			.endpoint = endpoint_table[task_endpoint(i, 0)].name,
			.way = view.way,
			.reason = plan_reason_names[view.reason],
			.text = sentence_of(status, sources, now_ns, i),
			.is_allowed = is_allowed,
			.has_work = has_work,
			.is_on_target = view.reason == PLAN_ON_TARGET,
			.interval_s = view.interval_s,
			.target_s = view.target_s,
			.fresh = view.age_s >= 0 ? status->made - view.age_s : 0,
			.due = has_work && view.due_in_s >= 0 ? status->made + view.due_in_s : 0,
			.failures = view.failures,
		};
	}
	if (sources->action && sources->action->kind == PLAN_ASK)
		status->asking = sources->tasks[sources->action->task].name;
}

static void gather_plan(struct status *status, const struct status_sources *sources, uint64_t now_ns)
{
	const struct plan_totals *totals = sources->totals;
	double left_s = start_left_s(sources->start, now_ns);
	struct buf words = BUF_INIT;
	plan_words_budgets(totals, &words);
	plan_words_start(sources->asker->config, left_s, &words);
	status->budgets_text = status_copy(status, buf_text(&words));
	buf_clear(&words);
	plan_words_jobs(sources->jobs, &words);
	plan_words_ends(sources->leads ? sources->asker->exporter->ends_known_until : 0, &words);
	status->jobs_text = status_copy(status, buf_text(&words));
	buf_done(&words);
	status->budgets[0] = (struct status_budget){"slurmrestd", totals->slurmrestd_duty, totals->slurmrestd_duty_max};
	status->budgets[1] = (struct status_budget){"slurmctld", totals->slurmctld_duty, totals->slurmctld_duty_max};
	status->start_until = left_s > 0 ? status->made + left_s : 0;
	status->requests_per_s = totals->requests_per_s;
	status->brake = totals->brake;
	status->is_idle = totals->is_idle;
	status->is_rate_limited = totals->is_rate_limited;
}

static const char *copy_or_null(struct status *status, const char *text)
{
	return text ? status_copy(status, text_of(text)) : NULL;
}

static void gather_role(struct status *status, const struct status_sources *sources)
{
	const struct role *role = sources->role;
	char host[256];
	if (!role)
		return;
	config_ha_host(sources->asker->config, host, sizeof host);
	status->role = (struct status_role){
		.follows = true,
		.is_standby = !sources->leads,
		.is_unnamed = !role->is_named,
		.host = status_copy(status, text_of(host)),
		.serving = *role->serving ? status_copy(status, text_of(role->serving)) : NULL,
		.waits_for = *sources->waits_for ? status_copy(status, text_of(sources->waits_for)) : NULL,
	};
}

static void gather_exporter(struct status *status, const struct status_sources *sources)
{
	const struct config *config = sources->asker->config;
	const struct exporter *exporter = sources->asker->exporter;
	const struct recorder *recorder = &sources->events->recorder;
	status->name = status_copy(status, text_of(config->name ? config->name : sources->asker->cluster->name));
	status->url = status_copy(status, text_of(config->slurmrestd_url));
	status->not_ready = copy_or_null(status, sources->not_ready);
	status->is_cut_off = exporter->is_cut_off;
	status->token = (struct status_token){
		.source = config->token_file	 ? "file"
			  : config->jwt_key_file ? "key"
						 : "none",
		.user = copy_or_null(status, exporter->user),
		.expiry = (double)exporter->token_expiry,
		.is_in_clear = exposure_of_token(config) == EXPOSURE_NETWORK,
		.is_in_clear_here = exposure_of_token(config) == EXPOSURE_MACHINE,
		.is_key_exposed = exposure_of_key(config),
	};
	status->state_file = (struct status_state_file){
		.path = copy_or_null(status, config->state_path),
		.is_failing = recorder->is_failing,
		.is_hidden = recorder->is_hidden,
		.last_commit = recorder->last_commit,
		.errors = recorder->errors,
		.error = *recorder->error.text ? status_copy(status, text_of(recorder->error.text)) : NULL,
	};
	status->coverage = number_is_known(sources->jobs->reader.rounds.search.expected) ? exporter->coverage : -1;
	status->events_lost = sources->leads ? (uint64_t)recorder->events->lost : 0;
	status->events_recovered = sources->leads ? (uint64_t)recorder->events->recovered : 0;
	status->is_slurmdbd_left =
		sources->leads && !recorder->events->ends_by_slurmdbd && recorder->events->told.until;
	status->ends_known_until = exporter->is_standby ? 0 : exporter->ends_known_until;
	status->series = sources->series;
	status->folded = sources->folded;
}

struct status *status_gather(const struct status_sources *sources)
{
	struct status *status = status_new(clock_now());
	uint64_t now_ns = clock_monotonic_ns();
	gather_role(status, sources);
	gather_exporter(status, sources);
	gather_endpoints(status, sources->asker, now_ns);
	gather_tasks(status, sources, now_ns);
	gather_plan(status, sources, now_ns);
	status_gather_cluster(status, sources->asker->cluster);
	status->jobs.unverified_as_of = sources->jobs->unverified_as_of;
	status_gather_jobs(status, sources->asker->cluster, sources->ends);
	return status;
}
