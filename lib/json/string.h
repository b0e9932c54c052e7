/* Strings of JSON: where they end, whether they are well-formed, and their text. Private to lib/json. */
#pragma once

#include "base/buf.h"

enum string_end {
	STRING_WHOLE, /* at the closing quote */
	STRING_CUT, /* at the end of the bytes; go on with the next ones */
	STRING_CONTROL, /* at a raw control character */
	STRING_BAD_ESCAPE /* at the byte that makes an escape wrong */
};

/* What is known of a string so far; zero at its beginning. */
struct string_scan {
	unsigned char pending; /* in an escape: ESCAPE_LETTER or the number of hex digits to come */
	bool escaped; /* has an escape */
	bool high; /* has a byte >= 0x80 */
};

/* Scans a string's bytes after its opening quote, and says where and why it stopped. */
enum string_end string_scan(struct string_scan *scan, const char *at, const char *end, const char **ret_stop);

/* string_text for a string that has escapes or bytes >= 0x80. */
struct text string_repaired(struct text raw, struct string_scan scan, struct buf *into);

/* The text of a complete string that string_scan accepted, always valid UTF-8. Escapes are replaced. Lone surrogates
 * and each maximal part of an invalid sequence become U+FFFD. Borrows `raw` if nothing had to change, else `into`,
 * which it empties first. */
static inline struct text string_text(struct text raw, struct string_scan scan, struct buf *into)
{
	return scan.escaped || scan.high ? string_repaired(raw, scan, into) : raw;
}
