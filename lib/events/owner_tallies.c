#include "events/owner_tallies.h"

#include "base/memory.h"

static void add_each(struct owner_list *list, struct tallies *tallies, int kind, struct text names)
{
	struct text name;
	while (text_next(&names, ',', &name)) {
		list->items = memory_resize(list->items, list->count + 1, sizeof *list->items);
		list->items[list->count++] = tallies_of(tallies, kind, name, TEXT(""));
	}
}

const struct owner_list *owners_tallies(const struct owners *owners, uint32_t number, struct tallies *tallies)
{
	struct owner_list *list = owners_list(owners, number);
	if (list->items)
		return list;
	struct job_owner owner = owners_get(owners, number);
	list->items = memory_resize(NULL, 3, sizeof *list->items);
	list->items[list->count++] = tallies_of(tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	list->items[list->count++] = tallies_of(tallies, ENTITY_ACCOUNT, owner.account, TEXT(""));
	list->items[list->count++] = tallies_of(tallies, ENTITY_USER, owner.user, owner.account);
	add_each(list, tallies, ENTITY_PARTITION, owner.partitions);
	add_each(list, tallies, ENTITY_QOS, owner.qos);
	return list;
}
