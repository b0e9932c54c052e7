/* Exponential buckets of a tally's histograms. All slurmscopes use the same bounds, so that the buckets can be added
 * up. */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bucket of a histogram whose bounds are powers of 2^(1/4), as Prometheus' native histograms have them in schema 2.
 * Stored with its upper bound as the detail: "2^(17/4)", or "0". */
enum { TALLY_NATIVE_SCHEMA = 2, TALLY_NATIVE_ZERO = INT32_MIN };
struct tally_native {
	int what; /* enum tally_what */
	int32_t index; /* 17 */
	uint64_t count, stored;
};

struct tally_natives {
	struct tally_native *items; /* by what and index; those that are not empty */
	size_t count, capacity;
};

void tally_natives_done(struct tally_natives *natives);

int32_t tally_native_index(double value); /* of the bucket that it falls into */
void tally_natives_observe(struct tally_natives *natives, int what, double value);

/* The buckets of `what`; how many. */
size_t tally_natives_of(const struct tally_natives *natives, int what, const struct tally_native **ret_first);

/* Adds to the bucket `index` what the buckets up to `until` lack of `sum`. Returns true if it added something. */
bool tally_natives_raise(struct tally_natives *natives, int what, int32_t index, int32_t until, double sum);

void tally_native_detail(const struct tally_native *native, char *to, size_t size);
/* What was stored; false: the detail is no bucket's. */
bool tally_natives_restore(struct tally_natives *natives, int what, struct text detail, double value);
