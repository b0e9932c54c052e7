/* /api/v1/status: one shape, whatever is known; tests/e2e/status.schema.json describes it. What is not known is null. */
#include "json/writer.h"
#include "status/findings.h"
#include "status/pages.h"

static void put_time(struct json_writer *json, const char *key, double moment)
{
	if (moment)
		writer_number(json, key, moment);
	else
		writer_null(json, key);
}

static void put_answer(struct json_writer *json, const char *key, enum status_answer answer)
{
	if (answer == ANSWER_UNKNOWN)
		writer_null(json, key);
	else
		writer_bool(json, key, answer == ANSWER_YES);
}

static void put_not_negative(struct json_writer *json, const char *key, double number)
{
	if (number >= 0)
		writer_number(json, key, number);
	else
		writer_null(json, key);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static void put_counts(struct json_writer *json, const char *key, const struct status_counts *counts)
{
	writer_open(json, key, '{');
	for (size_t i = 0; i < counts->count; i++)
		writer_integer(json, counts->rows[i].name, counts->rows[i].count);
	writer_close(json, '}');
}

static void put_share_members(struct json_writer *json, const struct status_capacity *share)
{
	writer_integer(json, "allocated", share->allocated);
	writer_integer(json, "idle", share->idle);
	writer_integer(json, "other", share->other);
}

static void put_share(struct json_writer *json, const char *key, const struct status_capacity *share)
{
	writer_open(json, key, '{');
	put_share_members(json, share);
	writer_close(json, '}');
}

static void put_findings(struct json_writer *json, const struct findings *findings)
{
	writer_string(json, "verdict", findings_verdict(findings));
	writer_open(json, "findings", '[');
	for (size_t i = 0; i < findings->count; i++) {
		writer_open(json, NULL, '{');
		writer_string(json, "severity", severity_names[findings->items[i].severity]);
		writer_string(json, "text", findings->items[i].text);
		writer_close(json, '}');
	}
	writer_close(json, ']');
}

static void put_nodes(struct json_writer *json, const struct status_nodes *nodes)
{
	if (!nodes->is_known) {
		writer_null(json, "nodes");
		return;
	}
	writer_open(json, "nodes", '{');
	writer_integer(json, "total", nodes->total);
	put_counts(json, "by_state", &nodes->states);
	put_counts(json, "by_flag", &nodes->flags);
	put_share(json, "cpus", &nodes->cpus);
	put_share(json, "memory_bytes", &nodes->memory_bytes);
	writer_open(json, "gres", '[');
	for (size_t i = 0; i < nodes->gres_count; i++) {
		writer_open(json, NULL, '{');
		writer_string(json, "name", nodes->gres[i].name);
		writer_string(json, "type", or_null(nodes->gres[i].type));
		put_share_members(json, &nodes->gres[i].units);
		writer_close(json, '}');
	}
	writer_close(json, ']');
	writer_close(json, '}');
}

static void put_jobs(struct json_writer *json, const struct status_jobs *jobs)
{
	if (!jobs->is_known) {
		writer_null(json, "jobs");
		return;
	}
	writer_open(json, "jobs", '{');
	put_counts(json, "by_state", &jobs->states);
	writer_integer(json, "without_details", jobs->without_details);
	put_time(json, "unverified_as_of_timestamp_seconds", jobs->unverified_as_of);
	if (jobs->has_details) {
		put_counts(json, "pending_by_class", &jobs->classes);
		put_counts(json, "pending_by_reason", &jobs->reasons);
		put_time(json, "oldest_startable_submit_timestamp_seconds", jobs->oldest_startable);
	} else {
		writer_null(json, "pending_by_class");
		writer_null(json, "pending_by_reason");
		writer_null(json, "oldest_startable_submit_timestamp_seconds");
	}
	writer_close(json, '}');
}

static void put_cluster(struct json_writer *json, const struct status *status, double now)
{
	struct findings findings = FINDINGS_INIT;
	findings_of_cluster(status, now, &findings);
	writer_open(json, "cluster", '{');
	put_findings(json, &findings);
	writer_open(json, "controllers", '[');
	for (size_t i = 0; i < status->controller_count; i++) {
		writer_open(json, NULL, '{');
		writer_string(json, "host", status->controllers[i].host);
		writer_string(json, "role", status->controllers[i].is_primary ? "primary" : "backup");
		put_answer(json, "up", status->controllers[i].is_up);
		put_not_negative(json, "ping_seconds", status->controllers[i].ping_s);
		writer_close(json, '}');
	}
	writer_close(json, ']');
	put_answer(json, "slurmdbd_up", status->is_accounting_up);
	put_nodes(json, &status->nodes);
	put_jobs(json, &status->jobs);
	writer_close(json, '}');
	findings_done(&findings);
}

static void put_endpoint(struct json_writer *json, const struct status_endpoint *endpoint)
{
	writer_open(json, NULL, '{');
	writer_string(json, "name", endpoint->name);
	writer_string(json, "standing", standing_names[endpoint->standing]);
	put_time(json, "last_success_timestamp_seconds", endpoint->last_success);
	put_time(json, "failing_since_timestamp_seconds", endpoint->failing_since);
	writer_string(json, "last_error", endpoint->error);
	put_time(json, "last_error_timestamp_seconds", endpoint->error_time);
	writer_bool(json, "shown", endpoint->is_held);
	put_time(json, "shown_until_timestamp_seconds", endpoint->is_held ? endpoint->held_until : 0);
	writer_integer(json, "requests", endpoint->requests);
	writer_close(json, '}');
}

static void put_task(struct json_writer *json, const struct status_task *task)
{
	writer_open(json, NULL, '{');
	writer_string(json, "name", task->name);
	writer_string(json, "about", task->about);
	writer_string(json, "endpoint", task->endpoint);
	writer_string(json, "way", or_null(task->way));
	writer_string(json, "reason", task->reason);
	writer_string(json, "text", task->text);
	put_not_negative(json, "interval_seconds", task->is_allowed && task->has_work ? task->interval_s : -1);
	writer_number(json, "target_interval_seconds", task->target_s);
	put_time(json, "last_round_timestamp_seconds", task->fresh);
	put_time(json, "next_timestamp_seconds", task->due);
	writer_integer(json, "failures_in_a_row", task->failures);
	writer_close(json, '}');
}

static void put_role(struct json_writer *json, const struct status_role *role)
{
	writer_bool(json, "leader", !role->is_standby);
	if (!role->follows) {
		writer_null(json, "ha");
		return;
	}
	writer_open(json, "ha", '{');
	writer_string(json, "host", role->host);
	writer_bool(json, "named", !role->is_unnamed);
	writer_string(json, "serving", role->serving);
	writer_string(json, "waits_for", role->waits_for);
	writer_close(json, '}');
}

static void put_token(struct json_writer *json, const struct status_token *token)
{
	writer_open(json, "token", '{');
	writer_string(json, "source", token->source);
	writer_string(json, "user", token->user);
	put_time(json, "expiry_timestamp_seconds", token->expiry);
	writer_close(json, '}');
}

static void put_state_file(struct json_writer *json, const struct status_state_file *file)
{
	if (!file->path) {
		writer_null(json, "state_file");
		return;
	}
	writer_open(json, "state_file", '{');
	writer_string(json, "path", file->path);
	writer_bool(json, "failing", file->is_failing);
	put_time(json, "last_commit_timestamp_seconds", file->last_commit);
	writer_integer(json, "errors", file->errors);
	writer_string(json, "last_error", file->error);
	writer_close(json, '}');
}

static void put_budgets(struct json_writer *json, const struct status *status)
{
	writer_open(json, "budgets", '{');
	for (size_t i = 0; i < sizeof status->budgets / sizeof *status->budgets; i++) {
		if (!status->budgets[i].of)
			continue;
		writer_open(json, status->budgets[i].of, '{');
		writer_number(json, "spent_ratio", status->budgets[i].spent);
		writer_number(json, "limit_ratio", status->budgets[i].limit);
		writer_close(json, '}');
	}
	put_time(json, "start_until_timestamp_seconds", status->start_until);
	writer_close(json, '}');
}

static void put_exporter(struct json_writer *json, const struct status_site *site, const struct status *status)
{
	struct findings findings = FINDINGS_INIT;
	findings_of_exporter(site, status, &findings);
	writer_open(json, "exporter", '{');
	put_findings(json, &findings);
	writer_bool(json, "ready", !status->not_ready);
	writer_string(json, "not_ready_because", status->not_ready);
	put_role(json, &status->role);
	put_token(json, &status->token);
	put_state_file(json, &status->state_file);
	put_budgets(json, status);
	writer_number(json, "requests_per_second", status->requests_per_s);
	writer_number(json, "brake_ratio", status->brake);
	writer_bool(json, "idle", status->is_idle);
	writer_bool(json, "rate_limited", status->is_rate_limited);
	put_not_negative(json, "coverage_ratio", status->coverage);
	writer_integer(json, "series", status->series);
	writer_integer(json, "series_folded", status->folded);
	writer_integer(json, "job_events_lost", status->events_lost);
	writer_integer(json, "job_events_recovered", status->events_recovered);
	put_time(json, "job_ends_known_until_timestamp_seconds", status->ends_known_until);
	writer_string(json, "asking", status->asking);
	writer_open(json, "endpoints", '[');
	for (size_t i = 0; i < status->endpoint_count; i++)
		put_endpoint(json, &status->endpoints[i]);
	writer_close(json, ']');
	writer_open(json, "tasks", '[');
	for (size_t i = 0; i < status->task_count; i++)
		put_task(json, &status->tasks[i]);
	writer_close(json, ']');
	writer_close(json, '}');
	findings_done(&findings);
}

static void put_configuration(struct json_writer *json, const char *name,
			      const struct status_configuration *configuration)
{
	if (!configuration->is_there) {
		writer_null(json, name);
		return;
	}
	writer_open(json, name, '{');
	writer_bool(json, "newest", configuration->is_newest);
	put_time(json, "read_timestamp_seconds", configuration->read);
	writer_string(json, "error", configuration->error);
	writer_close(json, '}');
}

static void put_site(struct json_writer *json, const struct status_site *site)
{
	writer_open(json, "slurmscope", '{');
	writer_string(json, "version", site->version);
	writer_string(json, "revision", or_null(site->revision));
	put_time(json, "start_timestamp_seconds", site->started);
	put_configuration(json, "configuration", &site->configuration);
	put_configuration(json, "web_configuration", &site->web_configuration);
	put_time(json, "certificate_expiry_timestamp_seconds", site->certificate_expiry);
	writer_open(json, "sandbox", '{');
	writer_bool(json, "seccomp", site->refuses_calls);
	put_not_negative(json, "landlock_abi", site->landlock_abi ? (double)site->landlock_abi : -1);
	writer_close(json, '}');
	writer_number(json, "cpu_seconds", site->cpu_seconds);
	writer_integer(json, "resident_memory_bytes", site->resident_bytes);
	writer_integer(json, "scrapes", site->scrapes);
	writer_close(json, '}');
}

void pages_json(const struct status_site *site, struct buf *out)
{
	struct json_writer json = {.out = out};
	writer_open(&json, NULL, '{');
	writer_number(&json, "timestamp_seconds", site->now);
	put_site(&json, site);
	writer_open(&json, "clusters", '[');
	for (size_t i = 0; i < site->cluster_count; i++) {
		const struct status *status = site->clusters[i];
		writer_open(&json, NULL, '{');
		writer_string(&json, "name", or_null(status->name));
		writer_string(&json, "slurmrestd_url", status->url);
		writer_string(&json, "slurm_version", or_null(status->slurm_version));
		writer_string(&json, "api_version", or_null(status->api_version));
		writer_number(&json, "made_timestamp_seconds", status->made);
		put_cluster(&json, status, site->now);
		put_exporter(&json, site, status);
		writer_close(&json, '}');
	}
	writer_close(&json, ']');
	writer_close(&json, '}');
	buf_add_char(out, '\n');
}
