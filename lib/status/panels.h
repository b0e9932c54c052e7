/* The parts of a cluster's page. */
#pragma once

#include "status/pages.h"

void panel_cluster(const struct status_site *site, const struct status *status, struct buf *out);
void panel_exporter(const struct status_site *site, const struct status *status, struct buf *out);
void panel_asked(const struct status *status, double now, struct buf *out); /* what, how old, how often, why */
