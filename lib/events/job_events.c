#include "events/count.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
	STEPS_GIVE_UP_S = 86400, /* steps that could not be read for a day must not keep their runs in memory */
	/* A job that ended before birth may still be in its epilog then, and be seen in the table. slurmdbd has to
	 * report that it ended, or the run would count as lost. */
	BEFORE_BIRTH_S = 600,
};

struct job_events *job_events_new(const struct caps *caps, const struct vocabulary *vocabulary, int64_t now)
{
	struct job_events *events = NEW(struct job_events);
	events->vocabulary = vocabulary;
	tallies_init(&events->tallies, caps);
	events->recent = (struct recent_ends){.owners = &events->owners, .texts = &events->texts};
	outages_init(&events->outages);
	events->birth = events->looked_until = now;
	events->ends_known_until = now - BEFORE_BIRTH_S;
	return events;
}

void job_events_free(struct job_events *events)
{
	if (!events)
		return;
	outages_done(&events->outages);
	recent_ends_done(&events->recent);
	owners_done(&events->owners);
	tallies_done(&events->tallies);
	text_pool_done(&events->texts);
	runs_done(&events->runs);
	steps_waiting_done(&events->steps);
	id_map_done(&events->split);
	id_map_done(&events->completing);
	free(events);
}

void job_events_screen(struct job_events *events)
{
	if (!events)
		return;
	tallies_screen(&events->tallies);
	owners_forget_lists(&events->owners); /* some may have a row now that had none, too */
}

void job_events_forget(struct job_events *events, struct run *run)
{
	if (run->bits & RUN_WANTS_STEPS)
		events->steps_given_up++;
	owners_release(&events->owners, run->owner);
	text_pool_release(&events->texts, run->tres);
	runs_remove(&events->runs, run);
}

/* Finds the run of a job that was resized. slurmdbd has a row for each size that the job had, and the last row tells
 * its end. By each row the job was submitted and started when it got that size (22.05: started before). slurmctld still
 * reports the first submit time. A run that lived on until this row is the same run. A requeued run does not live on,
 * and its successor starts later than in the second of the requeue. If nobody saw the run, the next row begins where
 * the one before ended. */
static struct run *find_resized(const struct job_events *events, const struct run_key *key, int64_t start_time,
				int64_t end_time)
{
	struct run *run = NULL;
	if (!start_time || start_time > key->submit_time)
		return NULL;
	while ((run = runs_next(&events->runs, key->id, key->task, run))) {
		bool lived_on = run->bits & RUN_ENDED ? run->end_time >= end_time
						      : !run->gone_since || run->gone_since >= end_time ||
								run->size_since == key->submit_time;
		if (run->key.submit_time < key->submit_time && lived_on)
			break;
	}
	return run;
}

/* Takes start and run time from what the job table showed. slurmdbd knows only the start of a resized job's last size.
 * It may never hear of a start: a slurmctld that was relieved by another took that of one task with it. */
static void end_as_seen(struct job_events *events, struct run *run, const struct job_end *told)
{
	struct job_end end = *told;
	if (run->began)
		end.run_seconds = ran_until(run, end.end_time);
	if (!end.start_time)
		end.start_time = run->began;
	count_end(events, run, &end);
}

void job_events_take_end(struct job_events *events, const struct job_end *end)
{
	struct run *run = runs_find(&events->runs, &end->key), *resized = NULL;
	if (!run)
		run = resized = find_resized(events, &end->key, end->start_time, end->end_time);
	if (run && run->bits & RUN_ENDED)
		return;
	if (!run)
		run = count_new_run(events, &end->key, end->raw_id, &end->owner, end->named, end->tasks, end->end_time);
	bool lacks_start = !end->start_time && end->cpus && run->bits & RUN_STARTED && run->began;
	if (resized || lacks_start)
		end_as_seen(events, run, end);
	else
		count_end(events, run, end);
}

void job_events_take_size(struct job_events *events, const struct job_end *size)
{
	const struct run_key next = {size->key.id, size->key.task, size->end_time};
	if (!size->start_time || size->end_time < events->birth || runs_find(&events->runs, &next))
		return; /* slurmdbd reported its last size first, as a run of its own */
	struct run *run = runs_find(&events->runs, &size->key);
	if (!run)
		run = find_resized(events, &size->key, size->start_time, size->end_time);
	if (!run)
		run = count_new_run(events, &size->key, size->raw_id, &size->owner, size->named, size->tasks,
				    size->end_time);
	if (!(run->bits & RUN_ENDED))
		count_size(events, run, size);
}

void job_events_note_starts(struct job_events *events, const struct starts_told *told)
{
	static const struct starts_told none = {.since = 0};
	if (!events->ends_by_slurmdbd)
		unseen_starts_note(&events->unseen, told);
	else if (events->slurmdbd_told)
		unseen_starts_note(&events->unseen, &none);
}

void job_events_lose(struct job_events *events, struct run *run)
{
	uint64_t tasks = run->key.task == RUN_NO_TASK && run->tasks ? run->tasks : 1;
	events->lost += (double)tasks;
	if (!(run->bits & RUN_STARTED))
		unseen_starts_see(&events->unseen, run->gone_since, tasks); /* it may have started */
	job_events_forget(events, run);
}

static bool gave_up(const struct run *run, int64_t until)
{
	bool awaits_end = !(run->bits & RUN_ENDED) || run->tasks;
	return awaits_end && run->gone_since && run->gone_since + JOB_EVENTS_GIVE_UP_S < until;
}

/* May the run be forgotten? Not while slurmctld shows the job, because the table would count it again. An epilog may
 * last longer than the time in which slurmdbd reports an end again. Not while an excess is counted for it, either: the
 * next run has to take that first. */
static bool is_over(const struct run *run, int64_t until, int64_t asked_again_from)
{
	if (!(run->bits & RUN_ENDED) || run->end_time >= asked_again_from || !run->gone_since || run->tasks)
		return false;
	if (run->counted && run->gone_since + JOB_EVENTS_GIVE_UP_S >= until)
		return false;
	return !(run->bits & RUN_WANTS_STEPS) || run->end_time + STEPS_GIVE_UP_S < until;
}

void job_events_end_window(struct job_events *events, int64_t until, int64_t asked_again_from)
{
	events->slurmdbd_told = true;
	count_ends_known(events, until);
	for (size_t i = 0; i < events->runs.count; i++) {
		struct run *run = &events->runs.items[i];
		if (!run->is_used)
			continue;
		if (gave_up(run, until))
			job_events_lose(events, run);
		else if (is_over(run, until, asked_again_from))
			job_events_forget(events, run);
	}
}

enum { STEPS_COUNT_FOR = 4 }; /* a partition, an account, a user, and the cluster */

static void count_use(struct tally *const whom[STEPS_COUNT_FOR], const struct job_steps *steps)
{
	for (size_t i = 0; i < STEPS_COUNT_FOR - 1; i++) {
		tally_add(whom[i], TALLY_ALLOCATED_CPU_SECONDS, TEXT(""), steps->allocated_cpu_seconds);
		tally_add(whom[i], TALLY_USED_CPU_SECONDS, TEXT(""), steps->used_cpu_seconds);
		if (steps->peak_memory <= 0)
			continue;
		tally_add(whom[i], TALLY_ALLOCATED_MEMORY_BYTE_SECONDS, TEXT(""),
			  steps->allocated_memory * steps->run_seconds);
		tally_add(whom[i], TALLY_PEAK_MEMORY_BYTE_SECONDS, TEXT(""), steps->peak_memory * steps->run_seconds);
	}
	if (steps->allocated_cpu_seconds > 0)
		tally_observe(whom[0], TALLY_CPU_EFFICIENCY_RATIO,
			      steps->used_cpu_seconds / steps->allocated_cpu_seconds);
	if (steps->allocated_memory > 0 && steps->peak_memory > 0)
		tally_observe(whom[0], TALLY_MEMORY_EFFICIENCY_RATIO, steps->peak_memory / steps->allocated_memory);
}

/* What not every site measures. */
static void count_measured(struct tally *const whom[STEPS_COUNT_FOR], const struct job_steps *steps)
{
	double gpus = steps->peak_gpu_memory >= 0 ? steps->allocated_gpus : 0;
	for (size_t i = 0; i < STEPS_COUNT_FOR; i++) {
		tally_add(whom[i], TALLY_ENERGY_JOULES, TEXT(""), steps->energy);
		if (gpus <= 0)
			continue;
		tally_add(whom[i], TALLY_ALLOCATED_GPU_SECONDS, TEXT(""), gpus * steps->run_seconds);
		tally_add(whom[i], TALLY_PEAK_GPU_MEMORY_BYTE_SECONDS, TEXT(""),
			  steps->peak_gpu_memory * steps->run_seconds);
	}
}

/* The page shows efficiency, energy and memory of GPUs by partition, account and user. */
static void count_steps(struct job_events *events, const struct run *run, const struct job_steps *steps)
{
	struct job_owner owner = owners_get(&events->owners, run->owner);
	struct text partition = text_cut(&owner.partitions, ',');
	struct tally *const whom[STEPS_COUNT_FOR] = {
		tallies_of(&events->tallies, ENTITY_PARTITION, partition, TEXT("")),
		tallies_of(&events->tallies, ENTITY_ACCOUNT, owner.account, TEXT("")),
		tallies_of(&events->tallies, ENTITY_USER, owner.user, owner.account),
		tallies_of(&events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT("")),
	};
	if (steps->used_cpu_seconds >= 0)
		count_use(whom, steps);
	count_measured(whom, steps);
}

void job_events_take_steps(struct job_events *events, const struct job_steps *steps)
{
	struct run *run = runs_find(&events->runs, &steps->key);
	if (!run)
		run = find_resized(events, &steps->key, steps->start_time, steps->end_time);
	if (!run || !(run->bits & RUN_WANTS_STEPS))
		return;
	run->bits = (run->bits & ~(uint32_t)RUN_WANTS_STEPS) | RUN_IS_CHANGED;
	count_steps(events, run, steps);
	recent_ends_take_steps(&events->recent, run->raw_id, run->end_time, steps);
}
