/* Use from slurmdbd's runs of jobs, through slurmrestd: the check of from_prometheus.h. It asks window by window, as long as
 * slurmrestd can answer easily, and rests after each answer for as long as it took. */
#pragma once

#include "slurmrest/client.h"
#include "usage/usage.h"

/* Fills `use`, whose span is set, with rows of these kinds (bits: 1 << USAGE_BY_...) and of the cluster. What ended jobs used
 * stays unknown: their steps are not asked for.
 *
 * slurmdbd does not say when a job was suspended. If such a job reaches over an edge of the span, a part counts in
 * proportion, and a note says so. */
bool usage_from_slurmdbd(struct usage *use, struct client *client, unsigned kinds, struct error *err);
