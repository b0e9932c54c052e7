#include "status/jobs_words.h"

#include "base/words.h"

const struct jobs_stage_words jobs_stage_words[STATUS_STAGES] = {
	[STATUS_PENDING] = {"pending", "Waiting", "waiting jobs", "--jobs.pending-rows"},
	[STATUS_HOLDING] = {"running", "Running", "jobs that hold nodes", "--jobs.rows"},
	[STATUS_ENDED] = {"ended", "Ended", "ended jobs", "--jobs.ended-rows"},
};

static void say_standby(const struct status_role *role, struct buf *out)
{
	buf_add_string(out, "This slurmscope stands by, and knows no jobs. ");
	if (role->serving)
		buf_printf(out, "Ask the one of %s.", role->serving);
	else
		buf_add_string(out, "It is not known which one serves.");
}

static void say_live_unknown(const struct status *status, struct buf *out)
{
	if (!status->jobs.is_known)
		buf_add_string(out, "Jobs are not known");
	else
		buf_add_string(out, "Only the states of jobs are known so far");
	if (status->not_ready)
		buf_printf(out, ": %s", status->not_ready);
	buf_add_char(out, '.');
}

bool jobs_say_unknown(const struct status *status, enum status_stage stage, struct buf *out)
{
	const struct status_job_set *set = &status->job_rows.sets[stage];
	const struct jobs_stage_words *words = &jobs_stage_words[stage];
	if (status->role.is_standby)
		say_standby(&status->role, out);
	else if (!set->is_known && stage == STATUS_ENDED)
		buf_add_string(out, "Jobs that ended are not known: slurmscope has not read the state file yet.");
	else if (!set->is_known)
		say_live_unknown(status, out);
	else if (!set->max)
		buf_printf(out, "No rows of %s: %s is 0.", words->which, words->option);
	else
		return false;
	return true;
}

/* An end that is not read yet has no row. */
static void say_behind(const struct status *status, double now, struct buf *out)
{
	if (status->ends_known_until)
		buf_printf(out, " Ends are known until %s ago.", words_seconds(now - status->ends_known_until).text);
}

/* To somebody who may not see all of them, nor how many there are. */
static void say_own_rows(const struct status_job_set *set, const struct jobs_stage_words *words, struct buf *out)
{
	buf_printf(out, "The %s %s that you may see and that have rows", words_number(set->count).text, words->which);
}

static void say_all_rows(const struct status_job_set *set, const struct jobs_stage_words *words, struct buf *out)
{
	buf_printf(out, set->left_out ? "The %s largest of " : "All ", words_number(set->count).text);
	buf_printf(out, "%s %s", words_number(set->count + set->left_out).text, words->which);
}

void jobs_say_rows(const struct status *status, enum status_stage stage, double now, struct buf *out)
{
	const struct status_job_set *set = &status->job_rows.sets[stage];
	const struct jobs_stage_words *words = &jobs_stage_words[stage];
	(status->job_rows.is_scoped ? say_own_rows : say_all_rows)(set, words, out);
	if (stage == STATUS_ENDED)
		buf_printf(out, " of the last %s", words_seconds((double)status->job_rows.ended_s).text);
	if (set->left_out && status->job_rows.is_scoped)
		buf_printf(out,
			   ". The cluster's %s largest have rows, by their TRES billing: others of yours may have none",
			   words_number(set->max).text);
	else if (set->left_out)
		buf_printf(out, ", by their TRES billing. %s says how many%s", words->option,
			   stage == STATUS_ENDED ? "; failures have half of the rows" : "");
	buf_add_char(out, '.');
	if (stage == STATUS_PENDING)
		buf_add_string(out, " Tasks of an array that Slurm has not split yet are one row.");
	if (stage == STATUS_ENDED)
		say_behind(status, now, out);
	else if (status->jobs.unverified_as_of > 0)
		buf_printf(out, " They are as they were %s ago, before this start.",
			   words_seconds(now - status->jobs.unverified_as_of).text);
	else if (status->jobs.without_details)
		buf_printf(out, " The details of %s are still missing.",
			   words_count(status->jobs.without_details, "job").text);
}
