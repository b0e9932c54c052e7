#include "json/lex.h"

#include "json/number.h"

#include <math.h>

static const struct literal {
	struct text word;
	struct json_value value;
} literals[] = {
	{TEXT("true"), {.type = JSON_BOOL, .boolean = true}},
	{TEXT("false"), {.type = JSON_BOOL}},
	{TEXT("null"), {.type = JSON_NULL}},
	/* Not JSON. json-c writes and reads these: */
	{TEXT("NaN"), {.type = JSON_NUMBER, .number = NAN}},
	{TEXT("Infinity"), {.type = JSON_NUMBER, .number = INFINITY}},
	{TEXT("-Infinity"), {.type = JSON_NUMBER, .number = -INFINITY}},
	/* printf writes these, and so does slurmrestd 23.11 (FIELDS.md, "Numbers"): */
	{TEXT("nan"), {.type = JSON_NUMBER, .number = NAN}},
	{TEXT("-nan"), {.type = JSON_NUMBER, .number = NAN}},
	{TEXT("inf"), {.type = JSON_NUMBER, .number = INFINITY}},
	{TEXT("-inf"), {.type = JSON_NUMBER, .number = -INFINITY}},
};
static const struct literal *const minus_infinity = &literals[5];

/* The literal that begins with the first `seen` bytes of another one, and goes on with `byte`; NULL: there is none. */
static const struct literal *literal_like(const struct literal *other, size_t seen, char byte)
{
	for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
		if (literals[i].word.len > seen && literals[i].word.bytes[seen] == byte &&
		    memcmp(literals[i].word.bytes, other->word.bytes, seen) == 0)
			return &literals[i];
	return NULL;
}

static void cut_token(struct json_reader *reader, enum cut cut, const char *begin, const char *end)
{
	reader->cut = cut;
	reader->cut_at = reader_offset(reader, begin);
	buf_clear(&reader->carry);
	buf_add(&reader->carry, begin, (size_t)(end - begin));
}

/* Takes the end of a scan: it read `len` bytes of the string that begins at offset `begin`. */
static bool string_is_good(struct json_reader *reader, enum string_end why, uint64_t begin, size_t len)
{
	if (len > reader->limits.token_bytes_max)
		return reader_too_long(reader, "string", reader->limits.token_bytes_max, begin);
	if (why == STRING_CONTROL)
		return reader_fail(reader, "raw control character in a string", begin + len);
	if (why == STRING_BAD_ESCAPE)
		return reader_fail(reader, "bad escape in a string", begin + len);
	return true;
}

void lex_look_up(struct json_reader *reader, struct text raw, struct string_scan scan)
{
	const struct shape_node *container = reader->frames[reader->depth].node;
	struct text name = string_text(raw, scan, &reader->unescaped);
	reader->node = shape_member(container, name.bytes, name.len);
}

bool lex_report_string(struct json_reader *reader, struct text raw, struct string_scan scan)
{
	struct json_value value = {.type = JSON_STRING, .text = string_text(raw, scan, &reader->unescaped)};
	return reader_report(reader, reader->node, &value);
}

const char *lex_hard_string(struct json_reader *reader, enum cut kind, const char *at, const char *stop,
			    const char *end, bool high)
{
	struct string_scan scan = {.high = high};
	enum string_end why = string_scan(&scan, stop, end, &stop);
	struct text raw = {at, (size_t)(stop - at)};
	if (!string_is_good(reader, why, reader_offset(reader, at), raw.len))
		return NULL;
	if (why == STRING_CUT) {
		cut_token(reader, kind, at, end);
		reader->scan = scan;
		return end;
	}
	return lex_take_string(reader, kind, raw, scan) ? stop + 1 : NULL;
}

static const char *resume_string(struct json_reader *reader, enum cut kind, const char *at, const char *end)
{
	const char *stop;
	enum string_end why = string_scan(&reader->scan, at, end, &stop);
	buf_add(&reader->carry, at, (size_t)(stop - at));
	if (!string_is_good(reader, why, reader->cut_at, reader->carry.len))
		return NULL;
	if (why == STRING_CUT) {
		reader->cut = kind;
		return end;
	}
	return lex_take_string(reader, kind, buf_text(&reader->carry), reader->scan) ? stop + 1 : NULL;
}

/* Takes the end of a number that begins at offset `begin`: its `len` bytes are right. */
static bool number_is_good(struct json_reader *reader, bool bad, uint64_t begin, size_t len)
{
	if (len > reader->limits.token_bytes_max)
		return reader_too_long(reader, "number", reader->limits.token_bytes_max, begin);
	if (bad)
		return reader_fail(reader, "bad number", begin + len);
	return true;
}

static bool take_number(struct json_reader *reader, struct text text)
{
	if (!is_wanted(reader->node))
		return true;
	struct json_value value = number_value(text);
	return reader_report(reader, reader->node, &value);
}

/* Goes on with a literal whose first `seen` bytes were right. */
static const char *read_literal(struct json_reader *reader, const struct literal *literal, size_t seen, const char *at,
				const char *end)
{
	for (; seen < literal->word.len; seen++, at++) {
		if (at == end) {
			reader->cut = CUT_LITERAL;
			reader->literal = literal;
			reader->literal_seen = seen;
			return end;
		}
		literal = literal_like(literal, seen, *at);
		if (!literal)
			return reader_fail(reader, "bad literal", reader_offset(reader, at));
	}
	if (is_wanted(reader->node) && !reader_report(reader, reader->node, &literal->value))
		return NULL;
	return at;
}

const char *lex_literal(struct json_reader *reader, const char *at, const char *end)
{
	const struct literal *literal = literal_like(literals, 0, *at);
	return literal ? read_literal(reader, literal, 0, at, end) : reader_unexpected(reader, "a value", at);
}

const char *lex_number(struct json_reader *reader, const char *at, const char *end)
{
	bool bad;
	const char *stop = number_end(at, end, &bad);
	size_t len = (size_t)(stop - at);
	if (stop == end) {
		cut_token(reader, CUT_NUMBER, at, end);
		return end;
	}
	if (bad && len == 1 && *at == '-' && literal_like(minus_infinity, 1, *stop))
		return read_literal(reader, minus_infinity, 1, stop, end);
	if ((bad || len > reader->limits.token_bytes_max) &&
	    !number_is_good(reader, bad, reader_offset(reader, at), len))
		return NULL;
	return take_number(reader, (struct text){at, len}) ? stop : NULL;
}

/* The number in `carry` is complete. */
static bool end_number(struct json_reader *reader)
{
	bool bad;
	const char *begin = reader->carry.bytes;
	const char *stop = number_end(begin, begin + reader->carry.len, &bad);
	return number_is_good(reader, bad, reader->cut_at, (size_t)(stop - begin)) &&
	       take_number(reader, buf_text(&reader->carry));
}

static const char *resume_number(struct json_reader *reader, const char *at, const char *end)
{
	const char *stop = at;
	while (stop < end && number_has(*stop))
		stop++;
	buf_add(&reader->carry, at, (size_t)(stop - at));
	if (stop == end && reader->carry.len <= reader->limits.token_bytes_max) {
		reader->cut = CUT_NUMBER;
		return end;
	}
	if (stop < end && text_equal(buf_text(&reader->carry), TEXT("-")) && literal_like(minus_infinity, 1, *stop))
		return read_literal(reader, minus_infinity, 1, stop, end);
	return end_number(reader) ? stop : NULL;
}

const char *lex_resume(struct json_reader *reader, const char *at, const char *end)
{
	enum cut cut = reader->cut;
	reader->cut = CUT_NOTHING;
	switch (cut) {
	case CUT_NAME:
	case CUT_STRING:
		return resume_string(reader, cut, at, end);
	case CUT_NUMBER:
		return resume_number(reader, at, end);
	case CUT_LITERAL:
		return read_literal(reader, reader->literal, reader->literal_seen, at, end);
	case CUT_NOTHING:
		break;
	}
	return at;
}

/* A number at the end of the document is complete if it is the whole document, and well-formed. */
bool lex_finish(struct json_reader *reader, bool *ret_cut)
{
	*ret_cut = reader->cut != CUT_NOTHING;
	if (reader->cut != CUT_NUMBER)
		return true;
	bool bad;
	const char *begin = reader->carry.bytes, *end = begin + reader->carry.len;
	bool reaches_end = number_end(begin, end, &bad) == end;
	if (reaches_end && (bad || reader->depth > 0))
		return true;
	reader->cut = CUT_NOTHING;
	*ret_cut = false;
	return end_number(reader);
}
