#include "jobs/job_row.h"

#include "jobs/node_need.h"
#include "model/tres.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static_assert(sizeof(struct job_row) == 128, "a row without holes: it is compared byte by byte");

struct text job_tres(const struct job *job)
{
	bool holds = job->state == JOB_RUNNING || job->state == JOB_SUSPENDED;
	bool held = job->state != JOB_PENDING && job->tres_allocated.len;
	return holds || held ? job->tres_allocated : job->tres_requested;
}

static uint32_t nodes_of(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* CPUs, memory and nodes from the TRES string. Some releases round it, but it says what the job holds. A pending job of
 * an old release has none: then they come from the members of its request. Where Slurm does not select by memory, as with
 * CR_CPU, jobs hold none of it, whatever they asked for. */
static void measure(struct job_row *row, const struct job *job, struct text tres_list)
{
	struct tres tres;
	row->cpus = number_is_known(job->cpus) ? job->cpus : 0;
	row->nodes = number_is_known(job->nodes) ? nodes_of(job->nodes) : 0;
	row->memory = number_is_known(job->memory_per_node)  ? uint128_shown((uint128)job->memory_per_node * row->nodes)
		      : number_is_known(job->memory_per_cpu) ? uint128_shown((uint128)job->memory_per_cpu * row->cpus)
							     : 0;
	bool has_cpus = false, has_memory = false;
	while (tres_next(&tres_list, &tres)) {
		has_cpus |= text_equal(tres.name, TEXT("cpu"));
		has_memory |= text_equal(tres.name, TEXT("mem"));
		if (text_equal(tres.name, TEXT("cpu")))
			row->cpus = tres.count;
		else if (text_equal(tres.name, TEXT("node")))
			row->nodes = nodes_of(tres.count);
		else if (text_equal(tres.name, TEXT("mem")))
			row->memory = tres.count;
		else if (text_starts_with(tres.name, "gres/"))
			row->bits |= ROW_HAS_GRES;
	}
	if (has_cpus && !has_memory)
		row->memory = 0;
}

static uint32_t hold_group(struct job_pools *pools, const struct job *job)
{
	struct buf values = BUF_INIT;
	if (pools->caps && pools->caps->groups)
		job_groups_read(pools->caps->groups, job, &values);
	const struct job_owner owner = {.account = job->account,
					.user = job->user,
					.partitions = job->partitions,
					.qos = job->qos,
					.values = buf_text(&values)};
	uint32_t number = owners_hold(&pools->groups, &owner);
	buf_done(&values);
	return number;
}

static uint32_t hold_node_need(struct job_pools *pools, const struct job *job, uint64_t cpus)
{
	if (job->state != JOB_PENDING)
		return 0;
	struct buf text = BUF_INIT;
	const struct node_need need = node_need_of(job, cpus);
	node_need_write(&need, &text);
	uint32_t number = text_pool_hold(&pools->texts, buf_text(&text));
	buf_done(&text);
	return number;
}

static void count_tasks(struct job_row *row, const struct job *job)
{
	bool is_cut;
	row->tasks = job_count(job, &is_cut);
	row->tasks_listed = row->tasks < UINT32_MAX ? (uint32_t)row->tasks : UINT32_MAX;
	row->bits |= (job->array_tasks.len ? ROW_IS_UNSPLIT : 0) | (is_cut ? ROW_IS_CUT : 0);
}

static bool is_slurms(uint64_t id)
{
	return !number_is_known(id) || id < UINT32_MAX;
}

static uint32_t seconds_of(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : 0;
}

bool job_row_make(struct job_row *row, struct job_pools *pools, const struct job *job, int64_t now)
{
	if (!number_is_known(job->id) || !is_slurms(job->id) || !is_slurms(job->array_job_id) ||
	    !is_slurms(job->array_task_id))
		return false;
	struct text tres = job_tres(job);
	*row = (struct job_row){
		.id = (uint32_t)job->id,
		.array_job_id = number_is_known(job->array_job_id) ? (uint32_t)job->array_job_id : 0,
		.array_task_id = number_is_known(job->array_task_id) ? (uint32_t)job->array_task_id : UINT32_MAX,
		.state = (uint8_t)job->state,
		.flags = job->flags,
		.class = (uint8_t)reason_class_of(job->reason),
		.submit_time = seconds_of(job->submit_time),
		.start_time = job->start_time,
		.time_limit = job->time_limit,
		.group = hold_group(pools, job),
		.named = text_pool_hold(&pools->texts, job->partitions_named),
		.reason = text_pool_hold(&pools->texts, job->reason),
		.tres = text_pool_hold(&pools->texts, tres),
		.reservation = text_pool_hold(&pools->texts, job->reservation),
		.node_list = text_pool_hold(&pools->texts, job->node_list),
		.details_time = (uint32_t)now,
		.seen_time = (uint32_t)now,
		.eligible_time = seconds_of(job->eligible_time),
		.end_time = seconds_of(job->end_time),
		.suspend_time = seconds_of(job->suspend_time),
		.ran_before = seconds_of(job->ran_before),
		.exit = (uint8_t)job_exit_of(job),
		.bits = ROW_HAS_DETAILS | ROW_IS_USED | (job->is_lent ? ROW_IS_LENT : 0),
	};
	measure(row, job, tres);
	count_tasks(row, job);
	row->node_need = hold_node_need(pools, job, row->cpus);
	return true;
}

void job_row_keep_count(struct job_row *row, const struct job_row *known)
{
	if (!(row->bits & ROW_IS_CUT) || !known || !(known->bits & ROW_IS_COUNTED) || known->tasks < row->tasks_listed)
		return;
	if (known->bits & ROW_HAS_DETAILS && known->submit_time != row->submit_time)
		return;
	row->tasks = known->tasks;
	row->bits |= ROW_IS_COUNTED;
}

void job_row_release(const struct job_row *row, struct job_pools *pools)
{
	owners_release(&pools->groups, row->group);
	text_pool_release(&pools->texts, row->named);
	text_pool_release(&pools->texts, row->reason);
	text_pool_release(&pools->texts, row->tres);
	text_pool_release(&pools->texts, row->reservation);
	text_pool_release(&pools->texts, row->node_list);
	text_pool_release(&pools->texts, row->node_need);
}

bool job_row_equal(const struct job_row *a, const struct job_row *b)
{
	struct job_row other = *b;
	other.details_time = a->details_time;
	other.seen_time = a->seen_time;
	return memcmp(a, &other, sizeof other) == 0;
}

struct job_contribution job_row_contribution(const struct job_row *row, const struct job_pools *pools)
{
	struct text reason = text_pool_get(&pools->texts, row->reason);
	return (struct job_contribution){
		.state = row->state,
		.flags = row->flags,
		.class = (enum reason_class)row->class,
		.reason = reason.len ? reason : TEXT("None"),
		.submit_time = row->submit_time,
		.tasks = row->tasks,
		.cpus = row->cpus,
		.memory = row->memory,
		.nodes = row->nodes,
		.tres = text_pool_get(&pools->texts, row->bits & ROW_HAS_GRES ? row->tres : 0),
		.seen_time = row->seen_time,
	};
}

struct job job_row_job(const struct job_row *row, const struct job_pools *pools)
{
	return (struct job){
		.id = row->id,
		.state = row->state,
		.flags = row->flags,
		.start_time = row->start_time,
		.time_limit = row->time_limit,
		.tres_allocated = text_pool_get(&pools->texts, row->tres),
		.node_list = text_pool_get(&pools->texts, row->node_list),
	};
}
