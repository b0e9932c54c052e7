/* What the planner does and why, in plain text. */
#include "status/pages.h"

void pages_plan(const struct status_site *site, struct buf *out)
{
	buf_add_string(out, "What slurmscope asks slurmrestd, how, how often, and why.\n\n");
	for (size_t i = 0; i < site->cluster_count; i++) {
		const struct status *status = site->clusters[i];
		if (site->cluster_count > 1 || site->chosen)
			buf_printf(out, "%scluster %s\n\n", i ? "\n\n" : "", status->name);
		buf_printf(out, "%s\n%s\n", status->budgets_text, status->jobs_text);
		for (size_t task = 0; task < status->task_count; task++)
			buf_printf(out, "%s: %s\n", status->tasks[task].name, status->tasks[task].text);
	}
}

bool pages_not_ready(const struct status_site *site, struct buf *out)
{
	bool is_not = false;
	for (size_t i = 0; i < site->cluster_count; i++) {
		const struct status *status = site->clusters[i];
		if (!status->not_ready)
			continue;
		if (site->cluster_count > 1)
			buf_printf(out, "%s%s: ", is_not ? "; " : "", status->name);
		buf_add_string(out, status->not_ready);
		is_not = true;
	}
	return is_not;
}
