/* What slurmctld tells of itself, and errors. */
#include "slurmsim/kinds.h"
#include "slurmsim/view.h"

#include <stdio.h>

static struct value micro(double seconds)
{
	return value_number((int64_t)(seconds * 1e6));
}

static bool next_type(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	for (; rows->at < ENDPOINTS; rows->at++) {
		int type = 0;
		const char *message = endpoint_message((enum endpoint)rows->at, &type);
		const struct sum *sum = &view->traffic->types[rows->at];
		if (!message || !sum->count)
			continue;
		values[RPC_TYPE_type_id] = value_number(type);
		values[RPC_TYPE_message_type] = value_text(message);
		values[RPC_TYPE_count] = value_number((int64_t)sum->count);
		values[RPC_TYPE_total_time] = micro(sum->seconds);
		values[RPC_TYPE_average_time] = micro(sum->seconds / (double)sum->count);
		rows->at++;
		return true;
	}
	return false;
}

static int64_t user_id(const struct world *world, const char *name)
{
	if (strcmp(name, "root") == 0)
		return 0;
	for (uint32_t i = 0; i < world->options.users; i++)
		if (strcmp(world->users[i].name, name) == 0)
			return world->users[i].uid;
	return 64030;
}

static bool next_user(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	if (rows->at == TRAFFIC_USERS || !*view->traffic->users[rows->at].name)
		return false;
	const char *name = view->traffic->users[rows->at].name;
	const struct sum *sum = &view->traffic->users[rows->at++].sum;
	values[RPC_USER_user] = value_text(name);
	values[RPC_USER_user_id] = value_number(user_id(view->world, name));
	values[RPC_USER_count] = value_number((int64_t)sum->count);
	values[RPC_USER_total_time] = micro(sum->seconds);
	values[RPC_USER_average_time] = micro(sum->seconds / (double)sum->count);
	return true;
}

static void count_jobs(const struct world *world, int64_t *ret_pending, int64_t *ret_running)
{
	for (size_t place = 0; place < world->jobs.end; place++) {
		const struct job *job = job_table_at(&world->jobs, place);
		if (job->id && job->state == JOB_PENDING)
			*ret_pending += job_tasks(job);
		else if (job->id && job->state == JOB_RUNNING)
			++*ret_running;
	}
}

static void fill_scheduler(const struct counters *counters, struct value *values)
{
	int64_t cycles = (int64_t)counters->cycles, each = cycles ? cycles : 1;
	int64_t sum = (int64_t)counters->cycle_us, depth = (int64_t)counters->depth;
	values[DIAG_schedule_cycle_total] = value_number(cycles);
	values[DIAG_schedule_cycle_sum] = value_number(sum);
	values[DIAG_schedule_cycle_mean] = value_number(sum / each);
	values[DIAG_schedule_cycle_last] = value_number((int64_t)counters->cycle_last_us);
	values[DIAG_schedule_cycle_max] = value_number((int64_t)counters->cycle_max_us);
	values[DIAG_schedule_cycle_depth] = value_number(depth);
	values[DIAG_schedule_cycle_mean_depth] = value_number(depth / each);
	values[DIAG_schedule_cycle_per_minute] = value_number(60);
	values[DIAG_schedule_queue_length] = value_number((int64_t)counters->bf_queue);
	int64_t bf_depth = (int64_t)counters->bf_depth;
	values[DIAG_bf_cycle_counter] = value_number(cycles);
	values[DIAG_bf_cycle_sum] = value_number(sum);
	values[DIAG_bf_cycle_mean] = value_number(sum / each);
	values[DIAG_bf_cycle_last] = value_number((int64_t)counters->cycle_last_us);
	values[DIAG_bf_cycle_max] = value_number((int64_t)counters->cycle_max_us);
	values[DIAG_bf_depth_sum] = value_number(bf_depth);
	values[DIAG_bf_depth_mean] = values[DIAG_bf_depth_mean_try] = value_number(bf_depth / each);
	values[DIAG_bf_last_depth] = value_number((int64_t)counters->bf_last_depth);
	values[DIAG_bf_queue_len] = values[DIAG_bf_queue_len_mean] = value_number((int64_t)counters->bf_queue);
	values[DIAG_bf_queue_len_sum] = value_number((int64_t)counters->bf_queue_sum);
	values[DIAG_bf_table_size] = values[DIAG_bf_table_size_mean] = value_number(1);
	values[DIAG_bf_table_size_sum] = value_number(cycles);
	values[DIAG_bf_backfilled_jobs] = values[DIAG_bf_last_backfilled_jobs] = value_number(0);
	values[DIAG_bf_backfilled_het_jobs] = value_number(0);
}

static bool next_diag(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct world *world = view->world;
	const struct counters *counters = &world->counters;
	int64_t pending = 0, running = 0, now = world_unix(world, world->now);
	if (rows->at++)
		return false;
	count_jobs(world, &pending, &running);
	values[DIAG_req_time] = values[DIAG_bf_when_last_cycle] = values[DIAG_job_states_ts] = value_number(now);
	values[DIAG_req_time_start] = value_number(counters->since);
	values[DIAG_parts_packed] = values[DIAG_server_thread_count] = value_number(1);
	values[DIAG_agent_queue_size] = values[DIAG_zero] = value_number(0);
	values[DIAG_dbd_agent_queue_size] = value_number((int64_t)world->untold);
	values[DIAG_jobs_submitted] = value_number((int64_t)counters->submitted);
	values[DIAG_jobs_started] = value_number((int64_t)counters->started);
	values[DIAG_jobs_completed] = value_number((int64_t)counters->completed);
	values[DIAG_jobs_canceled] = value_number((int64_t)counters->canceled);
	values[DIAG_jobs_failed] = value_number((int64_t)counters->failed);
	values[DIAG_jobs_pending] = value_number(pending);
	values[DIAG_jobs_running] = value_number(running);
	fill_scheduler(counters, values);
	values[DIAG_rpc_type] = value_rows(view_rows_new(scratch, (struct rows){.next = next_type, .owner = view}));
	values[DIAG_rpc_user] = value_rows(view_rows_new(scratch, (struct rows){.next = next_user, .owner = view}));
	return true;
}

struct rows view_diag(const struct view *view)
{
	return (struct rows){.next = next_diag, .owner = view};
}

static bool next_ping(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	if (rows->at == view->controllers)
		return false;
	char *host = arena_new(scratch, 8);
	bool is_primary = rows->at == 0, is_down = view->is_down || view->controller_down == rows->at + 1;
	snprintf(host, 8, "ctl%u", (unsigned)++rows->at);
	values[PING_hostname] = value_text(host);
	values[PING_latency] = value_number(is_down ? 10818 : 600);
	values[PING_mode] = value_text(is_primary ? "primary" : "backup");
	values[PING_primary] = value_bool(is_primary);
	values[PING_pinged] = value_text(is_down ? "DOWN" : "UP");
	values[PING_responding] = value_bool(!is_down);
	values[PING_status] = view->old ? value_number(0)
			      : is_down ? value_text(view->down_status)
					: value_text("No error");
	return true;
}

struct rows view_ping(const struct view *view)
{
	return (struct rows){.next = next_ping, .owner = view};
}

static bool next_conf(struct rows *rows, struct value *values, struct arena *scratch)
{
	static const char *const tres[] = {"cpu",  "mem",   "energy",	"node",		 "billing", "fs/disk",
					   "vmem", "pages", "gres/gpu", "gres/gpu:a100", NULL};
	const struct view *view = rows->owner;
	const struct world_options *options = &view->world->options;
	if (rows->at++)
		return false;
	values[CONF_AccountingStorageTRES] = value_words(tres);
	values[CONF_cluster] = value_text(view->cluster);
	values[CONF_first_job_id] = value_number(options->first_job_id);
	values[CONF_max_job_id] = value_number(options->max_job_id);
	values[CONF_max_job_count] = value_number(options->jobs * 2 + 10000);
	values[CONF_min_job_age] = value_number(options->min_job_age_s);
	values[CONF_node_count] = value_number(options->nodes);
	values[CONF_licenses] = value_words(view_words(scratch, "matlab:100", "ansys:20", NULL));
	return true;
}

struct rows view_conf(const struct view *view)
{
	return (struct rows){.next = next_conf, .owner = view};
}

static bool next_conf_meta(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	if (rows->at++)
		return false;
	values[CONF_META_boot_time] = value_number(world_unix(view->world, view->world->boot));
	values[CONF_META_last_update] = value_number(world_unix(view->world, view->world->now));
	values[CONF_META_next_job_id] = value_number(view->world->next_id);
	return true;
}

struct rows view_conf_meta(const struct view *view)
{
	return (struct rows){.next = next_conf_meta, .owner = view};
}

static bool next_error(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	if (!view->error || rows->at++)
		return false;
	values[ERROR_error] = value_text(view->error);
	values[ERROR_error_number] = value_number(view->error_number);
	values[ERROR_description] = value_text(view->error_description);
	values[ERROR_source] = value_text(view->error_source);
	return true;
}

struct rows view_error(const struct view *view)
{
	return (struct rows){.next = next_error, .owner = view};
}

static bool next_warning(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	if (!view->warning || rows->at++)
		return false;
	values[WARNING_description] = value_text(view->warning);
	values[WARNING_source] = value_text(view->warning_source);
	return true;
}

struct rows view_warning(const struct view *view)
{
	return (struct rows){.next = next_warning, .owner = view};
}
