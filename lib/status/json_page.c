/* /api/v1/status: one shape, whatever is known; tests/e2e/status.schema.json describes it. What is not known is null. */
#include "json/writer.h"
#include "status/findings.h"
#include "status/pages.h"

static void put_time(struct json_writer *json, const char *key, double moment)
{
	if (moment)
		json_number(json, key, moment);
	else
		json_null(json, key);
}

static void put_answer(struct json_writer *json, const char *key, enum status_answer answer)
{
	if (answer == ANSWER_UNKNOWN)
		json_null(json, key);
	else
		json_bool(json, key, answer == ANSWER_YES);
}

static void put_not_negative(struct json_writer *json, const char *key, double number)
{
	if (number >= 0)
		json_number(json, key, number);
	else
		json_null(json, key);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static void put_counts(struct json_writer *json, const char *key, const struct status_counts *counts)
{
	json_open(json, key, '{');
	for (size_t i = 0; i < counts->count; i++)
		json_integer(json, counts->rows[i].name, counts->rows[i].count);
	json_close(json, '}');
}

static void put_share_members(struct json_writer *json, const struct status_share *share)
{
	json_integer(json, "allocated", share->allocated);
	json_integer(json, "idle", share->idle);
	json_integer(json, "other", share->other);
}

static void put_share(struct json_writer *json, const char *key, const struct status_share *share)
{
	json_open(json, key, '{');
	put_share_members(json, share);
	json_close(json, '}');
}

static void put_findings(struct json_writer *json, const struct findings *findings)
{
	json_string(json, "verdict", findings_verdict(findings));
	json_open(json, "findings", '[');
	for (size_t i = 0; i < findings->count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "severity", severity_names[findings->items[i].severity]);
		json_string(json, "text", findings->items[i].text);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_nodes(struct json_writer *json, const struct status_nodes *nodes)
{
	if (!nodes->is_known) {
		json_null(json, "nodes");
		return;
	}
	json_open(json, "nodes", '{');
	json_integer(json, "total", nodes->total);
	put_counts(json, "by_state", &nodes->states);
	put_counts(json, "by_flag", &nodes->flags);
	put_share(json, "cpus", &nodes->cpus);
	put_share(json, "memory_bytes", &nodes->memory_bytes);
	json_open(json, "gres", '[');
	for (size_t i = 0; i < nodes->gres_count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", nodes->gres[i].name);
		json_string(json, "type", or_null(nodes->gres[i].type));
		put_share_members(json, &nodes->gres[i].units);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void put_jobs(struct json_writer *json, const struct status_jobs *jobs)
{
	if (!jobs->is_known) {
		json_null(json, "jobs");
		return;
	}
	json_open(json, "jobs", '{');
	put_counts(json, "by_state", &jobs->states);
	json_integer(json, "without_details", jobs->without_details);
	if (jobs->has_details) {
		put_counts(json, "pending_by_class", &jobs->classes);
		put_counts(json, "pending_by_reason", &jobs->reasons);
		put_time(json, "oldest_startable_submit_timestamp_seconds", jobs->oldest_startable);
	} else {
		json_null(json, "pending_by_class");
		json_null(json, "pending_by_reason");
		json_null(json, "oldest_startable_submit_timestamp_seconds");
	}
	json_close(json, '}');
}

static void put_cluster(struct json_writer *json, const struct status *status, double now)
{
	struct findings findings = FINDINGS_INIT;
	findings_of_cluster(status, now, &findings);
	json_open(json, "cluster", '{');
	put_findings(json, &findings);
	json_open(json, "controllers", '[');
	for (size_t i = 0; i < status->controller_count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "host", status->controllers[i].host);
		json_string(json, "role", status->controllers[i].is_primary ? "primary" : "backup");
		put_answer(json, "up", status->controllers[i].is_up);
		put_not_negative(json, "ping_seconds", status->controllers[i].ping_s);
		json_close(json, '}');
	}
	json_close(json, ']');
	put_answer(json, "slurmdbd_up", status->is_accounting_up);
	put_nodes(json, &status->nodes);
	put_jobs(json, &status->jobs);
	json_close(json, '}');
	findings_done(&findings);
}

static void put_endpoint(struct json_writer *json, const struct status_endpoint *endpoint)
{
	json_open(json, NULL, '{');
	json_string(json, "name", endpoint->name);
	json_string(json, "standing", standing_names[endpoint->standing]);
	put_time(json, "last_success_timestamp_seconds", endpoint->last_success);
	put_time(json, "failing_since_timestamp_seconds", endpoint->failing_since);
	json_string(json, "last_error", endpoint->error);
	put_time(json, "last_error_timestamp_seconds", endpoint->error_time);
	json_bool(json, "shown", endpoint->is_held);
	put_time(json, "shown_until_timestamp_seconds", endpoint->is_held ? endpoint->held_until : 0);
	json_integer(json, "requests", endpoint->requests);
	json_close(json, '}');
}

static void put_task(struct json_writer *json, const struct status_task *task)
{
	json_open(json, NULL, '{');
	json_string(json, "name", task->name);
	json_string(json, "about", task->about);
	json_string(json, "endpoint", task->endpoint);
	json_string(json, "way", or_null(task->way));
	json_string(json, "reason", task->reason);
	json_string(json, "text", task->text);
	put_not_negative(json, "interval_seconds", task->is_allowed && task->has_work ? task->interval_s : -1);
	json_number(json, "wished_interval_seconds", task->wish_s);
	put_time(json, "last_round_timestamp_seconds", task->fresh);
	put_time(json, "next_timestamp_seconds", task->due);
	json_integer(json, "failures_in_a_row", task->failures);
	json_close(json, '}');
}

static void put_token(struct json_writer *json, const struct status_token *token)
{
	json_open(json, "token", '{');
	json_string(json, "source", token->source);
	json_string(json, "user", token->user);
	put_time(json, "expiry_timestamp_seconds", token->expiry);
	json_close(json, '}');
}

static void put_state_file(struct json_writer *json, const struct status_state_file *file)
{
	if (!file->path) {
		json_null(json, "state_file");
		return;
	}
	json_open(json, "state_file", '{');
	json_string(json, "path", file->path);
	json_bool(json, "failing", file->is_failing);
	put_time(json, "last_commit_timestamp_seconds", file->last_commit);
	json_integer(json, "errors", file->errors);
	json_string(json, "last_error", file->error);
	json_close(json, '}');
}

static void put_budgets(struct json_writer *json, const struct status *status)
{
	json_open(json, "budgets", '{');
	for (size_t i = 0; i < sizeof status->budgets / sizeof *status->budgets; i++) {
		if (!status->budgets[i].of)
			continue;
		json_open(json, status->budgets[i].of, '{');
		json_number(json, "spent_ratio", status->budgets[i].spent);
		json_number(json, "limit_ratio", status->budgets[i].limit);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void put_exporter(struct json_writer *json, const struct status *status, double now)
{
	struct findings findings = FINDINGS_INIT;
	findings_of_exporter(status, now, &findings);
	json_open(json, "exporter", '{');
	put_findings(json, &findings);
	json_bool(json, "ready", !status->not_ready);
	json_string(json, "not_ready_because", status->not_ready);
	put_token(json, &status->token);
	put_state_file(json, &status->state_file);
	put_budgets(json, status);
	json_number(json, "requests_per_second", status->requests_per_s);
	json_number(json, "brake_ratio", status->brake);
	json_bool(json, "idle", status->is_idle);
	json_bool(json, "rate_limited", status->is_rate_limited);
	put_not_negative(json, "coverage_ratio", status->coverage);
	json_integer(json, "series", status->series);
	json_integer(json, "series_folded", status->folded);
	json_integer(json, "job_events_lost", status->events_lost);
	json_integer(json, "job_events_recovered", status->events_recovered);
	json_string(json, "asking", status->asking);
	json_open(json, "endpoints", '[');
	for (size_t i = 0; i < status->endpoint_count; i++)
		put_endpoint(json, &status->endpoints[i]);
	json_close(json, ']');
	json_open(json, "tasks", '[');
	for (size_t i = 0; i < status->task_count; i++)
		put_task(json, &status->tasks[i]);
	json_close(json, ']');
	json_close(json, '}');
	findings_done(&findings);
}

static void put_site(struct json_writer *json, const struct status_site *site)
{
	json_open(json, "slurmscope", '{');
	json_string(json, "version", site->version);
	json_string(json, "revision", or_null(site->revision));
	put_time(json, "start_timestamp_seconds", site->started);
	json_number(json, "cpu_seconds", site->cpu_seconds);
	json_integer(json, "resident_memory_bytes", site->resident_bytes);
	json_integer(json, "scrapes", site->scrapes);
	json_close(json, '}');
}

void pages_json(const struct status_site *site, struct buf *out)
{
	struct json_writer json = {.out = out};
	json_open(&json, NULL, '{');
	json_number(&json, "timestamp_seconds", site->now);
	put_site(&json, site);
	json_open(&json, "clusters", '[');
	for (size_t i = 0; i < site->cluster_count; i++) {
		const struct status *status = site->clusters[i];
		json_open(&json, NULL, '{');
		json_string(&json, "name", or_null(status->name));
		json_string(&json, "slurmrestd_url", status->url);
		json_string(&json, "slurm_version", or_null(status->slurm_version));
		json_string(&json, "api_version", or_null(status->api_version));
		json_number(&json, "made_timestamp_seconds", status->made);
		put_cluster(&json, status, site->now);
		put_exporter(&json, status, site->now);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	buf_add_char(out, '\n');
}
