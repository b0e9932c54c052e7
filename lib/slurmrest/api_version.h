/* The API versions that slurmscope understands, newest first, then those that may come. A new one needs a line here,
 * recorded answers in tests/fixtures, and rows in the field tables for keys that it renamed (tests/golden/fields.txt
 * shows them). */
#pragma once

#include <stdbool.h>

struct api_version {
	const char *name; /* as in the path: "v0.0.46" */
	const char *flags_query; /* what makes bulk lists leave out DETAIL; "" where unknown */
	const char *item_flags_query; /* of one job; "" where unknown */
	const char *item_detail_query; /* likewise, with what the job holds of each node */
	const char *runs_query; /* what makes slurmdb/jobs tell of all runs, uncut; "" where it always does */
	const char *time_prefix; /* of Unix seconds in its query */
	bool repeats_lists; /* in its query a list is a parameter for each value (PARAMS.md, "Lists of values") */
	bool task_ids_are_raw; /* jobs/state names a split task by its own record, not its array (SLURMRESTD.md, "jobs/state") */
	bool takes_update_time; /* as an integer (SLURMRESTD.md, "update_time") */
	bool is_newer; /* newer than all that slurmscope was tested with: it reads the answers as those of the newest tested one */
};

/* Why v0.0.36 and v0.0.39 are not among them: SLURMRESTD.md, "API versions". Ends with a NULL name. */
extern const struct api_version api_versions[];

bool api_version_is_known(const char *name);
