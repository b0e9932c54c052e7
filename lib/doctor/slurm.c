/* Which Slurm it is, whether its controllers are up, and whether it takes the token. */
#include "base/clock.h"
#include "doctor/examinations.h"
#include "poll/role.h"

static void take_controller(void *context, const void *record)
{
	struct patient *patient = context;
	const struct controller *controller = record;
	buf_printf(&patient->controllers, "%s%.*s (%s%s)", patient->controllers.len ? ", " : "",
		   (int)controller->host.len, controller->host.bytes, controller->is_primary ? "primary, " : "",
		   controller->is_up ? "up" : "down");
	patient->any_up |= controller->is_up;
	patient->all_up &= controller->is_up;
	if (patient->pinged_count == CONTROLLERS_MAX)
		return;
	struct controller_state *state = &patient->pinged[patient->pinged_count++];
	state->is_up = controller->is_up;
	text_to_string(controller->host, state->host, sizeof state->host);
}

static void take_diag(void *context, const void *record)
{
	struct patient *patient = context;
	patient->diag = *(const struct diag *)record;
	patient->diag.rpcs_by_type = patient->diag.rpcs_by_user = patient->diag.pending_rpcs = (struct list){NULL, 0};
	patient->has_diag = true;
}

static enum fetch_result ask_diag(struct patient *patient)
{
	const struct fetch fetch = {.endpoint = ENDPOINT_DIAG, .take = take_diag, .context = patient};
	patient->diag_began = clock_now();
	enum fetch_result result = patient_ask(patient, &fetch);
	patient->diag_ended = clock_now();
	patient->has_diag &= result == FETCH_OK;
	return result;
}

static void take_nothing(void *context, const void *record)
{
	(void)context, (void)record;
}

/* The slurmctld of 22.05 gives no reason at all, but slurmdbd does. */
static bool is_token_refused(struct patient *patient, enum fetch_result diag)
{
	const struct fetch qos = {.endpoint = ENDPOINT_QOS, .take = take_nothing};
	return diag == FETCH_UNAUTHORIZED ||
	       (diag == FETCH_HTTP_ERROR && patient_ask(patient, &qos) == FETCH_UNAUTHORIZED);
}

static void explain_refusal(struct patient *patient, const char *why)
{
	const struct token *token = client_token(patient->client);
	int64_t expiry = token_expiry(token);
	if (!token_value(token) && patient->config->token_file)
		report(patient->report, VERDICT_FAIL, "login", NULL, "slurmscope has no token to send: %s", why);
	else if (!token_value(token))
		report(patient->report, VERDICT_FAIL, "login",
		       "set --slurmrestd.token-file; slurmscope-token.timer writes that file",
		       "slurmrestd requires a token, and slurmscope has none: %s", why);
	else if (expiry && expiry <= clock_now_s())
		report(patient->report, VERDICT_FAIL, "login",
		       "refresh the token file (systemctl start slurmscope-token); slurmscope reads it again by itself",
		       "the token has expired, so Slurm refuses it: %s", why);
	else if (!patient_user(patient))
		report(patient->report, VERDICT_FAIL, "login",
		       "set --slurmrestd.user to the token's user, whom Slurm's slurmrestd wants to be told",
		       "the token names no user (claims sun and username), and Slurm refuses it: %s", why);
	else
		report(patient->report, VERDICT_FAIL, "login",
		       "make a new token; AuthAltParameters=jwt_key must name the same key in slurm.conf and "
		       "slurmdbd.conf, slurmrestd needs SLURM_JWT=daemon, and slurmctld's clock must not be ahead",
		       "Slurm refuses the token, although it is valid by this machine's clock: %s", why);
	if (patient->asked[ENDPOINT_PING].result == FETCH_OK && !patient->any_up)
		report(patient->report, VERDICT_OK, "controllers", NULL,
		       "ping reports all controllers as down, which it also does for a bad token: doctor ignores it");
}

static void say_controllers(const struct patient *patient)
{
	const char *which = patient->controllers.len ? patient->controllers.bytes : "none";
	if (patient->all_up)
		report(patient->report, VERDICT_OK, "controllers", NULL, "%s", which);
	else if (patient->any_up)
		report(patient->report, VERDICT_WARN, "controllers", "start the controller that is down", "%s", which);
	else
		report(patient->report, VERDICT_FAIL, "controllers",
		       "check that slurmctld runs, and that slurmrestd's slurm.conf names its host", "%s", which);
}

static void say_role(const struct patient *patient)
{
	struct role role = ROLE_INIT;
	char host[256];
	if (patient->config->ha == HA_OFF)
		return;
	config_ha_host(patient->config, host, sizeof host);
	role_note(&role, host, patient->pinged, patient->pinged_count);
	if (!role.is_named)
		report(patient->report, VERDICT_FAIL, "ha", "name one of these hosts with --ha-host",
		       "ping names no controller %s: slurmscope never leads on this host", host);
	else if (role.leads)
		report(patient->report, VERDICT_OK, "ha", NULL,
		       "slurmscope leads on this host: the slurmctld on %s is active", host);
	else if (role.is_known)
		report(patient->report, VERDICT_OK, "ha", NULL,
		       "slurmscope stands by on this host: the slurmctld on %s is active, not the one on %s",
		       role.serving, host);
}

static void say_version(const struct patient *patient)
{
	const struct api_version *version = patient->version;
	const char *release = *patient->release ? patient->release : "of an unknown release";
	if (version->is_newer)
		report(patient->report, VERDICT_WARN, "version", "install a newer slurmscope if there is one",
		       "Slurm %s, API version %s, which is newer than this slurmscope: metrics whose fields it renamed will be missing",
		       release, version->name);
	else if (!version->task_ids_are_raw)
		report(patient->report, VERDICT_WARN, "version",
		       "Slurm 24.05 and later report the states of jobs without their details",
		       "Slurm %s, API version %s: slurmscope can read jobs only as one whole list, less often if it is long",
		       release, version->name);
	else
		report(patient->report, VERDICT_OK, "version", NULL, "Slurm %s, API version %s%s", release,
		       version->name,
		       patient->config->api_version ? ", as configured" : ", the newest that both sides know");
}

bool examine_slurm(struct patient *patient)
{
	const struct fetch ping = {.endpoint = ENDPOINT_PING, .take = take_controller, .context = patient};
	patient->all_up = true;
	enum fetch_result result = patient_ask(patient, &ping);
	patient->any_up &= result == FETCH_OK;
	patient->all_up &= patient->any_up;
	const struct asked *asked = &patient->asked[ENDPOINT_PING];
	if (result == FETCH_UNAUTHORIZED) {
		explain_refusal(patient, asked->why.text);
		return false;
	}
	patient->version = client_version(patient->client);
	if (!patient->version) {
		report(patient->report, VERDICT_FAIL, "version",
		       "RELEASES.md in /usr/share/doc/slurmscope/deploy lists the supported releases", "%s",
		       asked->why.text);
		return false;
	}
	enum fetch_result diag = ask_diag(patient);
	say_version(patient);
	if (is_token_refused(patient, diag)) {
		explain_refusal(patient,
				patient->asked[diag == FETCH_UNAUTHORIZED ? ENDPOINT_DIAG : ENDPOINT_QOS].why.text);
		return false;
	}
	if (result == FETCH_OK && (patient->any_up || health_is_down_for_sure(&patient->health, false)))
		say_controllers(patient);
	if (result == FETCH_OK)
		say_role(patient);
	if (diag != FETCH_OK) {
		report(patient->report, VERDICT_FAIL, "slurmctld",
		       "check that slurmctld runs, and that slurmrestd's slurm.conf names its host", "%s",
		       patient->asked[ENDPOINT_DIAG].why.text);
		return false;
	}
	const char *user = patient_user(patient);
	report(patient->report, VERDICT_OK, "login", NULL, "slurmctld accepts slurmscope as %s",
	       user ? user : "the socket's user");
	return true;
}
