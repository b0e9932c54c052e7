/* Jobs that came and went unseen. Without slurmdbd ends come from the job table, and a job that starts and is forgotten
 * between two looks is in no counter. slurmctld counts each start (diag: jobs_started; slurmctld/node_scheduler.c).
 * Starts that it counted and slurmscope did not see are runs whose end stays unknown.
 *
 * slurmctld's counter restarts at midnight UTC, at a restart and at `sdiag --reset`. slurmscope compares within one
 * such period, from the first answer of diag in it. So it never finds too many, but may find too few: it misses starts
 * between the last answer of the period before and that one. Times are Unix seconds of slurmctld's clock. Of one
 * thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	UNSEEN_SAMPLES = 16,
	UNSEEN_SAMPLE_EVERY_S = 60,
	/* A look counts as complete for what started this long before it: a search may still find a job late. */
	UNSEEN_AFTER_S = 300,
};

/* What diag says of starts. */
struct starts_told {
	int64_t since; /* when the period began; 0: not known */
	int64_t time; /* of the answer */
	uint64_t started; /* starts since then */
};

struct starts_sample {
	struct starts_told told;
	uint64_t later; /* starts after `told.time` that were seen since then */
};

struct unseen_starts {
	struct starts_told from; /* where the comparison begins; since 0: nothing is compared */
	uint64_t seen; /* starts at from.time or later */
	uint64_t found; /* unseen starts that were returned */
	/* Not kept in the state file: */
	struct starts_told last; /* since 0: there is none */
	struct starts_sample samples[UNSEEN_SAMPLES]; /* rising in time */
	size_t count;
};

/* Another answer of diag. */
void unseen_starts_note(struct unseen_starts *starts, const struct starts_told *told);

/* A start was seen. */
void unseen_starts_see(struct unseen_starts *starts, int64_t start, uint64_t count);

/* Is there an answer of diag that a look at `until` can be compared with? */
bool unseen_starts_may_find(const struct unseen_starts *starts, int64_t until);

/* The job table was looked at: it has all jobs as they were at `until`. The starts of `waiting` of them are yet to be
 * noted. Returns how many more starts were not seen. */
uint64_t unseen_starts_find(struct unseen_starts *starts, int64_t until, uint64_t waiting);
