/* Reads an answer of Prometheus' /api/v1/query as it comes: series by series, of an instant vector or a range vector. Memory is
 * that of the largest series. Owned by one thread. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "usage/growth.h"

/* The labels that are read. */
enum series_label {
	SERIES_CLUSTER,
	SERIES_INSTANCE, /* which target it is of */
	SERIES_PARTITION,
	SERIES_ACCOUNT,
	SERIES_USER,
	SERIES_QOS,
	SERIES_STATE,
	SERIES_GRES,
	SERIES_TYPE,
	SERIES_LABELS,
};

struct series {
	struct text labels[SERIES_LABELS]; /* empty: it has none */
	struct sample *samples; /* in the order of time; finite; their `series` is not set */
	size_t count;
};

/* Takes one series of an answer, which is valid during the call. False, with *err set: enough. */
typedef bool series_fn(void *context, const struct series *series, struct error *err);

struct vector_reader;

struct vector_reader *vector_reader_new(series_fn *take, void *context);

/* Takes the next bytes; false: the answer is wrong, or `take` has enough. */
bool vector_reader_feed(struct vector_reader *reader, const char *bytes, size_t len);

/* No more bytes come. False, and why, if the answer is not whole, not one of Prometheus, or says that the query failed. Then
 * *ret_is_refusal says whether it is Prometheus that says why. */
bool vector_reader_finish(struct vector_reader *reader, bool *ret_is_refusal, struct error *err);

/* What the answer warns of, such as a part of the stores that did not answer; "": nothing. */
const char *vector_reader_warning(const struct vector_reader *reader);

void vector_reader_free(struct vector_reader *reader); /* NULL is fine */
