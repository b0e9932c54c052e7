/* What happens to jobs: looks at the job table, asks slurmdbd how jobs ended and what they used, and has the recorder
 * keep it. Of the poller's thread. */
#pragma once

#include "discovery/job_rounds.h"
#include "events/end_windows.h"
#include "poll/asker.h"
#include "poll/recorder.h"
#include "poll/tasks.h"

struct event_poller {
	struct asker *asker;
	struct plan *plan;
	struct job_rounds *rounds;
	struct job_keeper jobs;
	struct recorder recorder;
	struct end_windows windows;
	bool has_windows; /* the windows are of the events at hand, which recorder_write may replace */
	int64_t began; /* Unix seconds */
	uint64_t last_runs; /* of the last window */
	int64_t unsettled; /* the latest end in it that was too young to be believed; 0: none */
	size_t suspects; /* runs to ask for one by one, since a batch of them failed */
	struct run_key failed; /* the run whose steps failed when asked for alone; 0: none */
	bool has_answered_since; /* slurmdbd answered another request since then */
	uint64_t steps; /* runs whose steps were to be read when they were counted last */
	uint64_t next_count_ns; /* monotonic: when they are counted again */
	bool is_changed; /* something was counted since the last write */
	uint64_t table_changes; /* the job table's number of changes when it was looked at last */
	int64_t as_of; /* of the job table then: Unix seconds */
};

/* Borrows all but `before`; tells the rounds of ids that slurmdbd knows. Opens the state file. `before` is what
 * was counted so far, or NULL (recorder_init). */
void event_poller_init(struct event_poller *poller, struct asker *asker, struct plan *plan, struct job_rounds *rounds,
		       struct job_events *before);
void event_poller_done(struct event_poller *poller);

/* To be called after every request: what there is to do. */
void event_poller_update(struct event_poller *poller);

/* One request for TASK_JOB_ENDS or TASK_JOB_STEPS. Fills in the outcome. */
void event_poller_poll(struct event_poller *poller, const struct plan_action *action, struct plan_outcome *outcome);

/* recorder_claim, by the cluster's name as far as it is known. */
bool event_poller_claim(struct event_poller *poller);

/* To be called before a page is made. Looks at the jobs, which are all known as of `as_of` (Unix seconds, 0: not yet).
 * Entities that have rows get counters, which begin at zero. Writes what changed to the state file. */
void event_poller_record(struct event_poller *poller, int64_t as_of);
