/* Folding: chooses which entities have rows of their own, and adds up the others in one row, so that
 * totals stay right. Sums are sums, the oldest is the oldest, the largest the largest. */
#pragma once

#include "cluster/cluster.h"

/* To be called before a page is made of the cluster; settles it. */
void cluster_fold(struct cluster *cluster);
