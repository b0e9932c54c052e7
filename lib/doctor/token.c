/* What the token itself says, before any request. */
#include "doctor/examinations.h"

#include "base/clock.h"
#include "config/exposure.h"

#include <inttypes.h>
#include <time.h>

enum { SOON_S = 600 };

static const char refresh_advice[] =
	"refresh it: systemctl enable --now slurmscope-token.timer, or run the script /usr/libexec/slurmscope-token";

static void say_lifetime(struct report *to, const struct token *token, bool is_signed, int64_t now)
{
	char until[64];
	int64_t expiry = token_expiry(token), issued = token_issued(token), left = expiry - now;
	struct tm time;
	const char *user = token_user(token) ? token_user(token) : "a user that it does not name";
	strftime(until, sizeof until, "%F %T %Z", localtime_r(&expiry, &time));
	if (!expiry)
		report(to, VERDICT_WARN, "token",
		       "a token that expires does less harm if it leaks: let slurmscope-token.timer refresh one",
		       "it is for %s, and does not say when it expires", user);
	else if (left <= 0)
		report(to, VERDICT_FAIL, "token", refresh_advice,
		       "it is for %s, and expired at %s, %" PRId64 " minutes ago", user, until, -left / 60);
	else if (is_signed)
		report(to, VERDICT_OK, "token", NULL, "slurmscope signs it for %s, for %d minutes at a time", user,
		       TOKEN_LIFETIME_S / 60);
	else if (left < SOON_S)
		report(to, VERDICT_WARN, "token", refresh_advice, "it is for %s, and expires in %" PRId64 " s, at %s",
		       user, left, until);
	else
		report(to, VERDICT_OK, "token", NULL, "it is for %s, and expires at %s (in %.1f h)", user, until,
		       (double)left / 3600);
	if (issued > now + 2)
		report(to, VERDICT_WARN, "token", "compare the clocks of both machines",
		       "it was issued %" PRId64 " s in the future, by this machine's clock", issued - now);
}

static void say_exposure(struct report *to, const struct config *config)
{
	static const char advice[] =
		"a slurmrestd on a unix socket is safer (slurmscope-slurmrestd.service), as is https://";
	enum exposure exposure = exposure_of_token(config);
	if (exposure == EXPOSURE_NETWORK)
		report(to, VERDICT_WARN, "token", advice,
		       "it goes over the network in clear: anyone who reads it there can act as its user");
	else if (exposure == EXPOSURE_MACHINE)
		report(to, VERDICT_OK, "token", advice,
		       "while slurmrestd does not run, any user of this machine can answer in its place, and get it");
}

static void say_key(struct report *to, const struct config *config)
{
	static const char advice[] = "a token file that root refreshes (slurmscope-token.timer) is safer";
	if (exposure_of_key(config))
		report(to, VERDICT_WARN, "key", advice,
		       "slurmscope can read %s, and listens for other machines; anyone who can read it can act as root on the "
		       "cluster",
		       config->jwt_key_file);
	else if (config->jwt_key_file)
		report(to, VERDICT_OK, "key", advice,
		       "slurmscope can read %s; anyone who can read it can act as root on the cluster",
		       config->jwt_key_file);
}

void examine_token(struct patient *patient)
{
	const struct config *config = patient->config;
	struct error err;
	int64_t now = clock_now_s();
	if (!config->token_file && !config->jwt_key_file) {
		bool is_unix = strncmp(config->slurmrestd_url, "unix:", 5) == 0;
		report(patient->report, is_unix ? VERDICT_OK : VERDICT_WARN, "token",
		       is_unix ? NULL : "set --slurmrestd.token-file", "none%s",
		       is_unix ? ": slurmrestd must know slurmscope by the socket's user (rest_auth/local)" : "");
		return;
	}
	/* a token of our own: the client reads its own when it needs it */
	struct token *token = config_token(config);
	if (!token_refresh(token, now, &err)) {
		report(patient->report, VERDICT_FAIL, "token",
		       "the file must exist, and the daemon's user must be able to read it", "%s", err.text);
	} else {
		const char *warning = token_file_warning(token);
		const char *file = config->token_file ? config->token_file : config->jwt_key_file;
		if (warning)
			report(patient->report, VERDICT_WARN, "token", "run chmod o= on it", "%s: %s", file, warning);
		say_lifetime(patient->report, token, config->jwt_key_file, now);
		say_key(patient->report, config);
	}
	say_exposure(patient->report, config);
	token_free(token);
}
