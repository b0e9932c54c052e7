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

static struct text allowed(const struct page_facts *facts, enum entity_kind kind, struct text name, struct text account,
			   char scratch[LABEL_MAX + 1])
{
	const struct text label[2] = {label_of(name, scratch), account};
	return caps_allow(&facts->cluster->caps, kind, label) ? label[0] : LABEL_OTHER;
}

/* A pending job may wait in several partitions, or with several QOS. Those that are not allowed are one `other`. */
static void label_list(struct exposition *out, const struct page_facts *facts, const char *label, enum entity_kind kind,
		       struct text names)
{
	char scratch[LABEL_MAX + 1];
	struct buf list = BUF_INIT;
	struct text name;
	bool has_other = false;
	while (text_next(&names, ',', &name)) {
		struct text shown = allowed(facts, kind, name, TEXT(""), scratch);
		bool is_other = text_equal(shown, LABEL_OTHER);
		if (is_other && has_other)
			continue;
		has_other |= is_other;
		buf_add_string(&list, list.len ? "," : "");
		buf_add_text(&list, shown);
	}
	exposition_label(out, label, list.len > LABEL_MAX ? label_of(buf_text(&list), scratch) : buf_text(&list));
	buf_done(&list);
}

static void label_owner(struct exposition *out, const struct page_facts *facts, const struct job_owner *owner)
{
	char scratch[LABEL_MAX + 1];
	if (owner->user.len)
		exposition_label(out, "user", allowed(facts, ENTITY_USER, owner->user, owner->account, scratch));
	if (owner->account.len)
		exposition_label(out, "account", allowed(facts, ENTITY_ACCOUNT, owner->account, TEXT(""), scratch));
	label_list(out, facts, "partition", ENTITY_PARTITION, owner->partitions);
	label_list(out, facts, "qos", ENTITY_QOS, owner->qos);
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

void job_gres_samples(struct exposition *out, const struct gres *gres, unsigned count)
{
	char scratch[2][LABEL_MAX + 1];
	for (unsigned i = 0; i < count; i++) {
		exposition_label(out, "gres", label_of(gres[i].name, scratch[0]));
		exposition_label(out, "type", label_of(gres[i].type, scratch[1]));
		exposition_integer(out, gres[i].count);
	}
}
