#include "base/text.h"

bool text_starts_with(struct text text, const char *prefix)
{
	size_t len = strlen(prefix);
	return text.len >= len && memcmp(text.bytes, prefix, len) == 0;
}

struct text text_cut(struct text *rest, char separator)
{
	const char *at = rest->len ? memchr(rest->bytes, separator, rest->len) : NULL;
	struct text piece = {rest->bytes, at ? (size_t)(at - rest->bytes) : rest->len};
	size_t used = piece.len + (at ? 1 : 0);
	if (used) {
		rest->bytes += used;
		rest->len -= used;
	}
	return piece;
}

bool text_next(struct text *rest, char separator, struct text *ret_item)
{
	while (rest->len) {
		*ret_item = text_cut(rest, separator);
		if (ret_item->len)
			return true;
	}
	return false;
}

bool text_lists(struct text list, struct text name)
{
	struct text item;
	while (text_next(&list, ',', &item))
		if (text_equal(item, name))
			return true;
	return false;
}

bool text_to_u64(struct text text, uint64_t *ret_number)
{
	uint64_t number = 0;
	if (!text.len)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned char)text.bytes[i] - '0';
		if (digit > 9 || number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return true;
}

struct text text_limit(struct text text, size_t max)
{
	if (text.len <= max)
		return text;
	while (max && ((unsigned char)text.bytes[max] & 0xc0) == 0x80)
		max--;
	return (struct text){text.bytes, max};
}

void text_to_string(struct text text, char *to, size_t size)
{
	struct text fitting = text_limit(text, size - 1);
	if (fitting.len)
		memcpy(to, fitting.bytes, fitting.len);
	to[fitting.len] = '\0';
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t text_character(struct text text)
{
	const unsigned char *byte = (const unsigned char *)text.bytes;
	if (!text.len)
		return 0;
	if (byte[0] < 0x80)
		return 1;
	size_t len = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
	if (byte[0] < 0xc2 || byte[0] > 0xf4 || text.len < len)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	if ((byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xed && byte[1] > 0x9f) ||
	    (byte[0] == 0xf0 && byte[1] < 0x90) || (byte[0] == 0xf4 && byte[1] > 0x8f))
		return 0;
	return len;
}

bool text_is_clean(struct text text)
{
	while (text.len) {
		size_t len = text_character(text);
		if (!len || !*text.bytes)
			return false;
		text = (struct text){text.bytes + len, text.len - len};
	}
	return true;
}

int text_compare(struct text a, struct text b)
{
	size_t shared = a.len < b.len ? a.len : b.len;
	int order = shared ? memcmp(a.bytes, b.bytes, shared) : 0;
	return order ? order : (a.len > b.len) - (a.len < b.len);
}
