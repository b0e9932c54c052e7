#include "events/owners.h"

#include "base/memory.h"

#include <stdlib.h>

uint32_t owners_hold(struct owners *owners, const struct job_owner *owner)
{
	uint32_t number = job_owner_hold(&owners->keys, owner);
	size_t had = owners->capacity;
	if (owners->keys.capacity == had)
		return number;
	owners->capacity = owners->keys.capacity;
	owners->tallies = memory_resize(owners->tallies, owners->capacity, sizeof *owners->tallies);
	memset(owners->tallies + had, 0, (owners->capacity - had) * sizeof *owners->tallies);
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
	return job_owner_get(&owners->keys, number);
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

void owners_forget_tallies(struct owners *owners)
{
	for (size_t i = 0; i < owners->capacity; i++) {
		free(owners->tallies[i].items);
		owners->tallies[i] = (struct owner_tallies){NULL, 0};
	}
}

void owners_done(struct owners *owners)
{
	owners_forget_tallies(owners);
	free(owners->tallies);
	text_pool_done(&owners->keys);
	*owners = (struct owners){.capacity = 0};
}
