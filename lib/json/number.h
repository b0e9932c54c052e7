/* Numbers of JSON. Private to lib/json. */
#pragma once

#include "json/reader.h"

/* The characters of a number; a run of them is one token, right or wrong. */
static inline bool number_has(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* The first byte after the number at `at`. If *ret_bad is set, the number is wrong there: that byte does not belong, or
 * one is missing. A number that reaches `end` may go on in the next chunk; then the result is not final. */
const char *number_end(const char *at, const char *end, bool *ret_bad);

/* The value of a well-formed number. Uses the C locale's strtod: the daemon never calls setlocale(). */
struct json_value number_value(struct text text);
