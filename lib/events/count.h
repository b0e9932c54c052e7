/* What a run's events add to the tallies. Each is called once for it; what happened before counting began is passed
 * over. Of this room only. */
#pragma once

#include "events/job_events.h"

/* A run that was not known, with the submission of so many tasks; it goes by its array's, if that was counted. */
struct run *count_new_run(struct job_events *events, const struct run_key *key,
			  const struct job_owner *owner, uint64_t tasks);

/* An array's unsplit rest has so many tasks: those that were not counted are. */
void count_rest(struct job_events *events, struct run *run, uint64_t tasks);

/* `eligible`: 0 if not known. */
void count_start(struct job_events *events, struct run *run, int64_t start, int64_t eligible,
		 uint64_t nodes);

/* It runs since `began`, after it had run so many seconds before it was suspended. */
void count_begin(struct job_events *events, struct run *run, int64_t began, int64_t ran_before);

/* It ran until then, if it has begun. */
void count_until(struct job_events *events, struct run *run, int64_t until);

void count_end(struct job_events *events, struct run *run, const struct job_end *end);

void job_events_forget(struct job_events *events, struct run *run);
void job_events_lose(struct job_events *events, struct run *run); /* nobody will tell how it ended */
