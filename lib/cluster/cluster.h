/* All that is known of one cluster: a section per endpoint, each swapped in whole when its answer was
 * complete. A section that became too old is dropped; what is NULL or not known is not on the page. */
#pragma once

#include "cluster/jobs.h"
#include "cluster/nodes.h"
#include "cluster/partitions.h"
#include "cluster/scheduler.h"

enum { CONTROLLERS_MAX = 8 };

/* A controller's state by ping. A 0 is only said when it is sure (ping with a bad token says "down"). */
struct controller_state {
	char host[256];
	bool is_primary, is_up;
	uint64_t latency_us;
};

struct cluster {
	struct vocabulary vocabulary;
	char name[64];          /* empty while unknown */
	char slurm_version[32]; /* likewise */
	char api_version[16];
	struct controller_state controllers[CONTROLLERS_MAX];
	unsigned controller_count;
	bool controllers_are_sure; /* what ping said of them is not due to a bad token */
	struct scheduler_section scheduler;
	struct partitions_section *partitions;
	struct nodes_section *nodes;
	struct jobs_section *jobs;
};

void cluster_init(struct cluster *cluster);
void cluster_done(struct cluster *cluster);

/* The partitions by name; NULL while unknown. */
const struct map *cluster_partitions(const struct cluster *cluster);
