#include "json/string.h"

#include "json/scan.h"

enum { ESCAPE_LETTER = 5, HEX_DIGITS = 4 };

static const struct text replacement = {"\xef\xbf\xbd", 3}; /* U+FFFD */

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Takes one byte of an escape; false if it does not belong there. */
static bool escape_step(struct string_scan *scan, char c)
{
	if (scan->pending < ESCAPE_LETTER) {
		scan->pending--;
		return is_hex(c);
	}
	if (c == 'u') {
		scan->pending = HEX_DIGITS;
		return true;
	}
	scan->pending = 0;
	return c != '\0' && strchr("\"\\/bfnrt", c);
}

enum string_end string_scan(struct string_scan *scan, const char *at, const char *end, const char **ret_stop)
{
	for (;;) {
		while (scan->pending && at < end) {
			if (!escape_step(scan, *at)) {
				*ret_stop = at;
				return STRING_BAD_ESCAPE;
			}
			at++;
		}
		at = scan_plain(at, end, &scan->high);
		if (at == end || *at != '\\')
			break;
		scan->escaped = true;
		scan->pending = ESCAPE_LETTER;
		at++;
	}
	*ret_stop = at;
	return at == end ? STRING_CUT : *at == '"' ? STRING_WHOLE : STRING_CONTROL;
}

/* The length of the UTF-8 sequence at `at`. If it is invalid, *ret_valid is false, and the length is that of its
 * maximal subpart (Unicode 3.9, WHATWG), which one U+FFFD replaces. */
static size_t utf8_sequence(const unsigned char *at, size_t left, bool *ret_valid)
{
	unsigned char lead = at[0], low = 0x80, high = 0xbf; /* bounds of the second byte */
	size_t len = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	*ret_valid = len == 1;
	if (len <= 1 || lead > 0xf4)
		return 1;
	if (lead == 0xe0)
		low = 0xa0; /* shorter forms exist */
	else if (lead == 0xed)
		high = 0x9f; /* surrogates */
	else if (lead == 0xf0)
		low = 0x90;
	else if (lead == 0xf4)
		high = 0x8f; /* beyond U+10FFFF */
	for (size_t i = 1; i < len; i++, low = 0x80, high = 0xbf)
		if (i >= left || at[i] < low || at[i] > high)
			return i;
	*ret_valid = true;
	return len;
}

static size_t utf8_valid_prefix(struct text text)
{
	size_t i = 0;
	while (i < text.len) {
		bool valid;
		size_t len = utf8_sequence((const unsigned char *)text.bytes + i, text.len - i, &valid);
		if (!valid)
			break;
		i += len;
	}
	return i;
}

static void add_repaired(struct buf *into, struct text raw)
{
	while (raw.len) {
		size_t good = utf8_valid_prefix(raw);
		buf_add(into, raw.bytes, good);
		raw.bytes += good;
		raw.len -= good;
		if (!raw.len)
			break;
		bool valid;
		size_t bad = utf8_sequence((const unsigned char *)raw.bytes, raw.len, &valid);
		buf_add_text(into, replacement);
		raw.bytes += bad;
		raw.len -= bad;
	}
}

static void add_code_point(struct buf *into, uint32_t code)
{
	char *to = buf_reserve(into, 4);
	size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = len - 1; i > 0; i--, code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(lead[len] | code);
	into->len += len;
}

static uint32_t hex_value(const char *digits)
{
	uint32_t value = 0;
	for (int i = 0; i < HEX_DIGITS; i++) {
		char c = digits[i];
		value = value << 4 | (uint32_t)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value;
}

/* Adds the character of "\uXXXX" at `raw`, which may be a pair of surrogates; returns how many bytes it read. */
static size_t add_unicode_escape(struct buf *into, struct text raw)
{
	enum { LEN = 2 + HEX_DIGITS };
	uint32_t code = hex_value(raw.bytes + 2);
	if (code < 0xd800 || code > 0xdfff) {
		add_code_point(into, code);
		return LEN;
	}
	if (code < 0xdc00 && raw.len >= 2 * LEN && raw.bytes[LEN] == '\\' && raw.bytes[LEN + 1] == 'u') {
		uint32_t low = hex_value(raw.bytes + LEN + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			add_code_point(into, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
			return 2 * LEN;
		}
	}
	buf_add_text(into, replacement);
	return LEN;
}

static size_t add_escape(struct buf *into, struct text raw)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	char letter = raw.bytes[1];
	if (letter == 'u')
		return add_unicode_escape(into, raw);
	const char *known = strchr(letters, letter);
	buf_add_char(into, known ? meanings[known - letters] : letter);
	return 2;
}

struct text string_repaired(struct text raw, struct string_scan scan, struct buf *into)
{
	if (!scan.escaped && utf8_valid_prefix(raw) == raw.len)
		return raw;
	buf_clear(into);
	while (raw.len) {
		const char *escape = memchr(raw.bytes, '\\', raw.len);
		size_t plain = escape ? (size_t)(escape - raw.bytes) : raw.len;
		add_repaired(into, (struct text){raw.bytes, plain});
		raw.bytes += plain;
		raw.len -= plain;
		if (!raw.len)
			break;
		size_t used = add_escape(into, raw);
		raw.bytes += used;
		raw.len -= used;
	}
	return buf_text(into);
}
