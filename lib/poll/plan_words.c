#include "poll/plan_words.h"

#include "base/clock.h"
#include "base/words.h"

#include <inttypes.h>

void plan_words_budgets(const struct plan_totals *totals, struct buf *out)
{
	buf_printf(out,
		   "In the last ten minutes requests occupied slurmrestd for %.2f %% of the time (budget: %g %%). They "
		   "occupied slurmctld, by its own account, for %.3f %% (budget: %g %%), at %.2f requests a second.\n",
		   100 * totals->slurmrestd_duty, 100 * totals->slurmrestd_duty_max, 100 * totals->slurmctld_duty,
		   100 * totals->slurmctld_duty_max, totals->requests_per_s);
	if (totals->brake > 1)
		buf_printf(out, "slurmctld is busy: intervals are %g times as long.\n", totals->brake);
	if (totals->is_rate_limited)
		buf_add_string(out, "Slurm limits the rate of requests: slurmscope sends fewer and larger ones.\n");
	if (totals->is_idle)
		buf_add_string(out, "Nobody has scraped for long: slurmscope asks Slurm less often.\n");
}

void plan_words_start(const struct config *config, double left_s, struct buf *out)
{
	if (left_s > 0)
		buf_printf(out,
			   "After a start the budget for slurmrestd is larger (budget.start) until all jobs, their "
			   "details and why they wait are known, but for at most %s more. Then it is %g %%.\n",
			   words_seconds(left_s).text, config->slurmrestd_percent);
}

void plan_words_jobs(const struct job_poller *jobs, struct buf *out)
{
	const struct job_table *table = jobs->cluster->job_table;
	struct job_counts counts = job_table_counts(table);
	if (jobs->reads_list) {
		buf_printf(out, "slurmscope reads jobs as one whole list, because %s.\n",
			   !jobs->version	? "the API version is not known yet"
			   : jobs->lacks_states ? "this slurmrestd has no jobs/state that slurmscope can use"
						: "the option jobs.read says so");
		return;
	}
	buf_printf(out,
		   "slurmscope knows %s jobs in %s records, %s of them without details: %.2f %% of the pending and "
		   "running jobs that slurmctld counts.\n",
		   words_number(counts.jobs).text, words_number(counts.rows).text,
		   words_number(counts.rows_without_details).text,
		   100 * job_search_coverage(&jobs->reader.rounds.search, table));
	uint64_t next = job_frontiers_top(&jobs->reader.rounds.frontiers);
	if (next) /* else there never was a job, as far as we know */
		buf_printf(out, "The next new job should have the ID %" PRIu64 " or above.\n", next);
	if (!job_poller_is_complete(jobs))
		buf_add_string(
			out,
			"Some details are still missing: until then the page has only the cluster's job states.\n");
	int64_t oldest = job_table_oldest_details(table);
	if (oldest)
		buf_printf(out, "The oldest details of a job that waits or runs are %s old.\n",
			   words_seconds((double)(asker_now_s(jobs->reader.asker) - oldest)).text);
}

void plan_words_ends(double known_until, struct buf *out)
{
	if (known_until > 0)
		buf_printf(out,
			   "slurmscope has counted the jobs that ended more than %s ago. If that grows, more jobs end "
			   "than the budget can read: see job_ends below, and raise budget.slurmrestd.\n",
			   words_seconds(clock_now() - known_until).text);
}
