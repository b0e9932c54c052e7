/* What of a cluster's status somebody may see who may not see all (model/scope.h): single jobs, nothing else. */
#pragma once

#include "model/scope.h"
#include "status/status.h"

/* For the pages of jobs. The texts of jobs are borrowed from `all`. To be freed by status_free. */
struct status *scoped_status(const struct status *all, const struct scope *scope);
