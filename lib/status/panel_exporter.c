#include "base/words.h"
#include "status/frame.h"
#include "status/html.h"
#include "status/panels.h"

#include <stdio.h>

static void fact(struct buf *out, const char *what, const char *value, const char *more)
{
	HTML(out, "<div><dt>%</dt><dd>% <small>%</small></dd></div>\n", what, value, more);
}

static void say_budget(const struct status_budget *budget, struct buf *out)
{
	char limit[100];
	snprintf(limit, sizeof limit, "of at most %s", words_share(budget->limit).text);
	HTML(out, "<div><dt>Time of % spent</dt><dd>% <small>%</small>", budget->of, words_share(budget->spent).text,
	     limit);
	html_bar(out, budget->limit > budget->spent ? budget->limit : budget->spent, budget->spent, 0);
	buf_add_string(out, "</dd></div>\n");
}

static void say_token(const struct status_token *token, double now, struct buf *out)
{
	char more[120] = "";
	const char *whose = token->user ? token->user : "of an unknown user";
	if (token->expiry)
		snprintf(more, sizeof more,
			 token->expiry > now ? "from a %s, for another %s" : "from a %s, expired %s ago", token->source,
			 words_seconds(token->expiry > now ? token->expiry - now : now - token->expiry).text);
	else
		snprintf(more, sizeof more, "from a %s", token->source);
	if (strcmp(token->source, "none") == 0)
		fact(out, "Token", "none", "");
	else
		fact(out, "Token", whose, more);
}

static void say_state_file(const struct status_state_file *file, double now, struct buf *out)
{
	char more[100] = "";
	if (file->last_commit)
		snprintf(more, sizeof more, "written %s ago", words_seconds(now - file->last_commit).text);
	if (file->path)
		fact(out, "State file", file->path,
		     file->is_hidden	? "cannot be read"
		     : file->is_failing ? "cannot be written"
					: more);
	else
		fact(out, "State file", "none", "counters begin at 0 with each start");
}

static void say_ends(double known_until, double now, struct buf *out)
{
	char until[100];
	snprintf(until, sizeof until, "%s ago", words_seconds(now - known_until).text);
	if (known_until)
		fact(out, "Ends of jobs are counted until", until, "");
}

static void say_role(const struct status_role *role, struct buf *out)
{
	char more[600];
	if (!role->follows)
		return;
	snprintf(more, sizeof more, "follows the slurmctld on %s; that on %s serves", role->host,
		 role->serving ? role->serving : "an unknown host");
	fact(out, "Role", role->is_standby ? "standby" : "leader", more);
}

void panel_exporter(const struct status_site *site, const struct status *status, struct buf *out)
{
	char folded[100] = "", rate[100], scrapes[100];
	if (status->folded)
		snprintf(folded, sizeof folded, "another %s are summed up in rows “other”",
			 words_number(status->folded).text);
	snprintf(rate, sizeof rate, "%.2g a second", status->requests_per_s);
	snprintf(scrapes, sizeof scrapes, "scraped %s times", words_number(site->scrapes).text);
	frame_section("exporter", "Exporter", out);
	buf_add_string(out, "<dl class=\"facts\">\n");
	say_role(&status->role, out);
	fact(out, "slurmrestd", status->url, "");
	say_token(&status->token, site->now, out);
	for (size_t i = 0; i < sizeof status->budgets / sizeof *status->budgets; i++)
		if (status->budgets[i].of)
			say_budget(&status->budgets[i], out);
	fact(out, "Requests to slurmrestd", rate, "");
	fact(out, "Series", words_number(status->series).text, *folded ? folded : scrapes);
	say_ends(status->ends_known_until, site->now, out);
	say_state_file(&status->state_file, site->now, out);
	buf_add_string(out, "</dl>\n</section>\n");
}
