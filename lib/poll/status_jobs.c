#include "poll/status_jobs.h"

#include "base/map.h"
#include "metrics/job_labels.h"
#include "model/tres.h"

_Static_assert((int)STATUS_PENDING == STAGE_PENDING && (int)STATUS_HOLDING == STAGE_HOLDING &&
		       (int)STATUS_ENDED == STAGE_ENDED && (int)STATUS_STAGES == JOB_STAGES,
	       "one stage, one number");

/* All texts one after the other. Jobs that stand side by side often share some: those that were put lately are kept once. */
struct gathering {
	struct status *status;
	const struct cluster *cluster;
	const struct job_events *events;
	struct buf texts;
	uint32_t lately[256]; /* by hash */
};

static uint32_t put(struct gathering *gathering, struct text text)
{
	struct buf *texts = &gathering->texts;
	uint32_t *lately = &gathering->lately[map_hash(text) % (sizeof gathering->lately / sizeof *gathering->lately)];
	if (!text.len || text.len >= UINT32_MAX - texts->len)
		return 0;
	if (text_equal(text_of(texts->bytes + *lately), text))
		return *lately;
	*lately = (uint32_t)texts->len;
	buf_add_text(texts, text);
	buf_add_char(texts, '\0');
	return *lately;
}

static void put_owner(struct gathering *gathering, struct status_job *job, const struct job_owner *owner)
{
	struct owner_labels labels;
	owner_labels_make(&labels, &gathering->cluster->caps, owner);
	job->user = put(gathering, labels.user);
	job->account = put(gathering, labels.account);
	job->partition = put(gathering, labels.partition);
	job->qos = put(gathering, labels.qos);
	owner_labels_done(&labels);
}

static void put_tres(struct gathering *gathering, struct status_job *job, struct text tres)
{
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(tres, gres);
	job->gpus = 0;
	for (unsigned i = 0; i < count; i++)
		if (text_equal(gres[i].name, TEXT("gpu")))
			job->gpus += gres[i].count;
	job->tres = count ? put(gathering, tres) : 0;
}

/* 0 is not known, too. */
static uint64_t known(uint64_t number)
{
	return number ? number : NUMBER_UNSET;
}

/* What slurmctld says of jobs that wait. */
static void take_pending(struct gathering *gathering, struct status_job *job, const struct job_row *row)
{
	char scratch[LABEL_MAX + 1];
	job->tasks = row->tasks;
	job->memory_bytes = known(row->memory);
	job->start = known(each_job_forecast(row));
	job->reason = put(gathering, job_reason_label(gathering->cluster->job_table, row, scratch));
	job->class = put(gathering, text_of(reason_class_names[row->class]));
	job->is_array_rest = row->bits & ROW_IS_UNSPLIT;
}

static void take_run(struct status_job *job, const struct job_row *row)
{
	bool was_suspended = row->suspend_time > 0;
	uint64_t since = was_suspended ? row->suspend_time : job->start;
	if (!number_is_known(job->start))
		return;
	job->run_s = was_suspended ? row->ran_before : 0;
	if (row->state == JOB_RUNNING)
		job->runs_since = since;
	else if (row->state != JOB_SUSPENDED && row->end_time >= since) /* it completes */
		job->run_s += row->end_time - since;
}

/* What it says of jobs that hold nodes. */
static void take_holding(struct gathering *gathering, struct status_job *job, const struct job_row *row,
			 const struct each_job_row *shown)
{
	static const enum status_cpus cpus[] = {
		[CPUS_NOT_KNOWN] = STATUS_CPUS_NOT_KNOWN, [CPUS_SOME] = STATUS_CPUS_SOME, [CPUS_ALL] = STATUS_CPUS_ALL};
	job->memory_bytes = row->memory;
	job->start = known(row->start_time);
	job->of_nodes = cpus[shown->cpus];
	job->node_list = put(gathering, text_pool_get(&gathering->cluster->job_table->pools.texts, row->node_list));
	take_run(job, row);
}

static void take_extra(struct gathering *gathering, struct status_job *job, const struct job_extra *extra)
{
	if (!extra)
		return;
	job->name = put(gathering, extra->name);
	job->sluid = put(gathering, extra->sluid);
	job->het_job_id = extra->het_job_id;
	job->priority = extra->priority;
	job->restarts = extra->restarts;
}

/* A job of which nothing is known yet. */
static struct status_job no_job(uint32_t id)
{
	return (struct status_job){
		.id = id,
		.array_task_id = UINT32_MAX,
		.tasks = 1,
		.start = NUMBER_UNSET,
		.end = NUMBER_UNSET,
		.run_s = NUMBER_UNSET,
		.runs_since = NUMBER_UNSET,
		.priority = NUMBER_UNSET,
		.restarts = NUMBER_UNSET,
		.exit_code = NUMBER_UNSET,
		.exit_signal = NUMBER_UNSET,
		.peak_memory_bytes = NUMBER_UNSET,
		.energy_joules = NUMBER_UNSET,
		.used_cpu_s = -1,
	};
}

static struct status_job live_job(struct gathering *gathering, const struct each_job_row *shown, enum job_stage stage)
{
	const struct job_table *table = gathering->cluster->job_table;
	const struct job_row *row = &table->rows[shown->position];
	const struct job_owner owner = owners_get(&table->pools.groups, row->group);
	struct status_job job = no_job(row->id);
	job.array_job_id = row->array_job_id;
	job.array_task_id = row->array_task_id;
	job.cpus = row->cpus;
	job.nodes = row->nodes;
	job.submit = known(row->submit_time);
	job.eligible = known(row->eligible_time);
	job.limit_s = row->time_limit;
	job.state = put(gathering, text_of(gathering->cluster->vocabulary.job_states.name[row->state]));
	put_owner(gathering, &job, &owner);
	put_tres(gathering, &job, text_pool_get(&table->pools.texts, row->tres));
	take_extra(gathering, &job, job_extras_find(&table->extras, row->id));
	if (stage == STAGE_PENDING)
		take_pending(gathering, &job, row);
	else
		take_holding(gathering, &job, row, shown);
	return job;
}

static struct status_job ended_job(struct gathering *gathering, const struct recent_end *end)
{
	const struct text_pool *texts = &gathering->events->texts;
	const struct job_owner owner = owners_get(&gathering->events->owners, end->owner);
	struct status_job job = no_job(end->raw_id);
	job.array_job_id = end->array_job_id;
	job.array_task_id = end->array_task_id;
	job.cpus = end->cpus;
	job.memory_bytes = end->memory;
	job.nodes = end->nodes;
	job.submit = end->submit_time;
	job.eligible = end->eligible_time;
	job.start = end->start_time;
	job.end = end->end_time;
	job.run_s = end->run_seconds;
	job.limit_s = end->time_limit;
	job.exit_code = end->exit_code;
	job.exit_signal = end->exit_signal;
	job.peak_memory_bytes = end->peak_memory;
	job.energy_joules = end->energy;
	job.used_cpu_s = end->used_cpu_seconds;
	job.is_failure = end->is_failure;
	job.name = put(gathering, text_pool_get(texts, end->name));
	job.sluid = put(gathering, text_pool_get(texts, end->sluid));
	job.state = put(gathering, text_pool_get(texts, end->state));
	job.failed_node = put(gathering, text_pool_get(texts, end->failed_node));
	put_owner(gathering, &job, &owner);
	put_tres(gathering, &job, text_pool_get(texts, end->tres));
	return job;
}

static struct status_job_set *new_set(struct gathering *gathering, enum job_stage stage, uint64_t max, size_t count)
{
	struct status_job_set *set = &gathering->status->job_rows.sets[stage];
	*set = (struct status_job_set){.is_known = true, .max = max, .count = count};
	set->rows = arena_new(&gathering->status->arena, (count + 1) * sizeof *set->rows);
	return set;
}

static void gather_live(struct gathering *gathering, enum job_stage stage)
{
	const struct each_job_set *chosen = &gathering->cluster->each_job.sets[stage];
	struct status_job_set *set = new_set(gathering, stage, chosen->max, chosen->count);
	set->left_out = chosen->left_out.jobs;
	for (size_t i = 0; i < chosen->count; i++)
		set->rows[i] = live_job(gathering, &chosen->rows[i], stage);
}

static void gather_ended(struct gathering *gathering)
{
	const struct recent_ends *ends = &gathering->events->recent;
	size_t count = ends->max ? ends->count : 0;
	struct status_job_set *set = new_set(gathering, STAGE_ENDED, ends->max, count);
	gathering->status->job_rows.ended_s = (uint64_t)ends->keep_s;
	set->left_out = ends->left_out.jobs;
	for (size_t i = 0; i < count; i++)
		set->rows[i] = ended_job(gathering, &ends->items[i]);
}

void status_gather_jobs(struct status *status, const struct cluster *cluster, const struct job_events *events)
{
	struct gathering gathering = {.status = status, .cluster = cluster, .events = events, .texts = BUF_INIT};
	struct status_job_rows *jobs = &status->job_rows;
	buf_add_char(&gathering.texts, '\0');
	for (int stage = 0; stage < STAGE_ENDED; stage++)
		if (cluster_detailed_jobs(cluster))
			gather_live(&gathering, (enum job_stage)stage);
	if (events)
		gather_ended(&gathering);
	jobs->texts_len = gathering.texts.len;
	jobs->texts = arena_new(&status->arena, jobs->texts_len);
	memcpy(jobs->texts, gathering.texts.bytes, jobs->texts_len);
	buf_done(&gathering.texts);
}
