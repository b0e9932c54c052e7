/* The tallies that count for the owner of a run. Of one thread. */
#pragma once

#include "events/tallies.h"
#include "jobs/owners.h"

/* The tallies (struct tally) of the cluster, the account, the user, each partition, each QOS and each row of a group. They
 * are looked up if they were not since owners_forget_lists. */
const struct owner_list *owners_tallies(const struct owners *owners, uint32_t number, struct tallies *tallies);
