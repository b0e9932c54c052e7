#include "metrics/job_labels.h"

#include <inttypes.h>
#include <stdio.h>

struct text job_decimal(uint64_t number, char scratch[24])
{
	return (struct text){scratch, (size_t)snprintf(scratch, 24, "%" PRIu64, number)};
}

void job_base_label(struct exposition *out, uint32_t id)
{
	char digits[24];
	exposition_fold(out, false);
	exposition_base(out);
	exposition_base_label(out, "jobid", job_decimal(id, digits));
}

static struct text allowed(const struct caps *caps, enum entity_kind kind, struct text name, struct text account,
			   char scratch[LABEL_MAX + 1])
{
	const struct text label[2] = {label_of(name, scratch), account};
	return caps_allow(caps, kind, label) ? label[0] : LABEL_OTHER;
}

/* A pending job may wait in several partitions, or with several QOS. Those that are not allowed are one `other`. */
static struct text allowed_list(const struct caps *caps, enum entity_kind kind, struct text names, struct buf *list,
				char room[LABEL_MAX + 1])
{
	char scratch[LABEL_MAX + 1];
	struct text name;
	bool has_other = false;
	while (text_next(&names, ',', &name)) {
		struct text shown = allowed(caps, kind, name, TEXT(""), scratch);
		bool is_other = text_equal(shown, LABEL_OTHER);
		if (is_other && has_other)
			continue;
		has_other |= is_other;
		buf_add_string(list, list->len ? "," : "");
		buf_add_text(list, shown);
	}
	return list->len > LABEL_MAX ? label_of(buf_text(list), room) : buf_text(list);
}

void owner_labels_make(struct owner_labels *labels, const struct caps *caps, const struct job_owner *owner)
{
	labels->user = owner->user;
	labels->account = owner->account;
	labels->lists[0] = labels->lists[1] = (struct buf)BUF_INIT;
	if (owner->user.len)
		labels->user = allowed(caps, ENTITY_USER, owner->user, owner->account, labels->rooms[0]);
	if (owner->account.len)
		labels->account = allowed(caps, ENTITY_ACCOUNT, owner->account, TEXT(""), labels->rooms[1]);
	labels->partition =
		allowed_list(caps, ENTITY_PARTITION, owner->partitions, &labels->lists[0], labels->rooms[2]);
	labels->qos = allowed_list(caps, ENTITY_QOS, owner->qos, &labels->lists[1], labels->rooms[3]);
}

void owner_labels_done(struct owner_labels *labels)
{
	buf_done(&labels->lists[0]);
	buf_done(&labels->lists[1]);
}

static void label_owner(struct exposition *out, const struct page_facts *facts, const struct job_owner *owner)
{
	struct owner_labels labels;
	owner_labels_make(&labels, &facts->cluster->caps, owner);
	exposition_label(out, "user", labels.user);
	exposition_label(out, "account", labels.account);
	exposition_label(out, "partition", labels.partition);
	exposition_label(out, "qos", labels.qos);
	owner_labels_done(&labels);
}

void job_labels(struct exposition *out, const struct page_facts *facts, const struct job_names *names)
{
	char digits[24];
	exposition_label(out, "sluid", names->sluid);
	label_owner(out, facts, names->owner);
	exposition_label(out, "name", names->name);
	if (names->array_job_id)
		exposition_label(out, "array_job_id", job_decimal(names->array_job_id, digits));
	if (names->array_task_id != UINT32_MAX)
		exposition_label(out, "array_task_id", job_decimal(names->array_task_id, digits));
	if (names->het_job_id)
		exposition_label(out, "het_job_id", job_decimal(names->het_job_id, digits));
}

struct text job_reason_label(const struct job_table *table, const struct job_row *row, char scratch[LABEL_MAX + 1])
{
	struct text reason = text_pool_get(&table->pools.texts, row->reason);
	return reason.len ? label_of(reason, scratch) : TEXT("None");
}

void job_gres_samples(struct exposition *out, const struct gres *gres, unsigned count)
{
	char scratch[2][LABEL_MAX + 1];
	for (unsigned i = 0; i < count; i++) {
		exposition_label(out, "gres", label_of(gres[i].name, scratch[0]));
		exposition_label(out, "type", label_of(gres[i].type, scratch[1]));
		exposition_integer(out, gres[i].count);
	}
}
