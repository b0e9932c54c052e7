/* Collects the jobs that have rows of their own on the page of metrics (status/status_jobs.h). Of the poller's thread. */
#pragma once

#include "cluster/cluster.h"
#include "events/job_events.h"
#include "status/status.h"

/* `events`: NULL if the page shows none. */
void status_gather_jobs(struct status *status, const struct cluster *cluster, const struct job_events *events);
