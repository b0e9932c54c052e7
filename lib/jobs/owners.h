/* Who jobs are of: account, user, partitions, QOS and values for groups, and the rows that count for them. These five texts
 * together are kept once, and known by a number; 0 is nobody. Of one thread. */
#pragma once

#include "base/text_pool.h"
#include "entities/job_groups.h"

struct job_owner {
	struct text account;
	struct text user; /* or its number, where Slurm has no name */
	struct text partitions, qos; /* one; of a pending job one or several, separated by commas */
	struct text values; /* for the groups that the site defines (entities/job_groups.h) */
};

/* What counts for an owner. The caller that fills the list decides what its items are. */
struct owner_list {
	void **items; /* owned; NULL: not looked up yet */
	size_t count;
};

static inline struct group_names owner_group_names(const struct job_owner *owner)
{
	return (struct group_names){owner->account, owner->user, owner->partitions, owner->qos, owner->values};
}

struct owners {
	struct text_pool keys; /* an owner's number is its key's */
	struct owner_list *lists; /* by number - 1 */
	size_t capacity;
};

/* The number of such an owner, whose names become labels (entities/label.h), each partition and QOS once. Each call needs an
 * owners_release. */
uint32_t owners_hold(struct owners *owners, const struct job_owner *owner);
void owners_release(struct owners *owners, uint32_t number);

/* The texts are borrowed until the number is released for the last time. */
struct job_owner owners_get(const struct owners *owners, uint32_t number);

/* The owner's list. The caller fills it if it has no items. */
static inline struct owner_list *owners_list(const struct owners *owners, uint32_t number)
{
	return &owners->lists[number - 1];
}
void owners_forget_lists(struct owners *owners); /* what is on them is not valid any more */

size_t owners_bytes(const struct owners *owners); /* about */
void owners_done(struct owners *owners); /* empty again, as when zeroed */
