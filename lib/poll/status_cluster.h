/* The part of the status that describes the cluster. Of the poller's thread. */
#pragma once

#include "cluster/cluster.h"
#include "status/status.h"

void status_gather_cluster(struct status *status, const struct cluster *cluster);
