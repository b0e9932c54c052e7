/* What the rows of single jobs share: their labels, and the samples of their GRES. */
#pragma once

#include "metrics/family.h"
#include "model/tres.h"

struct job_names {
	const struct job_owner *owner;
	struct text name, sluid; /* empty: not known */
	uint32_t array_job_id; /* 0: none */
	uint32_t array_task_id; /* UINT32_MAX: none */
	uint32_t het_job_id; /* 0: none */
};

/* Who a job is of, as its labels say it. Names that --filter.* does not allow a row of their own are `other`, each of a
 * list by itself. */
struct owner_labels {
	struct text user, account, partition, qos; /* empty: none */
	char rooms[4][LABEL_MAX + 1];
	struct buf lists[2];
};
void owner_labels_make(struct owner_labels *labels, const struct caps *caps, const struct job_owner *owner);
void owner_labels_done(struct owner_labels *labels);

struct text job_decimal(uint64_t number, char scratch[24]);

/* Begins the row of a job. */
void job_base_label(struct exposition *out, uint32_t id);

/* Labels of the next sample. */
void job_labels(struct exposition *out, const struct page_facts *facts, const struct job_names *names);

/* Why the job waits. The text is in the table, or in `scratch`. */
struct text job_reason_label(const struct job_table *table, const struct job_row *row, char scratch[LABEL_MAX + 1]);

void job_gres_samples(struct exposition *out, const struct gres *gres, unsigned count);
