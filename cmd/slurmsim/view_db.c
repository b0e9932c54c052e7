/* What slurmdbd knows of runs, and of itself. */
#include "slurmsim/happened.h"
#include "slurmsim/kinds.h"
#include "slurmsim/view.h"

/* Of slurmdbd's rows; a job that completes before it runs again is none of them. */
static bool has_ended(const struct job *job)
{
	return job->state > JOB_RUNNING || job->flags & JOB_REQUEUED;
}

static void fill_tres(const struct view *view, struct value *values, const char *type, const char *name, int64_t id,
		      int64_t count)
{
	values[TRES_type] = value_text(type);
	values[TRES_id] = value_number(id);
	values[TRES_count] = value_number(count);
	if (name || !view->old)
		values[TRES_name] = value_text(name ? name : "");
}

static size_t tres_rows(const struct job *job)
{
	return job->gpus ? 6 : 4;
}

/* rows->record: the job that asks for them. */
static bool next_tres(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	const struct job *job = rows->record;
	const struct {
		const char *type, *name;
		int64_t id, count;
	} tres[] = {
		{"cpu", NULL, 1, job->cpus},
		{"mem", NULL, 2, view_memory(job)},
		{"node", NULL, 4, job->node_count},
		{"billing", NULL, 5, job_billing(job)},
		{"gres", "gpu", 1001, job->gpus * job->node_count},
		{"gres", "gpu:a100", 1002, job->gpus * job->node_count},
	};
	if (rows->at >= tres_rows(job))
		return false;
	fill_tres(view, values, tres[rows->at].type, tres[rows->at].name, tres[rows->at].id, tres[rows->at].count);
	rows->at++;
	return true;
}

static struct value tres_of(const struct view *view, const struct job *job, struct arena *scratch)
{
	return value_rows(view_rows_new(scratch, (struct rows){.next = next_tres, .owner = view, .record = job}));
}

/* Energy is there when it has ended. Until then it is NO_VAL64, -2, and 22.05 has null. */
static bool next_tres_allocated(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct job *job = rows->record;
	int64_t energy_j = has_ended(job) ? (int64_t)job_energy_j(view->world, job) : 0;
	if (next_tres(rows, values, scratch))
		return true;
	if (rows->at++ != tres_rows(job) || (!energy_j && view->old))
		return false;
	fill_tres(view, values, "energy", NULL, 3, energy_j ? energy_j : -2);
	return true;
}

static struct value tres_allocated_of(const struct view *view, const struct job *job, struct arena *scratch)
{
	return value_rows(
		view_rows_new(scratch, (struct rows){.next = next_tres_allocated, .owner = view, .record = job}));
}

/* The most memory that a step had at once, in bytes: half of what it held; then that of GPUs, which 22.05 does not know. */
static bool next_tres_used(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	const struct job *job = rows->record;
	if (rows->at == (view->old ? 1 : 2))
		return false;
	if (rows->at++ == 0)
		fill_tres(view, values, "mem", NULL, 2, (int64_t)view_memory(job) << 19);
	else
		fill_tres(view, values, "gres", "gpumem", 1003, (int64_t)job_gpu_memory_gib(job) << 30);
	return true;
}

static int64_t time_of(const struct view *view, int32_t at)
{
	return at == TIME_NONE ? 0 : world_unix(view->world, at);
}

/* Start and end in the answer: without disable_truncate_usage_time they are cut to the window (v0.0.40 on). */
static void times_of(const struct view *view, const struct job *job, int64_t *ret_start, int64_t *ret_end)
{
	const struct window *window = &view->window;
	int64_t now = world_unix(view->world, view->world->now);
	*ret_start = time_of(view, job->start);
	*ret_end = has_ended(job) ? time_of(view, job->end) : 0;
	if (view->old) { /* 22.05 says now where there is nothing yet */
		*ret_start = *ret_start ? *ret_start : now;
		*ret_end = *ret_end ? *ret_end : now;
	} else if (!window->whole_times) {
		if (window->start && *ret_start && *ret_start < window->start)
			*ret_start = window->start;
		if (window->end && *ret_end > window->end)
			*ret_end = window->end;
	}
}

/* Those that were preempted or lost their node end as such, though they run again. */
static struct value db_state(const struct view *view, const struct job *job, struct arena *scratch)
{
	if (job->state != JOB_PENDING || !has_ended(job))
		return value_words(view_words(scratch, job_state_names[job->state], NULL, NULL));
	return value_words(view->old ? view_words(scratch, "REQUEUED", NULL, NULL)
				     : view_words(scratch, "PENDING", "REQUEUED", NULL));
}

static bool next_step(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct job *job = rows->record;
	int64_t start, end;
	if (!view_has_run(job) || job->end == job->start || rows->at++)
		return false;
	times_of(view, job, &start, &end);
	int64_t elapsed = end > start ? end - start : 0, used_s = (int64_t)job_used_cpu_s(job, elapsed);
	const char *nodes = view_nodes_text(view->world, job, scratch);
	view_exit(job, scratch, &values[DB_STEP_exit_status], &values[DB_STEP_exit_return],
		  &values[DB_STEP_exit_signal], &values[DB_STEP_exit_signal_name]);
	values[DB_STEP_elapsed] = value_number(elapsed);
	values[DB_STEP_start_time] = value_number(start);
	values[DB_STEP_end_time] = value_number(end);
	values[DB_STEP_cpu_user_s] = value_number(used_s - used_s / 51);
	values[DB_STEP_cpu_system_s] = value_number(used_s / 51);
	values[DB_STEP_cpu_total_s] = value_number(used_s);
	values[DB_STEP_job_id] = value_number(job->id);
	values[DB_STEP_nodes] = value_text(nodes);
	values[DB_STEP_node_names] = value_words(view_words(scratch, nodes, NULL, NULL));
	values[DB_STEP_node_count] = values[DB_STEP_tasks] = value_number(job->node_count);
	values[DB_STEP_state] = value_words(view_words(scratch, job_state_names[job->state], NULL, NULL));
	values[DB_STEP_step_name] = value_text("batch");
	values[DB_STEP_step_id] = value_text(view->old ? "batch" : scratch_printf(scratch, "%u.batch", job->id));
	values[DB_STEP_tres] = tres_of(view, job, scratch);
	values[DB_STEP_tres_used] =
		value_rows(view_rows_new(scratch, (struct rows){.next = next_tres_used, .owner = view, .record = job}));
	return true;
}

/* One that waits has all the partitions that it named. */
static const char *partitions_of(const struct view *view, const struct job *job, struct arena *scratch)
{
	const struct partition *partitions = view->world->partitions;
	const char *name = partitions[job->partition].name;
	if (job->state != JOB_PENDING || job->other_partition == NO_PARTITION)
		return name;
	return scratch_printf(scratch, "%s,%s", name, partitions[job->other_partition].name);
}

static void fill_db_owner(const struct view *view, const struct job *job, struct value *values, struct arena *scratch)
{
	const struct world *world = view->world;
	const struct association *association = world_association(world, job);
	struct value user = value_text(world->users[association->user].name);
	struct value account = value_text(world->accounts[association->account].name);
	/* 25.11 and later leave the association's names empty. */
	bool told = view->release < RELEASE_26_05;
	values[DB_JOB_user] = values[DB_JOB_group] = user;
	values[DB_JOB_account] = account;
	values[DB_JOB_association_user] = told ? user : value_text("");
	values[DB_JOB_association_account] = told ? account : value_text("");
	values[DB_JOB_association_id] = value_number(job->association + 1);
	values[DB_JOB_cluster] = value_text(view->cluster);
	values[DB_JOB_partition] = value_text(partitions_of(view, job, scratch));
	values[DB_JOB_qos] = value_text(world->qos[job->qos].name);
}

static void fill_db_times(const struct view *view, const struct job *job, struct value *values)
{
	int64_t start, end, submit = time_of(view, job->submit);
	times_of(view, job, &start, &end);
	int64_t until = end ? end : world_unix(view->world, view->world->now);
	bool has_started = job->state != JOB_PENDING || has_ended(job);
	values[DB_JOB_submit_time] = value_number(submit);
	values[DB_JOB_eligible_time] = value_number(time_of(view, job->eligible));
	values[DB_JOB_start_time] = value_number(start);
	values[DB_JOB_end_time] = value_number(end);
	values[DB_JOB_elapsed] = value_number(has_started && until > start ? until - start : 0);
	values[DB_JOB_planned] = value_number(has_started ? start - submit : 0);
	values[DB_JOB_suspended] = value_number(0);
	values[DB_JOB_time_limit] = value_number(job->limit_min);
}

/* The unsplit tasks as slurmdbd keeps them: bits of a hexadecimal number. */
static const char *task_mask(const struct job *job, struct arena *scratch)
{
	size_t digits = job_task_id(job, job->rest_end - 1) / 4 + 1;
	char *mask = arena_new(scratch, digits + 3);
	memcpy(mask, "0x", 2);
	memset(mask + 2, 0, digits);
	for (uint32_t rank = job->rest_at; rank < job->rest_end; rank++) {
		uint32_t task = job_task_id(job, rank);
		mask[1 + digits - task / 4] |= (char)(1 << task % 4);
	}
	for (size_t i = 2; i < digits + 2; i++)
		mask[i] = "0123456789ABCDEF"[(size_t)mask[i]];
	return mask;
}

static void fill_db_job(const struct view *view, const struct job *job, struct value *values, struct arena *scratch)
{
	bool placed = view_has_run(job);
	const char *nodes = placed ? view_nodes_text(view->world, job, scratch) : "None assigned";
	fill_db_owner(view, job, values, scratch);
	fill_db_times(view, job, values);
	view_exit(job, scratch, &values[DB_JOB_exit_status], &values[DB_JOB_exit_return], &values[DB_JOB_exit_signal],
		  &values[DB_JOB_exit_signal_name]);
	values[DB_JOB_job_id] = value_number(job->id);
	values[DB_JOB_name] = value_text(view_job_name(job));
	values[DB_JOB_array_job_id] = value_number(job->array_id);
	if (job->task != NO_TASK)
		values[DB_JOB_array_task_id] = value_number(job->task);
	if (!view->old)
		values[DB_JOB_array_task] =
			value_text(job->array_id && job->task == NO_TASK ? task_mask(job, scratch) : "");
	values[DB_JOB_het_job_id] = value_number(job->het_id);
	if (job->het_id)
		values[DB_JOB_het_job_offset] = value_number(job->het_offset);
	values[DB_JOB_state] = db_state(view, job, scratch);
	values[DB_JOB_state_reason] = value_text(job->state == JOB_PENDING ? "None" : job_reason_names[job->reason]);
	values[DB_JOB_nodes] = value_text(nodes);
	values[DB_JOB_allocation_nodes] = value_number(placed ? job->node_count : 0);
	values[DB_JOB_cpus] = value_number(job->cpus);
	values[DB_JOB_memory] = value_number(job->memory);
	values[job->flags & JOB_PER_NODE ? DB_JOB_memory_per_node : DB_JOB_memory_per_cpu] = value_number(job->memory);
	values[DB_JOB_priority] = value_number(job->priority);
	values[DB_JOB_hold] = value_bool(false);
	values[DB_JOB_restart_cnt] = value_number(job->restarts);
	values[DB_JOB_sluid] = value_text(scratch_printf(scratch, SLUID_PREFIX "%08X0", job->id));
	values[DB_JOB_failed_node] = value_text(view_failed_node(view->world, job, scratch));
	const char *license = view_license(job);
	values[DB_JOB_licenses] = value_text(license ? scratch_printf(scratch, "%s:1", license) : "");
	values[DB_JOB_submit_line] = value_text("sbatch /home/batch.sh");
	values[DB_JOB_tres_requested] = tres_of(view, job, scratch);
	if (placed)
		values[DB_JOB_tres] = tres_allocated_of(view, job, scratch);
	if (view->window.with_steps)
		values[DB_JOB_db_step] = value_rows(
			view_rows_new(scratch, (struct rows){.next = next_step, .owner = view, .record = job}));
}

/* With PENDING a window means "waited in it", with RUNNING "ran in it", whatever became of the run. */
static bool was_in(const struct view *view, const struct job *job, bool is_alive)
{
	const struct window *window = &view->window;
	int64_t to = window->end ? window->end : INT64_MAX;
	int64_t eligible = time_of(view, job->eligible), start = time_of(view, job->start),
		end = time_of(view, job->end);
	bool has_started = job->start != TIME_NONE;
	bool waited =
		eligible && to > eligible && (has_started ? window->start < start : is_alive || window->start < end);
	bool ran = has_started && to > start && (is_alive || window->start < end);
	return (window->states & 1u << JOB_PENDING && waited) || (window->states & 1u << JOB_RUNNING && ran);
}

/* Only with other states does a window mean "ended in it"; without states it is whatever was alive in it. */
static bool is_wanted(const struct view *view, const struct job *job, bool is_alive)
{
	const struct window *window = &view->window;
	int64_t eligible = time_of(view, job->eligible), end = time_of(view, job->end);
	bool again = !is_alive && job->state == JOB_PENDING;
	uint32_t state = again ? REQUEUED_BIT : 1u << job->state;
	const struct world *world = view->world;
	if (*window->user && strcmp(world->users[world_association(world, job)->user].name, window->user) != 0)
		return false;
	if (window->jobs.count && !id_map_find(&window->jobs, job->id) && !id_map_find(&window->jobs, job->array_id) &&
	    !id_map_find(&window->jobs, job->het_id))
		return false;
	if (!is_alive && job->flags & JOB_REQUEUED && !window->duplicates)
		return false;
	if (window->states && was_in(view, job, is_alive))
		return true;
	if (window->states && !(window->states & state))
		return false;
	if (window->states)
		return is_alive || (end >= window->start && (!window->end || end <= window->end));
	/* what becomes eligible with the last second is later */
	if (window->end && (!eligible || eligible >= window->end))
		return false;
	return is_alive || end >= window->start;
}

/* Runs are in the order in which they ended: a window begins somewhere. */
static size_t first_wanted(const struct view *view)
{
	const struct world *world = view->world;
	size_t low = 0, high = view->window.states ? world->ended_count : 0;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (time_of(view, world_ended(world, middle)->end) < view->window.start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* As slurmdbd has it when it was not told yet how the job started, or ended; NULL: nor of it. */
static const struct job *as_told(const struct world *world, const struct job *job, bool has_end, struct arena *scratch)
{
	int32_t until = world->now - world->dbd_late;
	bool started = job->start != TIME_NONE && job->start <= until && view_has_run(job);
	if (job->submit > until)
		return NULL;
	if (has_end || (started && job->state == JOB_RUNNING))
		return job;
	struct job *copy = arena_new(scratch, sizeof *copy);
	*copy = *job;
	copy->flags &= (uint8_t)~JOB_REQUEUED;
	copy->state = started ? JOB_RUNNING : JOB_PENDING;
	copy->end = TIME_NONE;
	if (!started)
		copy->start = TIME_NONE;
	return copy;
}

static const struct job *next_ended(struct rows *rows, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct world *world = view->world;
	size_t told = world->ended_count - world->untold;
	while (rows->at < world->ended_count) {
		bool is_told = rows->at < told;
		const struct job *job = as_told(world, world_ended(world, rows->at++), is_told, scratch);
		if (job && is_wanted(view, job, !is_told))
			return job;
	}
	return NULL;
}

/* The next run that is asked for: first those that have ended, then the live ones. rows->part: 0 at the beginning, then
 * 1 and 2. */
static const struct job *next_wanted(struct rows *rows, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct world *world = view->world;
	const struct job *ended;
	if (!rows->part) {
		rows->part = 1;
		rows->at = first_wanted(view);
	}
	if (rows->part == 1 && (ended = next_ended(rows, scratch)))
		return ended;
	if (rows->part == 1) {
		rows->part = 2;
		rows->at = 0;
	}
	while (rows->at < world->jobs.end) {
		const struct job *job = job_table_at(&world->jobs, rows->at++);
		bool is_live = job->id && job->state <= JOB_RUNNING && !(job->flags & JOB_COMPLETING);
		job = is_live ? as_told(world, job, false, scratch) : NULL;
		if (job && is_wanted(view, job, true))
			return job;
	}
	return NULL;
}

static bool next_db_job(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct job *job = next_wanted(rows, scratch);
	if (job)
		fill_db_job(rows->owner, job, values, scratch);
	return job != NULL;
}

struct rows view_db_jobs(const struct view *view)
{
	return (struct rows){.next = next_db_job, .owner = view};
}

uint64_t view_db_jobs_count(const struct view *view)
{
	struct rows rows = view_db_jobs(view);
	struct arena scratch = ARENA_INIT;
	uint64_t count = 0;
	for (; next_wanted(&rows, &scratch); count++)
		arena_clear(&scratch);
	arena_done(&scratch);
	return count;
}

static bool next_rpc(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	static const char *const names[] = {"DBD_GET_QOS", "DBD_GET_ASSOCS", "DBD_GET_JOBS_COND"};
	static const enum endpoint endpoints[] = {ENDPOINT_DB_QOS, ENDPOINT_DB_ASSOCIATIONS, ENDPOINT_DB_JOBS};
	const struct view *view = rows->owner;
	if (rows->at == sizeof names / sizeof *names)
		return false;
	uint64_t count = view->traffic->endpoints[endpoints[rows->at]].requests;
	values[DB_RPC_rpc] = value_text(names[rows->at++]);
	values[DB_RPC_count] = value_number((int64_t)count);
	values[DB_RPC_total_time] = value_number((int64_t)count * 400);
	values[DB_RPC_average_time] = value_number(count ? 400 : 0);
	return true;
}

static bool next_db_user(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	if (rows->at++)
		return false;
	values[DB_USER_user] = value_text("slurm");
	values[DB_USER_count] = value_number(100);
	values[DB_USER_total_time] = value_number(40000);
	values[DB_USER_average_time] = value_number(400);
	return true;
}

static bool next_db_diag(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	if (rows->at++)
		return false;
	values[DB_DIAG_time_start] = value_number(world_unix(view->world, view->world->boot));
	values[DB_DIAG_db_rpc] = value_rows(view_rows_new(scratch, (struct rows){.next = next_rpc, .owner = view}));
	values[DB_DIAG_db_user] =
		value_rows(view_rows_new(scratch, (struct rows){.next = next_db_user, .owner = view}));
	return true;
}

struct rows view_db_diag(const struct view *view)
{
	return (struct rows){.next = next_db_diag, .owner = view};
}

static bool next_db_ping(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	if (rows->at++)
		return false;
	values[DB_PING_hostname] = value_text("dbd1");
	values[DB_PING_responding] = values[DB_PING_primary] = value_bool(true);
	values[DB_PING_latency] = value_number(636);
	values[DB_PING_status] = value_text("No error");
	return true;
}

struct rows view_db_ping(const struct view *view)
{
	return (struct rows){.next = next_db_ping, .owner = view};
}
