/* Reads from the parameters of a request which jobs it wants to see. Any thread. */
#pragma once

#include "status/jobs_query.h"

/* A parameter of the request, or NULL. */
typedef const char *jobs_parameter_fn(void *context, const char *name);

/* Borrows what `parameter` returns. Empty parameters are as if they were not there. False: one has a value that is none; *why
 * says which and what there is, as one line. */
bool jobs_query_read(struct jobs_query *query, jobs_parameter_fn *parameter, void *context, struct buf *why);
