/* This process as the kernel sees it. */
#pragma once

#include "metrics/exporter.h"

/* No core dump, of whatever size limit or core_pattern, and no look into our memory by others of our user: it holds the
 * token. To be called before it is read. */
void process_guard(void);

/* What cannot be read becomes unset. The start time is kept once it is known, so that a stepping clock
 * does not look like a restart. */
void process_read(struct exporter_process *process);
