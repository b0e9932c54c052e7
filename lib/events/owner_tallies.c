#include "events/owner_tallies.h"

#include "base/memory.h"

/* Several partitions, QOS or values of a job may share the row `other`: it counts there once. */
static void add_once(struct owner_list *list, struct tally *tally)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == tally)
			return;
	list->items = memory_resize(list->items, list->count + 1, sizeof *list->items);
	list->items[list->count++] = tally;
}

static void add_each(struct owner_list *list, struct tallies *tallies, int kind, struct text names)
{
	struct text name;
	while (text_next(&names, ',', &name))
		add_once(list, tallies_of(tallies, kind, name, TEXT("")));
}

struct group_adding {
	struct owner_list *list;
	struct tallies *tallies;
	int kind;
};

static void add_group_row(void *context, struct text key)
{
	const struct group_adding *adding = context;
	add_once(adding->list, tallies_of_group(adding->tallies, adding->kind, key));
}

static void add_groups(struct owner_list *list, struct tallies *tallies, const struct job_owner *owner)
{
	const struct job_groups *groups = tallies->caps->groups;
	const struct group_names names = owner_group_names(owner);
	for (size_t i = 0; groups && i < groups->count; i++) {
		struct group_adding adding = {list, tallies, ENTITY_KINDS + (int)i};
		job_group_rows(&groups->items[i], tallies->caps, &names, add_group_row, &adding);
	}
}

const struct owner_list *owners_tallies(const struct owners *owners, uint32_t number, struct tallies *tallies)
{
	struct owner_list *list = owners_list(owners, number);
	if (list->items)
		return list;
	struct job_owner owner = owners_get(owners, number);
	add_once(list, tallies_of(tallies, ENTITY_CLUSTER, TEXT(""), TEXT("")));
	add_once(list, tallies_of(tallies, ENTITY_ACCOUNT, owner.account, TEXT("")));
	add_once(list, tallies_of(tallies, ENTITY_USER, owner.user, owner.account));
	add_each(list, tallies, ENTITY_PARTITION, owner.partitions);
	add_each(list, tallies, ENTITY_QOS, owner.qos);
	add_groups(list, tallies, &owner);
	return list;
}
