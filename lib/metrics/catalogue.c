#include "metrics/catalogue.h"

#include "base/memory.h"
#include "metrics/group_metrics.h"

#include <stdlib.h>

static const struct family_group *const ping_groups[] = {&cluster_group, &controller_group, NULL};
static const struct family_group *const slurm_groups[] = {
	&node_group,	    &partition_group,	 &node_event_group,  &outage_group,
	&node_row_group,    &node_outage_group,	 &node_detail_group, &node_transition_group,
	&job_group,	    &demand_group,	 &holding_job_group, &live_job_group,
	&pending_job_group, &ended_job_group,	 &event_group,	     &owner_group,
	&queue_group,	    &node_failure_group, &reservation_group, &license_group,
	&fairshare_group,   &scheduler_group,	 &rpc_group,	     &conf_group,
	&accounting_group,  &qos_group,		 &association_group, NULL,
};
static const struct family_group *const exporter_groups[] = {&endpoint_group, &exporter_group, NULL};
static const struct family_group *const process_groups[] = {&process_group, &web_group, NULL};
static const struct family_group *const series_groups[] = {&series_group, NULL};

/* The whole catalogue, in its order. */
static const struct family_group *const *const chapters[] = {ping_groups,    slurm_groups,  exporter_groups,
							     process_groups, series_groups, NULL};
enum { PING = 1, SLURM = 2, EXPORTER = 4, PROCESS = 8, SERIES = 16 }; /* bits of chapters */

/* "slurm_{X}_jobs" -> "slurm_partition_jobs"; `word`: what it is where no _ follows. */
static void fill_in_name(struct buf *to, const char *pattern, const char *name, const char *word)
{
	buf_clear(to);
	const char *at;
	while ((at = strstr(pattern, "{X}"))) {
		buf_add(to, pattern, (size_t)(at - pattern));
		buf_add_string(to, at[3] == '_' ? name : word);
		pattern = at + 3;
	}
	buf_add_string(to, pattern);
}

static void fill_in(struct buf *to, const char *pattern, enum entity_kind kind)
{
	const char *name = entity_kind_names[kind];
	fill_in_name(to, pattern, name, kind == ENTITY_QOS ? "QOS" : name);
}

struct visited {
	const struct family_group *group;
	const struct family *family;
	int kind;
	const struct job_group *job_group; /* of a group's kind */
	const char *name, *help;
	uint32_t order;
};
typedef void visit_fn(void *context, const struct visited *visited);

static void visit_groups(const struct family_group *const *groups, uint32_t *order, visit_fn *fn, void *context)
{
	struct buf name = BUF_INIT, help = BUF_INIT;
	for (; *groups; groups++) {
		const struct family_group *group = *groups;
		unsigned kinds = group->kinds ? group->kinds : 1u << ENTITY_CLUSTER;
		for (size_t i = 0; i < group->family_count; i++) {
			const struct family *family = &group->families[i];
			for (int kind = 0; kind < ENTITY_KINDS; kind++) {
				if (!(kinds >> kind & 1) || (family->kinds && !(family->kinds >> kind & 1)))
					continue;
				fill_in(&name, family->name, (enum entity_kind)kind);
				fill_in(&help, family->help, (enum entity_kind)kind);
				const struct visited visited = {group,	    family,	kind,	   NULL,
								name.bytes, help.bytes, (*order)++};
				if (fn)
					fn(context, &visited);
			}
		}
	}
	buf_done(&name);
	buf_done(&help);
}

/* A family of one of the site's groups. */
struct own_family {
	char name[sizeof((struct exporter_series *)NULL)->name];
	const struct group_family *row;
	int kind;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct own_family *)a)->name, ((const struct own_family *)b)->name);
}

static size_t own_families(const struct job_groups *groups, struct own_family *families)
{
	size_t count = 0;
	struct buf name = BUF_INIT;
	for (size_t i = 0; i < groups->count * group_family_count; i++) {
		const struct job_group *group = &groups->items[i / group_family_count];
		const struct group_family *row = &group_families[i % group_family_count];
		if (!(group->metrics >> row->metric & 1))
			continue;
		fill_in_name(&name, row->family.name, group->name, group->name);
		families[count].row = row;
		families[count].kind = ENTITY_KINDS + (int)(i / group_family_count);
		text_to_string(buf_text(&name), families[count++].name, sizeof families->name);
	}
	qsort(families, count, sizeof *families, by_name);
	buf_done(&name);
	return count;
}

/* They share one place in the catalogue, where they are ordered by name: clusters may have different ones. */
static void visit_own(const struct job_groups *groups, uint32_t order, visit_fn *fn, void *context)
{
	struct own_family *families = memory_new((groups->count * group_family_count + 1) * sizeof *families);
	size_t count = own_families(groups, families);
	struct buf help = BUF_INIT;
	for (size_t i = 0; i < count; i++) {
		const struct own_family *family = &families[i];
		const struct job_group *group = job_group_of(groups, family->kind);
		fill_in_name(&help, family->row->family.help, group->name, group->name);
		const struct visited visited = {family->row->group, &family->row->family, family->kind, group,
						family->name,	    help.bytes,		  order};
		fn(context, &visited);
	}
	buf_done(&help);
	free(families);
}

/* `groups`: NULL: none. */
static void visit(unsigned which, const struct job_groups *groups, visit_fn *fn, void *context)
{
	uint32_t order = 0;
	for (unsigned i = 0; chapters[i]; i++) {
		visit_groups(chapters[i], &order, which >> i & 1 ? fn : NULL, context);
		if (groups && which >> i & 1 && chapters[i] == slurm_groups)
			visit_own(groups, order, fn, context);
		order += chapters[i] == slurm_groups;
	}
}

struct rendering {
	struct exposition out;
	struct page_facts facts; /* with the series so far */
	struct exporter_series *series; /* grows with the page */
	size_t count, capacity;
};

static void note_series(struct rendering *rendering, const char *name)
{
	const struct exposition *out = &rendering->out;
	out->to->sample_count += out->samples;
	out->to->folded_count += out->folded;
	if (!out->samples && !out->folded)
		return;
	GROW(rendering->series, rendering->count, rendering->capacity);
	struct exporter_series *series = &rendering->series[rendering->count++];
	series->samples = out->samples;
	series->folded = out->folded;
	series->has_folds = out->has_folds;
	text_to_string(text_of(name), series->name, sizeof series->name);
}

static void render_family(void *context, const struct visited *visited)
{
	struct rendering *rendering = context;
	rendering->facts.series = rendering->series;
	rendering->facts.series_count = rendering->count;
	struct family_sink sink = {&rendering->out, &rendering->facts, visited->family};
	exposition_family(&rendering->out, visited->name, visited->family->type, visited->help);
	rendering->out.family.order = visited->order;
	rendering->out.family.group = (uint8_t)visited->group->collect;
	rendering->out.family.owners = (uint8_t)visited->group->owners;
	rendering->out.family.job_rows = (uint8_t)visited->group->job_rows;
	visited->group->each(&sink, visited->kind);
	note_series(rendering, visited->name);
}

static void render(unsigned which, const struct page_facts *facts, struct samples *page)
{
	struct rendering rendering = {.out = {.to = page, .constant = facts->labels}, .facts = *facts};
	visit(which, facts->cluster ? facts->cluster->caps.groups : NULL, render_family, &rendering);
	exposition_done(&rendering.out);
	free(rendering.series);
	buf_shrink(&page->text);
}

void catalogue_render_slurm(const struct page_facts *facts, struct samples *page)
{
	render(PING | SLURM, facts, page);
}

void catalogue_render(const struct page_facts *facts, struct samples *page)
{
	unsigned of_slurm = facts->exporter->is_standby ? PING : PING | SLURM;
	render(of_slurm | EXPORTER | SERIES, facts, page);
}

void catalogue_render_process(const struct page_facts *facts, struct samples *page)
{
	render(PROCESS | SERIES, facts, page);
}

/* Of every item. */
static const char *labels_of(const struct visited *visited)
{
	const struct family_group *group = visited->group;
	if (!group->kinds)
		return group->labels;
	return (group->kind_labels ? group->kind_labels : entity_kind_labels)[visited->kind];
}

static void join_labels(const struct visited *visited, struct buf *labels)
{
	const struct job_group *group = visited->job_group;
	for (size_t i = 0; group && i < group->label_count; i++)
		buf_printf(labels, "%s%s", i ? "," : "", group->labels[i].name);
}

static void list_family(void *context, const struct visited *visited)
{
	struct buf *list = context, labels = BUF_INIT;
	const struct family_group *group = visited->group;
	const struct family *family = visited->family;
	join_labels(visited, &labels);
	const char *own = labels.len ? labels.bytes : labels_of(visited);
	const char *more = family->labels ? family->labels : "";
	bool has_own = own && *own;
	struct family_origin origin = family_origin(group, visited->name);
	buf_printf(list, "%s\t%s\t%s%s%s\t%s\t%s\t%s\n", visited->name, family_type_names[family->type],
		   has_own ? own : "", has_own && *more ? "," : "", more, origin.source ? origin.source : "",
		   origin.since ? origin.since : "", visited->help);
	buf_done(&labels);
}

void catalogue_list(struct buf *list)
{
	visit(PING | SLURM | EXPORTER | PROCESS | SERIES, NULL, list_family, list);
}

void catalogue_list_groups(const struct job_groups *groups, struct buf *list)
{
	visit_own(groups, 0, list_family, list);
}

struct looking {
	struct text name;
	bool is_found;
};

static void look(struct looking *looking, const char *labels)
{
	struct text rest = text_of(labels), label;
	while (text_next(&rest, ',', &label))
		looking->is_found |= text_equal(label, looking->name);
}

static void look_at_family(void *context, const struct visited *visited)
{
	look(context, labels_of(visited));
	look(context, visited->family->labels);
}

bool catalogue_has_label(const char *name)
{
	struct looking looking = {text_of(name), strcmp(name, "le") == 0 || strcmp(name, "quantile") == 0};
	visit(PING | SLURM | EXPORTER | PROCESS | SERIES, NULL, look_at_family, &looking);
	return looking.is_found;
}
