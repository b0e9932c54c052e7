#include "metrics/family.h"

#include <stdlib.h>

const char *const entity_kind_names[ENTITY_KINDS] = {
	[ENTITY_CLUSTER] = "cluster", [ENTITY_PARTITION] = "partition",
	[ENTITY_ACCOUNT] = "account", [ENTITY_USER] = "user",
	[ENTITY_QOS] = "qos",
};

const char *const entity_kind_labels[ENTITY_KINDS] = {
	[ENTITY_CLUSTER] = "", [ENTITY_PARTITION] = "partition", [ENTITY_ACCOUNT] = "account",
	[ENTITY_QOS] = "qos",  [ENTITY_USER] = "user,account",
};

const char *const collected_names[COLLECTED] = {
	[COLLECT_CLUSTER] = "cluster",
	[COLLECT_NODES] = "nodes",
	[COLLECT_PARTITIONS] = "partitions",
	[COLLECT_JOBS] = "jobs",
	[COLLECT_JOB_ROWS] = "job_rows",
	[COLLECT_JOB_EVENTS] = "job_events",
	[COLLECT_RESERVATIONS] = "reservations",
	[COLLECT_LICENSES] = "licenses",
	[COLLECT_SHARES] = "shares",
	[COLLECT_SCHEDULER] = "scheduler",
	[COLLECT_RPCS] = "rpcs",
	[COLLECT_ACCOUNTING] = "accounting",
	[COLLECT_QOS] = "qos",
	[COLLECT_ASSOCIATIONS] = "associations",
	[COLLECT_EXPORTER] = "exporter",
};

void family_item(struct family_sink *sink, const void *item)
{
	sink->family->emit(sink->out, sink->facts, sink->family, item);
}

/* The entity's own labels: partition="cpu", or user="a",account="b"; none for the cluster. */
static void entity_labels(struct family_sink *sink, int kind, const struct text *label)
{
	struct exposition *out = sink->out;
	const struct job_group *group = caps_group(&sink->facts->cluster->caps, kind);
	exposition_base(out);
	for (size_t i = 0; group && i < group->label_count; i++)
		exposition_base_label(out, group->labels[i].name, label[i]);
	if (kind == ENTITY_CLUSTER || group)
		return;
	exposition_base_label(out, entity_kind_names[kind], label[0]);
	if (kind == ENTITY_USER)
		exposition_base_label(out, "account", label[1]);
}

void family_entity_row(struct family_sink *sink, int kind, struct text key, const struct text *label)
{
	const struct roster *roster = &sink->facts->cluster->rosters[kind];
	if (kind != ENTITY_CLUSTER)
		exposition_fold(sink->out, !roster_shows(roster, key));
	entity_labels(sink, kind, label);
}

void family_other_row(struct family_sink *sink, int kind)
{
	const struct text label[GROUP_LABELS_MAX] = {LABEL_OTHER, LABEL_OTHER, LABEL_OTHER};
	exposition_fold(sink->out, false);
	entity_labels(sink, kind, label);
}

void emit_number(struct exposition *out, const struct page_facts *facts, const struct family *family, const void *item)
{
	(void)facts;
	uint64_t number = *(const uint64_t *)((const char *)item + family->offset);
	if (!number_is_known(number))
		return;
	family_divided(out, family, number);
}

void family_divided(struct exposition *out, const struct family *family, uint64_t number)
{
	if (family->divisor > 1)
		exposition_number(out, (double)number / family->divisor);
	else
		exposition_integer(out, number);
}

void family_named(struct exposition *out, const char *label, const struct names *names, unsigned always, uint64_t seen,
		  const uint64_t *counts)
{
	for (unsigned i = 0; i < names->count; i++) {
		if (i >= always && !(seen >> i & 1) && !counts[i])
			continue;
		exposition_label(out, label, text_of(names->name[i]));
		exposition_integer(out, counts[i]);
	}
}

void family_listed(struct exposition *out, const char *label, const char *const *names, unsigned count,
		   const uint64_t *values)
{
	for (unsigned i = 0; i < count; i++) {
		exposition_label(out, label, text_of(names[i]));
		exposition_integer(out, values[i]);
	}
}

void family_gres_kind(struct exposition *out, const struct gres_count *gres, const char *const *states, unsigned count)
{
	for (unsigned state = 0; state < count; state++) {
		exposition_label(out, "gres", gres->name);
		exposition_label(out, "type", gres->type);
		exposition_label(out, "state", text_of(states[state]));
		exposition_integer(out, uint128_shown(gres->count[state]));
	}
}

void family_gres(struct exposition *out, const struct map *map, const char *const *states, unsigned count)
{
	size_t *order = map_sorted(map);
	for (size_t i = 0; i < map->count; i++)
		family_gres_kind(out, map->entries[order[i]].value, states, count);
	free(order);
}

void emit_capacity(struct exposition *out, const struct page_facts *facts, const struct family *family,
		   const void *item)
{
	(void)facts;
	family_listed(out, "state", capacity_state_names, CAPACITY_STATES,
		      (const uint64_t *)((const char *)item + family->offset));
}
