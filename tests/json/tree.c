#include "tree.h"

/* ---- UTF-8, the slow and simple way, to hold the reader's own against ---- */

/* Whether these bytes are one character. */
static bool is_character(const unsigned char *bytes, size_t len)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code = bytes[0];
	if (len == 1)
		return code < 0x80;
	uint32_t marker = (0xf00u >> len) & 0xff; /* c0, e0, f0 */
	uint32_t mask = (marker >> 1) | 0x80;
	if ((code & mask) != marker)
		return false;
	code &= ~mask & 0x7f;
	for (size_t i = 1; i < len; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return false;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	return code >= smallest[len] && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
}

/* Whether some bytes after these would make a character of `whole` bytes. */
static bool could_become(const unsigned char *bytes, size_t len, size_t whole)
{
	static const unsigned char second[] = {0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf};
	unsigned char tried[4] = {0, 0x80, 0x80, 0x80};
	memcpy(tried, bytes, len);
	for (size_t i = 0; i < sizeof second; i++) {
		if (len < 2)
			tried[1] = second[i];
		if (is_character(tried, whole))
			return true;
	}
	return false;
}

/* The length of the longest beginning of a character, at least 1. */
static size_t beginning(const unsigned char *bytes, size_t left)
{
	for (size_t len = left < 3 ? left : 3; len > 1; len--)
		for (size_t whole = len + 1; whole <= 4; whole++)
			if (could_become(bytes, len, whole))
				return len;
	return 1;
}

static void sanitise(const char *raw, size_t len, struct buf *out)
{
	const unsigned char *bytes = (const unsigned char *)raw;
	buf_clear(out);
	buf_add(out, "", 0);
	for (size_t i = 0; i < len;) {
		size_t whole = 1;
		while (whole <= 4 && (i + whole > len || !is_character(bytes + i, whole)))
			whole++;
		if (whole <= 4) {
			buf_add(out, bytes + i, whole);
			i += whole;
		} else {
			buf_add_string(out, "\xef\xbf\xbd");
			i += beginning(bytes + i, len - i);
		}
	}
}

/* ---- the tree that json-c read ---- */

static bool copy_array(struct json_object *raw, struct json_object *copy)
{
	bool ok = true;
	for (size_t i = 0; i < json_object_array_length(raw); i++) {
		struct json_object *element;
		ok = tree_copy(json_object_array_get_idx(raw, i), &element) && ok;
		json_object_array_add(copy, element);
	}
	return ok;
}

static bool copy_object(struct json_object *raw, struct json_object *copy)
{
	bool ok = true;
	struct buf name = BUF_INIT;
	json_object_object_foreach(raw, key, value)
	{
		struct json_object *member;
		sanitise(key, strlen(key), &name);
		if (!name.len || strpbrk(name.bytes, ".["))
			continue;
		ok = ok && !json_object_object_get_ex(copy, name.bytes, NULL);
		ok = tree_copy(value, &member) && ok;
		json_object_object_add(copy, name.bytes, member);
	}
	buf_done(&name);
	return ok;
}

static struct json_object *copy_string(struct json_object *raw)
{
	struct buf clean = BUF_INIT;
	sanitise(json_object_get_string(raw), (size_t)json_object_get_string_len(raw), &clean);
	struct json_object *copy = json_object_new_string_len(clean.bytes, (int)clean.len);
	buf_done(&clean);
	return copy;
}

bool tree_copy(struct json_object *raw, struct json_object **ret_tree)
{
	switch (json_object_get_type(raw)) {
	case json_type_object:
		*ret_tree = json_object_new_object();
		return copy_object(raw, *ret_tree);
	case json_type_array:
		*ret_tree = json_object_new_array();
		return copy_array(raw, *ret_tree);
	case json_type_string:
		*ret_tree = copy_string(raw);
		return true;
	default:
		*ret_tree = json_object_get(raw);
		return true;
	}
}

/* ---- equality ---- */

static bool differs(struct json_object *a, struct json_object *b, struct buf *why)
{
	buf_printf(why, "json-c has %.300s,", json_object_to_json_string(a));
	buf_printf(why, " ours %.300s", json_object_to_json_string(b));
	return false;
}

/* json-c caps integers beyond 64 bits; ours are doubles then. */
static bool same_number(struct json_object *a, struct json_object *b)
{
	bool a_is_int = json_object_is_type(a, json_type_int);
	double b_number = json_object_get_double(b);
	if (a_is_int && json_object_is_type(b, json_type_int))
		return json_object_get_int64(a) == json_object_get_int64(b) &&
		       json_object_get_uint64(a) == json_object_get_uint64(b);
	if (a_is_int && b_number > 0)
		return json_object_get_uint64(a) == UINT64_MAX && b_number >= 0x1p64;
	if (a_is_int)
		return json_object_get_int64(a) == INT64_MIN && b_number <= -0x1p63;
	double a_number = json_object_get_double(a);
	return json_object_is_type(b, json_type_double) && memcmp(&a_number, &b_number, sizeof a_number) == 0;
}

static bool same_array(struct json_object *a, struct json_object *b, struct buf *why)
{
	size_t len = json_object_array_length(a);
	if (json_object_array_length(b) != len)
		return differs(a, b, why);
	for (size_t i = 0; i < len; i++)
		if (!tree_equal(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i), why))
			return false;
	return true;
}

static bool same_object(struct json_object *a, struct json_object *b, struct buf *why)
{
	struct json_object_iterator i = json_object_iter_begin(a), a_end = json_object_iter_end(a);
	struct json_object_iterator j = json_object_iter_begin(b);
	if (json_object_object_length(a) != json_object_object_length(b))
		return differs(a, b, why);
	for (; !json_object_iter_equal(&i, &a_end); json_object_iter_next(&i), json_object_iter_next(&j)) {
		if (strcmp(json_object_iter_peek_name(&i), json_object_iter_peek_name(&j)) != 0)
			return differs(a, b, why);
		if (!tree_equal(json_object_iter_peek_value(&i), json_object_iter_peek_value(&j), why))
			return false;
	}
	return true;
}

static bool is_number(struct json_object *object)
{
	return json_object_is_type(object, json_type_int) || json_object_is_type(object, json_type_double);
}

bool tree_equal(struct json_object *a, struct json_object *b, struct buf *why)
{
	if (is_number(a) && is_number(b))
		return same_number(a, b) || differs(a, b, why);
	if (json_object_get_type(a) != json_object_get_type(b))
		return differs(a, b, why);
	if (json_object_is_type(a, json_type_array))
		return same_array(a, b, why);
	if (json_object_is_type(a, json_type_object))
		return same_object(a, b, why);
	return json_object_equal(a, b) || differs(a, b, why);
}
