/* /api/v1/jobs: tests/e2e/jobs.schema.json describes it. A member of a job that is not known is not there. */
#include "json/writer.h"
#include "model/reason_words.h"
#include "model/tres.h"
#include "status/jobs_columns.h"
#include "status/jobs_pick.h"
#include "status/jobs_words.h"
#include "status/pages.h"

#include <math.h>

enum { PER_PAGE = 1000 };

#define OF(stage) (1u << (STATUS_##stage))
enum {
	ALL = OF(PENDING) | OF(HOLDING) | OF(ENDED),
	LIVE = OF(PENDING) | OF(HOLDING),
	STARTED = OF(HOLDING) | OF(ENDED)
};

/* Names and numbers are those of the metrics. */
static const struct member {
	const char *key;
	unsigned stages;
	enum { TEXT_OF, ID_OF, NUMBER_OF } kind;
	size_t offset;
} members[] = {
	{"sluid", ALL, TEXT_OF, offsetof(struct status_job, sluid)},
	{"array_job_id", ALL, ID_OF, offsetof(struct status_job, array_job_id)},
	{"het_job_id", ALL, ID_OF, offsetof(struct status_job, het_job_id)},
	{"name", ALL, TEXT_OF, offsetof(struct status_job, name)},
	{"user", ALL, TEXT_OF, offsetof(struct status_job, user)},
	{"account", ALL, TEXT_OF, offsetof(struct status_job, account)},
	{"partition", ALL, TEXT_OF, offsetof(struct status_job, partition)},
	{"qos", ALL, TEXT_OF, offsetof(struct status_job, qos)},
	{"state", ALL, TEXT_OF, offsetof(struct status_job, state)},
	{"reason", OF(PENDING), TEXT_OF, offsetof(struct status_job, reason)},
	{"class", OF(PENDING), TEXT_OF, offsetof(struct status_job, class)},
	{"tasks", OF(PENDING), NUMBER_OF, offsetof(struct status_job, tasks)},
	{"cpus", ALL, NUMBER_OF, offsetof(struct status_job, cpus)},
	{"memory_bytes", ALL, NUMBER_OF, offsetof(struct status_job, memory_bytes)},
	{"nodes", ALL, NUMBER_OF, offsetof(struct status_job, nodes)},
	{"node_list", OF(HOLDING), TEXT_OF, offsetof(struct status_job, node_list)},
	{"priority", LIVE, NUMBER_OF, offsetof(struct status_job, priority)},
	{"restarts", LIVE, NUMBER_OF, offsetof(struct status_job, restarts)},
	{"submit_timestamp_seconds", ALL, NUMBER_OF, offsetof(struct status_job, submit)},
	{"eligible_timestamp_seconds", ALL, NUMBER_OF, offsetof(struct status_job, eligible)},
	{"expected_start_timestamp_seconds", OF(PENDING), NUMBER_OF, offsetof(struct status_job, start)},
	{"start_timestamp_seconds", STARTED, NUMBER_OF, offsetof(struct status_job, start)},
	{"end_timestamp_seconds", OF(ENDED), NUMBER_OF, offsetof(struct status_job, end)},
	{"time_limit_seconds", ALL, NUMBER_OF, offsetof(struct status_job, limit_s)},
	{"exit_code", OF(ENDED), NUMBER_OF, offsetof(struct status_job, exit_code)},
	{"signal", OF(ENDED), NUMBER_OF, offsetof(struct status_job, exit_signal)},
	{"failed_node", OF(ENDED), TEXT_OF, offsetof(struct status_job, failed_node)},
	{"peak_memory_bytes", OF(ENDED), NUMBER_OF, offsetof(struct status_job, peak_memory_bytes)},
	{"energy_joules", OF(ENDED), NUMBER_OF, offsetof(struct status_job, energy_joules)},
};

static void put_number(struct json_writer *json, const char *key, uint64_t number)
{
	if (number_is_known(number))
		writer_integer(json, key, number);
}

static void put_real(struct json_writer *json, const char *key, double number)
{
	if (isfinite(number))
		writer_number(json, key, number);
}

static void put_text(struct json_writer *json, const char *key, const char *text)
{
	if (*text)
		writer_string(json, key, text);
}

static void put_member(struct json_writer *json, const struct member *member, const struct status_job_rows *jobs,
		       const struct status_job *job)
{
	const char *at = (const char *)job + member->offset;
	uint64_t number = 0;
	uint32_t id = 0;
	if (member->kind == NUMBER_OF) {
		memcpy(&number, at, sizeof number);
		put_number(json, member->key, number);
		return;
	}
	memcpy(&id, at, sizeof id);
	if (member->kind == TEXT_OF)
		put_text(json, member->key, status_job_text(jobs, id));
	else if (id)
		writer_integer(json, member->key, id);
}

static void put_gres(struct json_writer *json, const char *tres)
{
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(text_of(tres), gres);
	char name[256];
	writer_open(json, "gres", '[');
	for (unsigned i = 0; i < count; i++) {
		writer_open(json, NULL, '{');
		text_to_string(gres[i].name, name, sizeof name);
		writer_string(json, "name", name);
		text_to_string(gres[i].type, name, sizeof name);
		put_text(json, "type", name);
		writer_integer(json, "count", gres[i].count);
		writer_close(json, '}');
	}
	writer_close(json, ']');
}

static void put_words(struct json_writer *json, const char *key, bool (*write)(struct text reason, struct buf *out),
		      const char *reason)
{
	struct buf words = BUF_INIT;
	if (write(text_of(reason), &words))
		writer_string(json, key, words.bytes);
	buf_done(&words);
}

static void put_job(struct json_writer *json, const struct status_job_rows *jobs, enum status_stage stage,
		    const struct status_job *job, double now)
{
	writer_open(json, NULL, '{');
	writer_integer(json, "id", job->id);
	if (job->array_task_id != UINT32_MAX)
		writer_integer(json, "array_task_id", job->array_task_id);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i].stages >> stage & 1)
			put_member(json, &members[i], jobs, job);
	put_gres(json, status_job_text(jobs, job->tres));
	if (stage == STATUS_PENDING) {
		put_words(json, "meaning", reason_words_meaning, status_job_text(jobs, job->reason));
		put_words(json, "advice", reason_words_advice, status_job_text(jobs, job->reason));
	}
	if (stage == STATUS_HOLDING && job->of_nodes != STATUS_CPUS_NOT_KNOWN)
		writer_bool(json, "exclusive", job->of_nodes == STATUS_CPUS_ALL);
	if (stage != STATUS_PENDING)
		put_real(json, "run_seconds", jobs_run_seconds(job, now));
	if (stage == STATUS_ENDED) {
		writer_bool(json, "failure", job->is_failure);
		put_real(json, "used_cpu_seconds", job->used_cpu_s >= 0 ? job->used_cpu_s : (double)NAN);
		put_real(json, "cpu_efficiency_ratio", jobs_cpu_efficiency(job));
	}
	writer_close(json, '}');
}

static void put_stage(struct json_writer *json, const struct status *status, enum status_stage stage,
		      const struct jobs_query *query, double now)
{
	const struct status_job_set *set = &status->job_rows.sets[stage];
	struct jobs_picked picked = jobs_pick(&status->job_rows, stage, query, now, PER_PAGE);
	struct buf why = BUF_INIT;
	writer_open(json, jobs_stage_words[stage].key, '{');
	bool is_unknown = jobs_say_unknown(status, stage, &why);
	writer_string(json, "no_rows_because", is_unknown ? why.bytes : NULL);
	writer_integer(json, "rows", set->count);
	if (!status->job_rows.is_scoped)
		writer_integer(json, "left_out", set->left_out);
	writer_integer(json, "rows_max", set->max);
	writer_integer(json, "matching", picked.count);
	writer_integer(json, "page", picked.page);
	writer_integer(json, "pages", picked.pages);
	writer_open(json, "jobs", '[');
	for (size_t i = picked.from; i < picked.to; i++)
		put_job(json, &status->job_rows, stage, picked.items[i], now);
	writer_close(json, ']');
	writer_close(json, '}');
	jobs_picked_done(&picked);
	buf_done(&why);
}

void pages_jobs_json(const struct status_site *site, struct buf *out)
{
	struct json_writer json = {.out = out};
	writer_open(&json, NULL, '{');
	writer_number(&json, "timestamp_seconds", site->now);
	writer_open(&json, "clusters", '[');
	for (size_t i = 0; i < site->cluster_count; i++) {
		const struct status *status = site->clusters[i];
		writer_open(&json, NULL, '{');
		writer_string(&json, "name", *status->name ? status->name : NULL);
		writer_number(&json, "made_timestamp_seconds", status->made);
		if (status->jobs.unverified_as_of)
			writer_number(&json, "unverified_as_of_timestamp_seconds", status->jobs.unverified_as_of);
		if (!status->job_rows.is_scoped)
			writer_integer(&json, "without_details", status->jobs.without_details);
		writer_integer(&json, "ended_window_seconds", status->job_rows.ended_s);
		for (int stage = 0; stage < STATUS_STAGES; stage++)
			if (site->query->stages >> stage & 1)
				put_stage(&json, status, (enum status_stage)stage, site->query, site->now);
		writer_close(&json, '}');
	}
	writer_close(&json, ']');
	writer_close(&json, '}');
	buf_add_char(out, '\n');
}
