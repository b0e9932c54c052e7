#include "metrics/catalogue.h"

#include "base/memory.h"

#include <stdlib.h>

static const struct family_group *const slurm_groups[] = {
	&cluster_group, &controller_group, &node_group, &partition_group,
	&node_event_group, &node_row_group, &node_detail_group, &node_transition_group,
	&job_group, &each_job_group, &event_group, &queue_group, &node_failure_group, &reservation_group, &license_group, &share_group, &scheduler_group, &rpc_group,
	&conf_group, &accounting_group, &qos_group, &association_group, NULL,
};
static const struct family_group *const exporter_groups[] = {
	&endpoint_group, &exporter_group, NULL,
};

/* "slurm_{X}_jobs" -> "slurm_partition_jobs" */
static void fill_in(struct buf *to, const char *pattern, enum entity_kind kind)
{
	buf_clear(to);
	const char *at;
	while ((at = strstr(pattern, "{X}"))) {
		buf_add(to, pattern, (size_t)(at - pattern));
		buf_add_string(to, kind == ENTITY_QOS && at[3] != '_' ? "QOS"
								       : entity_kind_names[kind]);
		pattern = at + 3;
	}
	buf_add_string(to, pattern);
}

typedef void visit_fn(void *context, const struct family_group *group, const struct family *family,
		      enum entity_kind kind, const char *name, const char *help);

static void visit(const struct family_group *const *groups, visit_fn *fn, void *context)
{
	struct buf name = BUF_INIT, help = BUF_INIT;
	for (; *groups; groups++) {
		const struct family_group *group = *groups;
		unsigned kinds = group->kinds ? group->kinds : 1u << ENTITY_CLUSTER;
		for (size_t i = 0; i < group->family_count; i++) {
			const struct family *family = &group->families[i];
			for (int kind = 0; kind < ENTITY_KINDS; kind++) {
				if (!(kinds >> kind & 1) ||
				    (family->kinds && !(family->kinds >> kind & 1)))
					continue;
				fill_in(&name, family->name, (enum entity_kind)kind);
				fill_in(&help, family->help, (enum entity_kind)kind);
				fn(context, group, family, (enum entity_kind)kind, name.bytes,
				   help.bytes);
			}
		}
	}
	buf_done(&name);
	buf_done(&help);
}

struct rendering {
	struct exposition out;
	const struct view *view;
	struct exporter_series *series; /* grows with the page */
	size_t count, capacity;
	struct exporter exporter; /* the view's, with the series so far */
};

static void render_family(void *context, const struct family_group *group,
			  const struct family *family, enum entity_kind kind, const char *name,
			  const char *help)
{
	struct rendering *rendering = context;
	struct view view = *rendering->view;
	if (view.exporter) {
		rendering->exporter.series = rendering->series;
		rendering->exporter.series_count = (unsigned)rendering->count;
		view.exporter = &rendering->exporter;
	}
	struct family_sink sink = {&rendering->out, &view, family};
	exposition_family(&rendering->out, name, family->type, help);
	group->each(&sink, kind);
	if (!rendering->out.samples && !rendering->out.folded)
		return;
	GROW(rendering->series, rendering->count, rendering->capacity);
	struct exporter_series *series = &rendering->series[rendering->count++];
	series->samples = rendering->out.samples;
	series->folded = rendering->out.folded;
	series->has_folds = rendering->out.has_folds;
	size_t len = strlen(name) < sizeof series->name ? strlen(name) : sizeof series->name - 1;
	memcpy(series->name, name, len);
	series->name[len] = '\0';
}

static void render(struct rendering *rendering, const struct family_group *const *groups)
{
	visit(groups, render_family, rendering);
}

void catalogue_render_slurm(const struct view *view, struct buf *page)
{
	struct rendering rendering = {.out = {.page = page}, .view = view};
	render(&rendering, slurm_groups);
	exposition_done(&rendering.out);
	free(rendering.series);
}

void catalogue_render(const struct view *view, struct buf *page)
{
	struct rendering rendering = {
		.out = {.page = page}, .view = view, .exporter = *view->exporter};
	render(&rendering, slurm_groups);
	render(&rendering, exporter_groups);
	exposition_done(&rendering.out);
	free(rendering.series);
}

static void list_family(void *context, const struct family_group *group,
			const struct family *family, enum entity_kind kind, const char *name,
			const char *help)
{
	struct buf *list = context;
	const char *own = group->kinds ? entity_kind_labels[kind] : group->labels;
	const char *more = family->labels ? family->labels : "";
	bool has_own = own && *own;
	struct family_origin origin = family_origin(group, name);
	buf_printf(list, "%s\t%s\t%s%s%s\t%s\t%s\t%s\n", name, family_type_names[family->type],
		   has_own ? own : "", has_own && *more ? "," : "", more,
		   origin.source ? origin.source : "", origin.since ? origin.since : "", help);
}

void catalogue_list(struct buf *list)
{
	visit(slurm_groups, list_family, list);
	visit(exporter_groups, list_family, list);
}
