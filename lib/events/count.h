/* What a run's events add to the tallies. Call each function once per event; it ignores what happened before counting
 * began. For this room only. */
#pragma once

#include "events/job_events.h"

/* After a run has gone from slurmctld, slurmscope waits this long for its end. slurmdbd reports ends that late only if
 * it was away, and no end of that time counts as known before it is back (end_windows.h). */
enum { JOB_EVENTS_GIVE_UP_S = 3600 };

/* Adds a run that was not known, and counts the submission of `tasks` tasks. They count in each partition that the run
 * named; if `named` is empty, these are the owner's. A task was submitted with its array: if the array's rest was
 * counted, this one was, too. It was split from the array at `split_by` or before. */
struct run *count_new_run(struct job_events *events, const struct run_key *key, uint32_t raw_id,
			  const struct job_owner *owner, struct text named, uint64_t tasks, int64_t split_by);

/* An array's unsplit rest has `tasks` tasks without runs of their own: counts those that were not counted yet. */
void count_rest(struct job_events *events, struct run *run, uint64_t tasks);

/* `eligible`: 0 if not known. */
void count_start(struct job_events *events, struct run *run, int64_t start, int64_t eligible, uint64_t nodes);

struct run_time {
	int64_t start;
	int64_t since; /* when it started, or was last suspended or resumed */
	int64_t ran_before; /* seconds, until then */
	bool runs; /* else it is suspended */
};
void count_begin(struct job_events *events, struct run *run, const struct run_time *time);

/* The run ran until then. Only for a run that has begun. */
void count_until(struct job_events *events, struct run *run, int64_t until);

/* The run had this size until size->end_time, which was not its end. That time was counted with what the run holds now.
 * If the run held more then, the difference is added. Counters cannot go back, so an excess stays. */
void count_size(struct job_events *events, struct run *run, const struct job_end *size);

/* For a run that has begun. */
int64_t ran_until(const struct run *run, int64_t until); /* seconds, if it was not suspended after `began` */
int64_t counted_until(const struct run *run); /* Unix seconds */

/* May a run that ended then have been forgotten? */
bool count_may_be_forgotten(const struct job_events *events, int64_t end);
void count_ends_known(struct job_events *events, int64_t until); /* all earlier ends are known */
void count_ends_seen(struct job_events *events, int64_t until); /* the job table has shown all ends that it can show */

void count_wait_for_steps(struct job_events *events, struct run *run); /* which ended */
void count_find_waits(struct job_events *events); /* of the runs that were restored */

void count_end(struct job_events *events, struct run *run, const struct job_end *end);

void job_events_forget(struct job_events *events, struct run *run);
void job_events_lose(struct job_events *events, struct run *run); /* counts it as lost: its end will not become known */
