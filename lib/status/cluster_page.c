/* All of one cluster: is it well, is the exporter well, how old is what, and what is asked next. */
#include "status/frame.h"
#include "status/html.h"
#include "status/panels.h"

/* Alerts know the hours before, and can say more than one look. */
static const struct frame_words words_of_cluster = {
	.whom = "The cluster",
	.unknown = "may be well or not: slurmscope cannot tell",
	.well = "shows no trouble",
	.looked_at =
		"Looked at: slurmctld, slurmdbd and what they have not done yet, nodes that are down, and how long jobs "
		"wait. Whether jobs fail, or wait longer than usual, the alerts say.",
};
static const struct frame_words words_of_exporter = {"The exporter", "does not know all yet", "is well", NULL};

void pages_cluster(const struct status_site *site, struct buf *out)
{
	const struct status *status = site->clusters[0];
	struct findings of_cluster = FINDINGS_INIT, of_exporter = FINDINGS_INIT;
	struct buf title = BUF_INIT;
	const char *name = *status->name ? status->name : "A cluster without a name yet";
	findings_of_cluster(status, site->now, &of_cluster);
	findings_of_exporter(site, status, &of_exporter);
	buf_printf(&title, "%s: %s – slurmscope", name,
		   findings_verdict(of_exporter.worst > of_cluster.worst ? &of_exporter : &of_cluster));
	frame_begin(site, title.bytes, out);
	HTML(out, "<h1>%</h1>\n<div class=\"verdicts\">", name);
	frame_verdict(&of_cluster, &words_of_cluster, out);
	frame_verdict(&of_exporter, &words_of_exporter, out);
	buf_add_string(out, "</div>\n");
	panel_cluster(site, status, out);
	panel_exporter(site, status, out);
	panel_asked(status, site->now, out);
	frame_end(site, out);
	buf_done(&title);
	findings_done(&of_cluster);
	findings_done(&of_exporter);
}
