#include "model/reason.h"

#include "model/reason_words.h"

const char *const reason_class_names[] = {
	[REASON_STARTABLE] = "startable",
	[REASON_HELD] = "held",
	[REASON_DEPENDENCY] = "dependency",
	[REASON_LIMIT] = "limit",
	[REASON_OTHER] = "other",
	[REASON_UNKNOWN] = "unknown",
	NULL,
};

/* The names are those of job_state_reason_string() (squeue's %r), which are the same in all releases;
 * the first row that the reason starts with decides. */
static const struct {
	const char *prefix;
	enum reason_class class;
} rows[] = {
	{"None", REASON_STARTABLE},
	{"Priority", REASON_STARTABLE},
	{"Resources", REASON_STARTABLE},
	{"Cleaning", REASON_STARTABLE},
	{"JobHeld", REASON_HELD},
	{"JobHoldMaxRequeue", REASON_HELD},
	{"Dependency", REASON_DEPENDENCY},
	{"QOS", REASON_LIMIT},
	{"InvalidQOS", REASON_OTHER},
	{"Assoc", REASON_LIMIT},
	{"Licenses", REASON_LIMIT},
	{"JobArrayTaskLimit", REASON_LIMIT},
	{"MaxMemPerLimit", REASON_LIMIT},
	{"PartitionNodeLimit", REASON_LIMIT},
	{"PartitionTimeLimit", REASON_LIMIT},
	{"Unknown", REASON_UNKNOWN}, /* not Slurm's: nothing has told it */
};

enum reason_class reason_class_of(struct text reason)
{
	if (!reason.len)
		return REASON_STARTABLE;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (text_starts_with(reason, rows[i].prefix))
			return rows[i].class;
	return reason_words_is_limit(reason) ? REASON_LIMIT : REASON_OTHER;
}
