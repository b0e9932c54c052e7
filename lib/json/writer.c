#include "json/writer.h"

#include "base/quote.h"

#include <inttypes.h>
#include <math.h>

static struct buf *begin(struct json_writer *writer, const char *key)
{
	if (writer->has_member)
		buf_add_char(writer->out, ',');
	writer->has_member = true;
	if (key) {
		quote_json(writer->out, text_of(key));
		buf_add_char(writer->out, ':');
	}
	return writer->out;
}

void writer_open(struct json_writer *writer, const char *key, char bracket)
{
	buf_add_char(begin(writer, key), bracket);
	writer->has_member = false;
}

void writer_close(struct json_writer *writer, char bracket)
{
	buf_add_char(writer->out, bracket);
	writer->has_member = true;
}

void writer_null(struct json_writer *writer, const char *key)
{
	buf_add_string(begin(writer, key), "null");
}

void writer_string(struct json_writer *writer, const char *key, const char *value)
{
	if (value)
		quote_json(begin(writer, key), text_of(value));
	else
		writer_null(writer, key);
}

void writer_number(struct json_writer *writer, const char *key, double value)
{
	if (isfinite(value))
		buf_printf(begin(writer, key), "%.15g", value);
	else
		writer_null(writer, key);
}

void writer_integer(struct json_writer *writer, const char *key, uint64_t value)
{
	buf_printf(begin(writer, key), "%" PRIu64, value);
}

void writer_bool(struct json_writer *writer, const char *key, bool value)
{
	buf_add_string(begin(writer, key), value ? "true" : "false");
}
