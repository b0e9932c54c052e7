#include "poll/told_runs.h"

#include "base/memory.h"

#include <stdlib.h>

int64_t told_time(uint64_t number)
{
	return number_is_known(number) ? (int64_t)number : 0;
}

bool told_is_slurms(const struct job_run *run)
{
	return run->job.id && run->job.id < UINT32_MAX && told_time(run->job.submit_time);
}

struct run_key told_key(const struct job_run *run)
{
	const struct job *job = &run->job;
	bool has_array = number_is_known(job->array_job_id) && job->array_job_id;
	bool has_task = has_array && number_is_known(job->array_task_id);
	return (struct run_key){(uint32_t)(has_array ? job->array_job_id : job->id),
				has_task ? (uint32_t)job->array_task_id : RUN_NO_TASK, (int64_t)job->submit_time};
}

struct job_runs_query told_runs_query(const struct event_poller *poller, bool with_steps)
{
	return (struct job_runs_query){.version = client_version(poller->asker->client),
				       .cluster = poller->asker->cluster->name,
				       .with_steps = with_steps};
}

static void take_run(void *context, const void *record)
{
	struct told_runs *taken = context;
	const struct job_run *run = record;
	if (run->job.flags >> JOB_FLAG_REVOKED & 1)
		return;
	GROW(taken->items, taken->count, taken->capacity);
	struct job_run *copy = &taken->items[taken->count++];
	*copy = *run;
	copy->job = job_copy(&run->job, &taken->arena);
}

void told_runs_done(struct told_runs *runs)
{
	arena_done(&runs->arena);
	free(runs->items);
}

enum fetch_result told_runs_fetch(struct event_poller *poller, struct told_runs *runs, const struct buf *query,
				  struct plan_outcome *ret_outcome)
{
	const struct fetch fetch = {ENDPOINT_DBD_JOBS, take_run, runs, .query = query->bytes};
	enum fetch_result result = asker_ask(poller->asker, &fetch, ret_outcome);
	poller->has_answered_since |= fetch_succeeded(result);
	return result;
}
