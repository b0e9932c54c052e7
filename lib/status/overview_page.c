/* All clusters, a row each. */
#include "base/words.h"
#include "status/frame.h"
#include "status/html.h"

static uint64_t count_of(const struct status_counts *counts, const char *name)
{
	for (size_t i = 0; i < counts->count; i++)
		if (strcmp(counts->rows[i].name, name) == 0)
			return counts->rows[i].count;
	return 0;
}

static void say_verdict(const struct findings *findings, struct buf *out)
{
	buf_add_string(out, "<td>");
	frame_sign(findings->worst, findings_verdict(findings), out);
	buf_add_string(out, "</td>");
}

static void say_number(bool is_known, struct words words, struct buf *out)
{
	HTML(out, "<td class=\"number\">%</td>", is_known ? words.text : "–");
}

/* Leads to those that have rows. */
static void say_jobs(const struct status *status, const char *state, struct buf *out)
{
	if (!status->jobs.is_known) {
		say_number(false, words_number(0), out);
		return;
	}
	buf_add_string(out, "<td class=\"number\"><a href=\"./jobs?");
	frame_query(status->name, out);
	HTML(out, "&amp;state=%\">%</a></td>", state, words_number(count_of(&status->jobs.states, state)).text);
}

static void say_cluster(const struct status_site *site, const struct status *status, struct buf *out)
{
	struct findings of_cluster = FINDINGS_INIT, of_exporter = FINDINGS_INIT;
	const struct status_capacity *cpus = &status->nodes.cpus;
	double all = (double)cpus->allocated + (double)cpus->idle + (double)cpus->other;
	findings_of_cluster(status, site->now, &of_cluster);
	findings_of_exporter(site, status, &of_exporter);
	buf_add_string(out, "<tr><th scope=\"row\"><a href=\"?");
	frame_query(status->name, out);
	HTML(out, "\">%</a></th>", status->name);
	say_verdict(&of_cluster, out);
	say_verdict(&of_exporter, out);
	say_number(status->nodes.is_known, words_number(status->nodes.total), out);
	say_number(status->nodes.is_known, words_share(all > 0 ? (double)cpus->allocated / all : 0), out);
	say_jobs(status, "running", out);
	say_jobs(status, "pending", out);
	buf_add_string(out, "</tr>\n");
	findings_done(&of_cluster);
	findings_done(&of_exporter);
}

void pages_overview(const struct status_site *site, struct buf *out)
{
	frame_begin(site, "Clusters – slurmscope", out);
	buf_add_string(
		out,
		"<h1>Clusters</h1>\n<div class=\"wide\" role=\"region\" aria-label=\"Clusters\" tabindex=\"0\">"
		"<table class=\"clusters\"><thead><tr><th scope=\"col\">Cluster</th>"
		"<th scope=\"col\">Cluster is</th><th scope=\"col\">Exporter is</th>"
		"<th scope=\"col\" class=\"number\">Nodes</th><th scope=\"col\" class=\"number\">CPUs in use</th>"
		"<th scope=\"col\" class=\"number\">Jobs running</th><th scope=\"col\" class=\"number\">pending</th>"
		"</tr></thead><tbody>\n");
	for (size_t i = 0; i < site->cluster_count; i++)
		say_cluster(site, site->clusters[i], out);
	buf_add_string(out, "</tbody></table></div>\n");
	frame_end(site, out);
}
