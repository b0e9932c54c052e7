#include "status/findings.h"

#include "base/memory.h"
#include "base/words.h"

#include <stdlib.h>

/* As dashboards/config.libsonnet has them: tests/dashboards/test_config.py compares. */
#define NODES_DOWN_SHARE 0.02
#define STARVING_S (3 * 86400.0)
#define THREADS_MANY (256 * 0.8)
#define DBD_QUEUE_LONG 1000
#define ENDS_BEHIND_S 1800.0
#define TOKEN_SHORT_S 240.0
#define CERTIFICATE_SHORT_S (7 * 86400.0)
/* What is missing for a moment after a start, or while a slow answer is on its way, makes no finding. */
#define COVERAGE_LOW 0.99
/* Part of the jobs. Above this, totals by owner are wrong. */
#define WITHOUT_DETAILS_MANY 0.1

const char *const severity_names[SEVERITIES] = {
	[SEVERITY_NONE] = "none",	[SEVERITY_NOTE] = "note", [SEVERITY_UNKNOWN] = "unknown",
	[SEVERITY_WARNING] = "warning", [SEVERITY_BAD] = "bad",
};

static __attribute__((format(printf, 3, 4))) void find(struct findings *findings, enum severity severity,
						       const char *format, ...)
{
	struct buf text = BUF_INIT;
	va_list args;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	GROW(findings->items, findings->count, findings->capacity);
	size_t position = findings->count++;
	for (; position && findings->items[position - 1].severity < severity; position--)
		findings->items[position] = findings->items[position - 1];
	findings->items[position] = (struct finding){severity, text.bytes};
	if (severity > findings->worst)
		findings->worst = severity;
}

const char *findings_verdict(const struct findings *findings)
{
	return findings->worst > SEVERITY_NOTE ? severity_names[findings->worst] : "well";
}

void findings_done(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->items[i].text);
	free(findings->items);
	*findings = (struct findings)FINDINGS_INIT;
}

static uint64_t count_of(const struct status_counts *counts, const char *name)
{
	for (size_t i = 0; i < counts->count; i++)
		if (strcmp(counts->rows[i].name, name) == 0)
			return counts->rows[i].count;
	return 0;
}

/* The cluster */

static void find_of_controllers(const struct status *status, struct findings *findings)
{
	const struct status_controller *up = NULL;
	size_t unknown = 0;
	for (size_t i = 0; i < status->controller_count; i++) {
		const struct status_controller *controller = &status->controllers[i];
		unknown += controller->is_up == ANSWER_UNKNOWN;
		if (controller->is_up == ANSWER_YES)
			up = controller;
	}
	if (!status->controller_count || unknown == status->controller_count) {
		find(findings, SEVERITY_UNKNOWN, "It is not known whether slurmctld is up%s.",
		     status->is_cut_off ? ": slurmrestd does not answer" : "");
		return;
	}
	if (!up)
		find(findings, SEVERITY_BAD, "No slurmctld answers: no job starts, and Slurm's commands fail.");
	for (size_t i = 0; i < status->controller_count && up; i++) {
		const struct status_controller *controller = &status->controllers[i];
		if (controller->is_up != ANSWER_NO)
			continue;
		if (controller->is_primary)
			find(findings, SEVERITY_WARNING, "The primary slurmctld on %s is down; %s has taken over.",
			     controller->host, up->host);
		else
			find(findings, SEVERITY_WARNING, "The backup slurmctld on %s is down.", controller->host);
	}
}

static void find_of_nodes(const struct status_nodes *nodes, struct findings *findings)
{
	uint64_t down = count_of(&nodes->states, "down") + count_of(&nodes->states, "error");
	if (!nodes->is_known || !nodes->total)
		return;
	if (down == nodes->total)
		find(findings, SEVERITY_BAD, "All %s nodes are down.", words_number(down).text);
	else if (down)
		find(findings,
		     (double)down > NODES_DOWN_SHARE * (double)nodes->total ? SEVERITY_WARNING : SEVERITY_NOTE,
		     "%s of %s nodes %s down.", words_number(down).text, words_number(nodes->total).text,
		     down == 1 ? "is" : "are");
	uint64_t drained = count_of(&nodes->flags, "drained"), draining = count_of(&nodes->flags, "draining");
	if (drained)
		find(findings, SEVERITY_NOTE, "%s %s drained.", words_count(drained, "node").text,
		     drained == 1 ? "is" : "are");
	if (draining)
		find(findings, SEVERITY_NOTE, "%s %s draining: still busy, and then out of use.",
		     words_count(draining, "node").text, draining == 1 ? "is" : "are");
}

void findings_of_cluster(const struct status *status, double now, struct findings *findings)
{
	const struct status_scheduler *scheduler = &status->scheduler;
	find_of_controllers(status, findings);
	if (status->is_accounting_up == ANSWER_NO)
		find(findings, SEVERITY_WARNING,
		     "slurmdbd does not answer: there is no accounting, and the limits shown become old.");
	find_of_nodes(&status->nodes, findings);
	bool are_jobs_true = status->jobs.has_details && !(status->jobs.unverified_as_of > 0);
	double oldest = are_jobs_true ? status->jobs.oldest_startable : 0;
	if (oldest && now - oldest > STARVING_S)
		find(findings, SEVERITY_WARNING, "A job has waited %s only for its turn and free resources.",
		     words_seconds(now - oldest).text);
	if (scheduler->is_known && (double)scheduler->threads > THREADS_MANY)
		find(findings, SEVERITY_WARNING, "slurmctld is short of threads: %s of 256 are busy.",
		     words_number(scheduler->threads).text);
	if (scheduler->is_known && scheduler->dbd_queue > DBD_QUEUE_LONG)
		find(findings, SEVERITY_WARNING, "slurmctld has %s messages that slurmdbd has not taken yet.",
		     words_number(scheduler->dbd_queue).text);
}

/* The exporter */

static void find_of_token(const struct status *status, double now, struct findings *findings)
{
	const struct status_token *token = &status->token;
	const struct status_endpoint *refused = NULL;
	for (size_t i = 0; i < status->endpoint_count && !refused; i++)
		if (status->endpoints[i].is_refused)
			refused = &status->endpoints[i];
	const char *whose = token->user ? token->user : "an unknown user";
	bool is_expired = token->expiry && token->expiry <= now;
	if (refused && is_expired)
		find(findings, SEVERITY_BAD,
		     "The token of %s expired %s ago: slurmrestd refuses all requests until there is a new one.", whose,
		     words_seconds(now - token->expiry).text);
	else if (refused && strcmp(token->source, "none") == 0)
		find(findings, SEVERITY_BAD, "slurmrestd requires a token, and none is configured: %s", refused->error);
	else if (refused)
		find(findings, SEVERITY_BAD, "slurmrestd does not accept the token of %s: %s", whose, refused->error);
	else if (is_expired)
		find(findings, SEVERITY_WARNING, "The token of %s expired %s ago, and there is no newer one.", whose,
		     words_seconds(now - token->expiry).text);
	else if (token->expiry && token->expiry - now < TOKEN_SHORT_S)
		find(findings, SEVERITY_WARNING, "The token of %s expires in %s, and there is no newer one.", whose,
		     words_seconds(token->expiry - now).text);
}

/* Finds who else could get the token. */
static void find_of_exposure(const struct status_token *token, struct findings *findings)
{
	if (token->is_in_clear)
		find(findings, SEVERITY_WARNING,
		     "The token goes over the network in clear: anyone who reads it there can act as its user. "
		     "--slurmrestd.url should be https:// or unix:/path.");
	if (token->is_in_clear_here)
		find(findings, SEVERITY_NOTE,
		     "While slurmrestd does not run, any user of this machine can answer in its place, and get the "
		     "token. unix:/path in --slurmrestd.url prevents that.");
	if (token->is_key_exposed)
		find(findings, SEVERITY_WARNING,
		     "slurmscope can read the key that signs tokens for everybody, and listens for other machines: "
		     "--slurmrestd.token-file is safer.");
}

static void find_of_endpoint(const struct status_endpoint *endpoint, double now, struct findings *findings)
{
	if (endpoint->standing == STANDING_NOT_ALLOWED) {
		find(findings, SEVERITY_NOTE, "%s: the token's user may not see this.", endpoint->name);
		return;
	}
	if (endpoint->is_too_old) {
		find(findings, SEVERITY_WARNING, "%s answers, but its numbers are too old to show.", endpoint->name);
		return;
	}
	if (endpoint->standing != STANDING_DOWN || endpoint->is_refused || !endpoint->error)
		return;
	struct buf shown = BUF_INIT;
	if (!endpoint->last_success)
		buf_add_string(&shown, "; it never answered");
	else if (endpoint->is_held)
		buf_printf(&shown, "; the page shows its last numbers for another %s",
			   words_seconds(endpoint->held_until - now).text);
	else if (endpoint->is_kept)
		buf_add_string(&shown, "; the page does not show its numbers any more");
	find(findings, SEVERITY_WARNING, "%s has failed for %s%s: %s", endpoint->name,
	     words_seconds(now - endpoint->failing_since).text, shown.len ? shown.bytes : "", endpoint->error);
	buf_done(&shown);
}

static void find_of_jobs(const struct status_jobs *jobs, double now, struct findings *findings)
{
	if (jobs->is_known && jobs->unverified_as_of > 0)
		find(findings, SEVERITY_UNKNOWN,
		     "The page shows jobs as they were %s ago, before this start: slurmscope has not read all their "
		     "states yet.",
		     words_seconds(now - jobs->unverified_as_of).text);
}

/* Totals by owner lack jobs whose owner is not known yet. A few are always new; when many are, the totals are wrong. */
static void find_of_details(const struct status *status, struct findings *findings)
{
	double without = (double)status->jobs.without_details, all = (double)status_sum(&status->jobs.states);
	bool are_many = without > WITHOUT_DETAILS_MANY * all;
	if (!status->jobs.is_known || !status->jobs.without_details || status->not_ready)
		return;
	if (are_many)
		find(findings, SEVERITY_WARNING,
		     "Numbers by user, account, partition and QOS lack %s: slurmscope knows only their state, and is "
		     "asking for the details.",
		     words_count(status->jobs.without_details, "job").text);
	else
		find(findings, SEVERITY_NOTE, "slurmscope knows only the state of %s so far.",
		     words_count(status->jobs.without_details, "job").text);
}

static bool is_up(const struct status *status, const char *endpoint)
{
	for (size_t i = 0; i < status->endpoint_count; i++)
		if (strcmp(status->endpoints[i].name, endpoint) == 0)
			return status->endpoints[i].standing == STANDING_UP;
	return false;
}

/* If slurmdbd does not answer, that is said of its endpoint. */
static void find_of_ends(const struct status *status, double now, struct findings *findings)
{
	double behind = status->ends_known_until ? now - status->ends_known_until : 0;
	if (behind > ENDS_BEHIND_S && is_up(status, "dbd_jobs"))
		find(findings, SEVERITY_WARNING,
		     "Jobs that ended within the last %s are not counted yet: more end than the budget can read "
		     "(raise --budget.slurmrestd), or slurmdbd learns of them late.",
		     words_seconds(behind).text);
	if (status->is_slurmdbd_left)
		find(findings, SEVERITY_WARNING,
		     "slurmdbd has not reported ends of jobs for hours: slurmscope counts them from slurmctld, and "
		     "misses the shortest jobs. It counts earlier ends if slurmdbd comes back within a week.");
}

static void find_of_counting(const struct status *status, struct findings *findings)
{
	const struct status_state_file *file = &status->state_file;
	if (file->is_hidden)
		find(findings, SEVERITY_WARNING,
		     "The page has no counters of job events until slurmscope can read the state file: %s",
		     file->error ? file->error : file->path);
	else if (file->is_failing)
		find(findings, SEVERITY_WARNING,
		     "slurmscope cannot write the state file, and would lose the new counts at its end: %s",
		     file->error ? file->error : file->path);
	else if (!file->path)
		find(findings, SEVERITY_NOTE,
		     "Counters of job events begin at 0 with each start: no --state.path is set.");
	if (status->events_lost)
		find(findings, SEVERITY_NOTE, "slurmscope could not learn how %s ended, and does not count that.",
		     words_count(status->events_lost, "job").text);
	find_of_details(status, findings);
	if (status->jobs.is_known && status->coverage >= 0 && status->coverage < COVERAGE_LOW)
		find(findings, SEVERITY_NOTE,
		     "slurmscope knows %s of the jobs that slurmctld counts, and searches for the others.",
		     words_share(status->coverage).text);
}

static void find_of_role(const struct status_role *role, struct findings *findings)
{
	if (!role->follows)
		return;
	if (role->is_unnamed)
		find(findings, SEVERITY_BAD,
		     "Ping names no controller %s: this slurmscope never leads. --ha-host says which host to follow.",
		     role->host);
	else if (role->waits_for)
		find(findings, SEVERITY_WARNING, "This slurmscope should lead, and waits for the state file: %s.",
		     role->waits_for);
	else if (role->is_standby && role->serving)
		find(findings, SEVERITY_NOTE, "This slurmscope, of %s, stands by: the slurmctld on %s serves.",
		     role->host, role->serving);
	else if (role->is_standby)
		find(findings, SEVERITY_UNKNOWN,
		     "This slurmscope, of %s, stands by: it is not known which slurmctld serves.", role->host);
}

static void find_of_configuration(const struct status_configuration *configuration, const char *which, double now,
				  struct findings *findings)
{
	if (!configuration->is_there || configuration->is_newest)
		return;
	find(findings, SEVERITY_WARNING,
	     "The new %s is invalid: %s. slurmscope still uses the version that it read %s ago.", which,
	     configuration->error ? configuration->error : "the log says why",
	     words_seconds(now - configuration->read).text);
}

static void find_of_certificate(double expiry, double now, struct findings *findings)
{
	if (expiry && expiry <= now)
		find(findings, SEVERITY_BAD, "The certificate that slurmscope shows to scrapers expired %s ago.",
		     words_seconds(now - expiry).text);
	else if (expiry && expiry - now < CERTIFICATE_SHORT_S)
		find(findings, SEVERITY_WARNING, "The certificate that slurmscope shows to scrapers expires in %s.",
		     words_seconds(expiry - now).text);
}

void findings_of_exporter(const struct status_site *site, const struct status *status, struct findings *findings)
{
	double now = site->now;
	find_of_configuration(&site->configuration, "configuration", now, findings);
	find_of_configuration(&site->web_configuration, "web configuration", now, findings);
	find_of_certificate(site->certificate_expiry, now, findings);
	find_of_token(status, now, findings);
	find_of_exposure(&status->token, findings);
	bool is_refused = findings->worst == SEVERITY_BAD;
	find_of_role(&status->role, findings);
	for (size_t i = 0; i < status->endpoint_count && status->is_cut_off; i++) {
		const struct status_endpoint *endpoint = &status->endpoints[i];
		if (endpoint->standing != STANDING_DOWN || !endpoint->error)
			continue;
		find(findings, SEVERITY_BAD, "slurmrestd at %s has not answered for %s: %s", status->url,
		     words_seconds(now - endpoint->failing_since).text, endpoint->error);
		break; /* the first is ping */
	}
	for (size_t i = 0; i < status->endpoint_count && !status->is_cut_off; i++)
		find_of_endpoint(&status->endpoints[i], now, findings);
	if (status->not_ready && !is_refused && !status->is_cut_off)
		find(findings, SEVERITY_UNKNOWN, "slurmscope does not know everything yet: %s.", status->not_ready);
	find_of_jobs(&status->jobs, now, findings);
	find_of_ends(status, now, findings);
	find_of_counting(status, findings);
	if (status->brake > 1)
		find(findings, SEVERITY_NOTE, "slurmctld is busy: slurmscope asks it %g times less often.",
		     status->brake);
	if (status->is_idle)
		find(findings, SEVERITY_NOTE, "Nobody has scraped for long: slurmscope asks Slurm less often.");
	if (status->is_rate_limited)
		find(findings, SEVERITY_NOTE,
		     "Slurm limits the rate of requests: slurmscope sends fewer and larger ones.");
}
