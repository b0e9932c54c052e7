#include "model/limit.h"

const char *const limit_scope_names[LIMIT_SCOPES] = {
	[LIMIT_GROUP] = "group",     [LIMIT_PER_USER] = "per_user", [LIMIT_PER_ACCOUNT] = "per_account",
	[LIMIT_PER_JOB] = "per_job", [LIMIT_PER_NODE] = "per_node", [LIMIT_PER_JOB_MINIMUM] = "per_job_minimum",
};

const struct limit_number_row limit_number_rows[LIMIT_NUMBERS] = {
	[LIMIT_GROUP_JOBS] = {LIMIT_GROUP, "jobs"},
	[LIMIT_GROUP_SUBMITTED] = {LIMIT_GROUP, "submitted_jobs"},
	[LIMIT_GROUP_ACCRUING] = {LIMIT_GROUP, "accruing_jobs"},
	[LIMIT_GROUP_WALL] = {LIMIT_GROUP, "wall_seconds"},
	[LIMIT_USER_JOBS] = {LIMIT_PER_USER, "jobs"},
	[LIMIT_USER_SUBMITTED] = {LIMIT_PER_USER, "submitted_jobs"},
	[LIMIT_USER_ACCRUING] = {LIMIT_PER_USER, "accruing_jobs"},
	[LIMIT_ACCOUNT_JOBS] = {LIMIT_PER_ACCOUNT, "jobs"},
	[LIMIT_ACCOUNT_SUBMITTED] = {LIMIT_PER_ACCOUNT, "submitted_jobs"},
	[LIMIT_ACCOUNT_ACCRUING] = {LIMIT_PER_ACCOUNT, "accruing_jobs"},
	[LIMIT_JOB_WALL] = {LIMIT_PER_JOB, "wall_seconds"},
	[LIMIT_JOB_PRIORITY] = {LIMIT_PER_JOB_MINIMUM, "priority"},
};

const struct limit_tres_row limit_tres_rows[LIMIT_LISTS] = {
	[LIMIT_GROUP_TRES] = {LIMIT_GROUP, ""},
	[LIMIT_GROUP_MINUTES] = {LIMIT_GROUP, "_minutes"},
	[LIMIT_GROUP_RUNNING_MINUTES] = {LIMIT_GROUP, LIMIT_RUNNING_MINUTES},
	[LIMIT_USER_TRES] = {LIMIT_PER_USER, ""},
	[LIMIT_USER_RUNNING_MINUTES] = {LIMIT_PER_USER, LIMIT_RUNNING_MINUTES},
	[LIMIT_ACCOUNT_TRES] = {LIMIT_PER_ACCOUNT, ""},
	[LIMIT_ACCOUNT_RUNNING_MINUTES] = {LIMIT_PER_ACCOUNT, LIMIT_RUNNING_MINUTES},
	[LIMIT_JOB_TRES] = {LIMIT_PER_JOB, ""},
	[LIMIT_JOB_MINUTES] = {LIMIT_PER_JOB, "_minutes"},
	[LIMIT_JOB_MINIMUM] = {LIMIT_PER_JOB_MINIMUM, ""},
	[LIMIT_NODE_TRES] = {LIMIT_PER_NODE, ""},
};
