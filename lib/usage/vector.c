#include "usage/vector.h"

#include "base/arena.h"
#include "base/memory.h"
#include "json/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Ten days of a series that is scraped each second. */
enum { SAMPLES_MAX = 1000000 };

enum wanted {
	WANT_STATUS,
	WANT_ERROR,
	WANT_WARNING,
	WANT_IS_PARTIAL,
	WANT_SERIES,
	WANT_VALUES, /* an element of a range vector's `values`: time and value, of which the latter is a text */
	WANT_VALUE, /* an instant vector's `value`, the same */
	WANT_PART, /* of either */
	WANT_LABELS = WANT_PART + 2,
};

static const char *const label_names[SERIES_LABELS] = {"cluster", "instance", "partition", "account", "user",
						       "qos",	  "state",    "gres",	   "type"};

struct vector_reader {
	struct json_shape *shape;
	struct json_reader *json;
	series_fn *take;
	void *context;
	struct series series; /* that is being read */
	size_t capacity; /* of its samples */
	struct arena arena; /* its labels */
	double time; /* of the sample that is being read */
	bool has_time;
	bool is_success;
	char error[256], warning[256]; /* of the answer */
	struct error why; /* that the JSON is wrong, or `take` has enough */
	bool is_wrong;
};

static void take_text(const struct json_value *value, char *to, size_t size)
{
	if (value->type == JSON_STRING)
		text_to_string(value->text, to, size);
}

static bool take_number(struct vector_reader *reader, double number, struct error *err)
{
	struct series *series = &reader->series;
	if (!reader->has_time) {
		reader->time = number;
		reader->has_time = true;
		return true;
	}
	if (!isfinite(number))
		return true;
	if (series->count == SAMPLES_MAX)
		return error_set(err, "a series has more than %d samples", SAMPLES_MAX);
	GROW(series->samples, series->count, reader->capacity);
	series->samples[series->count++] = (struct sample){.time = reader->time, .value = number};
	return true;
}

static bool take_part(struct vector_reader *reader, const struct json_value *value, struct error *err)
{
	char digits[64];
	if (value->type == JSON_NUMBER)
		return take_number(reader, value->number, err);
	if (value->type != JSON_STRING || !value->text.len || value->text.len >= sizeof digits)
		return error_set(err, "a sample is no number");
	char *end;
	text_to_string(value->text, digits, sizeof digits);
	double number = strtod(digits, &end);
	return *end ? error_set(err, "a sample is no number: %s", digits) : take_number(reader, number, err);
}

static bool take_series(struct vector_reader *reader, const struct json_value *value, struct error *err)
{
	struct series *series = &reader->series;
	if (value->type == JSON_END)
		return reader->take(reader->context, series, err);
	if (value->type != JSON_OBJECT)
		return error_set(err, "not a vector");
	arena_clear(&reader->arena);
	memset(series->labels, 0, sizeof series->labels);
	series->count = 0;
	return true;
}

static bool on_value(void *context, int id, const struct json_value *value, struct error *err)
{
	struct vector_reader *reader = context;
	if (id >= WANT_LABELS) {
		if (value->type == JSON_STRING)
			reader->series.labels[id - WANT_LABELS] =
				arena_copy(&reader->arena, arena_without_nul(&reader->arena, value->text));
		return true;
	}
	switch ((enum wanted)id) {
	case WANT_STATUS:
		reader->is_success = value->type == JSON_STRING && text_equal(value->text, TEXT("success"));
		return true;
	case WANT_ERROR:
		take_text(value, reader->error, sizeof reader->error);
		return true;
	case WANT_WARNING:
		take_text(value, reader->warning, sizeof reader->warning);
		return true;
	case WANT_IS_PARTIAL:
		if (value->type == JSON_BOOL && value->boolean)
			snprintf(reader->warning, sizeof reader->warning, "the answer is partial");
		return true;
	case WANT_SERIES:
		return take_series(reader, value, err);
	case WANT_VALUES:
	case WANT_VALUE:
		reader->has_time = false;
		return true;
	default:
		return take_part(reader, value, err);
	}
}

static struct json_shape *shape_new(void)
{
	static const char *const paths[] = {
		[WANT_STATUS] = "status",
		[WANT_ERROR] = "error",
		[WANT_WARNING] = "warnings[]",
		[WANT_IS_PARTIAL] = "isPartial",
		[WANT_SERIES] = "data.result[]",
		[WANT_VALUES] = "data.result[].values[]",
		[WANT_VALUE] = "data.result[].value",
		[WANT_PART] = "data.result[].values[][]",
		[WANT_PART + 1] = "data.result[].value[]",
	};
	struct json_shape *shape = json_shape_new();
	char path[64];
	for (int i = 0; i < (int)(sizeof paths / sizeof *paths); i++)
		json_shape_want(shape, paths[i], i);
	for (int i = 0; i < SERIES_LABELS; i++) {
		snprintf(path, sizeof path, "data.result[].metric.%s", label_names[i]);
		json_shape_want(shape, path, WANT_LABELS + i);
	}
	return shape;
}

struct vector_reader *vector_reader_new(series_fn *take, void *context)
{
	struct vector_reader *reader = NEW(struct vector_reader);
	reader->take = take;
	reader->context = context;
	reader->shape = shape_new();
	reader->json = json_reader_new(reader->shape, JSON_LIMITS_DEFAULT, on_value, reader);
	return reader;
}

bool vector_reader_feed(struct vector_reader *reader, const char *bytes, size_t len)
{
	reader->is_wrong = reader->is_wrong || !json_reader_feed(reader->json, bytes, len, &reader->why);
	return !reader->is_wrong;
}

bool vector_reader_finish(struct vector_reader *reader, bool *ret_is_refusal, struct error *err)
{
	reader->is_wrong = reader->is_wrong || !json_reader_finish(reader->json, &reader->why);
	*ret_is_refusal = !reader->is_wrong && !reader->is_success && *reader->error;
	if (reader->is_wrong)
		return error_set(err, "%s", reader->why.text);
	return reader->is_success || error_set(err, "%s", *reader->error ? reader->error : "it has no status");
}

const char *vector_reader_warning(const struct vector_reader *reader)
{
	return reader->warning;
}

void vector_reader_free(struct vector_reader *reader)
{
	if (!reader)
		return;
	json_reader_free(reader->json);
	json_shape_free(reader->shape);
	free(reader->series.samples);
	arena_done(&reader->arena);
	free(reader);
}
