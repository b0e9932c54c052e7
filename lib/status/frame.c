#include "status/frame.h"

#include "base/words.h"
#include "status/html.h"

enum { REFRESH_S = 60 };

const char pages_policy[] = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
			    "form-action 'none'; frame-ancestors 'none'";

static const char *const signs[SEVERITIES] = {
	[SEVERITY_NONE] = "✓",	  [SEVERITY_NOTE] = "✓", [SEVERITY_UNKNOWN] = "?",
	[SEVERITY_WARNING] = "!", [SEVERITY_BAD] = "✗",
};

static const char *class_of(enum severity severity)
{
	return severity > SEVERITY_NOTE ? severity_names[severity] : "well";
}

void frame_sign(enum severity severity, const char *word, struct buf *out)
{
	HTML(out, "<span class=\"sign %\"><span aria-hidden=\"true\">%</span> %</span>", class_of(severity),
	     signs[severity], word);
}

void frame_query(const char *cluster, struct buf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
	buf_add_string(out, "cluster=");
	for (const char *c = cluster; *c; c++)
		buf_printf(out, strchr(plain, *c) ? "%c" : "%%%02X", (unsigned char)*c);
}

/* Paths are relative: a proxy may serve us under another one. */
static void say_navigation(const struct status_site *site, struct buf *out)
{
	struct buf query = BUF_INIT;
	buf_add_string(&query, "");
	if (site->chosen) {
		buf_add_char(&query, '?');
		frame_query(site->chosen, &query);
	}
	buf_add_string(out, "<nav aria-label=\"Pages\"><ul>");
	buf_add_string(out, site->is_scoped ? "" : "<li><a href=\"./\">Status</a></li>");
	HTML(out, "<li><a href=\"./jobs%\">Jobs</a></li>", query.bytes);
	HTML(out, "<li><a href=\".%%\">Metrics</a></li>", site->metrics_path, query.bytes);
	if (!site->is_scoped)
		HTML(out,
		     "<li><a href=\"./plan%\">Plan</a></li><li><a href=\"./api/v1/status%\">JSON</a></li>"
		     "<li><a href=\"./-/healthy\">Healthy</a></li><li><a href=\"./-/ready\">Ready</a></li>",
		     query.bytes, query.bytes);
	buf_add_string(out, "</ul></nav>");
	buf_done(&query);
}

void frame_begin(const struct status_site *site, const char *title, struct buf *out)
{
	HTML(out,
	     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%</title>\n"
	     "<link rel=\"stylesheet\" href=\"./style.css?%\">\n"
	     "<link rel=\"icon\" type=\"image/svg+xml\" href=\"./icon.svg\">\n",
	     title, site->version);
	if (site->refresh_s)
		buf_printf(out, "<meta http-equiv=\"refresh\" content=\"%u\">\n", site->refresh_s);
	buf_add_string(out, "</head>\n<body>\n<header><p class=\"brand\"><a href=\"./\">slurmscope</a></p>");
	say_navigation(site, out);
	buf_add_string(out, "</header>\n<main>\n");
}

static void say_refresh(const struct status_site *site, struct buf *out)
{
	if (site->refresh_s)
		HTML(out, " and is asked for again every %", words_seconds(site->refresh_s).text);
	buf_add_string(out, ". <a href=\"?");
	if (site->chosen)
		frame_query(site->chosen, out);
	if (site->parameters)
		buf_printf(out, "%s%s", site->chosen ? "&amp;" : "", site->parameters);
	if (!site->refresh_s)
		buf_printf(out, "%srefresh=%d", site->chosen || site->parameters ? "&amp;" : "", REFRESH_S);
	HTML(out, "\">%</a></p>", site->refresh_s ? "Let it stand" : "Ask for it again every minute");
}

void frame_end(const struct status_site *site, struct buf *out)
{
	HTML(out, "</main>\n<footer><p>slurmscope %", site->version);
	if (*site->revision)
		HTML(out, " (%)", site->revision);
	if (!site->is_scoped)
		HTML(out, ", running for %, %, % of CPU time", words_seconds(site->now - site->started).text,
		     words_bytes((double)site->resident_bytes).text, words_seconds(site->cpu_seconds).text);
	HTML(out, ". This page was made at %", words_time(site->now).text);
	say_refresh(site, out);
	buf_add_string(out, "</footer>\n</body>\n</html>\n");
}

void frame_section(const char *id, const char *title, struct buf *out)
{
	HTML(out, "<section id=\"%\" aria-labelledby=\"%-title\"><h2 id=\"%-title\">%</h2>\n", id, id, id, title);
}

void frame_verdict(const struct findings *findings, const struct frame_words *words, struct buf *out)
{
	enum severity worst = findings->worst;
	const char *verdict = worst == SEVERITY_BAD	  ? "is in trouble"
			      : worst == SEVERITY_WARNING ? "needs a look"
			      : worst == SEVERITY_UNKNOWN ? words->unknown
							  : words->well;
	HTML(out, "<section class=\"verdict %\">", class_of(worst));
	HTML(out, "<h2><span class=\"sign\" aria-hidden=\"true\">%</span> % %</h2><ul>", signs[worst], words->whom,
	     verdict);
	for (size_t i = 0; i < findings->count; i++)
		HTML(out, "<li class=\"%\">%</li>", severity_names[findings->items[i].severity],
		     findings->items[i].text);
	if (worst <= SEVERITY_NOTE && words->looked_at)
		HTML(out, "<li class=\"note\">%</li>", words->looked_at);
	else if (!findings->count)
		buf_add_string(out, "<li class=\"note\">Nothing to report.</li>");
	buf_add_string(out, "</ul></section>\n");
}
