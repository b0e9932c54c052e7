#include "doctor/doctor.h"

#include "doctor/examinations.h"
#include "poll/tasks.h"

void doctor_examine_process(const struct config *config, struct report *to)
{
	examine_here(config, to);
}

static void examine_slurmrestd(struct patient *patient)
{
	examine_token(patient);
	if (!examine_connection(patient) || !examine_slurm(patient)) {
		report(patient->report, VERDICT_WARN, "slurm", NULL,
		       "doctor does not ask the rest, which would fail for the same reason");
		return;
	}
	examine_endpoints(patient);
	examine_jobs(patient);
	examine_times(patient);
	examine_accounting(patient);
	examine_visibility(patient);
	examine_memory(patient);
}

void doctor_examine(const struct config *config, struct report *to)
{
	struct error err;
	struct patient patient = {.config = config, .report = to, .conf = CONF_UNKNOWN};
	const struct client_options options = config_client(config, NULL);
	vocabulary_init(&patient.vocabulary);
	patient.client = client_new(&options, config_token(config), &patient.vocabulary, &err);
	patient.plan = tasks_plan(patient.tasks, config);
	examine_state(&patient);
	examine_names(&patient);
	if (patient.client)
		examine_slurmrestd(&patient);
	else
		report(to, VERDICT_FAIL, "url", "correct the option", "%s", err.text);
	client_free(patient.client);
	plan_free(patient.plan);
	buf_done(&patient.controllers);
	vocabulary_done(&patient.vocabulary);
}
