/* From an endpoint's records to a section of the cluster: built aside while the answer comes, swapped
 * in whole if it was complete, thrown away if it was not. One row per endpoint. */
#pragma once

#include "cluster/cluster.h"
#include "slurmrest/endpoint.h"

struct section {
	void *(*start)(const struct cluster *cluster, int64_t now);
	record_fn *take; /* its context is a struct section_build */
	void (*commit)(struct cluster *cluster, void *built);
	void (*discard)(void *built);
	void (*drop)(struct cluster *cluster); /* what is known became too old to be shown */
};

struct section_build {
	struct cluster *cluster;
	void *built;
	int64_t now; /* Unix seconds */
};

extern const struct section section_table[ENDPOINTS_POLLED];
