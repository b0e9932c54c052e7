#include "discovery/job_runs.h"

#include "base/memory.h"
#include "model/number.h"

#include <stdlib.h>

#define RESIZING (UINT64_C(1) << JOB_FLAG_RESIZING)

/* A run with a flag was requeued, or is another cluster's. slurmdbd does not say since when a job has been suspended. A
 * run that was resized is kept as a sign: the job's later runs show neither its submission nor its start. */
static bool is_of_use(const struct job_table *table, const struct job_run *run)
{
	bool was_suspended = run->job.state == JOB_SUSPENDED || (number_is_known(run->suspended) && run->suspended);
	struct job_view row;
	if (!job_table_find(table, run->job.id, &row) || row.has_details)
		return false;
	return run->job.flags & RESIZING || (!run->job.flags && !was_suspended && row.state == run->job.state);
}

void job_runs_take(struct job_runs *runs, const struct job_run *run)
{
	if (!is_of_use(runs->table, run))
		return;
	GROW(runs->items, runs->count, runs->capacity);
	runs->items[runs->count++] = job_copy(&run->job, &runs->arena);
}

/* By ID. Of the runs of one ID a resized one comes first, so that the job is passed over; then the latest
 * submission. */
static int compare(const void *left, const void *right)
{
	const struct job *a = left, *b = right;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if ((a->flags ^ b->flags) & RESIZING)
		return a->flags & RESIZING ? -1 : 1;
	return a->submit_time > b->submit_time ? -1 : a->submit_time < b->submit_time;
}

/* If a job was cancelled before it ran, slurmdbd names all partitions that it asked for. slurmctld names one of them.
 * slurmdbd does not tell which one. */
static bool is_partition_known(const struct job *job)
{
	return job_state_is_live(job->state) || job_is_one_name(job->partitions);
}

static void put(struct job_details *details, struct job job, int64_t now)
{
	struct job_view row;
	const struct caps *caps = details->table->pools.caps;
	if (!job_table_find(details->table, job.id, &row) || !is_partition_known(&job))
		return;
	if (caps && caps->groups && job_groups_lack(caps->groups, &job))
		return; /* slurmctld tells what it asks for */
	job.flags = row.flags;
	job.reason = TEXT("Unknown");
	job_details_take(details, &job, now);
	if (job.array_tasks.len)
		job_table_set_tasks(details->table, job.id, row.tasks);
}

void job_runs_apply(struct job_runs *runs, struct job_details *details, int64_t now)
{
	if (runs->count)
		qsort(runs->items, runs->count, sizeof *runs->items, compare);
	for (size_t i = 0; i < runs->count; i++)
		if ((i == 0 || runs->items[i].id != runs->items[i - 1].id) && !(runs->items[i].flags & RESIZING))
			put(details, runs->items[i], now);
}

void job_runs_done(struct job_runs *runs)
{
	arena_done(&runs->arena);
	free(runs->items);
}
