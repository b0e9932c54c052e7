#include "json/number.h"

#include "base/memory.h"
#include "json/scan.h"

#include <stdlib.h>

enum { EXACT_POWER = 22 }; /* 10^22 is the last power of ten that a double holds exactly */

static const char *digits_end(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* One digit at least. */
static const char *digits(const char *at, const char *end, bool *ret_bad)
{
	if (at == end || !is_digit(*at))
		*ret_bad = true;
	return digits_end(at, end);
}

const char *number_end(const char *at, const char *end, bool *ret_bad)
{
	bool bad = false;
	if (at < end && *at == '-')
		at++;
	at = at < end && *at == '0' ? at + 1 : digits(at, end, &bad);
	if (!bad && at < end && *at == '.')
		at = digits(at + 1, end, &bad);
	if (!bad && at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '-' || *at == '+'))
			at++;
		at = digits(at, end, &bad);
	}
	*ret_bad = bad || (at < end && number_has(*at));
	return at;
}

/* Reads a number that is too long or too precise for the short way. */
static double read_slowly(struct text text)
{
	char small[64];
	char *copy = text.len < sizeof small ? small : memory_copy(text.bytes, text.len);
	if (copy == small) {
		memcpy(small, text.bytes, text.len);
		small[text.len] = '\0';
	}
	double number = strtod(copy, NULL);
	if (copy != small)
		free(copy);
	return number;
}

static bool add_digit(uint64_t *magnitude, char digit)
{
	return !__builtin_mul_overflow(*magnitude, 10, magnitude) &&
	       !__builtin_add_overflow(*magnitude, (uint64_t)(digit - '0'), magnitude);
}

/* "12.5" is 125 / 10, and that division is exact as long as both are exact as doubles. */
static bool read_short_fraction(const char *at, const char *end, uint64_t magnitude, double *ret_number)
{
	double divisor = 1;
	int places = 0;
	for (at++; at < end && is_digit(*at); at++, places++) {
		if (places == EXACT_POWER || !add_digit(&magnitude, *at))
			return false;
		divisor *= 10;
	}
	if (at < end || magnitude > UINT64_C(1) << 53)
		return false;
	*ret_number = (double)magnitude / divisor;
	return true;
}

struct json_value number_value(struct text text)
{
	struct json_value value = {.type = JSON_NUMBER};
	const char *at = text.bytes, *end = at + text.len;
	value.is_negative = *at == '-';
	at += value.is_negative;
	struct text absolute = {at, (size_t)(end - at)};
	uint64_t magnitude = 0;
	bool fits = true;
	while (at < end && is_digit(*at) && fits)
		fits = add_digit(&magnitude, *at++);
	if (fits && at == end) {
		value.is_integer = true;
		value.magnitude = magnitude;
		value.number = (double)magnitude;
	} else if (!fits || *at != '.' || !read_short_fraction(at, end, magnitude, &value.number)) {
		value.number = read_slowly(absolute);
	}
	if (value.is_negative)
		value.number = -value.number;
	return value;
}
