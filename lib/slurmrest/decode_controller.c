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
	NAME("ping", take_up),                            /* before v0.0.40 */
	NAME("pinged", take_up),                          /* v0.0.40 to v0.0.44 */
	BOOL(struct controller, is_up, "responding"),     /* since v0.0.42 */
	NAME("mode", take_mode),                          /* before v0.0.45 */
	BOOL(struct controller, is_primary, "primary"),   /* since v0.0.42 */
	NUMBER(struct controller, latency_us, "latency", COUNT),
	END_OF_FIELDS,
};

static const struct field diag_fields[] = {
	NUMBER(struct diag, reset_time, "req_time_start", SECONDS),
	NUMBER(struct diag, threads, "server_thread_count", COUNT),
	NUMBER(struct diag, agent_queue, "agent_queue_size", COUNT),
	NUMBER(struct diag, agents, "agent_count", COUNT),
	NUMBER(struct diag, agent_threads, "agent_thread_count", COUNT),
	NUMBER(struct diag, dbd_queue, "dbd_agent_queue_size", COUNT),
	NUMBER(struct diag, jobs_pending, "jobs_pending", COUNT),
	NUMBER(struct diag, jobs_running, "jobs_running", COUNT),
	NUMBER(struct diag, jobs_time, "job_states_ts", SECONDS),
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
	NUMBER(struct diag, backfill_last_cycle_time, "bf_when_last_cycle", SECONDS),
	BOOL(struct diag, backfill_is_active, "bf_active"),
	END_OF_FIELDS,
};

static bool finish_ping(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return ((struct controller *)record)->host.len;
}

static bool finish_diag(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return number_is_known(((struct diag *)record)->reset_time);
}

const struct record_type ping_record = {"pings", false, sizeof(struct controller), ping_fields,
					finish_ping};
const struct record_type diag_record = {"statistics", true, sizeof(struct diag), diag_fields,
					finish_diag};
