#include "model/hostlist.h"

#include <inttypes.h>
#include <stdio.h>

/* More dimensions than any site has; Slurm itself knows five (HIGHEST_DIMENSIONS). */
enum { BRACKETS_MAX = 8 };
/* Of a number, and its NUL. */
enum { DIGITS_MAX = 32 };

struct expansion {
	hostlist_fn *take;
	void *context;
	uint64_t left; /* names that it may still call back with */
	char name[HOSTLIST_NODE_MAX + 1];
};

static void expand(struct expansion *expansion, size_t len, struct text rest);

static size_t append(struct expansion *expansion, size_t len, struct text more)
{
	size_t room = HOSTLIST_NODE_MAX - len;
	if (more.len > room)
		more.len = room;
	if (more.len)
		memcpy(expansion->name + len, more.bytes, more.len);
	return len + more.len;
}

/* The name's first `len` bytes are all of it. */
static void take(struct expansion *expansion, size_t len)
{
	if (!len || !expansion->left)
		return;
	expansion->left--;
	expansion->take(expansion->context, (struct text){expansion->name, len});
}

/* "001-128": all numbers have as many digits as the first one. False: it is a word, or one number. */
static bool read_range(struct text range, uint64_t *ret_first, uint64_t *ret_last, int *ret_width)
{
	struct text upper = range;
	struct text lower = text_cut(&upper, '-');
	*ret_width = lower.len < DIGITS_MAX ? (int)lower.len : 0;
	return text_to_u64(lower, ret_first) && text_to_u64(upper, ret_last) && *ret_last >= *ret_first;
}

static void expand_range(struct expansion *expansion, size_t len, struct text range, struct text rest)
{
	uint64_t first, last;
	int width;
	if (!read_range(range, &first, &last, &width)) {
		expand(expansion, append(expansion, len, range), rest);
		return;
	}
	for (uint64_t n = first; expansion->left; n++) {
		char digits[DIGITS_MAX];
		int count = snprintf(digits, sizeof digits, "%0*" PRIu64, width, n);
		expand(expansion, append(expansion, len, (struct text){digits, (size_t)count}), rest);
		if (n == last)
			break;
	}
}

/* The name's first `len` bytes stand; `rest` may hold brackets. */
static void expand(struct expansion *expansion, size_t len, struct text rest)
{
	const char *bracket = rest.len ? memchr(rest.bytes, '[', rest.len) : NULL;
	const char *end = bracket ? memchr(bracket, ']', rest.len - (size_t)(bracket - rest.bytes)) : NULL;
	if (!end) {
		take(expansion, append(expansion, len, rest));
		return;
	}
	len = append(expansion, len, (struct text){rest.bytes, (size_t)(bracket - rest.bytes)});
	struct text ranges = {bracket + 1, (size_t)(end - bracket - 1)}, range;
	struct text behind = {end + 1, rest.len - (size_t)(end + 1 - rest.bytes)};
	if (!text_next(&ranges, ',', &range)) /* "[]": it counts as one name, so that the limit on names holds */
		take(expansion, len);
	else
		do
			expand_range(expansion, len, range, behind);
		while (expansion->left && text_next(&ranges, ',', &range));
}

/* Could Slurm have written it? It has few brackets, no range is missing, and no part is longer than a name. Each range
 * then gives a name, so that expand looks at no part of the list again and again for nothing. */
static bool is_list(struct text item)
{
	size_t opening = 0, closing = 0, part = 0;
	for (size_t i = 0; i < item.len; i++) {
		char c = item.bytes[i];
		if (c == ',' && !part)
			return false;
		opening += c == '[';
		closing += c == ']';
		part = c == '[' || c == ']' || c == ',' ? 0 : part + 1;
		if (opening > BRACKETS_MAX || closing > BRACKETS_MAX || part > HOSTLIST_NODE_MAX)
			return false;
	}
	return true;
}

static void expand_item(struct expansion *expansion, struct text item)
{
	if (is_list(item))
		expand(expansion, 0, item);
	else
		take(expansion, append(expansion, 0, item));
}

/* Cuts the first item off: commas in brackets do not end it. */
static struct text cut_item(struct text *list)
{
	size_t len = 0;
	for (bool in_brackets = false; len < list->len; len++) {
		if (list->bytes[len] == '[')
			in_brackets = true;
		else if (list->bytes[len] == ']')
			in_brackets = false;
		else if (list->bytes[len] == ',' && !in_brackets)
			break;
	}
	struct text item = {list->bytes, len};
	len += len < list->len;
	*list = (struct text){list->bytes + len, list->len - len};
	return item;
}

bool hostlist_each(struct text list, uint64_t *left, hostlist_fn *fn, void *context)
{
	struct expansion expansion = {.take = fn, .context = context, .left = *left};
	while (list.len && expansion.left)
		expand_item(&expansion, cut_item(&list));
	*left = expansion.left;
	return expansion.left > 0;
}

struct first {
	char *room;
	size_t len;
};

static void take_first(void *context, struct text node)
{
	struct first *first = context;
	memcpy(first->room, node.bytes, node.len);
	first->len = node.len;
}

struct text hostlist_first(struct text list, char room[HOSTLIST_NODE_MAX + 1])
{
	struct first first = {room, 0};
	struct expansion expansion = {.take = take_first, .context = &first, .left = 1};
	while (list.len && expansion.left)
		expand_item(&expansion, cut_item(&list));
	return (struct text){room, first.len};
}

/* Is the name without its first bytes, for each number of them, what may follow in the list? */
struct offsets {
	bool may[HOSTLIST_NODE_MAX + 1];
};

static struct text name_from(struct text name, size_t at)
{
	return (struct text){name.bytes + at, name.len - at};
}

static void match_word(const struct offsets *from, struct text name, struct text word, struct offsets *to)
{
	for (size_t at = 0; at + word.len <= name.len; at++)
		if (from->may[at] && text_equal((struct text){name.bytes + at, word.len}, word))
			to->may[at + word.len] = true;
}

/* Numbers that the name has from there on: each may be one of the range, if that would write it so. */
static void match_numbers(struct text name, size_t at, uint64_t first, uint64_t last, int width, struct offsets *to)
{
	char digits[DIGITS_MAX];
	uint64_t n;
	for (size_t len = 1; len < sizeof digits && at + len <= name.len; len++) {
		struct text number = {name.bytes + at, len};
		if (!text_to_u64(number, &n) || n > last)
			return;
		if (n >= first && (size_t)snprintf(digits, sizeof digits, "%0*" PRIu64, width, n) == len)
			to->may[at + len] = true;
	}
}

static void match_range(const struct offsets *from, struct text name, struct text range, struct offsets *to)
{
	uint64_t first, last;
	int width;
	if (!read_range(range, &first, &last, &width)) {
		match_word(from, name, range, to);
		return;
	}
	for (size_t at = 0; at < name.len; at++)
		if (from->may[at])
			match_numbers(name, at, first, last, width, to);
}

static bool item_has(struct text rest, struct text name)
{
	struct offsets may = {{true}};
	const char *bracket, *end;
	while ((bracket = rest.len ? memchr(rest.bytes, '[', rest.len) : NULL) &&
	       (end = memchr(bracket, ']', rest.len - (size_t)(bracket - rest.bytes)))) {
		struct offsets before = {{false}}, behind = {{false}};
		struct text ranges = {bracket + 1, (size_t)(end - bracket - 1)}, range;
		match_word(&may, name, (struct text){rest.bytes, (size_t)(bracket - rest.bytes)}, &before);
		if (!text_next(&ranges, ',', &range))
			return before.may[name.len];
		do
			match_range(&before, name, range, &behind);
		while (text_next(&ranges, ',', &range));
		may = behind;
		rest = (struct text){end + 1, rest.len - (size_t)(end + 1 - rest.bytes)};
	}
	return rest.len <= name.len && may.may[name.len - rest.len] &&
	       text_equal(name_from(name, name.len - rest.len), rest);
}

bool hostlist_has(struct text list, struct text node)
{
	bool has = false;
	while (list.len && !has && node.len && node.len <= HOSTLIST_NODE_MAX) {
		struct text item = cut_item(&list);
		has = is_list(item) ? item_has(item, node) : text_equal(item, node);
	}
	return has;
}
