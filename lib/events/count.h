/* What a run's events add to the tallies. Each is called once for it; what happened before counting began is passed
 * over. Of this room only. */
#pragma once

#include "events/job_events.h"

enum { JOB_EVENTS_GIVE_UP_S = 3600 }; /* after a run has gone: its end would have been told */

/* A run that was not known, with the submission of so many tasks; it goes by its array's, if that was counted. A task
 * was split from its array by `split_by`. */
struct run *count_new_run(struct job_events *events, const struct run_key *key, uint32_t raw_id,
			  const struct job_owner *owner, uint64_t tasks, int64_t split_by);

/* An array's unsplit rest has so many tasks, all of them without a run of their own: those that were not counted are. */
void count_rest(struct job_events *events, struct run *run, uint64_t tasks);

/* `eligible`: 0 if not known. */
void count_start(struct job_events *events, struct run *run, int64_t start, int64_t eligible,
		 uint64_t nodes);

/* It started then. */
struct run_time {
	int64_t start;
	int64_t since;      /* when it started, or was last suspended or resumed */
	int64_t ran_before; /* seconds, until then */
	bool runs;          /* else it is suspended */
};
void count_begin(struct job_events *events, struct run *run, const struct run_time *time);

/* It ran until then, if it has begun. */
void count_until(struct job_events *events, struct run *run, int64_t until);

/* It had this size until then, which was not its end. What was counted of that time, as if it had held what it holds now, is
 * made good if it was too little. */
void count_size(struct job_events *events, struct run *run, const struct job_end *size);

/* Of one that has begun. */
int64_t ran_until(const struct run *run, int64_t until); /* seconds, if it was not suspended since it was last resumed */
int64_t counted_until(const struct run *run); /* Unix seconds */

void count_end(struct job_events *events, struct run *run, const struct job_end *end);

void job_events_forget(struct job_events *events, struct run *run);
void job_events_lose(struct job_events *events, struct run *run); /* nobody will tell how it ended */
