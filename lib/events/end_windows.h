/* Which windows of end times slurmdbd is asked for. Two kinds take turns: short ones for what just ended, and every twenty
 * of them a sweep from where all ends are known, for slurmctld hands records over late when slurmdbd was away
 * (SLURMRESTD.md, "What slurmdbd knows when"). Both are cut into windows of so many runs as an answer may have; after
 * a downtime a sweep takes many. Short windows come between those of a sweep that goes over what was read before. Pure:
 * times are arguments, Unix seconds of slurmctld's clock. The caller recognises ends that are told again. Of one thread.
 *
 * slurmctld hands over records in their turn. All that waited at one moment has been handed over when the queue is
 * empty, or when that many records have left it. A queue that is short whenever diag looks tells of few that leave. If
 * it does not get longer while slurmdbd answers for a day, what is in it will never come. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct end_windows {
	int64_t known_until; /* every end before is known */
	int64_t delivered_until; /* slurmctld has handed over the records of all ends before */
	int64_t marked; /* the next moment that delivered_until may move to */
	uint64_t marked_ahead; /* of the records that waited then, those that may still wait */
	int64_t marked_answers; /* seconds for which slurmdbd has answered since */
	int64_t queue_seen; /* when diag told last how many wait */
	uint64_t waiting; /* then */
	int64_t answered; /* when a window was answered last */
	bool gave_up; /* waiting for records; the caller tells people and clears it */
	int64_t sweep_from; /* where the sweep that is open goes on */
	int64_t sweep_to; /* its end; 0: none is open */
	int64_t sweep_knows; /* when it began, all ends before this had been handed over */
	int64_t next_sweep; /* when the next one is due */
	int64_t asked_until; /* the end of the last window that was answered */
	int64_t next_short; /* when a short one is due though a sweep is open */
	bool was_short; /* the last window was a short one, or failed: the sweep is next */
	int64_t span; /* the most seconds of a window */
	int64_t short_every, sweep_every; /* seconds */
};

struct end_window {
	int64_t first, last; /* both included */
	bool is_sweep;
};

/* All ends before `known_until` are known, or not wanted; a window is asked for every `interval` seconds. Until
 * end_windows_note_queue says otherwise, records of all ends since then may still wait in slurmctld. */
void end_windows_init(struct end_windows *windows, int64_t known_until, int64_t interval);

/* diag, asked at `then`, said that `waiting` records wait in slurmctld for slurmdbd (dbd_agent_queue_size). */
void end_windows_note_queue(struct end_windows *windows, int64_t then, uint64_t waiting);

/* The window to ask for now. */
struct end_window end_windows_next(struct end_windows *windows, int64_t now);

/* The window was answered with `runs` runs. True: another window is due at once. */
bool end_windows_note(struct end_windows *windows, struct end_window window, int64_t now, uint64_t runs);

/* The window was not answered in time: smaller ones follow. */
void end_windows_note_failure(struct end_windows *windows);
