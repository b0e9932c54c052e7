/* Folding: chooses which entities have rows of their own, and adds up the others in the row `other`. So sums over all
 * rows stay right. The row has the sum of sums, the oldest pending job of all, and the maximum of maxima. Of the poller's
 * thread. */
#pragma once

#include "cluster/cluster.h"

/* To be called before a page is made of the cluster; settles it. */
void cluster_fold(struct cluster *cluster);
