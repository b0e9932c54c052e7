#include "base/quote.h"
#include "base/words.h"
#include "status/frame.h"
#include "status/html.h"
#include "status/panels.h"

enum { REASONS_SHOWN = 10 };

static void say_daemons(const struct status *status, struct buf *out)
{
	static const enum severity severities[] = {SEVERITY_UNKNOWN, SEVERITY_BAD, SEVERITY_NONE};
	static const char *const words[] = {"not known", "down", "up"};
	buf_add_string(out, "<section class=\"card\"><h3>Daemons</h3><table><tbody>");
	for (size_t i = 0; i < status->controller_count; i++) {
		const struct status_controller *controller = &status->controllers[i];
		HTML(out, "<tr><th scope=\"row\">slurmctld on % <small>%</small></th><td>", controller->host,
		     controller->is_primary ? "primary" : "backup");
		frame_sign(severities[controller->is_up], words[controller->is_up], out);
		buf_add_string(out, "</td></tr>");
	}
	if (!status->controller_count) {
		buf_add_string(out, "<tr><th scope=\"row\">slurmctld</th><td>");
		frame_sign(SEVERITY_UNKNOWN, "not known", out);
		buf_add_string(out, "</td></tr>");
	}
	buf_add_string(out, "<tr><th scope=\"row\">slurmdbd</th><td>");
	frame_sign(severities[status->is_accounting_up], words[status->is_accounting_up], out);
	buf_add_string(out, "</td></tr>");
	if (*status->slurm_version)
		HTML(out, "<tr><th scope=\"row\">Slurm</th><td>% <small>API %</small></td></tr>", status->slurm_version,
		     status->api_version);
	buf_add_string(out, "</tbody></table></section>\n");
}

static void say_use(const char *what, const struct status_capacity *share, const char *in_use, const char *of,
		    const char *idle, const char *gone, struct buf *out)
{
	double used = (double)share->allocated, all = used + (double)share->idle + (double)share->other;
	HTML(out, "<li><p><strong>%</strong> <span class=\"number\">%</span></p>", what,
	     words_share(all > 0 ? used / all : 0).text);
	html_bar(out, all, used, (double)share->other);
	HTML(out, "<p class=\"more\">% of % in use, % idle", in_use, of, idle);
	if (share->other)
		HTML(out, ", % out of use", gone);
	buf_add_string(out, "</p></li>");
}

static void say_units(const char *what, const struct status_capacity *share, struct buf *out)
{
	say_use(what, share, words_number(share->allocated).text,
		words_number(share->allocated + share->idle + share->other).text, words_number(share->idle).text,
		words_number(share->other).text, out);
}

static void say_memory(const struct status_capacity *share, struct buf *out)
{
	say_use("Memory", share, words_bytes((double)share->allocated).text,
		words_bytes((double)share->allocated + (double)share->idle + (double)share->other).text,
		words_bytes((double)share->idle).text, words_bytes((double)share->other).text, out);
}

static void say_capacity(const struct status_nodes *nodes, struct buf *out)
{
	buf_add_string(out, "<section class=\"card\"><h3>In use</h3>");
	if (!nodes->is_known) {
		buf_add_string(out, "<p class=\"none\">Nodes are not known.</p></section>\n");
		return;
	}
	buf_add_string(out, "<ul class=\"uses\">");
	say_units("CPUs", &nodes->cpus, out);
	say_memory(&nodes->memory_bytes, out);
	for (size_t i = 0; i < nodes->gres_count; i++) {
		const struct status_gres *gres = &nodes->gres[i];
		struct buf name = BUF_INIT;
		buf_printf(&name, "%s%s%s", gres->name, *gres->type ? ":" : "", gres->type);
		say_units(name.bytes, &gres->units, out);
		buf_done(&name);
	}
	buf_add_string(out, "</ul></section>\n");
}

/* The name as a link to the jobs that the parameter asks for. */
static void say_name(const struct status_site *site, const char *parameter, const char *name, struct buf *out)
{
	HTML(out, "<a href=\"./jobs?%=", parameter);
	quote_url(out, text_of(name));
	if (site->chosen) {
		buf_add_string(out, "&amp;");
		frame_query(site->chosen, out);
	}
	HTML(out, "\">%</a>", name);
}

/* Those that are not zero, up to `shown` of them; as links if there is a parameter of /jobs. */
static void say_counts(const char *caption, const struct status_counts *counts, uint64_t whole, size_t shown,
		       const struct status_site *site, const char *parameter, struct buf *out)
{
	size_t rows = 0, left = 0;
	HTML(out, "<table class=\"counts\"><caption>%</caption><tbody>", caption);
	for (size_t i = 0; i < counts->count; i++) {
		const struct status_count *row = &counts->rows[i];
		if (!row->count)
			continue;
		if (rows == shown) {
			left++;
			continue;
		}
		rows++;
		buf_add_string(out, "<tr><th scope=\"row\">");
		if (parameter)
			say_name(site, parameter, row->name, out);
		else
			HTML(out, "%", row->name);
		HTML(out, "</th><td class=\"number\">%</td><td class=\"bar\">", words_number(row->count).text);
		html_bar(out, (double)whole, (double)row->count, 0);
		buf_add_string(out, "</td></tr>");
	}
	if (!rows)
		buf_add_string(out, "<tr><td class=\"none\">none</td></tr>");
	if (left)
		HTML(out, "<tr><td class=\"none\" colspan=\"3\">and % more</td></tr>", words_number(left).text);
	buf_add_string(out, "</tbody></table>");
}

static void say_nodes(const struct status_nodes *nodes, struct buf *out)
{
	HTML(out, "<section class=\"card\"><h3>Nodes <span class=\"number\">%</span></h3>",
	     nodes->is_known ? words_number(nodes->total).text : "");
	if (nodes->is_known) {
		say_counts("by state", &nodes->states, nodes->total, SIZE_MAX, NULL, NULL, out);
		if (status_sum(&nodes->flags))
			say_counts("of them", &nodes->flags, nodes->total, SIZE_MAX, NULL, NULL, out);
	} else {
		buf_add_string(out, "<p class=\"none\">Nodes are not known.</p>");
	}
	buf_add_string(out, "</section>\n");
}

static void say_jobs(const struct status_site *site, const struct status_jobs *jobs, struct buf *out)
{
	uint64_t total = status_sum(&jobs->states);
	HTML(out, "<section class=\"card\"><h3>Jobs <span class=\"number\">%</span></h3>",
	     jobs->is_known ? words_number(total).text : "");
	if (jobs->is_known && !total)
		buf_add_string(out, "<p class=\"none\">No jobs: the cluster is idle.</p>");
	else if (jobs->is_known)
		say_counts("by state", &jobs->states, total, SIZE_MAX, site, "state", out);
	else
		buf_add_string(out, "<p class=\"none\">Jobs are not known.</p>");
	if (jobs->is_known && jobs->unverified_as_of > 0)
		HTML(out, "<p class=\"more\">As they were % ago, before this start.</p>",
		     words_seconds(site->now - jobs->unverified_as_of).text);
	buf_add_string(out, "</section>\n");
}

static void say_waiting(const struct status_site *site, const struct status_jobs *jobs, struct buf *out)
{
	if (!jobs->is_known)
		return;
	buf_add_string(out, "<section class=\"card\"><h3>Why jobs wait</h3>");
	if (jobs->has_details) {
		uint64_t pending = status_sum(&jobs->reasons);
		say_counts("by reason", &jobs->reasons, pending, REASONS_SHOWN, site, "reason", out);
		if (jobs->oldest_startable)
			HTML(out, "<p class=\"more\">The oldest that could start has waited for %.</p>",
			     words_seconds(site->now - jobs->oldest_startable).text);
	} else {
		buf_add_string(out, "<p class=\"none\">Not known before the details of all jobs are.</p>");
	}
	buf_add_string(out, "</section>\n");
}

void panel_cluster(const struct status_site *site, const struct status *status, struct buf *out)
{
	frame_section("cluster", "Cluster", out);
	buf_add_string(out, "<div class=\"cards\">\n");
	say_daemons(status, out);
	if (!status->role.is_standby) { /* who leads knows the rest */
		say_capacity(&status->nodes, out);
		say_nodes(&status->nodes, out);
		say_jobs(site, &status->jobs, out);
		say_waiting(site, &status->jobs, out);
	}
	buf_add_string(out, "</div>\n</section>\n");
}
