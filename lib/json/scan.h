/* Skips runs of bytes that need no decision, sixteen at a time where the machine can. These are whitespace (about half
 * of slurmrestd's pretty-printed JSON) and the plain part of strings. Private to lib/json.
 *
 * JSON_PORTABLE forces the other form, so that the tests can run both on one machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#if defined(__SSE2__) && !defined(JSON_PORTABLE)
#include <emmintrin.h>
#define SCAN_SSE2 1
enum { SCAN_STEP = 16 };
#endif

static inline bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#ifdef SCAN_SSE2
/* The first byte that is neither blank nor newline; less than SCAN_STEP from `end` where it stops
 * without having found one. */
static inline const char *scan_blanks(const char *at, const char *end)
{
	const __m128i blank = _mm_set1_epi8(' '), newline = _mm_set1_epi8('\n');
	while (end - at >= SCAN_STEP) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i is = _mm_or_si128(_mm_cmpeq_epi8(bytes, blank), _mm_cmpeq_epi8(bytes, newline));
		unsigned others = (unsigned)_mm_movemask_epi8(is) ^ 0xffffu;
		if (others)
			return at + __builtin_ctz(others);
		at += SCAN_STEP;
	}
	return at;
}
#else
static inline const char *scan_blanks(const char *at, const char *end)
{
	(void)end;
	return at;
}
#endif

/* The first byte that is not whitespace, or `end`. */
static inline const char *skip_space(const char *at, const char *end)
{
	/* mostly no space (before ':' and ',') or one (after ':'): not worth a vector */
	if (end - at >= 2) {
		if ((unsigned char)at[0] > ' ')
			return at;
		if (at[0] == ' ' && (unsigned char)at[1] > ' ')
			return at + 1;
	}
	at = scan_blanks(at, end);
	while (at < end && is_space(*at))
		at++;
	return at;
}

/* The first byte at which a string is not plain: a quote, a backslash, a control character; or
 * `end`. *ret_high is set when bytes >= 0x80 stand before it and not touched otherwise. */
static inline const char *scan_plain(const char *at, const char *end, bool *ret_high)
{
#ifdef SCAN_SSE2
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1f);
	while (end - at >= SCAN_STEP) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i is = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
					  _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
		unsigned found = (unsigned)_mm_movemask_epi8(is);
		unsigned high = (unsigned)_mm_movemask_epi8(bytes);
		if (found) {
			if (high & (found - 1) & ~found) /* below the lowest bit of `found` */
				*ret_high = true;
			return at + __builtin_ctz(found);
		}
		if (high)
			*ret_high = true;
		at += SCAN_STEP;
	}
#endif
	for (; at < end; at++) {
		unsigned char c = (unsigned char)*at;
		if (c == '"' || c == '\\' || c < 0x20)
			break;
		if (c >= 0x80)
			*ret_high = true;
	}
	return at;
}
