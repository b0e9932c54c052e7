/* Is there a slurmdbd, and what is missing without it? Does Slurm account GPUs? */
#include "doctor/examinations.h"

/* Before v0.0.45 only jobs tell. */
static void say_gpus(const struct patient *patient)
{
	bool is_told = patient->asked[ENDPOINT_CONF].result == FETCH_OK && patient->asked[ENDPOINT_CONF].is_asked;
	if (patient->has_untold_gpus || (patient->has_gpus && is_told && !patient->conf.accounts_gpus))
		report(patient->report, VERDICT_WARN, "gpus",
		       "add gres/gpu to AccountingStorageTRES in slurm.conf, and restart slurmctld",
		       "Slurm does not account GPUs: reports, limits and fairshare know of none; the page has those that present "
		       "jobs ask for and hold");
}

void examine_accounting(struct patient *patient)
{
	say_gpus(patient);
	static const char without[] =
		"limits, QOS and associations are missing, and ends come from slurmctld, which forgets them";
	const struct asked *qos = &patient->asked[ENDPOINT_QOS];
	bool is_needed = patient->config->jobs_ends == JOBS_ENDS_SLURMDBD;
	enum up up = health_accounting_up(&patient->health, patient->dbd_responds);
	if (up == UP_NOT_KNOWN && qos->is_asked && fetch_succeeded(qos->result))
		up = UP_YES;
	if (up == UP_YES)
		report(patient->report, VERDICT_OK, "slurmdbd", NULL, "it answers");
	else if (up == UP_NO)
		report(patient->report, VERDICT_FAIL, "slurmdbd",
		       "check slurmdbd and its database (sacctmgr show stats)",
		       "it does not answer: limits, QOS and associations become old, and slurmscope counts ends when it is back");
	else if (qos->result == FETCH_UNSUPPORTED)
		report(patient->report, is_needed ? VERDICT_FAIL : VERDICT_WARN, "slurmdbd",
		       "if there is a slurmdbd, start slurmrestd without -s slurmctld",
		       "slurmrestd does not use slurmdbd: %s", without);
	else
		report(patient->report, VERDICT_FAIL, "slurmdbd", "see the logs of slurmdbd and slurmrestd", "%s: %s",
		       qos->is_asked ? qos->why.text : "not asked", without);
}
