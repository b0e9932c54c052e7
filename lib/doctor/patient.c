#include "doctor/patient.h"

#include "base/clock.h"

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
