#include "poll/stored_row.h"

#include "model/reason.h"

#include <assert.h>

/* The file has the numbers of bits and exits; names have no numbers that two processes agree on. */
static_assert(ROW_HAS_DETAILS == 1 && ROW_WANTS_DETAILS == 2 && ROW_IS_UNSPLIT == 4 && ROW_IS_CUT == 8 &&
		      ROW_IS_COUNTED == 16 && ROW_HAS_GRES == 32 && ROW_IS_USED == 64 && ROW_IS_LENT == 128,
	      "bits that older files have");
static_assert(JOB_EXIT_UNKNOWN == 0 && JOB_EXIT_ZERO == 1 && JOB_EXIT_NONZERO == 2 && JOB_EXIT_SIGNAL == 3,
	      "exits that older files have");

/* Beyond these no number is Slurm's, and sums of them might not fit. */
enum {
	TASKS_MAX = 4000001, /* the most that MaxArraySize may be */
	TEXT_BYTES_MAX = 1 << 20,
};
#define BYTES_MAX (UINT64_C(1) << 56)
#define SECONDS_MAX UINT32_MAX

struct store_job stored_row_of(const struct job_row *row, const struct job_pools *pools,
			       const struct vocabulary *vocabulary, uint32_t tail, struct buf *flags)
{
	const struct text_pool *texts = &pools->texts;
	struct job_owner owner = {.account = TEXT("")};
	if (row->group)
		owner = owners_get(&pools->groups, row->group);
	for (unsigned i = 0; i < vocabulary->job_flags.count; i++)
		if (row->flags >> i & 1)
			buf_printf(flags, "%s%s", flags->len ? "," : "", vocabulary->job_flags.name[i]);
	return (struct store_job){
		.id = row->id,
		.array_job_id = row->array_job_id,
		.array_task_id = row->array_task_id == UINT32_MAX ? -1 : (int64_t)row->array_task_id,
		.tail = (int64_t)tail - 1,
		.state = text_of(vocabulary->job_states.name[row->state]),
		.flags = buf_text(flags),
		.bits = row->bits,
		.tasks = row->tasks,
		.tasks_listed = row->tasks_listed,
		.cpus = row->cpus,
		.memory = row->memory,
		.nodes = row->nodes,
		.submit_time = row->submit_time,
		.start_time = row->start_time,
		.time_limit = row->time_limit,
		.eligible_time = row->eligible_time,
		.end_time = row->end_time,
		.suspend_time = row->suspend_time,
		.ran_before = row->ran_before,
		.details_time = row->details_time,
		.seen_time = row->seen_time,
		.exit = row->exit,
		.reason = text_pool_get(texts, row->reason),
		.tres = text_pool_get(texts, row->tres),
		.reservation = text_pool_get(texts, row->reservation),
		.node_list = text_pool_get(texts, row->node_list),
		.node_need = text_pool_get(texts, row->node_need),
		.account = owner.account,
		.user = owner.user,
		.partitions = owner.partitions,
		.qos = owner.qos,
		.group_values = owner.values,
	};
}

/* Judging */

static bool is_task(int64_t task)
{
	return task >= -1 && task < UINT32_MAX - 1;
}

static bool is_moment(uint64_t seconds)
{
	return seconds <= SECONDS_MAX || !number_is_known(seconds);
}

static bool are_ids_right(const struct store_job *job)
{
	return stored_row_has_id(job) && job->array_job_id < UINT32_MAX && is_task(job->array_task_id) &&
	       is_task(job->tail);
}

/* A task that was split is one job. */
static bool are_counts_right(const struct store_job *job)
{
	return job->tasks && job->tasks <= TASKS_MAX && job->tasks_listed && job->tasks_listed <= TASKS_MAX &&
	       (job->tasks == 1 || job->array_task_id < 0) && job->cpus <= UINT32_MAX && job->nodes <= UINT32_MAX &&
	       job->memory <= BYTES_MAX;
}

static bool are_times_right(const struct store_job *job)
{
	const uint64_t seconds[] = {job->submit_time, job->eligible_time, job->end_time, job->suspend_time,
				    job->ran_before,  job->details_time,  job->seen_time};
	for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
		if (seconds[i] >= SECONDS_MAX)
			return false;
	return is_moment(job->start_time) && is_moment(job->time_limit);
}

/* Texts of the table go onto the page as they are: the decoders have let nothing else through. */
static bool are_texts_right(const struct store_job *job)
{
	const struct text texts[] = {job->reason, job->tres,	   job->reservation, job->node_list,	job->account,
				     job->user,	  job->partitions, job->qos,	     job->group_values, job->node_need};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].len > TEXT_BYTES_MAX || !text_is_clean(texts[i]))
			return false;
	return true;
}

/* The number of a name that we or Slurm may have given; -1: it is none. Slurm's names have no other characters. */
static int number_of(struct names *names, struct text name)
{
	int known = names_find(names, name);
	for (size_t i = 0; i < name.len && known < 0; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", name.bytes[i]) || !name.bytes[i])
			return -1;
	return known >= 0 ? known : names_learn(names, name);
}

static uint64_t flags_of(struct names *names, struct text list)
{
	uint64_t flags = 0;
	struct text name;
	while (text_next(&list, ',', &name)) {
		int number = number_of(names, name);
		flags |= number < 0 ? 0 : UINT64_C(1) << number;
	}
	return flags;
}

bool stored_row_has_id(const struct store_job *job)
{
	return job->id && job->id < UINT32_MAX;
}

static uint32_t no_later(uint64_t seconds, int64_t as_of)
{
	return seconds < (uint64_t)as_of ? (uint32_t)seconds : (uint32_t)as_of;
}

static void add_details(struct job_row *row, struct job_pools *pools, const struct store_job *job, int64_t as_of)
{
	const struct job_owner owner = {job->account, job->user, job->partitions, job->qos, job->group_values};
	row->bits = (uint8_t)job->bits | ROW_IS_USED;
	row->submit_time = (uint32_t)job->submit_time;
	row->start_time = job->start_time;
	row->time_limit = job->time_limit;
	row->cpus = job->cpus;
	row->memory = job->memory;
	row->nodes = (uint32_t)job->nodes;
	row->array_job_id = (uint32_t)job->array_job_id;
	row->array_task_id = job->array_task_id < 0 ? UINT32_MAX : (uint32_t)job->array_task_id;
	row->group = owners_hold(&pools->groups, &owner);
	row->reason = text_pool_hold(&pools->texts, job->reason);
	row->tres = text_pool_hold(&pools->texts, job->tres);
	row->reservation = text_pool_hold(&pools->texts, job->reservation);
	row->node_list = text_pool_hold(&pools->texts, job->node_list);
	row->node_need = text_pool_hold(&pools->texts, job->node_need);
	row->details_time = no_later(job->details_time, as_of);
	row->eligible_time = (uint32_t)job->eligible_time;
	row->end_time = (uint32_t)job->end_time;
	row->suspend_time = (uint32_t)job->suspend_time;
	row->ran_before = (uint32_t)job->ran_before;
	row->class = (uint8_t)reason_class_of(job->reason);
	row->exit = (uint8_t)job->exit;
}

bool stored_row_knows(const struct store_job *job, const struct job_pools *pools)
{
	return !pools->caps || !pools->caps->groups || job_groups_know(pools->caps->groups, job->group_values);
}

bool stored_row_make(struct job_row *row, struct job_pools *pools, struct vocabulary *vocabulary,
		     const struct store_job *job, int64_t as_of)
{
	if (!are_ids_right(job) || !are_counts_right(job) || !are_times_right(job) || !are_texts_right(job) ||
	    job->bits > UINT8_MAX || job->exit > JOB_EXIT_SIGNAL)
		return false;
	int state = number_of(&vocabulary->job_states, job->state);
	if (state < 0)
		return false;
	*row = (struct job_row){
		.id = (uint32_t)job->id,
		.array_task_id = UINT32_MAX,
		.state = (uint8_t)state,
		.flags = flags_of(&vocabulary->job_flags, job->flags),
		.tasks = job->tasks,
		.tasks_listed = (uint32_t)job->tasks_listed,
		.seen_time = no_later(job->seen_time, as_of),
		.bits = ROW_WANTS_DETAILS | ROW_IS_USED | ((uint8_t)job->bits & (ROW_IS_UNSPLIT | ROW_IS_COUNTED)),
	};
	if (job->bits & ROW_HAS_DETAILS && stored_row_knows(job, pools))
		add_details(row, pools, job, as_of);
	return true;
}
