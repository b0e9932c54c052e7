#include "jobs/job_groups.h"

#include "base/memory.h"

#include <stdlib.h>

uint32_t job_groups_hold(struct job_groups *groups, const struct job_owner *owner)
{
	uint32_t number = job_owner_hold(&groups->keys, owner);
	size_t known = groups->capacity;
	if (groups->keys.capacity == known)
		return number;
	groups->capacity = groups->keys.capacity;
	groups->items = memory_resize(groups->items, groups->capacity, sizeof *groups->items);
	memset(groups->items + known, 0, (groups->capacity - known) * sizeof *groups->items);
	return number;
}

static void forget(struct job_group *group)
{
	free(group->usages);
	*group = (struct job_group){0};
}

void job_groups_release(struct job_groups *groups, uint32_t number)
{
	if (text_pool_release(&groups->keys, number))
		forget(&groups->items[number - 1]);
}

struct job_owner job_groups_owner(const struct job_groups *groups, uint32_t number)
{
	return job_owner_get(&groups->keys, number);
}

const struct job_group *job_groups_get(struct job_groups *groups, uint32_t number,
				       struct job_totals *totals)
{
	struct job_group *group = &groups->items[number - 1];
	if (!group->usages) {
		const struct job_owner owner = job_groups_owner(groups, number);
		group->usages = job_totals_entities(totals, &owner, &group->usage_count);
	}
	return group;
}

void job_groups_forget(struct job_groups *groups)
{
	for (size_t i = 0; i < groups->keys.count; i++)
		forget(&groups->items[i]);
}

size_t job_groups_bytes(const struct job_groups *groups)
{
	size_t bytes = text_pool_bytes(&groups->keys) + groups->capacity * sizeof *groups->items;
	for (size_t i = 0; i < groups->keys.count; i++)
		bytes += groups->items[i].usage_count * sizeof *groups->items[i].usages;
	return bytes;
}

void job_groups_done(struct job_groups *groups)
{
	job_groups_forget(groups);
	free(groups->items);
	text_pool_done(&groups->keys);
	*groups = (struct job_groups){0};
}
