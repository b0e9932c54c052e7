/* Keeps what happened to jobs, and the job table, over restarts: reads it at the start, writes it before each page. While the file cannot
 * be used counting goes on in memory, and it is tried again. As long as what it holds was not read, what is counted beside it
 * is not to be shown: with the first read of the file counters would rise by all that it holds. Of the poller's thread. */
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
	bool goes_on; /* with what was counted before it was made */
	bool is_hidden; /* the file holds something that could not be read yet */
	double last_commit; /* Unix seconds; 0: never */
	uint64_t errors; /* commits that failed, files that were set aside */
	struct error error; /* why the last of them; empty: there was none */
	int64_t next_try; /* Unix seconds */
};

/* Borrows caps, vocabulary and jobs. `path` NULL: nothing is kept. Counting begins anew, or goes on with what is found
 * there, or, if that is nothing or older, with what was counted before: `events` was made with the same caps and vocabulary,
 * is taken, and may be NULL. `is_shared`: another machine may be the next to use the file, or a copy of it. `jobs` may be
 * NULL; else it gets what is found of jobs. */
void recorder_init(struct recorder *recorder, const char *path, bool is_shared, const struct caps *caps,
		   const struct vocabulary *vocabulary, struct job_events *events, struct job_keeper *jobs);
void recorder_done(struct recorder *recorder);

/* The cluster's name is known now, or still empty: is the file its own? False: it was another cluster's, and is set aside.
 * Counting has begun anew, and what was found of jobs is another cluster's, too. Said once. */
bool recorder_claim(struct recorder *recorder, const char *cluster);

/* Writes what changed. `cluster`: its name, empty while unknown. recorder->events may be others afterwards: those that
 * were found when the file could be read at last. */
void recorder_write(struct recorder *recorder, const char *cluster);

/* Could it not be written last because another process has the file? */
bool recorder_is_elsewhere(const struct recorder *recorder);
