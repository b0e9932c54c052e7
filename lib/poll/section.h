/* From an endpoint's records to a section of the cluster. A section is built aside while the answer comes, swapped in
 * if it was complete, and discarded if not. Of the poller's thread. A row per endpoint in section.c. */
#pragma once

#include "cluster/cluster.h"
#include "slurmrest/endpoint.h"

struct section_build {
	struct cluster *cluster;
	void *built;
	int64_t now; /* Unix seconds */
};

/* Begins a section, for section_build; section_commit or section_discard takes it. */
void *section_start(enum endpoint which, const struct cluster *cluster, int64_t now);
/* Takes a record; its context is a struct section_build. */
record_fn *section_take(enum endpoint which);
void section_commit(enum endpoint which, struct cluster *cluster, void *built);
void section_discard(enum endpoint which, void *built);
/* The section became too old for the page: frees it. */
void section_drop(enum endpoint which, struct cluster *cluster);
