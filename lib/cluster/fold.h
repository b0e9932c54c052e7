/* Folding: chooses which entities have rows of their own, and adds up the others in the row `other`. So sums over all
 * rows stay right. The row `other` has the sum of their sums, their oldest pending job, and the maximum of their
 * maxima. Of the poller's thread. */
#pragma once

#include "cluster/cluster.h"

/* To be called before a page is made of the cluster; calls cluster_settle. */
void cluster_fold(struct cluster *cluster);
