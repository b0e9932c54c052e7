/* Answers of a Prometheus, in pieces: series and errors do not depend on the pieces, and a counter never shrinks. */
#include "usage/vector.h"
#include "base/buf.h"
#include "fuzz.h"

#include <math.h>

/* What was read, as text. */
struct seen {
	struct buf text;
	size_t series;
};

static bool take(void *context, const struct series *series, struct error *err)
{
	struct seen *seen = context;
	struct growth growth = GROWTH_INIT;
	for (int i = 0; i < SERIES_LABELS; i++) {
		REQUIRE(text_is_clean(series->labels[i]));
		buf_add_text(&seen->text, series->labels[i]);
		buf_add_char(&seen->text, '\n');
	}
	for (size_t i = 0; i < series->count; i++) {
		REQUIRE(isfinite(series->samples[i].value));
		buf_printf(&seen->text, "%a %a\n", series->samples[i].time, series->samples[i].value);
	}
	growth_take(&growth, series->samples, series->count, 0);
	REQUIRE(isnan(growth.value) == (series->count == 0));
	return ++seen->series < 1000 || error_set(err, "enough");
}

static bool read_whole(struct text answer, size_t piece, struct seen *seen, struct error *err)
{
	bool is_refusal;
	struct vector_reader *reader = vector_reader_new(take, seen);
	for (size_t at = 0; at < answer.len; at += piece)
		if (!vector_reader_feed(reader, answer.bytes + at, answer.len - at < piece ? answer.len - at : piece))
			break;
	bool is_right = vector_reader_finish(reader, &is_refusal, err);
	REQUIRE(!is_right || !is_refusal);
	buf_add_string(&seen->text, vector_reader_warning(reader));
	vector_reader_free(reader);
	return is_right;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct text answer = {(const char *)data + 1, size ? size - 1 : 0};
	struct seen whole = {.series = 0}, pieces = {.series = 0};
	struct error why = {{0}}, piecewise = {{0}};
	if (!size)
		return 0;
	bool is_right = read_whole(answer, answer.len + 1, &whole, &why);
	REQUIRE(is_right == read_whole(answer, 1 + data[0] % 16, &pieces, &piecewise));
	REQUIRE(is_right || strcmp(why.text, piecewise.text) == 0);
	REQUIRE(text_equal(buf_text(&whole.text), buf_text(&pieces.text)));
	buf_done(&whole.text);
	buf_done(&pieces.text);
	return 0;
}
