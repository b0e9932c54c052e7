#include "json/state.h"

#include <inttypes.h>

const char *reader_fail(struct json_reader *reader, const char *what, uint64_t offset)
{
	error_set(&reader->error, "%s at byte %" PRIu64, what, offset);
	return NULL;
}

const char *reader_unexpected(struct json_reader *reader, const char *wanted, const char *at)
{
	unsigned char got = (unsigned char)*at;
	uint64_t offset = reader_offset(reader, at);
	if (got > ' ' && got < 0x7f)
		error_set(&reader->error, "expected %s, got '%c' at byte %" PRIu64, wanted, got, offset);
	else
		error_set(&reader->error, "expected %s, got byte 0x%02x at byte %" PRIu64, wanted, got, offset);
	return NULL;
}

const char *reader_too_long(struct json_reader *reader, const char *what, uint64_t max, uint64_t offset)
{
	error_set(&reader->error, "%s longer than %" PRIu64 " bytes at byte %" PRIu64, what, max, offset);
	return NULL;
}

const char *reader_too_deep(struct json_reader *reader, const char *at)
{
	error_set(&reader->error, "nested deeper than %zu at byte %" PRIu64, reader->limits.depth_max,
		  reader_offset(reader, at));
	return NULL;
}

bool reader_report(struct json_reader *reader, const struct shape_node *node, const struct json_value *value)
{
	return reader->fn(reader->context, node->id, value, &reader->error);
}
