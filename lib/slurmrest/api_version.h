/* The API versions that are understood, newest first, then those that may come. A new one is a line here, recorded answers in
 * tests/fixtures, and rows in the field tables where it renamed a key (tests/golden/fields.txt shows that). */
#pragma once

#include <stdbool.h>

struct api_version {
	const char *name;         /* as in the path: "v0.0.46" */
	const char *flags_query;  /* what makes bulk lists leave out DETAIL; "" where unknown */
	const char *item_flags_query; /* of one job; "" where unknown */
	const char *item_detail_query; /* likewise, with what the job holds of each node */
	const char *runs_query;  /* what makes slurmdb/jobs tell of all runs, uncut; "" where it always does */
	const char *time_prefix; /* of Unix seconds in its query */
	bool repeats_lists;      /* in its query a list is a parameter for each value */
	bool task_ids_are_raw;    /* jobs/state names a split task by its own record, not its array */
	bool takes_update_time;   /* as an integer; v0.0.40 and v0.0.41 refuse one */
	bool is_newer;            /* than any that was seen: read as the newest of those */
};

/* v0.0.36 is wrong in places (drained nodes say idle, partition figures are shifted). v0.0.39 does not tell the state of a
 * partition, which v0.0.38 and v0.0.40 do; 23.11 serves the latter, too. Ends with a NULL name. */
extern const struct api_version api_versions[];

bool api_version_is_known(const char *name);
