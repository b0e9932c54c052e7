#include "slurmrest/api_version.h"

#include <stddef.h>
#include <string.h>

/* Any `flags` replace the default SHOW_ALL|SHOW_DETAIL; ALL keeps jobs of hidden partitions and halves
 * the bytes (PARAMS.md, "Flags"; SLURMRESTD.md, "One job"). Versions before v0.0.40 have no such parameter, and their
 * answers do not say when they were current, which an update_time would have to name (SLURMRESTD.md, "update_time"). */
static const char all[] = "?flags=ALL";
/* Without LOCAL slurmrestd asks slurmctld twice for one job (SLURMRESTD.md, "One job"). */
static const char local[] = "?flags=LOCAL";
/* v0.0.40 reports the cores of each node, and not its CPUs. */
static const char detail[] = "?flags=LOCAL&flags=DETAIL";
/* Any flag of slurmdb/jobs replaces the defaults, which are these two (PARAMS.md, "Flags of slurmdb/jobs"). */
static const char runs[] = "&show_duplicates=true&disable_truncate_usage_time=true";

const struct api_version api_versions[] = {
	{"v0.0.46", all, local, detail, runs, "", true, true, true, false},
	{"v0.0.45", all, local, detail, runs, "", true, true, true, false},
	{"v0.0.44", all, local, detail, runs, "", true, true, true, false},
	{"v0.0.43", all, local, detail, runs, "", true, true, true, false},
	{"v0.0.42", all, local, detail, runs, "", true, true, true, false},
	{"v0.0.41", all, local, detail, runs, "uts", true, true, false, false},
	{"v0.0.40", all, local, local, runs, "uts", true, false, false,
	 false}, /* "94_17" there is "95_17" later: 95 is task 17's record */
	{"v0.0.38", "", "", "", "", "uts", false, false, false, false},
	{"v0.0.37", "", "", "", "", "uts", false, false, false, false},
	{"v0.0.47", all, local, detail, runs, "", true, true, true, true},
	{"v0.0.48", all, local, detail, runs, "", true, true, true, true},
	{"v0.0.49", all, local, detail, runs, "", true, true, true, true},
	{NULL, NULL, NULL, NULL, NULL, NULL, false, false, false, false},
};

bool api_version_is_known(const char *name)
{
	for (const struct api_version *version = api_versions; version->name; version++)
		if (strcmp(version->name, name) == 0)
			return true;
	return false;
}
