/* Who used what in a span of time: the rows of a report. Filled by from_prometheus.h or from_slurmdbd.h, printed by
 * report_print.h. Amounts are kept exactly as the counters have them, in seconds and bytes. Owned by one thread. */
#pragma once

#include "base/map.h"
#include "model/tres.h"

enum usage_by { USAGE_BY_CLUSTER, USAGE_BY_PARTITION, USAGE_BY_ACCOUNT, USAGE_BY_USER, USAGE_BY_QOS, USAGE_BYS };
extern const char *const usage_by_names[USAGE_BYS]; /* as in names of families: "cluster", "partition", ... */

enum usage_amount {
	USAGE_STARTS, /* runs of jobs that started */
	USAGE_ENDS, /* and that ended */
	USAGE_CPU_SECONDS, /* allocated, as the next ones */
	USAGE_MEMORY_BYTE_SECONDS,
	USAGE_BILLING_SECONDS,
	USAGE_ENDED_CPU_SECONDS, /* of jobs that ended and told what they used: allocated */
	USAGE_USED_CPU_SECONDS, /* of the same: used */
	USAGE_ENERGY_JOULES, /* of jobs that ended, where Slurm measures it; not by cluster or QOS */
	USAGE_AMOUNTS, /* seconds of allocated GRES follow, one column a kind */
	USAGE_COLUMNS_MAX = USAGE_AMOUNTS + TRES_GRES_MAX,
};

enum { USAGE_NOTES_MAX = 100 };

struct usage_row {
	enum usage_by by;
	struct text cluster; /* empty: the series do not say */
	struct text name; /* of the partition, account, user or QOS; empty for the cluster */
	struct text account; /* of a user */
	double amounts[USAGE_COLUMNS_MAX]; /* NAN: not known */
};

struct usage {
	int64_t from, to; /* Unix seconds */
	const char *source; /* "Prometheus", "slurmdbd"; a constant */
	struct arena arena;
	struct map rows; /* struct usage_row, by what tells them apart */
	struct text gres[TRES_GRES_MAX]; /* "gpu" or "gpu:a100", by column */
	unsigned gres_count;
	struct text notes[USAGE_NOTES_MAX]; /* what a reader has to know, in the order of finding */
	unsigned note_count;
	unsigned notes_left_out;
	bool is_incomplete; /* a note says that something is missing */
};

struct usage_name {
	enum usage_by by;
	struct text cluster, name, account;
};

void usage_init(struct usage *use, const char *source, int64_t from, int64_t to);

/* Adds to an amount of a row. Both are there from then on. */
void usage_add(struct usage *use, const struct usage_name *whose, unsigned column, double amount);

/* The column of a kind of GRES; false, and a note is taken, if there are too many kinds. */
bool usage_gres_column(struct usage *use, struct text name, struct text type, unsigned *ret_column);

/* Something that a reader has to know; `is_missing`: the report lacks something for that
 * reason. After USAGE_NOTES_MAX notes more are only counted. */
void usage_note(struct usage *use, bool is_missing, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Rows of one kind by cluster and name. free() gives the array back, not the rows. */
struct usage_row **usage_sorted(const struct usage *use, enum usage_by by, size_t *ret_count);

/* What the rows of each kind add up to has to be the cluster's own amount; a note says where it is not. */
void usage_check_sums(struct usage *use);

void usage_done(struct usage *use);
