/* Asks every endpoint once, in the planner's order and at its pace, and reports what it cost. */
#include "base/clock.h"
#include "doctor/examinations.h"
#include "model/association.h"
#include "model/fairshare.h"
#include "model/job.h"
#include "model/tres.h"
#include "poll/asker.h"
#include "poll/tasks.h"

#include <inttypes.h>
#include <time.h>

enum { PATIENCE_S = 120 };

static void take_nothing(void *context, const void *record)
{
	(void)context, (void)record;
}

static void take_conf(void *context, const void *record)
{
	((struct patient *)context)->conf = *(const struct conf *)record;
}

static void take_dbd_ping(void *context, const void *record)
{
	((struct patient *)context)->dbd_responds |= ((const struct controller *)record)->is_up;
}

static void take_share(void *context, const void *record)
{
	struct patient *patient = context;
	const struct fairshare *share = record;
	patient->others_shares += share->is_user && !patient_is_ours(patient, share->name);
}

static void take_association(void *context, const void *record)
{
	struct patient *patient = context;
	const struct association *association = record;
	patient->others_associations += association->user.len && !patient_is_ours(patient, association->user);
}

static void take_node(void *context, const void *record)
{
	struct text rest = ((const struct node *)record)->gres;
	struct gres gres;
	while (gres_next(&rest, &gres))
		((struct patient *)context)->has_gpus |= gres.count && text_equal(gres.name, TEXT("gpu"));
}

static void take_job(void *context, const void *record)
{
	struct patient *patient = context;
	const struct job *job = record;
	bool is_cut;
	if (job->state == JOB_PENDING || job->state == JOB_RUNNING)
		patient->listed_jobs += job_count(job, &is_cut);
	patient->others_jobs += !patient_is_ours(patient, job->user);
	patient->has_untold_gpus |= job->has_untold_gpus;
}

static record_fn *const takers[ENDPOINTS_POLLED] = {
	[ENDPOINT_CONF] = take_conf,	[ENDPOINT_DBD_PING] = take_dbd_ping,
	[ENDPOINT_SHARES] = take_share, [ENDPOINT_ASSOCIATIONS] = take_association,
	[ENDPOINT_JOBS] = take_job,	[ENDPOINT_NODES] = take_node,
};

/* "14.3 MB" */
static void say_bytes(double bytes, char *to, size_t size)
{
	if (bytes < 1e6)
		snprintf(to, size, "%.1f kB", bytes / 1e3);
	else
		snprintf(to, size, "%.1f MB", bytes / 1e6);
}

static void say_cost(const struct patient *patient, size_t task)
{
	const struct asked *asked = &patient->asked[task];
	const struct plan_task *row = &patient->tasks[task];
	char size[32], share[32];
	double percent = 100 * asked->reply.seconds / row->target_s;
	bool is_dear = percent > patient->config->slurmrestd_percent && !row->is_probe;
	say_bytes((double)asked->reply.bytes, size, sizeof size);
	snprintf(share, sizeof share, percent < 0.01 ? "less than 0.01 %%" : "%.2g %%", percent);
	report(patient->report, is_dear ? VERDICT_WARN : VERDICT_OK, row->name,
	       is_dear ? "slurmscope asks less often than the target interval (see /plan); change --budget.slurmrestd "
			 "or --interval.... if that is not often enough"
		       : NULL,
	       "%s: %" PRIu64 ", %s in %.3g s; every %g s this takes %s of slurmrestd's time", row->noun,
	       asked->answer.records, size, asked->reply.seconds, row->target_s, share);
}

static void say_failure(const struct patient *patient, size_t task)
{
	const struct asked *asked = &patient->asked[task];
	const struct endpoint_row *row = &endpoint_table[task];
	if (asker_expects((enum endpoint)task, asked->result) && asked->result == FETCH_UNSUPPORTED)
		report(patient->report, VERDICT_OK, row->name, NULL, "Slurm %s does not serve it in API version %s",
		       patient->release, patient->version->name);
	else if (task == ENDPOINT_DBD_DIAG && asked->result == FETCH_FORBIDDEN)
		report(patient->report, VERDICT_OK, row->name, NULL,
		       "slurmdbd shows its statistics only to users with AdminLevel Admin; nothing else needs that");
	else
		report(patient->report, VERDICT_FAIL, row->name,
		       row->is_slurmdb ? "its metrics will be missing: see slurmdbd below"
				       : "its metrics will be missing: see the logs of slurmrestd and slurmctld",
		       "%s", asked->why.text);
}

static void ask(struct patient *patient, const struct plan_action *action)
{
	enum endpoint which = (enum endpoint)action->task;
	struct asked *asked = &patient->asked[which];
	char query[96];
	endpoint_cluster_query(which, patient->cluster, query, sizeof query);
	const struct fetch fetch = {.endpoint = which,
				    .take = takers[which] ? takers[which] : take_nothing,
				    .context = patient,
				    .query = query};
	patient_ask(patient, &fetch);
	struct plan_outcome outcome = asker_outcome(patient->client, asked->result, &asked->answer, &asked->reply);
	outcome.task = action->task;
	outcome.way = action->way;
	outcome.is_round_done = true;
	plan_note(patient->plan, clock_monotonic_ns(), &outcome);
	if (fetch_succeeded(asked->result))
		say_cost(patient, which);
	else
		say_failure(patient, which);
	plan_allow_task(patient->plan, which, false); /* once */
}

/* Asks for jobs as one list only if there is no other way; jobs.c examines the other ways. */
static void allow(struct patient *patient)
{
	bool reads_list = !patient->version->task_ids_are_raw || patient->config->jobs_read == JOBS_READ_LIST;
	uint64_t jobs = 1;
	if (number_is_known(patient->diag.jobs_pending) && number_is_known(patient->diag.jobs_running))
		jobs += patient->diag.jobs_pending + patient->diag.jobs_running;
	for (size_t task = 0; task < TASKS; task++)
		plan_allow_task(patient->plan, task,
				task < ENDPOINTS_POLLED && !patient->tasks[task].is_probe &&
					(task != ENDPOINT_JOBS || reads_list));
	plan_allow_task(patient->plan, ENDPOINT_DBD_PING, true);
	tasks_choose_list(patient->plan, patient->version);
	plan_set_whole(patient->plan, ENDPOINT_JOBS, jobs);
	plan_set_work(patient->plan, ENDPOINT_JOBS, jobs);
}

static bool is_left(const struct patient *patient, uint64_t now)
{
	for (size_t task = 0; task < ENDPOINTS_POLLED; task++)
		if (plan_show(patient->plan, now, task).reason != PLAN_NOT_ALLOWED)
			return true;
	return false;
}

static void wait_until(uint64_t moment_ns)
{
	struct timespec moment = {.tv_sec = (time_t)(moment_ns / 1000000000u),
				  .tv_nsec = (long)(moment_ns % 1000000000u)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) != 0)
		;
}

static void say_left_out(const struct patient *patient, uint64_t now)
{
	for (size_t task = 0; task < ENDPOINTS_POLLED; task++) {
		if (!plan_is_allowed(patient->plan, task) || patient->asked[task].is_asked)
			continue;
		if (plan_show(patient->plan, now, task).reason == PLAN_NOT_ALLOWED)
			report(patient->report, VERDICT_FAIL, patient->tasks[task].name,
			       "raise --budget.bulk-memory if slurmrestd's machine has enough memory",
			       "not asked: slurmrestd would need more memory for the list than the %" PRIu64
			       " MiB of --budget.bulk-memory",
			       patient->config->bulk_memory_mib);
		else
			report(patient->report, VERDICT_WARN, patient->tasks[task].name, NULL,
			       "not asked: the budgets left no time for it within %d s; the daemon will ask later",
			       PATIENCE_S);
	}
}

void examine_endpoints(struct patient *patient)
{
	uint64_t end = clock_monotonic_ns() + PATIENCE_S * UINT64_C(1000000000);
	say_cost(patient, ENDPOINT_PING);
	say_cost(patient, ENDPOINT_DIAG);
	allow(patient);
	for (;;) {
		struct plan_action action = plan_next(patient->plan, clock_monotonic_ns());
		if (action.kind == PLAN_ASK)
			ask(patient, &action);
		else if (is_left(patient, clock_monotonic_ns()) && action.until_ns < end)
			wait_until(action.until_ns);
		else
			break;
	}
	say_left_out(patient, clock_monotonic_ns());
}
