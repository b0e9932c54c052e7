/* The samples of a page: the text format 0.0.4, an index of its families, and what that format has no place for. All
 * other formats are made from it when somebody asks for them (`formats.h`). */
#pragma once

#include "base/buf.h"

#include <stdint.h>

enum family_type { GAUGE, COUNTER, HISTOGRAM };
extern const char *const family_type_names[];

/* One family: its header, then its samples. Offsets are of `samples.text`. */
struct sample_family {
	uint32_t order; /* place in the catalogue, the same on every page; families of one place are ordered by name */
	uint8_t group; /* a number of catalogue_groups */
	uint8_t owners; /* bits of enum scope_kind: these labels say whose a sample is */
	uint8_t job_rows; /* enum job_rows: a sample is of one job */
	enum family_type type;
	double created; /* Unix seconds: when its counters were 0; 0: not known */
	size_t begin, samples, end; /* of the header, of the first sample, and behind the last */
	size_t help;
	uint32_t help_len, name_len;
	size_t first_exemplar, first_native; /* of this family */
};

/* The last job that was counted in a sample. */
struct exemplar {
	size_t at; /* where the sample's line ends */
	uint32_t job;
	double value, time; /* the observed value; Unix seconds */
};

/* The exponential buckets of a histogram, beside the classic ones. */
struct native_bucket {
	int32_t index; /* values up to 2^(index / 2^schema); NATIVE_ZERO: zero */
	uint64_t count;
};
#define NATIVE_ZERO INT32_MIN
enum { NATIVE_SCHEMA = 2 }; /* as the tallies have it */

struct native {
	size_t at; /* where the line of the histogram's count ends */
	size_t first, count; /* of `native_buckets`, by index */
};

/* Single jobs are known by their ID: those that are in slurmctld, and runs that ended. A job may be both. */
enum job_rows { JOB_ROWS_NONE, JOB_ROWS_LIVE, JOB_ROWS_ENDED, JOB_ROWS_KINDS };

struct samples {
	struct buf text;
	struct sample_family *families; /* in the order of the catalogue; those with samples */
	size_t count, capacity;
	struct exemplar *exemplars; /* in the order of the text */
	size_t exemplar_count, exemplar_capacity;
	struct native *natives; /* likewise */
	size_t native_count, native_capacity;
	struct native_bucket *native_buckets;
	size_t bucket_count, bucket_capacity;
	uint64_t sample_count, folded_count; /* samples of all families; samples without a row of their own */
};

void samples_done(struct samples *samples); /* empty again, as when zeroed */

static inline struct text family_name(const struct samples *samples, const struct sample_family *family)
{
	return (struct text){samples->text.bytes + family->help - 1 - family->name_len, family->name_len};
}
static inline struct text family_help(const struct samples *samples, const struct sample_family *family)
{
	return (struct text){samples->text.bytes + family->help, family->help_len};
}
