/* slurmctld's job records. */
#include "slurmsim/kinds.h"
#include "slurmsim/view.h"

#include <stdio.h>
#include <stdlib.h>

const char *const job_state_names[] = {"PENDING", "RUNNING",   "COMPLETED", "CANCELLED",     "FAILED",
				       "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "DEADLINE"};
const char *const job_reason_names[] = {"None",
					"Priority",
					"Resources",
					"Dependency",
					"BeginTime",
					"JobHeldUser",
					"JobHeldAdmin",
					"JobArrayTaskLimit",
					"QOSMaxJobsPerUserLimit",
					"NonZeroExitCode",
					"RaisedSignal",
					"TimeLimit",
					"NodeDown",
					"OutOfMemory"};

/* Names as users choose them; one is not UTF-8, as slurmrestd passes them on. */
static const char *const names[JOB_NAMES] = {"train",
					     "relax",
					     "md_run",
					     "blast",
					     "post",
					     "\"quoted\"",
					     "a/b",
					     ("gr\xc3\xb6\xc3\x9f"
					      "e"),
					     "x86 build",
					     "sweep",
					     "test",
					     "latin\xe9",
					     "interactive",
					     "nightly",
					     "sim",
					     "wrap"};

const char *view_job_name(const struct job *job)
{
	return names[job->name];
}

/* One of each sixteen asks for one of a licence; what there is too little of is not enforced. */
const char *view_license(const struct job *job)
{
	return job->name == 5 ? "matlab" : job->name == 6 ? "ansys" : NULL;
}

/* Who runs on the first node alone, which a reservation has, runs in it. */
bool view_is_reserved(const struct job *job)
{
	return job->state == JOB_RUNNING && job->node_count == 1 && job->node == 0;
}

const char *const *view_words(struct arena *scratch, const char *first, const char *second, const char *third)
{
	const char **words = arena_new(scratch, 4 * sizeof *words);
	words[0] = first;
	words[1] = first ? second : NULL;
	words[2] = second ? third : NULL;
	return words;
}

struct rows *view_rows_new(struct arena *scratch, struct rows rows)
{
	struct rows *copy = arena_new(scratch, sizeof *copy);
	*copy = rows;
	return copy;
}

static bool is_placed(const struct job *job)
{
	return job->node_count > 1 ? job->nodes != NULL : job->node != NO_NODE;
}

bool view_has_run(const struct job *job)
{
	return is_placed(job) && (job->state != JOB_PENDING || job->flags & (JOB_COMPLETING | JOB_REQUEUED));
}

const char *view_nodes_text(const struct world *world, const struct job *job, struct arena *scratch)
{
	char first[16], last[16], list[1024];
	if (!view_has_run(job))
		return "";
	if (job->node_count == 1)
		return scratch_printf(scratch, "%s", world_node_name(world, job->node, first));
	size_t len = (size_t)snprintf(list, sizeof list, "n[");
	for (uint32_t i = 0, end; i < job->node_count; i = end) {
		for (end = i + 1; end < job->node_count && job->nodes[end] == job->nodes[end - 1] + 1;)
			end++;
		world_node_name(world, job->nodes[i], first);
		world_node_name(world, job->nodes[end - 1], last);
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? "," : "", first + 1);
		if (end > i + 1)
			len += (size_t)snprintf(list + len, sizeof list - len, "-%s", last + 1);
	}
	return scratch_printf(scratch, "%s]", list);
}

uint32_t view_memory(const struct job *job)
{
	return job->flags & JOB_PER_NODE ? job->memory * job->node_count : job->memory * job->cpus;
}

const char *view_tres_text(const struct job *job, struct arena *scratch)
{
	uint32_t gpus = (uint32_t)job->gpus * job->node_count;
	const char *text = scratch_printf(scratch, "cpu=%u,mem=%uM,node=%u,billing=%u", job->cpus, view_memory(job),
					  job->node_count, job_billing(job));
	return gpus ? scratch_printf(scratch, "%s,gres/gpu=%u,gres/gpu:a100=%u", text, gpus, gpus) : text;
}

/* "1-9", or "0-1,3-4,...": Slurm cuts the list at 64 characters, on a comma. */
static const char *array_text(const struct view *view, const struct job *job, struct arena *scratch)
{
	struct buf text = BUF_INIT;
	size_t fits = 0;
	for (uint32_t rank = job->rest_at; rank < job->rest_end && (!view->cut || text.len <= view->cut);) {
		uint32_t first = job_task_id(job, rank), last = first;
		while (++rank < job->rest_end && job_task_id(job, rank) == last + 1)
			last++;
		buf_printf(&text, text.len ? ",%u" : "%u", first);
		if (last > first)
			buf_printf(&text, "-%u", last);
		if (text.len + strlen(",...") < view->cut)
			fits = text.len;
	}
	if (view->cut && text.len >= view->cut) {
		text.len = fits;
		buf_add_string(&text, ",...");
	}
	if (job->array_limit)
		buf_printf(&text, "%%%u", job->array_limit);
	const char *copy = arena_copy(scratch, buf_text(&text)).bytes;
	buf_done(&text);
	return copy;
}

static const char *signal_name(uint32_t signal)
{
	return signal == 9 ? "KILL" : signal == 15 ? "TERM" : signal == 1 ? "HUP" : "";
}

void view_exit(const struct job *job, struct arena *scratch, struct value *status, struct value *code,
	       struct value *signal, struct value *name)
{
	const char *word = job->signal ? "SIGNALED" : job->exit_code ? "ERROR" : "SUCCESS";
	*status = value_words(view_words(scratch, word, NULL, NULL));
	*code = job->signal ? (struct value){0} : value_number(job->exit_code);
	*signal = job->signal ? value_number(job->signal) : (struct value){0};
	*name = value_text(signal_name(job->signal));
}

static struct value when(const struct view *view, int32_t at)
{
	return value_number(at == TIME_NONE ? 0 : world_unix(view->world, at));
}

static struct value state_of(const struct view *view, const struct job *job, struct arena *scratch)
{
	const char *state = job_state_names[job->state];
	bool completes = job->flags & JOB_COMPLETING;
	if (view->old) /* one word: the flag hides the state */
		return value_words(view_words(scratch, completes ? "COMPLETING" : state, NULL, NULL));
	return value_words(view_words(scratch, state, completes ? "COMPLETING" : NULL, NULL));
}

static const char *batch_host(const struct view *view, const struct job *job, struct arena *scratch)
{
	char name[16];
	uint32_t node = job->node_count > 1 ? job->nodes[0] : job->node;
	return scratch_printf(scratch, "%s", world_node_name(view->world, node, name));
}

static bool next_node(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct job *job = rows->record;
	char name[16];
	if (rows->at == job->node_count)
		return false;
	uint32_t node = job->node_count > 1 ? job->nodes[rows->at] : job->node;
	values[JOB_NODE_index] = value_number((int64_t)rows->at++);
	values[JOB_NODE_name] = value_text(scratch_printf(scratch, "%s", world_node_name(view->world, node, name)));
	values[JOB_NODE_cpus] = value_number(job->cpus / job->node_count);
	values[JOB_NODE_memory] = value_number(view_memory(job) / job->node_count);
	return true;
}

static bool next_resources(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct job *job = rows->record;
	if (rows->at++)
		return false;
	values[JOB_RESOURCES_job_node] =
		value_rows(view_rows_new(scratch, (struct rows){.next = next_node, .owner = view, .record = job}));
	values[JOB_RESOURCES_cpus] = value_number(job->cpus);
	values[JOB_RESOURCES_node_count] = value_number(job->node_count);
	values[JOB_RESOURCES_node_cpus] = value_number(job->cpus / job->node_count);
	values[JOB_RESOURCES_node_memory] = value_number(view_memory(job) / job->node_count);
	values[JOB_RESOURCES_nodes] = value_text(view_nodes_text(view->world, job, scratch));
	return true;
}

/* The simulated scheduler does not plan ahead, so this is a guess that stays the same for each job. As slurmctld does, it
 * gives the present moment for a forecast that has passed. */
static int32_t forecast(const struct view *view, const struct job *job)
{
	bool is_planned = job->reason == REASON_PRIORITY || job->reason == REASON_RESOURCES;
	if (job->state != JOB_PENDING || job->start != TIME_NONE || !is_planned || job->eligible > view->world->now)
		return job->start;
	int32_t at = job->eligible + 60 + (int32_t)(job->id * UINT64_C(7919) % 3540);
	return at > view->world->now ? at : view->world->now;
}

static void fill_times(const struct view *view, const struct job *job, struct value *values)
{
	int32_t end = job->state == JOB_RUNNING ? job->start + (int32_t)job->limit_min * 60 : job->end;
	values[JOB_submit_time] = when(view, job->submit);
	values[JOB_eligible_time] = when(view, job->eligible);
	values[JOB_accrue_time] = when(view, job->eligible);
	values[JOB_start_time] = when(view, forecast(view, job));
	values[JOB_end_time] = when(view, end);
	values[JOB_preemptable_time] = when(view, job->start);
	values[JOB_last_sched_evaluation] = when(view, job->start == TIME_NONE ? job->submit : job->start);
	values[JOB_pre_sus_time] = values[JOB_suspend_time] = value_number(0);
	values[JOB_time_limit] = value_number(job->limit_min);
}

static void fill_array(const struct view *view, const struct job *job, struct value *values, struct arena *scratch)
{
	bool is_rest = job->array_id && job->task == NO_TASK;
	values[JOB_array_job_id] = value_number(job->array_id);
	if (job->task != NO_TASK)
		values[JOB_array_task_id] = value_number(job->task);
	values[JOB_array_max_tasks] = value_number(job->array_limit);
	values[JOB_array_task_string] = value_text(is_rest ? array_text(view, job, scratch) : "");
	values[JOB_het_job_id] = value_number(job->het_id);
	values[JOB_het_job_offset] = value_number(job->het_offset);
	values[JOB_het_job_id_set] =
		value_text(job->het_id ? scratch_printf(scratch, "%u-%u", job->het_id, job->het_id + 1) : "");
}

static void fill_size(const struct view *view, const struct job *job, struct value *values, struct arena *scratch)
{
	const char *tres = view_tres_text(job, scratch), *nodes = view_nodes_text(view->world, job, scratch);
	bool runs = view_has_run(job), shows = view->detail && runs && job->gpus;
	values[JOB_cpus] = values[JOB_tasks] = value_number(job->cpus);
	values[JOB_node_count] = value_number(job->node_count);
	if (job->flags & JOB_PER_NODE)
		values[JOB_memory_per_node] = value_number(job->memory);
	else
		values[JOB_memory_per_cpu] = value_number(job->memory);
	values[JOB_nodes] = value_text(nodes);
	values[JOB_batch_host] = value_text(runs ? batch_host(view, job, scratch) : "");
	values[JOB_tres_req_str] = value_text(tres);
	values[JOB_tres_alloc_str] = value_text(runs ? tres : "");
	values[JOB_tres_per_node] = value_text(
		job->gpus ? scratch_printf(scratch, "%s:%u", view->old ? "gres:gpu" : "gres/gpu", job->gpus) : "");
	values[JOB_gres_detail] = value_words(view_words(
		scratch, shows ? scratch_printf(scratch, "gpu:a100:%u(IDX:0-%u)", job->gpus, job->gpus - 1) : NULL,
		NULL, NULL));
	if (runs)
		values[JOB_billable_tres] = value_real(job->cpus);
	if (runs && view->detail)
		values[JOB_job_resources] = value_rows(
			view_rows_new(scratch, (struct rows){.next = next_resources, .owner = view, .record = job}));
}

static void fill_owner(const struct view *view, const struct job *job, struct value *values, struct arena *scratch)
{
	const struct world *world = view->world;
	const struct association *association = world_association(world, job);
	const struct user *user = &world->users[association->user];
	const char *partition = world->partitions[job->partition].name;
	values[JOB_account] = value_text(world->accounts[association->account].name);
	values[JOB_association_id] = value_number(job->association + 1);
	values[JOB_user_name] = values[JOB_group_name] = value_text(user->name);
	values[JOB_user_id] = values[JOB_group_id] = value_number(user->uid);
	values[JOB_qos] = value_text(world->qos[job->qos].name);
	if (job->other_partition != NO_PARTITION)
		partition = scratch_printf(scratch, "%s,%s", partition, world->partitions[job->other_partition].name);
	values[JOB_partition] = value_text(partition);
	values[JOB_cluster] = value_text(view->cluster);
}

/* Whose failure ended the job; which of several it was is not kept. */
const char *view_failed_node(const struct world *world, const struct job *job, struct arena *scratch)
{
	bool is_known = job->state == JOB_NODE_FAIL && job->node_count == 1;
	return is_known ? view_nodes_text(world, job, scratch) : "";
}

static void fill_job(const struct view *view, const struct job *job, struct value *values, struct arena *scratch)
{
	static const int empty[] = {JOB_licenses_allocated, JOB_scheduled_nodes, JOB_state_description};
	const char *license = view_license(job);
	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
		values[empty[i]] = value_text("");
	fill_times(view, job, values);
	fill_array(view, job, values, scratch);
	fill_size(view, job, values, scratch);
	fill_owner(view, job, values, scratch);
	view_exit(job, scratch, &values[JOB_exit_status], &values[JOB_exit_return], &values[JOB_exit_signal],
		  &values[JOB_exit_signal_name]);
	values[JOB_exit_word] = value_number(job->exit_code << 8 | job->signal);
	values[JOB_failed_node] = value_text(view_failed_node(view->world, job, scratch));
	values[JOB_job_id] = value_number(job->id);
	values[JOB_sluid] = value_text(scratch_printf(scratch, SLUID_PREFIX "%08X0", job->id));
	values[JOB_name] = value_text(view_job_name(job));
	values[JOB_licenses] = value_text(license ? scratch_printf(scratch, "%s:1", license) : "");
	values[JOB_resv_name] = value_text(view_is_reserved(job) ? "training" : "");
	values[JOB_job_state] = state_of(view, job, scratch);
	values[JOB_state_reason] = value_text(job_reason_names[job->reason]);
	values[JOB_priority] = value_number(job->priority);
	values[JOB_hold] = value_bool(job->priority == 0);
	values[JOB_requeue] = value_bool(true);
	values[JOB_restart_cnt] = value_number(job->restarts);
	values[JOB_allocating_node] = value_text("login1");
	values[JOB_command] = value_text("/home/batch.sh");
	values[JOB_submit_line] = value_text("sbatch /home/batch.sh");
	values[JOB_dependency] =
		value_text(job->dependency ? scratch_printf(scratch, "afterany:%u(unfulfilled)", job->dependency) : "");
}

/* The next record that is asked for, and which of its tasks. */
static const struct job *next_record(struct rows *rows, uint32_t *ret_task)
{
	const struct view *view = rows->owner;
	const struct job_table *table = &view->world->jobs;
	*ret_task = NO_TASK;
	if (view->is_selected) {
		if (rows->at == view->selected_count)
			return NULL;
		*ret_task = view->selected[rows->at].task;
		return job_table_at(table, view->selected[rows->at++].place);
	}
	while (rows->at < table->end) {
		const struct job *job = job_table_at(table, rows->at++);
		if (job->id)
			return job;
	}
	return NULL;
}

static bool next_job(struct rows *rows, struct value *values, struct arena *scratch)
{
	uint32_t task;
	const struct job *job = next_record(rows, &task);
	if (job)
		fill_job(rows->owner, job, values, scratch);
	return job;
}

struct rows view_jobs(const struct view *view)
{
	return (struct rows){.next = next_job, .owner = view};
}

/* The number before "_" is the raw ID, but in v0.0.40 the array's. */
static const char *state_name(const struct view *view, const struct job *job, uint32_t task, struct arena *scratch)
{
	if (job->het_id)
		return scratch_printf(scratch, "%u+%u", job->id, job->het_offset);
	if (job->array_id)
		return scratch_printf(scratch, "%u_%u", view->version == 40 ? job->array_id : job->id, task);
	return scratch_printf(scratch, "%u", job->id);
}

/* rows->part: 1 + the rank of the unsplit task that comes next; 0: a new record. */
static bool next_state(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct job *job;
	uint32_t task;
	if (rows->part)
		rows->at--;
	if (!(job = next_record(rows, &task)))
		return false;
	uint32_t shown = job->task;
	if (job->array_id && job->task == NO_TASK && task == NO_TASK) {
		uint32_t rank = rows->part ? (uint32_t)rows->part - 1 : job->rest_at;
		shown = job_task_id(job, rank);
		rows->part = rank + 1 < job->rest_end ? rank + 2 : 0;
	} else if (task != NO_TASK)
		shown = task;
	values[JOB_STATE_name] = value_text(state_name(view, job, shown, scratch));
	values[JOB_STATE_state] = state_of(view, job, scratch);
	return true;
}

struct rows view_job_states(const struct view *view)
{
	return (struct rows){.next = next_state, .owner = view};
}
