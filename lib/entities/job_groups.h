/* Groups: rows of jobs by what the site chose, such as by partition and by a part of the job's name. The configuration
 * defines them; they are immutable then. A group is one more kind of row beside users, accounts, ...: ENTITY_KINDS and
 * its position.
 *
 * A job's values are what its groups need beyond account, user, partitions and QOS. They are worked out when the job is
 * read, and kept as one text with the names of its owner (jobs/owners.h). So job table, runs and state file know nothing
 * of groups. Each value stands behind a hash of how it was found. A text of other definitions still has the values
 * that are found as before. */
#pragma once

#include "base/buf.h"
#include "entities/caps.h"
#include "entities/label.h"
#include "entities/pattern.h"
#include "entities/usage.h"

enum {
	GROUP_NAME_MAX = 32, /* bytes */
	GROUP_REGEX_MAX = 256,
	GROUP_REGEX_SIZE_MAX = 400, /* pattern_size */
	GROUP_VALUE_MAX = 256, /* bytes of a value that a pattern sees; it matches no longer one */
	GROUP_VALUES_MAX = 16, /* of one job for one label: further ones are left out */
	GROUP_ROWS_MAX = 64, /* of one group in which one job counts: likewise */
	GROUP_LIMIT = 100,
	GROUP_LIMIT_MAX = 10000,
};

/* Where a label's value comes from. The last ones have to be read from the job, and kept. */
enum group_source {
	GROUP_PARTITION,
	GROUP_ACCOUNT,
	GROUP_USER,
	GROUP_QOS,
	GROUP_NAME,
	GROUP_READ = GROUP_NAME,
	GROUP_COMMENT,
	GROUP_FEATURE,
	GROUP_LICENSE,
	GROUP_RESERVATION,
	GROUP_WCKEY,
	GROUP_ASKED_NODES, /* how many: a class of sizes, such as "4-7" */
	GROUP_ASKED_CPUS,
	GROUP_ASKED_GPUS,
	GROUP_SOURCES,
};
extern const char *const group_source_names[GROUP_SOURCES];

/* Which families a group has. */
enum group_metric {
	GROUP_JOBS,
	GROUP_CPUS,
	GROUP_MEMORY,
	GROUP_GPUS,
	GROUP_ENDS,
	GROUP_WAITS,
	GROUP_RUNTIMES,
	GROUP_USE,
	GROUP_METRICS,
};
extern const char *const group_metric_names[GROUP_METRICS];

struct group_label {
	char name[GROUP_NAME_MAX + 1];
	enum group_source from;
	char regex[GROUP_REGEX_MAX + 1]; /* "": the value itself is the label's */
	struct pattern pattern; /* else its first parentheses */
	uint32_t key; /* hash of the two */
};

struct job_group {
	char name[GROUP_NAME_MAX + 1];
	struct group_label labels[GROUP_LABELS_MAX];
	size_t label_count;
	unsigned metrics; /* bits of enum group_metric */
	uint64_t max; /* rows besides `other` */
};

struct job_groups {
	struct job_group items[JOB_GROUPS_MAX];
	size_t count;
};

void job_groups_done(struct job_groups *groups); /* none again, as when zeroed */

/* Completes a label whose name, `from` and `regex` are set. False: *err says what is wrong with its expression. */
bool group_label_complete(struct group_label *label, struct error *err);

static inline const struct job_group *job_group_of(const struct job_groups *groups, int kind)
{
	return kind < ENTITY_KINDS || (size_t)(kind - ENTITY_KINDS) >= groups->count
		       ? NULL
		       : &groups->items[kind - ENTITY_KINDS];
}

/* The group of that kind; NULL: it is none, or not defined. */
static inline const struct job_group *caps_group(const struct caps *caps, int kind)
{
	return caps->groups ? job_group_of(caps->groups, kind) : NULL;
}

/* How many rows of an entity or group of the kind there may be besides `other`; 0: there is no such group. */
uint64_t caps_rows(const struct caps *caps, int kind);

/* What counters of the group are stored under: they begin again when the group gets other labels or other ways to find
 * their values. `out` is cleared. */
void job_group_identity(const struct job_group *group, struct buf *out);

/* Appends the job's values; nothing if no group needs any. */
void job_groups_read(const struct job_groups *groups, const struct job *job, struct buf *values);

/* Do the groups need something that the record does not tell? */
bool job_groups_lack(const struct job_groups *groups, const struct job *job);

/* Does a text have all that the groups need? If not, the job's values were found with other definitions. */
bool job_groups_know(const struct job_groups *groups, struct text values);

/* The names of a job's owner; lists have commas between. */
struct group_names {
	struct text account, user, partitions, qos, values;
};

/* Calls `take` with the key of each row of the group in which the job counts, each once. A key is the labels with NUL
 * between. Names that the caps do not let be shown are `other`; a key of nothing else is the row of all others. */
typedef void group_row_fn(void *context, struct text key);
void job_group_rows(const struct job_group *group, const struct caps *caps, const struct group_names *names,
		    group_row_fn *take, void *context);

bool group_key_is_other(struct text key); /* the row of all others */
bool group_key_may_be_shown(const struct job_group *group, const struct caps *caps, struct text key);

/* The labels of a key; the rest are empty. */
void group_key_labels(struct text key, struct text ret_labels[GROUP_LABELS_MAX]);
