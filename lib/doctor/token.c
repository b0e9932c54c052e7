/* The token as it is before anybody was asked. */
#include "doctor/examinations.h"

#include "base/clock.h"

#include <inttypes.h>
#include <time.h>

enum { SOON_S = 600 };

static const char refresh_advice[] =
	"have it refreshed: systemctl enable --now slurmscope-token.timer (deploy/token), or run the script slurmscope-token";

static void say_lifetime(struct report *to, const struct token *token, bool is_signed, int64_t now)
{
	char until[64];
	int64_t expiry = token_expiry(token), issued = token_issued(token), left = expiry - now;
	struct tm time;
	const char *user = token_user(token) ? token_user(token) : "a user that it does not name";
	strftime(until, sizeof until, "%F %T %Z", localtime_r(&expiry, &time));
	if (!expiry)
		report(to, VERDICT_WARN, "token", "a token that is refreshed is safer to lose (deploy/token)",
		       "of %s; it does not say when it expires", user);
	else if (left <= 0)
		report(to, VERDICT_FAIL, "token", refresh_advice, "of %s; it expired at %s, %" PRId64 " minutes ago",
		       user, until, -left / 60);
	else if (is_signed)
		report(to, VERDICT_OK, "token", NULL, "of %s, signed here for %d minutes at a time", user,
		       TOKEN_LIFETIME_S / 60);
	else if (left < SOON_S)
		report(to, VERDICT_WARN, "token", refresh_advice, "of %s; it expires in %" PRId64 " s, at %s", user,
		       left, until);
	else
		report(to, VERDICT_OK, "token", NULL, "of %s, until %s (%.1f h)", user, until, (double)left / 3600);
	if (issued > now + 2)
		report(to, VERDICT_WARN, "token", "compare the clocks of both machines",
		       "it was issued %" PRId64 " s in the future of this machine's clock", issued - now);
}

void examine_token(struct patient *patient)
{
	const struct config *config = patient->config;
	struct error err;
	int64_t now = clock_now_s();
	if (!config->token_file && !config->jwt_key_file) {
		bool is_unix = strncmp(config->slurmrestd_url, "unix:", 5) == 0;
		report(patient->report, is_unix ? VERDICT_OK : VERDICT_WARN, "token",
		       is_unix ? NULL : "give it one with --slurmrestd.token-file", "none%s",
		       is_unix ? ": slurmrestd must take us as the socket's user (rest_auth/local)" : "");
		return;
	}
	/* a copy: the client's own is read when it is needed */
	struct token *token = config_token(config);
	if (!token_refresh(token, now, &err)) {
		report(patient->report, VERDICT_FAIL, "token", "it has to be there and readable for the daemon's user",
		       "%s", err.text);
	} else {
		const char *warning = token_file_warning(token);
		const char *file = config->token_file ? config->token_file : config->jwt_key_file;
		if (warning)
			report(patient->report, VERDICT_WARN, "token", "chmod o= on it", "%s: %s", file, warning);
		say_lifetime(patient->report, token, config->jwt_key_file, now);
		if (config->jwt_key_file)
			report(patient->report, VERDICT_OK, "key",
			       "a token file that root refreshes is safer (deploy/token)",
			       "%s can be read; whoever reads it is root on the cluster", file);
	}
	token_free(token);
}
