/* Limits of QOS and associations, as sacctmgr sets them. A limit is a number of something (`resource`)
 * that a group, each user, each account, each job or each node may have (`scope`).
 *
 * Resources are jobs, submitted_jobs (pending ones included), accruing_jobs, wall_seconds, priority, and trackable
 * resources by Slurm's names. These are cpu, mem (bytes), node, gres/gpu, gres/gpu:a100, billing and so on. Of a TRES
 * over time, `X_seconds` is what has been or may be used up (GrpTRESMins, MaxTRESMinsPerJob). `X_running_seconds` is
 * what running jobs may still use until their time limits (GrpTRESRunMins). Both are TRES-seconds, mem in byte-seconds.
 *
 * Which REST member is which column of sacctmgr was found by setting each to a number of its own in
 * Slurm 22.05, 24.11 and 26.05. */
#pragma once

#include "model/list.h"
#include "model/number.h"

#include "base/text.h"

enum limit_scope {
	LIMIT_GROUP, /* all jobs of the QOS, or of the association and those below it */
	LIMIT_PER_USER, /* each user's jobs; an association's MaxJobs is its users' default */
	LIMIT_PER_ACCOUNT,
	LIMIT_PER_JOB,
	LIMIT_PER_NODE, /* each job on each of its nodes */
	LIMIT_PER_JOB_MINIMUM, /* a lower limit: what a job has to ask for */
	LIMIT_SCOPES,
};
extern const char *const limit_scope_names[LIMIT_SCOPES];

/* The limits that are one number; in brackets sacctmgr's columns. */
enum limit_number {
	LIMIT_GROUP_JOBS, /* GrpJobs */
	LIMIT_GROUP_SUBMITTED, /* GrpSubmitJobs */
	LIMIT_GROUP_ACCRUING, /* GrpJobsAccrue */
	LIMIT_GROUP_WALL, /* GrpWall, seconds */
	LIMIT_USER_JOBS, /* MaxJobsPU; an association's MaxJobs */
	LIMIT_USER_SUBMITTED, /* MaxSubmitPU; an association's MaxSubmit */
	LIMIT_USER_ACCRUING, /* MaxJobsAccruePU; an association's MaxJobsAccrue */
	LIMIT_ACCOUNT_JOBS, /* MaxJobsPA */
	LIMIT_ACCOUNT_SUBMITTED, /* MaxSubmitPA */
	LIMIT_ACCOUNT_ACCRUING, /* MaxJobsAccruePA */
	LIMIT_JOB_WALL, /* MaxWall, seconds */
	LIMIT_JOB_PRIORITY, /* MinPrioThreshold */
	LIMIT_NUMBERS,
};

/* The limits that are lists of struct tres_count. */
enum limit_tres {
	LIMIT_GROUP_TRES, /* GrpTRES */
	LIMIT_GROUP_MINUTES, /* GrpTRESMins */
	LIMIT_GROUP_RUNNING_MINUTES, /* GrpTRESRunMins */
	LIMIT_USER_TRES, /* MaxTRESPU */
	LIMIT_USER_RUNNING_MINUTES, /* MaxTRESRunMinsPU */
	LIMIT_ACCOUNT_TRES, /* MaxTRESPA */
	LIMIT_ACCOUNT_RUNNING_MINUTES, /* MaxTRESRunMinsPA */
	LIMIT_JOB_TRES, /* MaxTRES */
	LIMIT_JOB_MINUTES, /* MaxTRESMins */
	LIMIT_JOB_MINIMUM, /* MinTRES */
	LIMIT_NODE_TRES, /* MaxTRESPerNode */
	LIMIT_LISTS,
};

/* One TRES as slurmdbd gives it: {"type":"gres","name":"gpu:a100","count":4}; mem in MiB, over time in TRES-minutes. */
struct tres_count {
	struct text type, name;
	uint64_t count;
};

struct limit_set {
	uint64_t numbers[LIMIT_NUMBERS]; /* not known where there is no limit */
	struct list tres[LIMIT_LISTS]; /* of struct tres_count */
};

/* What the number or list limits; a list's `suffix` follows the TRES's name. */
struct limit_number_row {
	enum limit_scope scope;
	const char *resource;
};
struct limit_tres_row {
	enum limit_scope scope;
	const char *suffix;
};
extern const struct limit_number_row limit_number_rows[LIMIT_NUMBERS];
extern const struct limit_tres_row limit_tres_rows[LIMIT_LISTS];

#define LIMIT_SECONDS "_seconds"
#define LIMIT_RUNNING_SECONDS "_running_seconds"
