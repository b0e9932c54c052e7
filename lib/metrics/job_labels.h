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

struct text job_decimal(uint64_t number, char scratch[24]);

/* Begins the row of a job. */
void job_base_label(struct exposition *out, uint32_t id);

/* Labels of the next sample. Names that --filter.* does not allow a row of their own are `other`, each of a list by
 * itself. */
void job_labels(struct exposition *out, const struct page_facts *facts, const struct job_names *names);

void job_gres_samples(struct exposition *out, const struct gres *gres, unsigned count);
