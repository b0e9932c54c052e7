/* What the parts of the event poller share: event_poller.h, event_ends.h, event_steps.h, told_runs.h. */
#pragma once

#include "discovery/job_rounds.h"
#include "events/end_windows.h"
#include "events/late_ends.h"
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
	/* Before v0.0.40 requeued runs come only together with all live jobs. So they have windows of their own, which
	 * are longer apart. */
	struct end_windows requeued;
	int64_t next_requeued;
	bool has_windows; /* the windows belong to the present events, which recorder_write may replace */
	struct late_ends late;
	int64_t began; /* Unix seconds */
	int64_t told_at; /* Unix seconds: slurmdbd's last answer about ends; 0: none yet */
	int64_t latest; /* of slurmctld's clock */
	uint64_t last_runs; /* of the last window */
	int64_t ends_known_until; /* all ends before are counted, but for late ones; 0: not known */
	int64_t unsettled; /* its latest end that was too young to count; 0: none */
	size_t suspects; /* runs to ask for one by one, since a batch of them failed */
	struct run_key failed; /* the run whose steps failed when asked for alone; 0: none */
	bool has_answered_since; /* slurmdbd answered another request since then */
	uint64_t steps; /* runs whose steps were to be read, at the last count */
	uint64_t next_count_ns; /* monotonic: when they are counted again */
	bool is_changed; /* something was counted since the last write */
	uint64_t table_changes; /* the job table's number of changes when it was looked at last */
	int64_t as_of; /* of the job table then: Unix seconds */
};
