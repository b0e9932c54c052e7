/* What happened to the jobs of one entity: counters that never fall. A histogram is one of them for each of its
 * buckets, and one for its sum. Each is known by what it counts and a detail ("ends", "failed"), and is stored under
 * these. So the counts of an older or newer slurmscope are kept. Of one thread. */
#pragma once

#include "entities/job_groups.h"
#include "entities/usage.h"
#include "events/tally_native.h"

/* Beyond the entities and groups: pairs of partition and QOS, and nodes. */
enum tally_kind { TALLY_QUEUE = JOB_KINDS, TALLY_NODE, TALLY_KINDS };
#define TALLY_ENTITIES ((1u << ENTITY_KINDS) - 1)

/* What a tally counts, as bits: those of its kind, or, of a group, one for each enum group_metric that it has. */
enum { TALLY_GROUP_SHIFT = 16 };
unsigned tally_kinds(const struct caps *caps, int kind);

enum tally_what {
	TALLY_SUBMISSIONS,
	TALLY_STARTS,
	TALLY_ENDS, /* detail: end state */
	TALLY_CPU_SECONDS, /* allocated, while running */
	TALLY_MEMORY_BYTE_SECONDS, /* likewise */
	TALLY_BILLING_SECONDS, /* likewise; of the billing TRES */
	TALLY_GRES_SECONDS, /* likewise; detail: "gpu:a100", "gpu" if it has no type */
	TALLY_EXITS, /* detail: zero, nonzero, signal */
	TALLY_FAILURES, /* of a node; detail: end state */
	TALLY_ALLOCATED_CPU_SECONDS, /* these four: of ended jobs whose steps were read */
	TALLY_USED_CPU_SECONDS,
	TALLY_ALLOCATED_MEMORY_BYTE_SECONDS,
	TALLY_PEAK_MEMORY_BYTE_SECONDS,
	TALLY_ENERGY_JOULES, /* these three likewise; the cluster's show whether anybody measures them */
	TALLY_ALLOCATED_GPU_SECONDS,
	TALLY_PEAK_GPU_MEMORY_BYTE_SECONDS,
	TALLY_COUNTERS,
	/* histograms */
	TALLY_WAIT_SECONDS = TALLY_COUNTERS, /* eligible to start */
	TALLY_QUEUE_SECONDS, /* submit to start */
	TALLY_RUN_SECONDS,
	TALLY_OWNER_WAIT_SECONDS, /* eligible to start, of the account's and the user's jobs */
	TALLY_OWNER_RUN_SECONDS, /* likewise */
	TALLY_TIME_LIMIT_RATIO,
	TALLY_SIZE_CPUS,
	TALLY_SIZE_NODES,
	TALLY_AFTER_FORECAST_SECONDS, /* first forecast to start */
	TALLY_BEFORE_FORECAST_SECONDS, /* start to first forecast, of those that started earlier */
	TALLY_CPU_EFFICIENCY_RATIO,
	TALLY_MEMORY_EFFICIENCY_RATIO,
	TALLY_WHATS,
};

struct tally_row {
	const char *name; /* in the store: never changed */
	unsigned kinds; /* bits of tally_kinds that have it */
	const char *const *details; /* there from the start, but of users; ends with NULL. NULL: one without a detail */
	const double *bounds; /* of a histogram: ascending, +Inf left out */
	unsigned bound_count;
	bool has_native; /* exponential buckets, too */
};
extern const struct tally_row tally_table[TALLY_WHATS];

/* The job of a run that was counted; not kept over a restart. */
struct tally_last {
	uint32_t job;
	double value;
	int64_t time; /* Unix seconds */
};

struct tally_count {
	enum tally_what what; /* TALLY_WHATS: another slurmscope's, kept */
	struct text detail; /* of a histogram: the upper bound, "+Inf", or "sum" */
	double value;
	double stored; /* as it is in the store */
	struct tally_last *last; /* of the latest run; NULL: of none since the start */
};

/* More than any tally needs for Slurm's own end states and a few dozen types of GRES. Further details count as `other`. */
enum { TALLY_COUNTS_MAX = 400 };

struct tally {
	struct text label[GROUP_LABELS_MAX];
	unsigned kinds; /* tally_kinds */
	struct map counts; /* "ends NUL failed" -> struct tally_count; each histogram's in their order */
	uint32_t first[TALLY_WHATS]; /* where those of the table begin in `counts` */
	struct tally_natives natives;
	bool is_changed; /* since it was stored */
};

/* Makes a tally with the counters that it has from the start, at zero. Its labels are the key's, which has NUL between and
 * is borrowed. */
void tally_init(struct tally *tally, struct arena *arena, unsigned kinds, struct text key);
void tally_done(struct tally *tally);

static inline bool tally_has(const struct tally *tally, enum tally_what what)
{
	return tally_table[what].kinds & tally->kinds;
}

/* Only of what the tally has. Both return where it was counted. */
struct tally_count *tally_add(struct tally *tally, enum tally_what what, struct text detail, double amount);
struct tally_count *tally_observe(struct tally *tally, enum tally_what what, double value);

/* Notes that it was a run of this job. */
void tally_note(struct tally *tally, struct tally_count *count, const struct tally_last *last);

/* When it last grew, as far as that was noted; 0: not since the start. */
int64_t tally_last_time(const struct tally *tally);

/* Moves all into a new one of its kind; nothing is left in `from`. */
void tally_move(struct tally *to, struct tally *from);

/* What was stored. Bounds of histograms may only change with the version of the store. */
void tally_restore(struct tally *tally, struct text what, struct text detail, double value);

/* Call it when all was restored. Counts of a slurmscope without exponential buckets go into the exponential buckets
 * where its classic ones end. Prometheus refuses a histogram whose count differs from the sum of its buckets. */
void tally_restored(struct tally *tally);

/* The counts of `what`, which a tally of its kind has from the start: of a histogram the buckets, not cumulative,
 * +Inf, and the sum. */
static inline const struct tally_count *tally_get(const struct tally *tally, enum tally_what what, unsigned index)
{
	return tally->counts.entries[tally->first[what] + index].value;
}
