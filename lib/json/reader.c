#include "json/reader.h"

#include "base/memory.h"
#include "json/lex.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *open_container(struct json_reader *reader, const char *at)
{
	if (reader->depth == reader->limits.depth_max)
		return reader_too_deep(reader, at);
	bool is_array = *at == '[';
	const struct shape_node *node = reader->node;
	const struct json_value value = {.type = is_array ? JSON_ARRAY : JSON_OBJECT};
	if (is_wanted(node) && !reader_report(reader, node, &value))
		return NULL;
	reader->depth++;
	if (reader->depth == reader->frames_capacity) {
		reader->frames_capacity *= 2;
		reader->frames = memory_resize(reader->frames, reader->frames_capacity, sizeof *reader->frames);
	}
	reader->frames[reader->depth] = (struct frame){node, is_array ? ']' : '}'};
	return at + 1;
}

static const char *close_container(struct json_reader *reader, const char *at)
{
	const struct shape_node *node = reader->frames[reader->depth--].node;
	if (is_wanted(node) && !reader_report(reader, node, &(struct json_value){.type = JSON_END}))
		return NULL;
	return at + 1;
}

static const char *read_value(struct json_reader *reader, enum grammar_state *state, const char *at, const char *end)
{
	*state = AFTER_VALUE;
	switch (*at) {
	case '"':
		return lex_string(reader, CUT_STRING, at + 1, end);
	case '{':
		*state = AT_FIRST_NAME;
		return open_container(reader, at);
	case '[':
		*state = AT_FIRST_ELEMENT;
		return open_container(reader, at);
	default:
		if (*at == '-' || is_digit(*at))
			return lex_number(reader, at, end);
		return lex_literal(reader, at, end);
	}
}

static const char *read_element(struct json_reader *reader, enum grammar_state *state, const char *at, const char *end)
{
	if (*at == ']')
		return reader_fail(reader, "trailing comma", reader->comma);
	const struct shape_node *container = reader->frames[reader->depth].node;
	reader->node = container ? container->element : NULL;
	return read_value(reader, state, at, end);
}

static const char *read_name(struct json_reader *reader, const char *at, const char *end)
{
	if (*at == '}')
		return reader_fail(reader, "trailing comma", reader->comma);
	if (*at != '"')
		return reader_unexpected(reader, "a name in double quotes", at);
	return lex_string(reader, CUT_NAME, at + 1, end);
}

static const char *read_after_value(struct json_reader *reader, enum grammar_state *state, const char *at)
{
	char closer = reader->frames[reader->depth].closer;
	if (!closer)
		return reader_unexpected(reader, "the end of the document", at);
	if (*at == closer)
		return close_container(reader, at);
	if (*at != ',')
		return reader_unexpected(reader, closer == '}' ? "',' or '}'" : "',' or ']'", at);
	reader->comma = reader_offset(reader, at);
	*state = closer == '}' ? AT_NAME : AT_ELEMENT;
	return at + 1;
}

/* Reads a chunk. At its end the reader holds all that the next chunk needs. The code follows the usual order of tokens,
 * which saves turns of the loop. */
static const char *walk(struct json_reader *reader, const char *at, const char *end)
{
	enum grammar_state state = reader->state;
	while (at && (at = skip_space(at, end)) < end) {
		switch (state) {
		case AT_FIRST_NAME:
			if (*at == '}') {
				at = close_container(reader, at);
				state = AFTER_VALUE;
				break;
			}
			/* fall through */
		case AT_NAME:
			at = read_name(reader, at, end);
			state = AT_COLON;
			if (!at || at == end || *at != ':')
				break;
			/* fall through */
		case AT_COLON:
			if (*at != ':')
				return reader_unexpected(reader, "':'", at);
			state = AT_VALUE;
			at = skip_space(at + 1, end);
			if (at == end)
				break;
			/* fall through */
		case AT_VALUE:
			at = read_value(reader, &state, at, end);
			if (!at || at == end || *at != ',' || state != AFTER_VALUE)
				break;
			/* fall through */
		case AFTER_VALUE:
			at = read_after_value(reader, &state, at);
			break;
		case AT_FIRST_ELEMENT:
			if (*at == ']') {
				at = close_container(reader, at);
				state = AFTER_VALUE;
				break;
			}
			/* fall through */
		case AT_ELEMENT:
			at = read_element(reader, &state, at, end);
			break;
		}
	}
	reader->state = state;
	return at;
}

struct json_reader *json_reader_new(const struct json_shape *shape, struct json_limits limits, json_value_fn *fn,
				    void *context)
{
	struct json_reader *reader = NEW(struct json_reader);
	*reader = (struct json_reader){
		.fn = fn,
		.context = context,
		.limits = limits,
		.frames_capacity = 8,
		.node = shape_root(shape),
	};
	reader->frames = memory_resize(NULL, reader->frames_capacity, sizeof *reader->frames);
	reader->frames[0] = (struct frame){NULL, '\0'};
	return reader;
}

static bool take(struct json_reader *reader, const char *bytes, size_t len)
{
	const uint64_t max = reader->limits.document_bytes_max;
	const uint64_t left = max - reader->fed;
	const char *at = bytes, *end = bytes + (len < left ? len : left);
	reader->chunk = bytes;
	if (at < end)
		at = lex_resume(reader, at, end);
	if (!at || !walk(reader, at, end))
		return false;
	return len <= left || reader_too_long(reader, "document", max, max);
}

bool json_reader_feed(struct json_reader *reader, const char *bytes, size_t len, struct error *err)
{
	if (!reader->failed && len) {
		reader->failed = !take(reader, bytes, len);
		reader->fed += len;
	}
	if (reader->failed)
		*err = reader->error;
	return !reader->failed;
}

static const char *unfinished(const struct json_reader *reader)
{
	static const char *const tokens[] = {[CUT_NAME] = "a name",
					     [CUT_STRING] = "a string",
					     [CUT_NUMBER] = "a number",
					     [CUT_LITERAL] = "a literal"};
	if (reader->cut != CUT_NOTHING)
		return tokens[reader->cut];
	return reader->frames[reader->depth].closer == '}' ? "an object" : "an array";
}

static bool complete(struct json_reader *reader)
{
	bool cut;
	if (!lex_finish(reader, &cut))
		return false;
	if (!cut && reader->depth == 0)
		return reader->state == AFTER_VALUE || reader_fail(reader, "no value before the end", reader->fed);
	return error_set(&reader->error, "ends in the middle of %s at byte %" PRIu64, unfinished(reader), reader->fed);
}

bool json_reader_finish(struct json_reader *reader, struct error *err)
{
	if (!reader->failed)
		reader->failed = !complete(reader);
	if (reader->failed)
		*err = reader->error;
	return !reader->failed;
}

uint64_t json_reader_bytes(const struct json_reader *reader)
{
	return reader->fed;
}

void json_reader_free(struct json_reader *reader)
{
	if (!reader)
		return;
	free(reader->frames);
	buf_done(&reader->carry);
	buf_done(&reader->unescaped);
	free(reader);
}
