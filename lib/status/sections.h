/* The parts of a cluster's page. */
#pragma once

#include "status/pages.h"

void section_cluster(const struct status *status, double now, struct buf *out);
void section_exporter(const struct status_site *site, const struct status *status, struct buf *out);
void section_asked(const struct status *status, double now, struct buf *out); /* what, how old, how often, why */
