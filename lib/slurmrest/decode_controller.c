#include "model/controller.h"

#include "slurmrest/decode.h"

#include <strings.h>

static bool is_word(struct text text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.bytes, word, text.len) == 0;
}

static void take_up(struct vocabulary *vocabulary, void *record, struct text word)
{
	(void)vocabulary;
	((struct controller *)record)->is_up = is_word(word, "up");
}

static void take_mode(struct vocabulary *vocabulary, void *record, struct text word)
{
	(void)vocabulary;
	((struct controller *)record)->is_primary = is_word(word, "primary");
}

static const struct field ping_fields[] = {
	TEXT_FIELD(struct controller, host, "hostname"),
	NAME("ping", take_up), /* before v0.0.40 */
	NAME("pinged", take_up), /* v0.0.40 to v0.0.44 */
	BOOL(struct controller, is_up, "responding"), /* since v0.0.42 */
	NAME("mode", take_mode), /* before v0.0.45 */
	BOOL(struct controller, is_primary, "primary"), /* since v0.0.42 */
	NUMBER(struct controller, latency_us, "latency", COUNT),
	END_OF_FIELDS,
};

static const struct field rpc_fields[] = {
	TEXT_FIELD(struct rpc, name, "message_type"),
	HASHED_TEXT(struct rpc, name, "user", HASHED_USERS),
	NUMBER(struct rpc, user_id, "user_id", COUNT),
	TEXT_FIELD(struct rpc, name, "rpc"), /* slurmdbd's */
	NUMBER(struct rpc, count, "count", COUNT),
	NUMBER(struct rpc, time_us, "total_time", COUNT),
	NUMBER(struct rpc, time_us, "time.total", COUNT), /* slurmdbd's */
	NUMBER(struct rpc, dropped, "dropped", COUNT),
	NUMBER(struct rpc, queued, "queued", COUNT),
	END_OF_FIELDS,
};
static const struct field_elements rpc_elements = {sizeof(struct rpc), rpc_fields, NULL};

static const struct field diag_fields[] = {
	NUMBER(struct diag, reset_time, "req_time_start", SECONDS),
	NUMBER(struct diag, time, "req_time", SECONDS),
	NUMBER(struct diag, threads, "server_thread_count", COUNT),
	NUMBER(struct diag, agent_queue, "agent_queue_size", COUNT),
	NUMBER(struct diag, agents, "agent_count", COUNT),
	NUMBER(struct diag, agent_threads, "agent_thread_count", COUNT),
	NUMBER(struct diag, dbd_queue, "dbd_agent_queue_size", COUNT),
	NUMBER(struct diag, jobs_pending, "jobs_pending", COUNT),
	NUMBER(struct diag, jobs_running, "jobs_running", COUNT),
	NUMBER(struct diag, jobs_time, "job_states_ts", SECONDS),
	NUMBER(struct diag, jobs_submitted, "jobs_submitted", COUNT),
	NUMBER(struct diag, jobs_started, "jobs_started", COUNT),
	NUMBER(struct diag, cycles, "schedule_cycle_total", COUNT),
	NUMBER(struct diag, cycle_sum_us, "schedule_cycle_sum", COUNT), /* since v0.0.41 */
	NUMBER(struct diag, cycle_mean_us, "schedule_cycle_mean", COUNT),
	NUMBER(struct diag, cycle_last_us, "schedule_cycle_last", COUNT),
	NUMBER(struct diag, cycle_max_us, "schedule_cycle_max", COUNT),
	NUMBER(struct diag, cycle_depth_mean, "schedule_cycle_mean_depth", COUNT),
	NUMBER(struct diag, queue_length, "schedule_queue_length", COUNT),
	NUMBER(struct diag, backfill_cycles, "bf_cycle_counter", COUNT),
	NUMBER(struct diag, backfill_sum_us, "bf_cycle_sum", COUNT), /* since v0.0.40 */
	NUMBER(struct diag, backfill_mean_us, "bf_cycle_mean", COUNT),
	NUMBER(struct diag, backfill_last_us, "bf_cycle_last", COUNT),
	NUMBER(struct diag, backfill_max_us, "bf_cycle_max", COUNT),
	NUMBER(struct diag, backfill_depth_mean, "bf_depth_mean", COUNT),
	NUMBER(struct diag, backfill_queue_length, "bf_queue_len", COUNT),
	NUMBER(struct diag, backfill_table_size, "bf_table_size", COUNT), /* since v0.0.38 */
	NUMBER(struct diag, backfill_jobs, "bf_backfilled_jobs", COUNT),
	NUMBER(struct diag, backfill_last_cycle_time, "bf_when_last_cycle", TIME),
	BOOL(struct diag, backfill_is_active, "bf_active"),
	NUMBER(struct diag, backfill_het_jobs, "bf_backfilled_het_jobs", COUNT),
	NUMBER(struct diag, depth_sum, "schedule_cycle_depth", COUNT), /* since v0.0.41 */
	/* since v0.0.40: */
	NUMBER(struct diag, backfill_depth_sum, "bf_depth_sum", COUNT),
	NUMBER(struct diag, backfill_depth_tried_sum, "bf_depth_try_sum", COUNT),
	NUMBER(struct diag, backfill_queue_length_sum, "bf_queue_len_sum", COUNT),
	NUMBER(struct diag, backfill_table_size_sum, "bf_table_size_sum", COUNT),
	NUMBER(struct diag, backfill_last_depth, "bf_last_depth", COUNT),
	NUMBER(struct diag, backfill_last_depth_tried, "bf_last_depth_try", COUNT),
	NUMBER(struct diag, exits[0], "schedule_exit.end_job_queue", COUNT),
	NUMBER(struct diag, exits[1], "schedule_exit.default_queue_depth", COUNT),
	NUMBER(struct diag, exits[2], "schedule_exit.max_job_start", COUNT),
	NUMBER(struct diag, exits[3], "schedule_exit.max_rpc_cnt", COUNT),
	NUMBER(struct diag, exits[4], "schedule_exit.max_sched_time", COUNT),
	NUMBER(struct diag, exits[5], "schedule_exit.licenses", COUNT),
	NUMBER(struct diag, backfill_exits[0], "bf_exit.end_job_queue", COUNT),
	NUMBER(struct diag, backfill_exits[1], "bf_exit.bf_max_job_start", COUNT),
	NUMBER(struct diag, backfill_exits[2], "bf_exit.bf_max_job_test", COUNT),
	NUMBER(struct diag, backfill_exits[3], "bf_exit.bf_max_time", COUNT),
	NUMBER(struct diag, backfill_exits[4], "bf_exit.bf_node_space_size", COUNT),
	NUMBER(struct diag, backfill_exits[5], "bf_exit.state_changed", COUNT),
	LIST(struct diag, rpcs_by_type, "rpcs_by_message_type", &rpc_elements), /* since v0.0.38 */
	LIST(struct diag, rpcs_by_user, "rpcs_by_user", &rpc_elements),
	LIST(struct diag, pending_rpcs, "pending_rpcs", &rpc_elements), /* since v0.0.41 */
	END_OF_FIELDS,
};

static const struct field dbd_diag_fields[] = {
	NUMBER(struct dbd_diag, start_time, "time_start", TIME),
	LIST(struct dbd_diag, rpcs_by_type, "RPCs", &rpc_elements),
	LIST(struct dbd_diag, rpcs_by_user, "users", &rpc_elements),
	/* Since v0.0.41; before, a list without names. These names are wrong: slurmdbd puts its own roll-ups first, and
	 * those of requests second (slurmdbd.c: handle_rollup_stats). */
	NUMBER(struct dbd_diag, rollups[ROLLUP_BY_SLURMDBD].last_run, "rollups.hourly.last_run", TIME),
	NUMBER(struct dbd_diag, rollups[ROLLUP_BY_SLURMDBD].last_duration_us, "rollups.hourly.duration.last", COUNT),
	NUMBER(struct dbd_diag, rollups[ROLLUP_BY_REQUEST].last_run, "rollups.daily.last_run", TIME),
	NUMBER(struct dbd_diag, rollups[ROLLUP_BY_REQUEST].last_duration_us, "rollups.daily.duration.last", COUNT),
	END_OF_FIELDS,
};

static void take_controller_parameter(struct vocabulary *vocabulary, void *record, struct text parameter)
{
	(void)vocabulary;
	((struct conf *)record)->limits_rates |= text_equal(parameter, TEXT("rl_enable"));
}

static void take_accounted(struct vocabulary *vocabulary, void *record, struct text tres)
{
	(void)vocabulary;
	((struct conf *)record)->accounts_gpus |=
		text_equal(tres, TEXT("gres/gpu")) || text_starts_with(tres, "gres/gpu:");
}

static void take_private_data(struct vocabulary *vocabulary, void *record, struct text what)
{
	(void)vocabulary;
	for (int i = 0; i < PRIVATE_DATA; i++)
		if (is_word(what, private_data_names[i]))
			((struct conf *)record)->is_private[i] = true;
}

static const struct field conf_fields[] = {
	NUMBER(struct conf, max_job_count, "slurm_conf.MaxJobCount", COUNT),
	NUMBER(struct conf, boot_time, "slurm_conf_meta.BOOT_TIME", TIME),
	NUMBER(struct conf, first_job_id, "slurm_conf.FirstJobId", COUNT),
	NUMBER(struct conf, max_job_id, "slurm_conf.MaxJobId", COUNT),
	NUMBER(struct conf, max_array_size, "slurm_conf.MaxArraySize", COUNT),
	NUMBER(struct conf, next_job_id, "slurm_conf_meta.NEXT_JOB_ID", COUNT),
	NAME("slurm_conf.SlurmctldParameters", take_controller_parameter),
	NUMBER(struct conf, min_job_age, "slurm_conf.MinJobAge", SECONDS),
	NAME("slurm_conf.PrivateData", take_private_data),
	NAME("slurm_conf.AccountingStorageTRES", take_accounted),
	END_OF_FIELDS,
};

static bool finish_ping(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return ((struct controller *)record)->host.len;
}

/* sdiag prints the number of a user whose name slurmctld cannot find; REST says "". */
static void name_users(void *record, const struct name_hash *hash, struct arena *texts)
{
	const struct list *users = &((const struct diag *)record)->rpcs_by_user;
	for (size_t i = 0; i < users->count; i++) {
		struct rpc *rpc = (struct rpc *)users->items + i;
		rpc->name = user_name_or_number(rpc->name, rpc->user_id, hash, texts);
	}
}

static bool finish_diag(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return number_is_known(((struct diag *)record)->reset_time);
}

static bool finish_dbd_diag(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return number_is_known(((struct dbd_diag *)record)->start_time);
}

static bool finish_conf(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return number_is_known(((struct conf *)record)->max_job_count);
}

const struct record_type dbd_diag_record = {"statistics",    true, sizeof(struct dbd_diag), dbd_diag_fields,
					    finish_dbd_diag, NULL};
const struct record_type conf_record = {"", true, sizeof(struct conf), conf_fields, finish_conf, NULL};
const struct record_type ping_record = {"pings", false, sizeof(struct controller), ping_fields, finish_ping, NULL};
const struct record_type diag_record = {"statistics", true, sizeof(struct diag), diag_fields, finish_diag, name_users};
