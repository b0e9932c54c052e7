/* Lists of nodes: the limit on names holds, and no name is longer than it may be. The first one is the first, and the list
 * has each of its names. */
#include "model/hostlist.h"

#include "fuzz.h"

enum { NAMES_MAX_HERE = 5000, NAMES_ASKED = 50 };

struct seen {
	struct text list;
	uint64_t count;
	char first[HOSTLIST_NODE_MAX + 1];
};

static void see(void *context, struct text node)
{
	struct seen *seen = context;
	bool may_be_cut = node.len == HOSTLIST_NODE_MAX;
	REQUIRE(node.len <= HOSTLIST_NODE_MAX);
	REQUIRE(may_be_cut || seen->count >= NAMES_ASKED || hostlist_has(seen->list, node));
	if (!seen->count++)
		text_to_string(node, seen->first, sizeof seen->first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text list = {(const char *)data, size};
	struct seen seen = {.list = list};
	uint64_t left = NAMES_MAX_HERE;
	char room[HOSTLIST_NODE_MAX + 1];
	bool is_whole = hostlist_each(list, &left, see, &seen);
	REQUIRE(seen.count + left == NAMES_MAX_HERE);
	REQUIRE(is_whole || left == 0);
	struct text first = hostlist_first(list, room);
	REQUIRE(first.len <= HOSTLIST_NODE_MAX);
	REQUIRE(!first.len == !seen.count);
	char first_name[HOSTLIST_NODE_MAX + 1];
	text_to_string(first, first_name, sizeof first_name);
	REQUIRE(strcmp(first_name, seen.first) == 0);
	return 0;
}
