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

int text_compare(struct text a, struct text b)
{
	size_t shared = a.len < b.len ? a.len : b.len;
	int order = shared ? memcmp(a.bytes, b.bytes, shared) : 0;
	return order ? order : (a.len > b.len) - (a.len < b.len);
}
