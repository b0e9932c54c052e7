/* Use from slurmscope's counters in a Prometheus. Each family is asked for day by day. If one target counted on without a
 * restart, the last values of the day are enough; else all its samples are read. So a month costs few requests, and no sample
 * is guessed. */
#pragma once

#include "usage/prometheus.h"
#include "usage/usage.h"

/* Fills `use`, whose span is set, with rows of these kinds (bits: 1 << USAGE_BY_...) and of the cluster. `match` are further label
 * matchers, such as `cluster="alpha"`; "": none. Where samples are missing, or counters began again, there are notes. */
bool usage_from_prometheus(struct usage *use, struct prometheus *prometheus, const char *match, unsigned kinds,
			   struct error *err);
