/* This process as the kernel sees it. */
#pragma once

#include "metrics/exporter.h"

/* What cannot be read becomes unset. The start time is kept once it is known, so that a stepping clock
 * does not look like a restart. */
void process_read(struct exporter_process *process);
