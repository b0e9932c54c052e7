/* Jobs of the same account, user, partitions and QOS: what they add, they add to the same entities. A group
 * is known by a number of 32 bits; 0 is none. */
#pragma once

#include "base/text_pool.h"
#include "jobs/job_totals.h"

struct job_group {
	struct job_usage **usages; /* owned; NULL: not looked up yet */
	size_t usage_count;
};

struct job_groups {
	struct text_pool keys;   /* a group's number is its key's */
	struct job_group *items; /* by number - 1 */
	size_t capacity;
};

/* The group of such jobs; to be given back by job_groups_release. */
uint32_t job_groups_hold(struct job_groups *groups, const struct job_owner *owner);
void job_groups_release(struct job_groups *groups, uint32_t number);

/* The texts are borrowed until the group is released. */
struct job_owner job_groups_owner(const struct job_groups *groups, uint32_t number);

/* The entities of the group, looked up in the totals if that was not done since job_groups_forget. */
const struct job_group *job_groups_get(struct job_groups *groups, uint32_t number,
				       struct job_totals *totals);
void job_groups_forget(struct job_groups *groups); /* the totals are others now */

size_t job_groups_bytes(const struct job_groups *groups); /* about */
void job_groups_done(struct job_groups *groups); /* empty again, as when zeroed */
