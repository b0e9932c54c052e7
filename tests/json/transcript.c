#include "transcript.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

struct writer {
	struct buf *events;
	int count, stop_at;
};

static void add_number(struct buf *events, const struct json_value *value)
{
	if (value->is_integer)
		buf_printf(events, "%s%" PRIu64, value->is_negative ? "-" : "", value->magnitude);
	else
		buf_printf(events, "%.17g", value->number);
}

static void add_value(struct buf *events, const struct json_value *value)
{
	static const char *const words[] = {
		[JSON_NULL] = "null", [JSON_OBJECT] = "{", [JSON_ARRAY] = "[", [JSON_END] = "end"};
	if (value->type == JSON_BOOL) {
		buf_add_string(events, value->boolean ? "true" : "false");
	} else if (value->type == JSON_NUMBER) {
		add_number(events, value);
	} else if (value->type == JSON_STRING) {
		buf_add_char(events, '"');
		buf_add_text(events, value->text);
		buf_add_char(events, '"');
	} else {
		buf_add_string(events, words[value->type]);
	}
}

static bool write_down(void *context, int id, const struct json_value *value, struct error *err)
{
	struct writer *writer = context;
	if (++writer->count == writer->stop_at)
		return error_set(err, "stopped at value %d", writer->count);
	buf_printf(writer->events, "%s%d=", writer->events->len ? " " : "", id);
	add_value(writer->events, value);
	return true;
}

static bool feed_copy(struct json_reader *reader, const char *bytes, size_t len, struct error *err)
{
	char *copy = malloc(len); /* no NUL after it */
	memcpy(copy, bytes, len);
	bool ok = json_reader_feed(reader, copy, len, err);
	free(copy);
	return ok;
}

bool transcript(const struct run *run, struct text document, struct buf *events, struct error *err)
{
	struct writer writer = {.events = events, .stop_at = run->stop_at};
	buf_clear(events);
	struct json_shape *shape = json_shape_new();
	for (int id = 0; run->paths[id]; id++)
		json_shape_want(shape, run->paths[id], id);
	struct json_reader *reader = json_reader_new(shape, run->limits, write_down, &writer);
	size_t step = run->chunk ? run->chunk : document.len;
	bool ok = true;
	for (size_t i = 0; ok && i < document.len; i += step) {
		size_t left = document.len - i;
		ok = feed_copy(reader, document.bytes + i, left < step ? left : step, err);
	}
	ok = ok && json_reader_finish(reader, err);
	json_reader_free(reader);
	json_shape_free(shape);
	return ok;
}
