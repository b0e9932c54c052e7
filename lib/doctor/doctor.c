#include "doctor/doctor.h"

#include "base/clock.h"
#include "doctor/patient.h"
#include "poll/tasks.h"

const char *patient_user(const struct patient *patient)
{
	const char *user = patient->config->slurmrestd_user;
	return user ? user : token_user(client_token(patient->client));
}

enum fetch_result patient_ask(struct patient *patient, const struct fetch *fetch)
{
	struct asked *asked = &patient->asked[fetch->endpoint];
	asked->is_asked = true;
	asked->why.text[0] = '\0';
	asked->result = client_fetch(patient->client, fetch, &asked->answer, &asked->reply, &asked->why);
	health_note(&patient->health, fetch->endpoint, asked->result, clock_monotonic_ns());
	if (*asked->answer.release)
		snprintf(patient->release, sizeof patient->release, "%s", asked->answer.release);
	if (*asked->answer.cluster)
		snprintf(patient->cluster, sizeof patient->cluster, "%s", asked->answer.cluster);
	return asked->result;
}

static void examine_slurmrestd(struct patient *patient)
{
	examine_token(patient);
	if (!examine_connection(patient) || !examine_slurm(patient)) {
		report(patient->report, VERDICT_WARN, "slurm", NULL,
		       "the rest was not asked: it would fail for the same reason");
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
	if (patient.client)
		examine_slurmrestd(&patient);
	else
		report(to, VERDICT_FAIL, "url", "correct the option", "%s", err.text);
	client_free(patient.client);
	plan_free(patient.plan);
	buf_done(&patient.controllers);
	vocabulary_done(&patient.vocabulary);
}
