#include "status/scoped_status.h"

static bool is_in(const struct scope *scope, const struct status_job_rows *jobs, const struct status_job *job)
{
	return scope_has(scope, SCOPE_ACCOUNT, text_of(status_job_text(jobs, job->account))) ||
	       scope_has(scope, SCOPE_USER, text_of(status_job_text(jobs, job->user))) ||
	       scope_has(scope, SCOPE_PARTITION, text_of(status_job_text(jobs, job->partition)));
}

static void take_jobs(struct status *to, const struct status_job_rows *jobs, enum status_stage stage,
		      const struct scope *scope)
{
	const struct status_job_set *from = &jobs->sets[stage];
	struct status_job_set *set = &to->job_rows.sets[stage];
	*set = (struct status_job_set){.is_known = from->is_known, .max = from->max, .left_out = from->left_out > 0};
	for (size_t i = 0; i < from->count; i++)
		set->count += is_in(scope, jobs, &from->rows[i]);
	set->rows = arena_new(&to->arena, (set->count + 1) * sizeof *set->rows);
	for (size_t i = 0, at = 0; i < from->count; i++)
		if (is_in(scope, jobs, &from->rows[i]))
			set->rows[at++] = from->rows[i];
}

struct status *scoped_status(const struct status *all, const struct scope *scope)
{
	const struct status_job_rows *jobs = &all->job_rows;
	struct status *status = status_new(all->made);
	status->name = status_copy(status, text_of(all->name));
	status->role.is_standby = all->role.is_standby;
	status->jobs.is_known = all->jobs.is_known;
	status->jobs.has_details = all->jobs.has_details;
	status->jobs.unverified_as_of = all->jobs.unverified_as_of;
	status->ends_known_until = all->ends_known_until;
	status->job_rows = (struct status_job_rows){
		.is_scoped = true, .ended_s = jobs->ended_s, .texts = jobs->texts, .texts_len = jobs->texts_len};
	for (int stage = 0; stage < STATUS_STAGES; stage++)
		take_jobs(status, jobs, (enum status_stage)stage, scope);
	return status;
}
