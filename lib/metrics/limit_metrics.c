/* Limits of QOS and associations as configured, against their use. For people who set limits, or who are asked why a
 * job does not start: who is at which limit, and who is near? Limits are from slurmdbd's qos and associations.
 * slurmscope computes their use itself (entities/limits_use.h), because slurmrestd does not report the use of a QOS.
 * What an association used up of a limit over time, with Slurm's decay, is from its shares. */
#include "entities/label.h"
#include "metrics/family.h"

#include <stdlib.h>

static void emit_priority(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	const struct limited *limited = item;
	if (number_is_known(limited->qos->priority))
		exposition_integer(out, limited->qos->priority);
}

static void emit_usage_factor(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	(void)facts, (void)family;
	const struct limited *limited = item;
	if (limited->qos->usage_factor >= 0) /* not NAN */
		exposition_number(out, limited->qos->usage_factor);
}

static void scope_labels(struct exposition *out, enum limit_scope scope, struct text resource)
{
	exposition_label(out, "scope", text_of(limit_scope_names[scope]));
	exposition_label(out, "resource", resource);
}

static void emit_limits(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts, (void)family;
	const struct limits *limits = &((const struct limited *)item)->limits;
	for (size_t i = 0; i < limits->count; i++) {
		scope_labels(out, limits->items[i].scope, limits->items[i].resource);
		exposition_number(out, limits->items[i].value);
	}
}

static void emit_usage(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)facts, (void)family;
	const struct map *usage = &((const struct limited *)item)->usage;
	size_t *order = map_sorted(usage);
	for (size_t i = 0; i < usage->count; i++) {
		exposition_label(out, "resource", usage->entries[order[i]].key);
		exposition_number(out, *(const double *)usage->entries[order[i]].value);
	}
	free(order);
}

static void emit_largest(struct exposition *out, const struct page_facts *facts, const struct family *family,
			 const void *item)
{
	(void)facts, (void)family;
	const struct limited *limited = item;
	for (size_t i = 0; i < limited->largest_count; i++) {
		scope_labels(out, limited->largest[i].scope, limited->largest[i].resource);
		exposition_number(out, limited->largest[i].use);
	}
}

static void emit_at_limit(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	const struct limited *limited = item;
	for (size_t i = 0; i < limited->largest_count; i++) {
		scope_labels(out, limited->largest[i].scope, limited->largest[i].resource);
		exposition_integer(out, limited->largest[i].at_limit);
	}
}

#define RESOURCES                                                                                                      \
	"Memory is in bytes. X_seconds are TRES-seconds (of memory byte-seconds) that may be used up, "                \
	"X_running_seconds those that running jobs may still use."

static const struct family qos_families[] = {
	{"slurm_qos_priority", GAUGE, NULL, "Priority of the QOS.", emit_priority, 0, 0, 0},
	{"slurm_qos_usage_factor", GAUGE, NULL,
	 "Factor by which the TRES-minutes of the QOS's jobs are multiplied (UsageFactor).", emit_usage_factor, 0, 0,
	 0},
	{"slurm_qos_limit", GAUGE, "scope,resource",
	 "Limits of the QOS that are set: for all its jobs (group), per user, account, job or node, and minimums "
	 "per job. " RESOURCES,
	 emit_limits, 0, 0, 0},
	{"slurm_qos_usage", GAUGE, "resource",
	 "What jobs hold of the QOS's group limits, as Slurm charges them (a partition's QOS as well): "
	 "what is limited or not zero. Use that decays (X_seconds) is not known.",
	 emit_usage, 0, 0, 0},
	{"slurm_qos_largest_usage", GAUGE, "scope,resource",
	 "The largest use that a single user or account has of the QOS's limit per user or account.", emit_largest, 0,
	 0, 0},
	{"slurm_qos_entities_at_limit", GAUGE, "scope,resource",
	 "How many users or accounts have reached the QOS's limit per user or account.", emit_at_limit, 0, 0, 0},
};

static const struct family association_families[] = {
	{"slurm_association_limit", GAUGE, "user,partition,scope,resource",
	 "Limits of accounts (user is empty) and users; per_user of an account holds for each of its "
	 "users that has no other. " RESOURCES,
	 emit_limits, 0, 0, 0},
	{"slurm_association_usage", GAUGE, "user,partition,resource",
	 "What jobs hold of the association's limits, an account with all below it: what is limited, and "
	 "for accounts what is not zero. X_seconds are what jobs used up, and decay as Slurm's usage does; of "
	 "wall_seconds that is not known.",
	 emit_usage, 0, 0, 0},
	{"slurm_association_largest_usage", GAUGE, "scope,resource",
	 "The largest use that a single user of the account has of the account's limit per user.", emit_largest, 0, 0,
	 0},
	{"slurm_association_users_at_limit", GAUGE, "scope,resource",
	 "How many users of the account have reached their limit.", emit_at_limit, 0, 0, 0},
};

/* Samples of those without a row of their own are only counted. */
static void begin_row(struct family_sink *sink, enum entity_kind kind, struct text name, struct text second)
{
	struct buf key = BUF_INIT;
	entity_key(&key, kind, name, second);
	exposition_fold(sink->out, !roster_shows(&sink->facts->cluster->rosters[kind], buf_text(&key)));
	exposition_base(sink->out);
	buf_done(&key);
}

static void each_qos(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct limits_use *limits = sink->facts->cluster->limits;
	if (!limits)
		return;
	size_t *order = map_sorted(&limits->qos);
	for (size_t i = 0; i < limits->qos.count; i++) {
		const struct limited *limited = limits->qos.entries[order[i]].value;
		char room[LABEL_MAX + 1];
		begin_row(sink, ENTITY_QOS, limited->label[0], TEXT(""));
		exposition_base_label(sink->out, "qos", label_of(limited->label[0], room));
		family_item(sink, limited);
	}
	free(order);
}

static void each_association(struct family_sink *sink, int kind)
{
	(void)kind;
	static const char *const names[] = {"account", "user", "partition"};
	const struct limits_use *limits = sink->facts->cluster->limits;
	if (!limits)
		return;
	size_t *order = map_sorted(&limits->associations);
	for (size_t i = 0; i < limits->associations.count; i++) {
		const struct limited *limited = limits->associations.entries[order[i]].value;
		const struct text *labels = limited->label;
		char room[LABEL_MAX + 1];
		if (labels[1].len)
			begin_row(sink, ENTITY_USER, labels[1], labels[0]);
		else
			begin_row(sink, ENTITY_ACCOUNT, labels[0], TEXT(""));
		for (int label = 0; label < 3; label++)
			exposition_base_label(sink->out, names[label], label_of(labels[label], room));
		family_item(sink, limited);
	}
	free(order);
}

const struct family_group qos_group = {.collect = COLLECT_QOS,
				       GROUP_FAMILIES(qos_families),
				       .labels = "qos",
				       .origin = {.source = "qos"},
				       .each = each_qos};
const struct family_group association_group = {.collect = COLLECT_ASSOCIATIONS,
					       GROUP_FAMILIES(association_families),
					       .labels = "account",
					       .origin = {.source = "associations"},
					       .owners = OWNER_ACCOUNT | OWNER_USER,
					       .each = each_association};
