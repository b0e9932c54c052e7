#include "poll/event_steps.h"

#include "base/clock.h"
#include "base/log.h"
#include "model/tres.h"
#include "poll/told_runs.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	STEPS_AFTER_S = 60, /* slurmdbd has a job's steps by then */
	STEPS_SINCE_S = 86400, /* steps of runs that ended earlier are given up (events/job_events.c) */
	STEPS_COUNTED_EVERY_S = 5, /* counting looks at all waiting runs */
};

uint64_t event_steps_count(struct event_poller *poller)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns >= poller->next_count_ns) {
		poller->steps = job_events_want_steps(poller->recorder.events,
						      asker_now_s(poller->asker) - STEPS_AFTER_S, NULL, 0);
		poller->next_count_ns = now_ns + STEPS_COUNTED_EVERY_S * UINT64_C(1000000000);
	}
	return poller->steps;
}

static void take_steps(struct event_poller *poller, const struct told_runs *taken)
{
	for (size_t i = 0; i < taken->count; i++) {
		const struct job_run *run = &taken->items[i];
		bool is_known = number_is_known(run->cpu_used_us);
		double seconds = (double)told_time(run->elapsed);
		const struct job_steps steps = {
			.raw_id = (uint32_t)run->job.id,
			.key = told_key(run),
			.start_time = told_time(run->job.start_time),
			.end_time = told_time(run->job.end_time),
			.run_seconds = seconds,
			.allocated_cpu_seconds = seconds * (double)told_time(run->cpus_allocated),
			.used_cpu_seconds = is_known ? (double)run->cpu_used_us / 1e6 : -1,
			.allocated_memory = (double)told_time(run->memory_allocated),
			.peak_memory = (double)told_time(run->memory_used),
			.energy = (double)told_time(run->energy_used),
			.allocated_gpus = (double)tres_gpus(run->job.tres_allocated),
			.peak_gpu_memory = number_is_known(run->gpu_memory_used) ? (double)run->gpu_memory_used : -1,
		};
		if (told_is_slurms(run) && job_run_has_ended(run))
			job_events_take_steps(poller->recorder.events, &steps);
	}
}

/* A run may have more steps than slurmrestd can read in time, or has memory for. If a batch failed, each of its runs
 * gets a request of its own. A run that fails alone twice, while slurmdbd answers other requests, is given up. */
static void note_steps_failed(struct event_poller *poller, const struct run_key *keys, size_t count)
{
	if (count > 1) {
		poller->suspects = count;
		return;
	}
	if (!run_key_equal(&poller->failed, keys)) {
		poller->failed = *keys;
		poller->has_answered_since = false;
	} else if (poller->has_answered_since) {
		char id[24];
		snprintf(id, sizeof id, "%" PRIu32, keys->id);
		log_line(LOG_LEVEL_WARN, "slurmscope gives up what a job used: two requests for its steps failed",
			 "job", id, NULL);
		job_events_give_up_steps(poller->recorder.events, keys);
	}
}

void event_steps_poll(struct event_poller *poller, uint64_t max, struct plan_outcome *outcome)
{
	struct job_events *events = poller->recorder.events;
	struct told_runs taken = {.count = 0};
	struct buf text = BUF_INIT;
	struct run_key keys[JOB_STEPS_BATCH_MAX];
	struct job_runs_name names[JOB_STEPS_BATCH_MAX];
	int64_t before = asker_now_s(poller->asker) - STEPS_AFTER_S;
	if (poller->suspects)
		max = 1;
	size_t wanting = job_events_want_steps(events, before, keys, max);
	size_t count = wanting < max ? wanting : max;
	const struct job_runs_query query = told_runs_query(poller, true);
	*outcome = (struct plan_outcome){.result = PLAN_OK, .is_round_done = true};
	poller->next_count_ns = 0;
	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		names[i] =
			(struct job_runs_name){keys[i].id, keys[i].task == RUN_NO_TASK ? NUMBER_UNSET : keys[i].task};
	job_runs_query_names(&query, names, count, (uint64_t)(before - STEPS_SINCE_S), &text);
	if (fetch_succeeded(told_runs_fetch(poller, &taken, &text, outcome))) {
		take_steps(poller, &taken);
		for (size_t i = 0; i < count; i++)
			job_events_no_steps(events, &keys[i]);
		outcome->is_round_done = wanting == count;
		poller->suspects -= poller->suspects > 0;
	} else {
		note_steps_failed(poller, keys, count);
	}
	outcome->records = count;
	buf_done(&text);
	told_runs_done(&taken);
}
