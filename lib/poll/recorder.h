/* Keeps job events and the job table over restarts: reads them at the start, writes them before each page. While the
 * file is unusable, counting goes on in memory, and the recorder tries the file again. Until it has read the file, the
 * page must not show counters: the first read would raise them by all that the file holds. Of the poller's thread. */
#pragma once

#include "events/job_events.h"
#include "poll/job_keeper.h"

struct recorder {
	struct store *store; /* NULL: nothing is kept */
	struct job_events *events;
	struct job_keeper *jobs; /* borrowed; NULL: jobs are not kept */
	const struct caps *caps;
	const struct vocabulary *vocabulary;
	bool is_loaded, is_failing, is_claimed;
	bool goes_on; /* it continues counters from before its recorder_init */
	bool is_hidden; /* the file holds something that could not be read yet */
	double last_commit; /* Unix seconds; 0: never */
	uint64_t errors; /* failed commits, and files set aside */
	struct error error; /* why the last of them happened; empty: there was none */
	int64_t next_try; /* Unix seconds */
};

/* Borrows caps, vocabulary and jobs. `path` NULL: nothing is kept. `names`: name_hash_mark(). Counting goes on with what the file holds. If that
 * is nothing, or older, it goes on with `events`, or begins at zero if `events` is NULL. The recorder takes `events`,
 * which must have the same caps and vocabulary. `is_shared`: another machine may be the next to use the file, or a copy
 * of it. `jobs` may be NULL; else it gets the jobs of the file. */
void recorder_init(struct recorder *recorder, const char *path, const char *names, bool is_shared,
		   const struct caps *caps, const struct vocabulary *vocabulary, struct job_events *events,
		   struct job_keeper *jobs);
void recorder_done(struct recorder *recorder);

/* Is the file this cluster's? `cluster` may still be empty. False: it was another cluster's, and is set aside. Then
 * counting has begun again, and the jobs from the file are another cluster's, too. Returns false only once. */
bool recorder_claim(struct recorder *recorder, const char *cluster);

/* Writes what changed. `cluster`: its name, empty while unknown. Afterwards recorder->events may be another object: the
 * events of the file, if it became readable only now. */
void recorder_write(struct recorder *recorder, const char *cluster);

/* Did the last write fail because another process has the file? */
bool recorder_is_elsewhere(const struct recorder *recorder);
