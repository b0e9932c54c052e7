/* The endpoints that are asked for single jobs: their states, details of some, and what ended in the last minute. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/words.h"
#include "doctor/examinations.h"
#include "model/job.h"
#include "model/job_run.h"
#include "model/job_task.h"
#include "poll/asker.h"
#include "poll/tasks.h"
#include "slurmrest/job_runs_query.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	SAMPLE = 8,
	WINDOW_S = 60,
	RUNS_MANY = 200, /* fewer say too little about the cost of one */
	IDS_BELOW_NEXT = 200, /* to ask for if a list of all would cost too much */
};

static const double ENDS_SHARE = 0.75; /* of the budget usually remains for ends */

/* IDs of single jobs: asking for an array's leader would bring all its tasks. */
struct job_ids {
	uint64_t *items;
	size_t count, capacity;
};

static void add(struct job_ids *ids, uint64_t id)
{
	GROW(ids->items, ids->count, ids->capacity);
	ids->items[ids->count++] = id;
}

static void take_state(void *context, const void *record)
{
	const struct job_task *task = record;
	if (!memchr(task->name.bytes, '_', task->name.len) && !memchr(task->name.bytes, '+', task->name.len))
		add(context, task->id);
}

static void take_job(void *context, const void *record)
{
	struct patient *patient = context;
	const struct job *job = record;
	patient->sample_others += !patient_is_ours(patient, job->user);
	patient->has_untold_gpus |= job->has_untold_gpus;
}

static void take_run(void *context, const void *record)
{
	struct patient *patient = context;
	patient->others_runs += !patient_is_ours(patient, ((const struct job_run *)record)->job.user);
}

/* Reports what one answer cost. It reports no share of time, since the daemon asks for these only when there is
 * work. */
static void say(const struct patient *patient, enum endpoint which, const char *what)
{
	const struct asked *asked = &patient->asked[which];
	const char *name = endpoint_table[which].name;
	if (asked->result == FETCH_OK)
		report(patient->report, VERDICT_OK, name, NULL, "%s: %" PRIu64 ", %.1f kB in %.3g s", what,
		       asked->answer.records, (double)asked->reply.bytes / 1e3, asked->reply.seconds);
	else if (asker_expects(which, asked->result))
		report(patient->report, VERDICT_OK, name, NULL,
		       "Slurm %s does not serve it in API version %s, or not to this user", patient->release,
		       patient->version->name);
	else
		report(patient->report, VERDICT_FAIL, name, "its metrics will be missing", "%s", asked->why.text);
}

/* Can the daemon keep up with ends? Other requests take a part of the budget, too. */
static void weigh_runs(struct patient *patient)
{
	const struct asked *asked = &patient->asked[ENDPOINT_DBD_JOBS];
	double runs = (double)asked->answer.records, limit = patient->config->slurmrestd_percent / 100;
	double share = asked->reply.seconds / WINDOW_S;
	if (asked->result == FETCH_OK && runs >= RUNS_MANY && share > ENDS_SHARE * limit)
		report(patient->report, VERDICT_WARN, "dbd_jobs", "raise --budget.slurmrestd",
		       "%.0f jobs ended in the last minute; to read each once takes %s of slurmrestd's time, of at most %s: "
		       "ends will be counted late",
		       runs, words_share(share).text, words_share(limit).text);
}

static void ask_runs(struct patient *patient)
{
	struct buf query = BUF_INIT;
	uint64_t now = (uint64_t)clock_now_s();
	const struct job_runs_query runs = {.version = patient->version, .cluster = patient->cluster};
	job_runs_query_ended(&runs, now - WINDOW_S, now, true, &query);
	const struct fetch fetch = {
		.endpoint = ENDPOINT_DBD_JOBS, .take = take_run, .context = patient, .query = query.bytes};
	patient_ask(patient, &fetch);
	say(patient, ENDPOINT_DBD_JOBS, "runs that ended in the last minute");
	weigh_runs(patient);
	buf_done(&query);
}

/* Asks for all jobs if they are few enough, else for those below the next ID, if Slurm reports that ID. */
static void ask_states(struct patient *patient, struct job_ids *ids)
{
	struct buf query = BUF_INIT;
	uint64_t expected = patient->diag.jobs_pending + patient->diag.jobs_running;
	uint64_t next = patient->conf.next_job_id;
	if (expected > JOB_STATES_LIST_MAX && number_is_known(next))
		for (uint64_t id = next - 1; id && id + IDS_BELOW_NEXT >= next; id--)
			buf_printf(&query, "%cjob_id=%" PRIu64, query.len ? '&' : '?', id);
	const struct fetch fetch = {.endpoint = ENDPOINT_JOB_STATES,
				    .take = take_state,
				    .context = ids,
				    .query = query.len ? query.bytes : "?job_id=1"};
	const struct fetch all = {.endpoint = ENDPOINT_JOB_STATES, .take = take_state, .context = ids};
	patient_ask(patient, expected <= JOB_STATES_LIST_MAX ? &all : &fetch);
	/* none of these IDs is known, but it answers */
	if (patient->asked[ENDPOINT_JOB_STATES].result == FETCH_NOT_FOUND)
		patient->asked[ENDPOINT_JOB_STATES].result = FETCH_OK;
	say(patient, ENDPOINT_JOB_STATES, "states of jobs");
	buf_done(&query);
}

/* Slurm shows states to every user, whatever PrivateData says, but not details. */
static void ask_details(struct patient *patient, const struct job_ids *ids)
{
	for (size_t i = 0; i < SAMPLE && i < ids->count; i++) {
		size_t at = ids->count <= SAMPLE ? i : i * (ids->count - 1) / (SAMPLE - 1);
		char id[24];
		snprintf(id, sizeof id, "%" PRIu64, ids->items[at]);
		const struct fetch fetch = {.endpoint = ENDPOINT_JOB, .take = take_job, .context = patient, .item = id};
		patient->sample++;
		patient->sample_hidden += patient_ask(patient, &fetch) != FETCH_OK;
	}
	if (patient->asked[ENDPOINT_JOB].is_asked && patient->asked[ENDPOINT_JOB].result == FETCH_OK)
		say(patient, ENDPOINT_JOB, "a job's details");
}

void examine_jobs(struct patient *patient)
{
	struct job_ids ids = {NULL, 0, 0};
	if (patient->asked[ENDPOINT_QOS].result == FETCH_OK)
		ask_runs(patient);
	if (patient->version->task_ids_are_raw && patient->config->jobs_read != JOBS_READ_LIST) {
		ask_states(patient, &ids);
		ask_details(patient, &ids);
	}
	free(ids.items);
}
