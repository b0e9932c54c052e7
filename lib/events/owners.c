#include "events/owners.h"

#include "base/memory.h"

#include <stdlib.h>

uint32_t owners_hold(struct owners *owners, const struct job_owner *owner)
{
	const struct text parts[] = {owner->account, owner->user, owner->partitions, owner->qos};
	struct buf key = BUF_INIT;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		buf_add_text(&key, parts[i]);
		buf_add_char(&key, '\0');
	}
	uint32_t number = text_pool_hold(&owners->keys, buf_text(&key));
	buf_done(&key);
	size_t had = owners->capacity;
	if (number > had) {
		owners->capacity = number * (size_t)2;
		owners->tallies = memory_resize(owners->tallies, owners->capacity,
						sizeof *owners->tallies);
		memset(owners->tallies + had, 0, (owners->capacity - had) * sizeof *owners->tallies);
	}
	return number;
}

void owners_release(struct owners *owners, uint32_t number)
{
	if (!number || !text_pool_release(&owners->keys, number))
		return;
	free(owners->tallies[number - 1].items);
	owners->tallies[number - 1] = (struct owner_tallies){NULL, 0};
}

struct job_owner owners_get(const struct owners *owners, uint32_t number)
{
	struct text rest = text_pool_get(&owners->keys, number);
	struct job_owner owner;
	owner.account = text_cut(&rest, '\0');
	owner.user = text_cut(&rest, '\0');
	owner.partitions = text_cut(&rest, '\0');
	owner.qos = text_cut(&rest, '\0');
	return owner;
}

static void add_each(struct owner_tallies *list, struct tallies *tallies, int kind, struct text names)
{
	struct text name;
	while (text_next(&names, ',', &name)) {
		list->items = memory_resize(list->items, list->count + 1, sizeof *list->items);
		list->items[list->count++] = tallies_of(tallies, kind, name, TEXT(""));
	}
}

const struct owner_tallies *owners_tallies(struct owners *owners, uint32_t number,
					   struct tallies *tallies)
{
	struct owner_tallies *list = &owners->tallies[number - 1];
	if (list->items)
		return list;
	struct job_owner owner = owners_get(owners, number);
	list->items = memory_resize(NULL, 3, sizeof *list->items);
	list->items[list->count++] = tallies_of(tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	list->items[list->count++] = tallies_of(tallies, ENTITY_ACCOUNT, owner.account, TEXT(""));
	list->items[list->count++] =
		tallies_of(tallies, ENTITY_USER, owner.user, owner.account);
	add_each(list, tallies, ENTITY_PARTITION, owner.partitions);
	add_each(list, tallies, ENTITY_QOS, owner.qos);
	return list;
}

void owners_done(struct owners *owners)
{
	for (size_t i = 0; i < owners->capacity; i++)
		free(owners->tallies[i].items);
	free(owners->tallies);
	text_pool_done(&owners->keys);
	*owners = (struct owners){.capacity = 0};
}
