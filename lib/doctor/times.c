/* Clocks, and how long slurmctld remembers ended jobs. */
#include "base/clock.h"
#include "doctor/examinations.h"

#include <inttypes.h>
#include <math.h>

#define CLOCKS_AGREE_S 2.0
#define CLOCKS_DIFFER_S 60.0

static void say_clock(const struct patient *patient, const char *whose, double ahead)
{
	static const char advice[] =
		"synchronise both clocks (chrony, NTP): tokens, the search for ended jobs and ages depend on them";
	enum verdict verdict = fabs(ahead) <= CLOCKS_AGREE_S	? VERDICT_OK
			       : fabs(ahead) <= CLOCKS_DIFFER_S ? VERDICT_WARN
								: VERDICT_FAIL;
	if (verdict == VERDICT_OK)
		report(patient->report, VERDICT_OK, "clock", NULL, "%s's clock and this machine's agree within %g s",
		       whose, CLOCKS_AGREE_S);
	else
		report(patient->report, verdict, "clock", advice, "%s's clock is %.0f s %s this machine's", whose,
		       fabs(ahead), ahead > 0 ? "ahead of" : "behind");
}

static void examine_memory_of_ends(const struct patient *patient)
{
	bool has_slurmdbd = patient->config->jobs_ends != JOBS_ENDS_SLURMCTLD &&
			    fetch_succeeded(patient->asked[ENDPOINT_QOS].result);
	const char *source = has_slurmdbd ? "ends come from slurmdbd, which loses none"
					  : "without slurmdbd, slurmscope loses ends that it has not seen by then";
	uint64_t age = patient->conf.min_job_age, least = 4 * patient->config->interval_s[TASK_JOB_STATES];
	if (!number_is_known(age))
		report(patient->report, VERDICT_OK, "MinJobAge", NULL,
		       "Slurm before 26.05 does not report it (scontrol show config | grep MinJobAge; default 300 s): %s",
		       source);
	else if (!has_slurmdbd && age < least)
		report(patient->report, VERDICT_WARN, "MinJobAge", "set MinJobAge=300 in slurm.conf",
		       "slurmctld forgets ended jobs after %" PRIu64 " s: %s", age, source);
	else
		report(patient->report, VERDICT_OK, "MinJobAge", NULL,
		       "slurmctld forgets ended jobs after %" PRIu64 " s: %s", age, source);
}

void examine_times(struct patient *patient)
{
	int64_t date = patient->asked[ENDPOINT_DIAG].reply.date;
	if (number_is_known(patient->diag.time))
		say_clock(patient, "slurmctld",
			  clock_ahead(0, patient->diag.time, patient->diag_began, patient->diag_ended));
	if (date)
		say_clock(patient, patient->asked[ENDPOINT_DIAG].reply.server,
			  clock_ahead(0, (uint64_t)date, patient->diag_began, patient->diag_ended));
	examine_memory_of_ends(patient);
}
