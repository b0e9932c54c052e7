/* From an endpoint's records to a section of the cluster: built aside while the answer comes, swapped
 * in whole if it was complete, thrown away if it was not. A row per endpoint in section.c. */
#pragma once

#include "cluster/cluster.h"
#include "slurmrest/endpoint.h"

struct section_build {
	struct cluster *cluster;
	void *built;
	int64_t now; /* Unix seconds */
};

/* What is built, for section_build; section_commit or section_discard takes it back. */
void *section_start(enum endpoint which, const struct cluster *cluster, int64_t now);
/* Takes a record; its context is a struct section_build. */
record_fn *section_take(enum endpoint which);
void section_commit(enum endpoint which, struct cluster *cluster, void *built);
void section_discard(enum endpoint which, void *built);
/* What is known became too old to be shown. */
void section_drop(enum endpoint which, struct cluster *cluster);
