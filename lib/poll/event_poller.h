/* What happens to jobs: looks at the job table, asks slurmdbd how jobs ended and what they used, and has it kept. Of the
 * poller's thread. */
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
	struct recorder recorder;
	struct end_windows windows;
	bool has_windows;      /* of the events at hand: they may be others after recorder_write */
	int64_t began;         /* Unix seconds */
	uint64_t last_runs;    /* of the last window */
	size_t suspects;       /* runs whose steps were asked for at once in vain: they are asked for one by one */
	struct run_key failed; /* whose steps were asked for alone in vain; no such run: 0 */
	bool has_answered_since; /* slurmdbd, something else */
	uint64_t steps;         /* runs whose steps were to be read when they were counted */
	uint64_t next_count_ns; /* monotonic: when they are again */
	bool is_changed;       /* something was counted since it was written */
	uint64_t table_changes; /* of the job table when it was looked at */
	int64_t as_of;          /* likewise */
};

/* Borrows the first three; the rounds are told of the ids that slurmdbd knows. Opens the state file; `before` is what was
 * counted so far, or NULL (recorder_init). */
void event_poller_init(struct event_poller *poller, struct asker *asker, struct plan *plan,
		       struct job_rounds *rounds, struct job_events *before);
void event_poller_done(struct event_poller *poller);

/* To be called after every request: what there is to do. */
void event_poller_update(struct event_poller *poller);

/* One request for TASK_JOB_ENDS or TASK_JOB_STEPS. Fills in the outcome. */
void event_poller_poll(struct event_poller *poller, const struct plan_action *action,
		       struct plan_outcome *outcome);

/* To be called before a page is made: looks at the jobs, which are all known as of `as_of` (Unix seconds, 0: not yet),
 * gives who has rows of their own counters at zero, and writes down what changed. */
void event_poller_record(struct event_poller *poller, int64_t as_of);
