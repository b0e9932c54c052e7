/* The samples that somebody may see who may not see all (model/scope.h). */
#pragma once

#include "metrics/samples.h"
#include "model/scope.h"

/* Copies the samples whose account, user or partition the scope has, and those of its jobs. Exemplars and exponential
 * buckets come with them. A family says which labels count (struct family_group). One that says nothing is left out. So
 * are sums of several owners, such as the cluster's and the row `other`. The work is linear in `all`. */
void scoped_samples(const struct samples *all, const struct scope *scope, struct samples *ret_samples);
