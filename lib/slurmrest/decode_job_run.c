#include "model/job_run.h"
#include "model/limit.h"
#include "model/tres.h"

#include "slurmrest/decode.h"
#include "slurmrest/state_names.h"

#include <inttypes.h>
#include <stdio.h>

/* `state` counts from 1 while the record is being read, so that a zeroed record has none. */
static void take_state(struct vocabulary *vocabulary, void *record, struct text name)
{
	struct job *job = &((struct job_run *)record)->job;
	int state = job->state - 1;
	state_take(&vocabulary->job_states, &vocabulary->job_flags, &state, &job->flags, name);
	job->state = state + 1;
}

/* Appends "gres/gpu:a100=2", as in the TRES strings of slurmctld; a count that is not known is left out. */
static void add_tres(struct text *list, const struct tres_count *tres, struct arena *texts)
{
	if (!number_is_known(tres->count))
		return;
	char count[32];
	snprintf(count, sizeof count, "%" PRIu64 "%s", tres->count, text_equal(tres->type, TEXT("mem")) ? "M" : "");
	arena_append(texts, list, ',', tres->type);
	if (tres->name.len)
		arena_append(texts, list, '/', tres->name);
	arena_append(texts, list, '=', text_of(count));
}

/* Energy is no resource that a job holds: slurmctld adds up here what its steps used, in joules. Where nobody measures
 * it is -2 or missing (SLURMRESTD.md, "Energy of jobs"). */
static void take_allocated(void *record, const void *element, struct arena *texts)
{
	struct job_run *run = record;
	const struct tres_count *tres = element;
	if (!text_equal(tres->type, TEXT("energy")))
		add_tres(&run->job.tres_allocated, tres, texts);
	else if (number_is_known(tres->count))
		run->energy_used = tres->count;
}

static void take_requested(void *record, const void *element, struct arena *texts)
{
	add_tres(&((struct job_run *)record)->job.tres_requested, element, texts);
}

static const struct field tres_fields[] = {
	TEXT_FIELD(struct tres_count, type, "type"),
	TEXT_FIELD(struct tres_count, name, "name"),
	NUMBER(struct tres_count, count, "count", COUNT),
	END_OF_FIELDS,
};
static const struct field_elements allocated = {sizeof(struct tres_count), tres_fields, take_allocated};
static const struct field_elements requested = {sizeof(struct tres_count), tres_fields, take_requested};

/* Steps are added up as they come; none is kept, nor is any of their texts. */
struct step {
	uint64_t cpu_seconds, cpu_us;
	uint64_t memory, gpu_memory;
	bool tells_gpu_memory; /* also 0 */
};

struct usage {
	bool is_memory, is_gres, is_gpumem;
	uint64_t count;
};

static void take_usage_type(struct vocabulary *vocabulary, void *record, struct text name)
{
	(void)vocabulary;
	struct usage *usage = record;
	usage->is_memory = text_equal(name, TEXT("mem"));
	usage->is_gres = text_equal(name, TEXT("gres"));
}

static void take_usage_name(struct vocabulary *vocabulary, void *record, struct text name)
{
	(void)vocabulary;
	((struct usage *)record)->is_gpumem = text_equal(name, TEXT("gpumem"));
}

static const struct field usage_fields[] = {
	NAME("type", take_usage_type),
	NAME("name", take_usage_name),
	NUMBER(struct usage, count, "count", BYTES),
	END_OF_FIELDS,
};

static void take_usage(void *record, const void *element, struct arena *texts)
{
	(void)texts;
	struct step *step = record;
	const struct usage *usage = element;
	if (!number_is_known(usage->count))
		return;
	if (usage->is_memory)
		step->memory = usage->count;
	if (usage->is_gres && usage->is_gpumem) {
		step->gpu_memory = usage->count;
		step->tells_gpu_memory = true;
	}
}

static const struct field_elements usage_elements = {sizeof(struct usage), usage_fields, take_usage};

/* tres.requested is what slurmdbd calls tres_usage_in: what the step used of it. */
static const struct field step_fields[] = {
	NUMBER(struct step, cpu_seconds, "time.total.seconds", SECONDS),
	NUMBER(struct step, cpu_us, "time.total.microseconds", COUNT),
	EACH("tres.requested.total", &usage_elements),
	END_OF_FIELDS,
};

static void take_step(void *record, const void *element, struct arena *texts)
{
	(void)texts;
	struct job_run *run = record;
	const struct step *step = element;
	run->steps++;
	if (number_is_known(step->cpu_seconds) && number_is_known(step->cpu_us))
		run->cpu_used_us += step->cpu_seconds * 1000000 + step->cpu_us;
	if (step->memory > run->memory_used)
		run->memory_used = step->memory;
	if (step->gpu_memory > run->gpu_memory_used)
		run->gpu_memory_used = step->gpu_memory;
	run->tells_gpu_memory |= step->tells_gpu_memory;
}

static const struct field_elements step_elements = {sizeof(struct step), step_fields, take_step};

static const struct field fields[] = {
	NUMBER(struct job_run, job.id, "job_id", COUNT),
	NUMBER(struct job_run, job.array_job_id, "array.job_id", COUNT),
	NUMBER(struct job_run, job.array_task_id, "array.task_id", COUNT),
	TEXT_FIELD(struct job_run, job.array_tasks, "array.task"),
	HASHED_TEXT(struct job_run, job.user, "user", HASHED_USERS),
	HASHED_TEXT(struct job_run, job.account, "account", HASHED_ACCOUNTS),
	TEXT_FIELD(struct job_run, job.partitions, "partition"),
	TEXT_FIELD(struct job_run, job.qos, "qos"),
	TEXT_FIELD(struct job_run, qos_requested, "qosreq"),
	NAME("state.current", take_state),
	NUMBER(struct job_run, job.submit_time, "time.submission", SECONDS),
	NUMBER(struct job_run, job.eligible_time, "time.eligible", SECONDS),
	NUMBER(struct job_run, job.start_time, "time.start", SECONDS),
	NUMBER(struct job_run, job.end_time, "time.end", SECONDS),
	NUMBER(struct job_run, elapsed, "time.elapsed", SECONDS),
	NUMBER(struct job_run, suspended, "time.suspended", SECONDS),
	NUMBER(struct job_run, job.time_limit, "time.limit", MINUTES),
	NUMBER(struct job_run, job.exit_code, "exit_code.return_code", COUNT),
	NUMBER(struct job_run, job.exit_signal, "exit_code.signal.signal_id", COUNT), /* before v0.0.40 */
	NUMBER(struct job_run, job.exit_signal, "exit_code.signal.id", COUNT),
	NUMBER(struct job_run, restarts, "restart_cnt", COUNT),
	NUMBER(struct job_run, het_job_id, "het.job_id", COUNT),
	NUMBER(struct job_run, het_offset, "het.job_offset", COUNT),
	NUMBER(struct job_run, job.cpus, "required.CPUs", COUNT),
	NUMBER(struct job_run, job.memory_per_node, "required.memory_per_node", MIB),
	NUMBER(struct job_run, job.memory_per_cpu, "required.memory_per_cpu", MIB),
	NUMBER(struct job_run, job.nodes, "allocation_nodes", COUNT),
	EACH("tres.allocated", &allocated),
	EACH("tres.requested", &requested),
	/* The name is a number before v0.0.40; what was requested is there since v0.0.43. */
	HASHED_TEXT(struct job_run, job.reservation, "reservation.name", HASHED_RESERVATIONS),
	NUMBER(struct job_run, reservation_id, "reservation.id", COUNT),
	TEXT_FIELD(struct job_run, reservation_requested, "reservation.requested"), /* hashed by name_requested */
	TEXT_FIELD(struct job_run, job.features, "constraints"),
	TEXT_FIELD(struct job_run, job.licenses, "licenses"), /* since v0.0.40 */
	HASHED_TEXT(struct job_run, job.wckey, "wckey.wckey", HASHED_ACCOUNTS),
	HASHED_TEXT(struct job_run, job.comment, "comment.job", HASHED_JOBS),
	TEXT_FIELD(struct job_run, job.node_list, "nodes"),
	TEXT_FIELD(struct job_run, job.failed_node, "failed_node"),
	HASHED_TEXT(struct job_run, job.name, "name", HASHED_JOBS),
	TEXT_FIELD(struct job_run, job.sluid, "sluid"), /* since v0.0.45 */
	TEXT_FIELD(struct job_run, job.cluster, "cluster"),
	TEXT_FIELD(struct job_run, job.submit_line, "submit_line"), /* since v0.0.40 */
	EACH("steps", &step_elements),
	/* slurmctld's, unset here */
	NUMBER(struct job_run, job.user_id, "user_id", COUNT),
	END_OF_FIELDS,
};

/* An array's last task takes the record of the rest. slurmdbd may hear how it ended, but never that it started, if a
 * fail-over loses slurmctld's message. Then the record still lists the rest as it was (SLURMRESTD.md, "Arrays"). sacct
 * lets each of its tasks end so, and those that were split from it a second time. */
static void name_last_task(struct job *job)
{
	uint64_t task = job_last_task(job);
	if (number_is_known(task)) {
		job->array_task_id = task;
		job->array_tasks = TEXT("");
	}
}

/* Without a node it is what the last task was to have, which was cancelled before it began (22.05). */
static void note_allocated(struct job_run *run)
{
	struct text list = run->job.tres_allocated;
	struct tres tres;
	uint64_t cpus = NUMBER_UNSET, memory = NUMBER_UNSET, nodes = 0;
	while (tres_next(&list, &tres)) {
		if (text_equal(tres.name, TEXT("cpu")))
			cpus = tres.count;
		else if (text_equal(tres.name, TEXT("mem")))
			memory = tres.count;
		else if (text_equal(tres.name, TEXT("node")))
			nodes = tres.count;
	}
	run->cpus_allocated = nodes ? cpus : NUMBER_UNSET;
	run->memory_allocated = nodes ? memory : NUMBER_UNSET;
	if (nodes && job_run_has_ended(run))
		name_last_task(&run->job);
}

/* If slurmctld was restarted while the job completed, it names all partitions that the job asked for. The one that it
 * ran in comes first (job_scheduler.h: rebuild_job_part_list). */
static void name_one_partition(struct job_run *run)
{
	struct job *job = &run->job;
	if (number_is_known(run->cpus_allocated) && job->start_time)
		job->partitions = text_cut(&job->partitions, ',');
}

/* slurmdbd gives the present moment, the window's end, or, of what was cancelled before it got nodes, NO_VAL or the
 * moment of its end (22.05) for times that never came (SLURMRESTD.md, "slurmdbd's jobs"). */
static void clear_future(struct job_run *run)
{
	struct job *job = &run->job;
	bool has_ended = job_run_has_ended(run) || job_run_is_size(run);
	if (!has_ended || !number_is_known(job->end_time))
		job->end_time = 0;
	if (!job->node_list.len || !number_is_known(job->start_time))
		job->start_time = 0;
}

/* A member that an answer does not have has no bytes. Some releases tell only the number of a reservation. An empty
 * comment may be one that slurmdbd was not told (FIELDS.md, "What jobs ask for"). */
static void note_untold(struct job_run *run)
{
	struct job *job = &run->job;
	if (!job->reservation.len && run->reservation_requested.len)
		job->reservation = run->reservation_requested;
	job->untold = (job->licenses.bytes ? 0 : JOB_LICENSES_UNTOLD) |
		      (job->reservation.len || !run->reservation_id ? 0 : JOB_RESERVATION_UNTOLD) |
		      (job->comment.len ? 0 : JOB_COMMENT_UNTOLD);
}

/* A job may ask for several reservations. */
static void name_requested(void *record, const struct name_hash *hash, struct arena *texts)
{
	struct text *names = &((struct job_run *)record)->reservation_requested;
	*names = name_hash_each(hash, HASHED_RESERVATIONS, *names, texts);
}

/* Before v0.0.40 the state is one word: a run that ended by requeue is REQUEUED alone. Its base state is
 * PENDING, the number 0, as later versions say. */
static bool finish(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct job_run *run = record;
	struct job *job = &run->job;
	bool has_state = job->state || job->flags;
	job->state = job->state ? job->state - 1 : JOB_PENDING;
	if (job->state == JOB_PENDING && !job->flags && run->qos_requested.len)
		job->qos = run->qos_requested; /* of several, `qos` is the one in turn */
	if (text_equal(job->node_list, TEXT("None assigned")))
		job->node_list = TEXT("");
	if ((number_is_known(job->exit_signal) && job->exit_signal) || (job->state == JOB_FAILED && !job->exit_code))
		job->exit_code = NUMBER_UNSET;
	job->restarts = run->restarts;
	if (!run->cpu_used_us)
		run->cpu_used_us = NUMBER_UNSET;
	if (!run->memory_used)
		run->memory_used = NUMBER_UNSET;
	if (!run->tells_gpu_memory)
		run->gpu_memory_used = NUMBER_UNSET;
	if (!run->energy_used)
		run->energy_used = NUMBER_UNSET;
	note_allocated(run);
	note_untold(run);
	clear_future(run);
	name_one_partition(run);
	job_settle_named(job);
	return number_is_known(job->id) && has_state;
}

const struct record_type job_run_record = {"jobs", false, sizeof(struct job_run), fields, finish, name_requested};
