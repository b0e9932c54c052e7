/* The text exposition format 0.0.4: names, labels, escaping, numbers. Knows no Slurm. */
#pragma once

#include "base/buf.h"
#include "cluster/histogram.h"

enum family_type { GAUGE, COUNTER, HISTOGRAM };
extern const char *const family_type_names[];

/* The samples of one family on their way to the page. The header is written with the first sample, so
 * that a family without samples leaves no trace. */
struct exposition {
	struct buf *page; /* borrowed */
	const char *name, *help;
	enum family_type type;
	struct buf labels; /* of the next sample, escaped: `a="b",c="d"` */
	size_t base_labels; /* so many bytes of them stay for the following samples */
	uint64_t samples;
	bool is_folding; /* samples are counted in `folded` and not written */
	bool has_folds;  /* the family was asked to fold, if only nothing */
	uint64_t folded;
};

void exposition_family(struct exposition *out, const char *name, enum family_type type,
		       const char *help);

/* Labels that all samples have until the next exposition_base. */
void exposition_base(struct exposition *out);
void exposition_base_label(struct exposition *out, const char *name, struct text value);

/* A label of the next sample only. An empty value is the same as none, and left out. */
void exposition_label(struct exposition *out, const char *name, struct text value);

/* Takes back labels that no sample followed. */
void exposition_unlabel(struct exposition *out);

/* Whether the following samples are only counted: those of things that have no row of their own. */
void exposition_fold(struct exposition *out, bool is_folding);

void exposition_integer(struct exposition *out, uint64_t value);
void exposition_number(struct exposition *out, double value);
void exposition_histogram(struct exposition *out, const struct histogram *histogram);

void exposition_done(struct exposition *out);
