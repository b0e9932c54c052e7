/* Chooses the windows of end times to ask slurmdbd for, so that each end is known soon, and read about once.
 *
 * slurmctld hands its records over in order (SLURMRESTD.md, "What slurmdbd knows when"). Two things show how far it is.
 * When diag shows its queue empty, or shorter by as many as waited, all that waited has been handed over. And when
 * slurmdbd reports an end, it knows the earlier ends. What is read after it was handed over is not read again.
 *
 * A pass goes from where all ends are known to the present, in windows of as many runs as an answer may have. Where few
 * jobs end, the next pass begins ten minutes before the last one's end, because that costs little. Where many end, it
 * begins some seconds before, and a pass stops where ends are settled, because younger ones would be read again. While
 * many records wait in slurmctld, windows are so short that their runs fit into an answer each, once they come.
 *
 * Pure: times are arguments, Unix seconds of slurmctld's clock. The caller recognises ends that come again. Of one
 * thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { END_WINDOWS_RECENT = 200 }; /* runs that a pass may read again, for safety: 0.1 s of slurmrestd */

struct end_windows {
	int64_t known_until; /* every end before is known; the next pass begins here. No window begins before */
	int64_t told_until; /* by its order slurmdbd has reported every earlier end; at least known_until */
	int64_t delivered_until; /* slurmctld has handed over the records of all ends before */
	int64_t marked; /* the next moment that delivered_until may move to */
	uint64_t marked_ahead; /* of the records that waited then, those that may still wait */
	int64_t queue_seen; /* when diag last showed how many wait */
	uint64_t waiting; /* then */
	int64_t at; /* where the pass that is open goes on */
	int64_t pass_to; /* its end; 0: none is open */
	int64_t span; /* the most seconds of a window */
	bool is_busy; /* the last answer was long: the next pass ends where ends are settled */
};

struct end_window {
	int64_t first, last; /* both included */
};

/* What the answer to a window contained. */
struct end_answer {
	uint64_t runs;
	int64_t newest; /* the latest end; 0: none */
	int64_t recent; /* the latest but END_WINDOWS_RECENT; 0: there are fewer */
};

/* All ends before `known_until` are known, or not wanted. Until end_windows_note_queue says otherwise, records of all
 * ends since then may still wait in slurmctld. */
void end_windows_init(struct end_windows *windows, int64_t known_until);

/* diag, asked at `then`, said that `waiting` records wait in slurmctld for slurmdbd (dbd_agent_queue_size). */
void end_windows_note_queue(struct end_windows *windows, int64_t then, uint64_t waiting);

/* The window to ask for now. Ends after `settled` do not count yet, even if slurmdbd reports them. */
struct end_window end_windows_next(struct end_windows *windows, int64_t now, int64_t settled);

/* The window was answered. True: the pass goes on, another window is due at once. */
bool end_windows_note(struct end_windows *windows, struct end_window window, const struct end_answer *answer);

/* How many seconds each window spans of those that the pass still needs; 0: none is open. If windows are longer apart than
 * that, ends fall behind. */
int64_t end_windows_behind(const struct end_windows *windows);

/* The window was not answered in time: smaller ones follow. */
void end_windows_note_failure(struct end_windows *windows);
