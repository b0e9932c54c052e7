/* The tokens of a chunk: names, strings, numbers and literals, whole or cut. Private to lib/json.
 *
 * All functions return the first byte after the token, or NULL if the token is wrong. If the chunk's end cuts the
 * token, they keep its beginning and return that end. */
#pragma once

#include "json/scan.h"
#include "json/state.h"

const char *lex_number(struct json_reader *reader, const char *at, const char *end);
const char *lex_literal(struct json_reader *reader, const char *at, const char *end);

/* Goes on with the token that the last chunk's end cut, if there is one. */
const char *lex_resume(struct json_reader *reader, const char *at, const char *end);

/* No more bytes will come: false if a cut token is wrong; *ret_cut if it is not complete. */
bool lex_finish(struct json_reader *reader, bool *ret_cut);

/* Reads a string that has more than plain bytes before its quote; the scan stopped at `stop`. */
const char *lex_hard_string(struct json_reader *reader, enum cut kind, const char *at, const char *stop,
			    const char *end, bool high);

bool lex_report_string(struct json_reader *reader, struct text raw, struct string_scan scan);

/* Looks up what is wanted of the member with this name, whose container is wanted. */
void lex_look_up(struct json_reader *reader, struct text raw, struct string_scan scan);

static inline bool lex_take_string(struct json_reader *reader, enum cut kind, struct text raw, struct string_scan scan)
{
	if (kind == CUT_STRING)
		return !is_wanted(reader->node) || lex_report_string(reader, raw, scan);
	if (reader->frames[reader->depth].node)
		lex_look_up(reader, raw, scan);
	else
		reader->node = NULL;
	return true;
}

/* `kind` is CUT_NAME or CUT_STRING, a constant; `at` the first byte after the opening quote. Most bytes of a document
 * pass through here, so it is inlined. */
static inline __attribute__((always_inline)) const char *lex_string(struct json_reader *reader, enum cut kind,
								    const char *at, const char *end)
{
	struct string_scan scan = {0};
	const char *stop = scan_plain(at, end, &scan.high);
	struct text raw = {at, (size_t)(stop - at)};
	if (stop == end || *stop != '"' || raw.len > reader->limits.token_bytes_max)
		return lex_hard_string(reader, kind, at, stop, end, scan.high);
	return lex_take_string(reader, kind, raw, scan) ? stop + 1 : NULL;
}
