#include "model/hostlist.h"

#include <inttypes.h>
#include <stdio.h>

/* More dimensions than any site has; Slurm itself knows five (HIGHEST_DIMENSIONS). */
enum { BRACKETS_MAX = 8 };

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

/* "7" or "001-128": all numbers have as many digits as the first one. */
static void expand_range(struct expansion *expansion, size_t len, struct text range, struct text rest)
{
	struct text upper = range;
	struct text lower = text_cut(&upper, '-');
	uint64_t first, last;
	if (!text_to_u64(lower, &first) || !text_to_u64(upper, &last) || last < first) {
		expand(expansion, append(expansion, len, range), rest);
		return;
	}
	for (uint64_t n = first; expansion->left; n++) {
		char digits[32];
		int width = lower.len < sizeof digits ? (int)lower.len : 0;
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
