/* Who a job is of. The four names together are kept once, as a text of a pool, and known by its number. */
#pragma once

#include "base/text_pool.h"

struct job_owner {
	struct text account;
	struct text user; /* or its number, where Slurm has no name */
	struct text partitions, qos; /* one, or several separated by commas while pending */
};

/* To be given back by text_pool_release as often as it was held. */
uint32_t job_owner_hold(struct text_pool *pool, const struct job_owner *owner);

/* The texts are borrowed until the number is released for the last time. */
struct job_owner job_owner_get(const struct text_pool *pool, uint32_t number);
