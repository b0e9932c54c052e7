/* What people are told of the cluster. */
#pragma once

#include "cluster/cluster.h"
#include "status/status.h"

void status_gather_cluster(struct status *status, const struct cluster *cluster);
