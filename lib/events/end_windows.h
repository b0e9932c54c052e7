/* Which windows of end times slurmdbd is asked for. Two kinds take turns: short ones for what just ended, and every twenty
 * of them a sweep from where all ends are known, for slurmctld hands records over late when slurmdbd was away
 * (SLURMRESTD.md, "What slurmdbd knows when"). Both are cut into windows of so many runs as an answer may have; after
 * a downtime a sweep takes many. One that goes over what was asked for before lets short ones in between. Pure: times are
 * Unix seconds, given. Ends told again are to be recognised by the caller.
 *
 * Records are handed over in their turn. So what waited at one moment is there when the queue was empty since, or when so
 * many have left it as waited then. A queue that only ever has a few, whenever diag looks, tells of few that leave; one
 * that does not get longer while slurmdbd answers for a day has nothing in it that is going to come. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct end_windows {
	int64_t known_until;  /* every end before is known */
	int64_t delivered_until; /* slurmctld has handed over the records of all ends before */
	int64_t marked;       /* the next moment of which that is to be found */
	uint64_t marked_ahead; /* so many of the records that waited then may wait still */
	int64_t marked_answers; /* seconds for which slurmdbd has answered since */
	int64_t queue_seen;   /* when diag told last how many wait */
	uint64_t waiting;     /* then */
	int64_t answered;     /* when a window was answered last */
	bool gave_up;         /* records that waited; for whoever wants to say so, and set it back */
	int64_t sweep_from;   /* where the sweep that is open goes on */
	int64_t sweep_to;     /* its end; 0: none is open */
	int64_t sweep_knows;  /* when it was begun all ends before had been handed over */
	int64_t next_sweep;   /* when the next one is due */
	int64_t asked_until;  /* the end of the last window that was answered */
	int64_t next_short;   /* when a short one is due though a sweep is open */
	bool was_short;       /* the last one that was answered, or one was not: the sweep is next */
	int64_t span;         /* seconds, of a window at most */
	int64_t short_every, sweep_every; /* seconds */
};

struct end_window {
	int64_t first, last; /* both included */
	bool is_sweep;
};

/* All ends before `known_until` are known, or not wanted; a window is asked for every `interval` seconds. What waits in
 * slurmctld may have waited since then, until end_windows_note_queue says otherwise. */
void end_windows_init(struct end_windows *windows, int64_t known_until, int64_t interval);

/* What diag said when it was asked at `then`: so many records wait in slurmctld for slurmdbd. */
void end_windows_note_queue(struct end_windows *windows, int64_t then, uint64_t waiting);

/* The window to ask for now. */
struct end_window end_windows_next(struct end_windows *windows, int64_t now);

/* It was answered with so many runs. True: another one is due at once. */
bool end_windows_note(struct end_windows *windows, struct end_window window, int64_t now,
		      uint64_t runs);

/* It was not, in time: smaller ones follow. */
void end_windows_note_failure(struct end_windows *windows);
