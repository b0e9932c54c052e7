/* Keeps what happened to jobs over restarts: reads it at the start, writes it before each page. While the file cannot
 * be used counting goes on in memory, and it is tried again. As long as what it holds was not read, what is counted beside it
 * is not to be shown: with the first read of the file counters would rise by all that it holds. Of the poller's thread. */
#pragma once

#include "events/job_events.h"
#include "store/store.h"

struct recorder {
	struct store *store; /* NULL: nothing is kept */
	struct job_events *events;
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

/* Borrows caps and vocabulary. `path` NULL: nothing is kept. Counting begins anew, or goes on with what is found there,
 * or, if that is nothing or older, with what was counted before: `events` was made with the same caps and vocabulary, is
 * taken, and may be NULL. `is_shared`: another machine may be the next to use the file, or a copy of it. */
void recorder_init(struct recorder *recorder, const char *path, bool is_shared, const struct caps *caps,
		   const struct vocabulary *vocabulary, struct job_events *events);
void recorder_done(struct recorder *recorder);

/* Writes what changed. `cluster`: its name, empty while unknown. recorder->events may be others afterwards: those that
 * were found when the file could be read at last. */
void recorder_write(struct recorder *recorder, const char *cluster);

/* Could it not be written last because another process has the file? */
bool recorder_is_elsewhere(const struct recorder *recorder);
