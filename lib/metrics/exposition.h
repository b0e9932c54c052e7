/* Writes samples: names, labels, escaping, numbers. Knows no Slurm. */
#pragma once

#include "entities/histogram.h"
#include "metrics/samples.h"

/* The samples of one family on their way to the page. The header is written with the first sample, so a family without
 * samples is not on the page. */
struct exposition {
	struct samples *to; /* borrowed */
	const char *name, *help;
	struct sample_family family; /* what it will be in the index */
	struct text constant; /* labels that each sample has, escaped; borrowed */
	struct buf labels; /* of the next sample, escaped: `a="b",c="d"` */
	size_t base_labels; /* bytes of them that stay for the following samples */
	uint64_t samples;
	bool is_folding; /* samples are counted in `folded` and not written */
	bool has_folds; /* exposition_fold was called for the family, even if nothing was folded */
	uint64_t folded;
};

/* Begins a family, which ends the one before. */
void exposition_family(struct exposition *out, const char *name, enum family_type type, const char *help);

/* When the family's counters and histograms were 0, Unix seconds. */
void exposition_created(struct exposition *out, double time);

/* Labels that all samples have until the next exposition_base. */
void exposition_base(struct exposition *out);
void exposition_base_label(struct exposition *out, const char *name, struct text value);

/* A label of the next sample only. An empty value means no label, and is left out. */
void exposition_label(struct exposition *out, const char *name, struct text value);

/* Takes back labels that no sample followed. */
void exposition_unlabel(struct exposition *out);

/* Sets whether the following samples are only counted, because they belong to something without a row of its own. */
void exposition_fold(struct exposition *out, bool is_folding);

/* Counts samples of what has no row of its own. */
void exposition_left_out(struct exposition *out, uint64_t samples);

void exposition_integer(struct exposition *out, uint64_t value);
void exposition_number(struct exposition *out, double value);

/* `last`, if not NULL: the exemplar of each bucket; one without a job is left out. */
void exposition_histogram(struct exposition *out, const struct histogram *histogram, const struct exemplar *last);

/* Adds an exemplar to the last sample, unless it has no job. */
void exposition_exemplar(struct exposition *out, const struct exemplar *exemplar);

/* Adds exponential buckets, ordered by index, to the last histogram. They must have as many observations as it. */
void exposition_native(struct exposition *out, const struct native_bucket *buckets, size_t count);

/* Appends name="value", behind a comma if there is one before. */
void exposition_write_label(struct buf *labels, const char *name, struct text value);

void exposition_done(struct exposition *out); /* the last family is done, too */

/* The shortest decimal that reads back as the same number; 32 bytes are enough. */
void exposition_print(char *to, size_t size, double value);
