/* Counts each event of a job once: submissions, starts, ends, and the time that jobs hold what they hold. What happens to
 * nodes (outages.h) is counted and kept beside it.
 *
 * What happened before `birth`, when counting began, is not counted. The job table shows live jobs. slurmdbd reports
 * ends, and loses none; without slurmdbd the job table shows them, too. Events that slurmscope did not see are found
 * later from what is known of the run. Those that cannot become known are counted as lost.
 *
 * The counters and the runs that they were counted of are to be stored in one transaction (`events_record.h`). Then
 * nothing is lost or counted twice, whenever the process ends. Times are Unix seconds of slurmctld's clock. Of one
 * thread. */
#pragma once

#include "events/outages.h"
#include "events/owner_tallies.h"
#include "events/recent_ends.h"
#include "events/runs.h"
#include "events/steps_waiting.h"
#include "events/tallies.h"
#include "events/unseen_starts.h"
#include "jobs/job_table.h"

/* A time whose ends may come again, for runs that were counted and forgotten. slurmctld reported them while slurmdbd
 * was gone, or its clock was set back and goes through that time again. `until` is 0: there is no such time. */
struct ends_told {
	int64_t from, until; /* from <= end < until */
	uint32_t id; /* a run that is not known and has a larger ID is new */
};

struct job_events {
	const struct vocabulary *vocabulary; /* borrowed */
	struct tallies tallies;
	struct owners owners;
	struct text_pool texts; /* TRES of runs */
	struct runs runs;
	struct recent_ends recent;
	struct id_map split; /* array -> until when tasks were split from it that were seen before its rest */
	struct id_map completing; /* raw ID -> when the table showed it COMPLETING last, of the last minute */
	int64_t birth; /* what happened before is not counted */
	int64_t woke; /* when this process began to look; it did not see what happened before as it happened */
	int64_t looked_until; /* the time of all runs that have RUN_RUNS is counted until then */
	int64_t looked_at; /* when the table was looked at last, by its own clock; 0: not yet */
	int64_t ends_known_until; /* all earlier ends were reported; the next question to slurmdbd begins here */
	struct ends_told told; /* later than ends_known_until */
	bool ends_by_slurmdbd; /* slurmdbd reports ends; else the job table shows them */
	bool slurmdbd_told; /* slurmdbd reported ends at least once, and was not given up since */
	/* The most ended runs that wait for job_events_take_steps. If there are more, the oldest are given up. 0: none
	 * waits. */
	uint64_t steps_max;
	struct steps_waiting steps;
	struct unseen_starts unseen; /* while the job table tells of ends */
	struct outages outages; /* of nodes */
	double lost, recovered; /* events */
	double steps_given_up; /* runs */
	bool has_old_groups; /* the store has counters of groups that are not defined any more */
};

/* Counts what happens from `now` on. Borrows both. */
struct job_events *job_events_new(const struct caps *caps, const struct vocabulary *vocabulary, int64_t now);
void job_events_free(struct job_events *events); /* NULL is fine */

/* The limits on rows changed: forgets the counters of entities that a filter does not let be named any more. Events of
 * names that may have a row now count there from now on. NULL is fine. */
void job_events_screen(struct job_events *events);

/* A round of job states was finished: the table has all jobs as they were at `until` or later. */
void job_events_look(struct job_events *events, const struct job_table *table, int64_t until);

/* What diag says of starts. While slurmdbd tells of ends it is not needed: slurmdbd forgets no job. */
void job_events_note_starts(struct job_events *events, const struct starts_told *told);

/* When the table showed the job COMPLETING last; 0: not within the last minute. slurmdbd hears only after
 * that of a requeue that the exit code asks for (24.11: job_hold_requeue in job_mgr.c). */
int64_t job_events_completing(const struct job_events *events, uint32_t raw_id);

/* An end that slurmdbd reports. An end that comes twice counts once. */
void job_events_take_end(struct job_events *events, const struct job_end *end);

/* One of the sizes that a run had, but not the last: slurmdbd has a row for each when the job was resized. Call it in
 * the order of their times, before the run's end. A size that comes twice counts once. */
void job_events_take_size(struct job_events *events, const struct job_end *size);

/* slurmdbd has reported all ends before `until`. Forgets runs that ended before `asked_again_from`. Gives up runs that
 * have been gone for an hour without an end: slurmdbd should have reported it. */
void job_events_end_window(struct job_events *events, int64_t until, int64_t asked_again_from);

/* slurmdbd has been gone for long: from `now` on ends come from the job table. If slurmdbd comes back within a week, it
 * reports the ends since its last report. */
void job_events_leave_slurmdbd(struct job_events *events, int64_t now);

/* slurmctld's clock was set back to `now`. */
void job_events_set_back(struct job_events *events, int64_t now);

/* May slurmdbd's report of that end count? Not if the run may have been counted and forgotten. */
bool job_events_may_take(const struct job_events *events, const struct job_end *end);

/* Runs that ended before `ended_before` and whose steps are to be read: returns how many, and writes the first `max`. */
size_t job_events_want_steps(struct job_events *events, int64_t ended_before, struct run_key *ret_keys, size_t max);
void job_events_take_steps(struct job_events *events, const struct job_steps *steps);
void job_events_no_steps(struct job_events *events, const struct run_key *key); /* there are none */
void job_events_give_up_steps(struct job_events *events, const struct run_key *key); /* nobody can tell */
