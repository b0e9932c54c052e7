/* METRICS section 5, QOS and associations: limits as configured, against their use. */
#include "metrics/family.h"

#include <stdlib.h>

static void emit_priority(struct exposition *out, const struct view *view,
			  const struct family *family, const void *item)
{
	(void)view, (void)family;
	const struct limited *limited = item;
	if (number_is_known(limited->qos->priority))
		exposition_integer(out, limited->qos->priority);
}

static void emit_usage_factor(struct exposition *out, const struct view *view,
			      const struct family *family, const void *item)
{
	(void)view, (void)family;
	const struct limited *limited = item;
	if (limited->qos->usage_factor >= 0) /* not NAN */
		exposition_number(out, limited->qos->usage_factor);
}

static void scope_labels(struct exposition *out, enum limit_scope scope, struct text resource)
{
	exposition_label(out, "scope", text_of(limit_scope_names[scope]));
	exposition_label(out, "resource", resource);
}

static void emit_limits(struct exposition *out, const struct view *view,
			const struct family *family, const void *item)
{
	(void)view, (void)family;
	const struct limits *limits = &((const struct limited *)item)->limits;
	for (size_t i = 0; i < limits->count; i++) {
		scope_labels(out, limits->items[i].scope, limits->items[i].resource);
		exposition_integer(out, limits->items[i].value);
	}
}

static void emit_usage(struct exposition *out, const struct view *view, const struct family *family,
		       const void *item)
{
	(void)view, (void)family;
	const struct map *usage = &((const struct limited *)item)->usage;
	size_t *order = map_sorted(usage);
	for (size_t i = 0; i < usage->count; i++) {
		exposition_label(out, "resource", usage->entries[order[i]].key);
		exposition_number(out, *(const double *)usage->entries[order[i]].value);
	}
	free(order);
}

static void emit_largest(struct exposition *out, const struct view *view,
			 const struct family *family, const void *item)
{
	(void)view, (void)family;
	const struct limited *limited = item;
	for (size_t i = 0; i < limited->largest_count; i++) {
		scope_labels(out, limited->largest[i].scope, limited->largest[i].resource);
		exposition_number(out, limited->largest[i].use);
	}
}

static void emit_at_limit(struct exposition *out, const struct view *view,
			  const struct family *family, const void *item)
{
	(void)view, (void)family;
	const struct limited *limited = item;
	for (size_t i = 0; i < limited->largest_count; i++) {
		scope_labels(out, limited->largest[i].scope, limited->largest[i].resource);
		exposition_integer(out, limited->largest[i].at_limit);
	}
}

#define RESOURCES                                                                                  \
	"Memory is in bytes; X_minutes are TRES-minutes (of memory byte-minutes) that may be used up, " \
	"X_running_minutes those that running jobs may still use."

static const struct family qos_families[] = {
	{"slurm_qos_priority", GAUGE, NULL, "Priority of the QOS.", emit_priority, 0, 0, 0},
	{"slurm_qos_usage_factor", GAUGE, NULL,
	 "How many times the TRES-minutes of the QOS's jobs count.", emit_usage_factor, 0, 0, 0},
	{"slurm_qos_limit", GAUGE, "scope,resource",
	 "Limits of the QOS, where there are any: for all its jobs (group), per user, account, job or "
	 "node, or the least that a job must ask for. " RESOURCES,
	 emit_limits, 0, 0, 0},
	{"slurm_qos_usage", GAUGE, "resource",
	 "What jobs hold of the QOS's group limits, as Slurm charges them (a partition's QOS as well): "
	 "what is limited or not zero. Use that decays (X_minutes, wall_seconds) is not known.",
	 emit_usage, 0, 0, 0},
	{"slurm_qos_largest_usage", GAUGE, "scope,resource",
	 "The largest use that a single user or account has of the QOS's limit per user or account.",
	 emit_largest, 0, 0, 0},
	{"slurm_qos_at_limit", GAUGE, "scope,resource",
	 "How many users or accounts have reached the QOS's limit per user or account.", emit_at_limit,
	 0, 0, 0},
};

static const struct family association_families[] = {
	{"slurm_association_limit", GAUGE, "scope,resource",
	 "Limits of accounts (user is empty) and users; per_user of an account holds for each of its "
	 "users that has no other. " RESOURCES,
	 emit_limits, 0, 0, 0},
	{"slurm_association_usage", GAUGE, "resource",
	 "What jobs hold of the association's limits, an account with all below it: what is limited, and "
	 "for accounts what is not zero. Use that decays (X_minutes, wall_seconds) is not known.",
	 emit_usage, 0, 0, 0},
	{"slurm_association_largest_usage", GAUGE, "scope,resource",
	 "The largest use that a single user of the account has of the account's limit per user.",
	 emit_largest, 0, 0, 0},
	{"slurm_association_at_limit", GAUGE, "scope,resource",
	 "How many users of the account have reached their limit.", emit_at_limit, 0, 0, 0},
};

static void each_qos(struct family_sink *sink, enum entity_kind kind)
{
	(void)kind;
	const struct limits_use *limits = sink->view->cluster->limits;
	if (!limits)
		return;
	size_t *order = map_sorted(&limits->qos);
	for (size_t i = 0; i < limits->qos.count; i++) {
		const struct limited *limited = limits->qos.entries[order[i]].value;
		exposition_base(sink->out);
		exposition_base_label(sink->out, "qos", limited->label[0]);
		family_item(sink, limited);
	}
	free(order);
}

static void each_association(struct family_sink *sink, enum entity_kind kind)
{
	(void)kind;
	static const char *const names[] = {"account", "user", "partition"};
	const struct limits_use *limits = sink->view->cluster->limits;
	if (!limits)
		return;
	size_t *order = map_sorted(&limits->associations);
	for (size_t i = 0; i < limits->associations.count; i++) {
		const struct limited *limited = limits->associations.entries[order[i]].value;
		exposition_base(sink->out);
		for (int label = 0; label < 3; label++)
			exposition_base_label(sink->out, names[label], limited->label[label]);
		family_item(sink, limited);
	}
	free(order);
}

const struct family_group qos_group = {
	GROUP_FAMILIES(qos_families), .labels = "qos", .each = each_qos};
const struct family_group association_group = {
	GROUP_FAMILIES(association_families), .labels = "account,user,partition",
	.each = each_association};
