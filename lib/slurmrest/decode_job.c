#include "model/job.h"
#include "model/job_task.h"

#include "slurmrest/decode.h"
#include "slurmrest/state_names.h"
#include "slurmrest/untold_gpus.h"

#include <inttypes.h>
#include <stdio.h>

/* `state` counts from 1 while the record is being read, so that a zeroed record has none. */
static void take_state(struct vocabulary *vocabulary, void *record, struct text name)
{
	struct job *job = record;
	int state = job->state - 1;
	state_take(&vocabulary->job_states, &vocabulary->job_flags, &state, &job->flags, name);
	job->state = state + 1;
}

/* Before v0.0.41 job_resources tells the cores of each node, but not its CPUs. */
static const struct field node_fields[] = {
	TEXT_FIELD(struct job_node, name, "name"),
	NUMBER(struct job_node, cpus, "cpus.count", COUNT),
	END_OF_FIELDS,
};
static const struct field_elements node_elements = {sizeof(struct job_node), node_fields, NULL};

/* Since v0.0.42: a priority in each of several partitions, also when the job has started in one
 * (SLURMRESTD.md, "Job records"). */
struct priority {
	struct text partition;
};

static const struct field priority_fields[] = {
	TEXT_FIELD(struct priority, partition, "partition"),
	END_OF_FIELDS,
};

enum { NAMED_MAX = 4096 }; /* bytes of names: more are left out */

static void take_priority(void *record, const void *element, struct arena *texts)
{
	struct text *named = &((struct job *)record)->partitions_named;
	const struct text name = ((const struct priority *)element)->partition;
	if (!name.len || named->len > NAMED_MAX)
		return;
	arena_append(texts, named, ',', name);
}

static const struct field_elements priority_elements = {sizeof(struct priority), priority_fields, take_priority};

static const struct field fields[] = {
	NUMBER(struct job, id, "job_id", COUNT),
	NUMBER(struct job, array_job_id, "array_job_id", COUNT),
	NUMBER(struct job, array_task_id, "array_task_id", COUNT),
	TEXT_FIELD(struct job, array_tasks, "array_task_string"),
	HASHED_TEXT(struct job, user, "user_name", HASHED_USERS),
	NUMBER(struct job, user_id, "user_id", COUNT),
	HASHED_TEXT(struct job, account, "account", HASHED_ACCOUNTS),
	TEXT_FIELD(struct job, partitions, "partition"),
	TEXT_FIELD(struct job, qos, "qos"),
	NAME("job_state", take_state),
	TEXT_FIELD(struct job, reason, "state_reason"),
	NUMBER(struct job, submit_time, "submit_time", SECONDS),
	NUMBER(struct job, eligible_time, "eligible_time", SECONDS),
	NUMBER(struct job, start_time, "start_time", SECONDS),
	NUMBER(struct job, end_time, "end_time", SECONDS),
	NUMBER(struct job, suspend_time, "suspend_time", SECONDS),
	NUMBER(struct job, ran_before, "pre_sus_time", SECONDS),
	NUMBER(struct job, wait_status, "exit_code", COUNT), /* a number before v0.0.40 only */
	NUMBER(struct job, exit_code, "exit_code.return_code", COUNT),
	NUMBER(struct job, exit_signal, "exit_code.signal.id", COUNT),
	NUMBER(struct job, cpus, "cpus", COUNT),
	NUMBER(struct job, nodes, "node_count", COUNT),
	NUMBER(struct job, memory_per_node, "memory_per_node", MIB),
	NUMBER(struct job, memory_per_cpu, "memory_per_cpu", MIB),
	NUMBER(struct job, nodes_max, "max_nodes", COUNT),
	NUMBER(struct job, cpus_per_node, "minimum_cpus_per_node", COUNT),
	TEXT_FIELD(struct job, gres_per_node, "tres_per_node"),
	TEXT_FIELD(struct job, gres_per_job, "tres_per_job"),
	TEXT_FIELD(struct job, gres_per_task, "tres_per_task"),
	TEXT_FIELD(struct job, gres_per_socket, "tres_per_socket"),
	NUMBER(struct job, tasks, "tasks", COUNT),
	NUMBER(struct job, sockets_per_node, "sockets_per_node", COUNT),
	TEXT_FIELD(struct job, gres_held, "gres_detail"),
	TEXT_FIELD(struct job, tres_requested, "tres_req_str"),
	TEXT_FIELD(struct job, tres_allocated, "tres_alloc_str"),
	TEXT_FIELD(struct job, reservation, "resv_name"), /* likewise */
	TEXT_FIELD(struct job, node_list, "nodes"),
	TEXT_FIELD(struct job, failed_node, "failed_node"),
	NUMBER(struct job, time_limit, "time_limit", MINUTES),
	TEXT_FIELD(struct job, features, "features"),
	TEXT_FIELD(struct job, licenses, "licenses"),
	TEXT_FIELD(struct job, wckey, "wckey"), /* hashed by name_others */
	HASHED_TEXT(struct job, comment, "comment", HASHED_JOBS),
	TEXT_FIELD(struct job, cluster, "cluster"),
	HASHED_TEXT(struct job, name, "name", HASHED_JOBS),
	TEXT_FIELD(struct job, sluid, "step_id.sluid"), /* since v0.0.44 */
	EACH("priority_by_partition", &priority_elements),
	TEXT_FIELD(struct job, submit_line, "submit_line"), /* since v0.0.45 */
	NUMBER(struct job, het_job_id, "het_job_id", COUNT),
	NUMBER(struct job, priority, "priority", COUNT),
	NUMBER(struct job, restarts, "restart_cnt", COUNT),
	LIST(struct job, nodes_held, "job_resources.nodes.allocation", &node_elements),
	END_OF_FIELDS,
};

/* Before v0.0.40 job_state is one word: job_state_string() prints a flag in place of the base state
 * when one of these is set (SLURMRESTD.md, "Job records"). */
static int base_state_behind_flag(const struct job *job)
{
	uint64_t pending = UINT64_C(1) << JOB_FLAG_REQUEUED | UINT64_C(1) << JOB_FLAG_REQUEUE_HOLD |
			   UINT64_C(1) << JOB_FLAG_SPECIAL_EXIT;
	if (job->flags & pending)
		return JOB_PENDING;
	if (job->flags & UINT64_C(1) << JOB_FLAG_REVOKED)
		return JOB_CANCELLED;
	if (!(job->flags & UINT64_C(1) << JOB_FLAG_COMPLETING))
		return JOB_RUNNING;
	if (text_equal(job->reason, TEXT("TimeLimit")))
		return JOB_TIMEOUT;
	if (text_equal(job->reason, TEXT("NodeDown")))
		return JOB_NODE_FAIL;
	if (text_equal(job->reason, TEXT("OutOfMemory")))
		return JOB_OUT_OF_MEMORY;
	if (text_equal(job->reason, TEXT("DeadLine")))
		return JOB_DEADLINE;
	if (!number_is_known(job->wait_status) || job->wait_status == 0)
		return JOB_COMPLETED;
	/* scancel leaves the signal in the wait status and no reason of failure */
	bool by_signal = (job->wait_status & 0x7f) != 0;
	return by_signal && text_equal(job->reason, TEXT("None")) ? JOB_CANCELLED : JOB_FAILED;
}

/* slurmdbd has a default wckey without the star, so the hash is that of the name behind it. A job may name several
 * reservations, and counts in each. */
static void name_others(struct job *job, const struct name_hash *hash, struct arena *texts)
{
	struct text wckey = job->wckey;
	if (text_starts_with(wckey, "*"))
		text_cut(&wckey, '*');
	struct text hashed = name_hash(hash, HASHED_ACCOUNTS, wckey, texts);
	if (hashed.bytes != wckey.bytes)
		job->wckey = hashed;
	job->reservation = name_hash_each(hash, HASHED_RESERVATIONS, job->reservation, texts);
}

static void name_job(void *record, const struct name_hash *hash, struct arena *texts)
{
	struct job *job = record;
	job->user = user_name_or_number(job->user, job->user_id, hash, texts);
	name_others(record, hash, texts);
	untold_gpus_tell(job, texts);
}

static bool finish(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct job *job = record;
	bool has_state = job->state || job->flags;
	job->state = job->state ? job->state - 1 : base_state_behind_flag(job);
	if (number_is_known(job->wait_status)) {
		job->exit_signal = job->wait_status & 0x7f;
		job->exit_code = job->wait_status >> 8;
	}
	job_settle_named(job);
	return number_is_known(job->id) && has_state;
}

static void take_task_state(struct vocabulary *vocabulary, void *record, struct text name)
{
	struct job_task *task = record;
	int state = task->state - 1;
	state_take(&vocabulary->job_states, &vocabulary->job_flags, &state, &task->flags, name);
	task->state = state + 1;
}

static const struct field task_fields[] = {
	TEXT_FIELD(struct job_task, name, "job_id"),
	NAME("state", take_task_state),
	END_OF_FIELDS,
};

/* NO_VAL: slurmctld has just forgotten the record. slurmrestd refuses a whole request that names it
 * (SLURMRESTD.md, "Federations"). */
#define NO_ID UINT64_C(0xfffffffe)

/* "26_2" is task 2 of an array, but 26 is the ID of the task's own record, not the array's; likewise
 * "48+1" (SLURMRESTD.md, "jobs/state"). */
static bool finish_task(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct job_task *task = record;
	size_t digits = 0;
	while (digits < task->name.len && task->name.bytes[digits] >= '0' && task->name.bytes[digits] <= '9')
		digits++;
	task->state--;
	bool has_id = text_to_u64((struct text){task->name.bytes, digits}, &task->id) && task->id < NO_ID;
	return task->state >= 0 && has_id;
}

const struct record_type job_state_record = {"jobs", false, sizeof(struct job_task), task_fields, finish_task, NULL};
const struct record_type job_record = {"jobs", false, sizeof(struct job), fields, finish, name_job};
