/* What slurmctld reports of itself: ping and diag. Texts are borrowed. */
#pragma once

#include "model/list.h"
#include "model/number.h"
#include "model/rpc.h"
#include "model/vocabulary.h"

struct controller {
	struct text host;
	bool is_primary, is_up;
	uint64_t latency_us; /* of slurmrestd's own ping; unset before 23.11 */
};

/* Why a cycle of the main scheduler, and of backfill, ended: diag's own names. */
enum { EXITS = 6, BACKFILL_EXITS = 6 };
extern const char *const exit_names[EXITS], *const backfill_exit_names[BACKFILL_EXITS];

/* Who has slurmdbd roll up usage: itself, each hour, or a request (sacctmgr rollup). */
enum rollup_trigger { ROLLUP_BY_SLURMDBD, ROLLUP_BY_REQUEST, ROLLUPS };
extern const char *const rollup_triggers[ROLLUPS];

/* Statistics as `sdiag` shows them. Sums start again at `reset_time`: at midnight UTC, at a restart,
 * and at `sdiag --reset`. */
struct diag {
	uint64_t reset_time; /* Unix seconds (req_time_start) */
	uint64_t time; /* of slurmctld's clock, when it answered */
	uint64_t threads, agent_queue, agents, agent_threads, dbd_queue;
	uint64_t jobs_pending, jobs_running; /* by task, as of jobs_time */
	uint64_t jobs_time;
	uint64_t jobs_submitted; /* a sum, of all tasks of all submissions */
	uint64_t jobs_started; /* likewise, of all starts of jobs, array tasks and components */
	uint64_t cycles, cycle_sum_us, cycle_mean_us, cycle_last_us, cycle_max_us;
	uint64_t cycle_depth_mean, queue_length;
	uint64_t backfill_cycles, backfill_sum_us, backfill_mean_us, backfill_last_us, backfill_max_us;
	uint64_t backfill_depth_mean, backfill_queue_length, backfill_table_size;
	uint64_t backfill_jobs, backfill_het_jobs, backfill_last_cycle_time;
	bool backfill_is_active;
	uint64_t depth_sum, backfill_depth_sum, backfill_depth_tried_sum; /* jobs looked at */
	uint64_t backfill_queue_length_sum, backfill_table_size_sum;
	uint64_t backfill_last_depth, backfill_last_depth_tried;
	uint64_t exits[EXITS], backfill_exits[BACKFILL_EXITS]; /* cycles by why they ended */
	struct list rpcs_by_type, rpcs_by_user; /* struct rpc; they outlive midnight */
	struct list pending_rpcs; /* struct rpc: count */
};

/* slurmdbd's, as `sacctmgr show stats` shows them. */
struct dbd_diag {
	uint64_t start_time; /* Unix seconds: its sums start there */
	struct list rpcs_by_type, rpcs_by_user; /* struct rpc */
	struct rollup rollups[ROLLUPS];
};

/* What PrivateData hides from all but operators, and what of it concerns a user's own; slurm.conf's names. */
enum private_data {
	PRIVATE_ACCOUNTS,
	PRIVATE_EVENTS,
	PRIVATE_JOBS,
	PRIVATE_NODES,
	PRIVATE_PARTITIONS,
	PRIVATE_RESERVATIONS,
	PRIVATE_USAGE,
	PRIVATE_USERS,
	PRIVATE_DATA,
};
extern const char *const private_data_names[PRIVATE_DATA];

/* The part of the configuration that slurmscope uses; 26.05 and later serve it. */
struct conf {
	uint64_t max_job_count;
	uint64_t boot_time; /* of slurmctld, Unix seconds */
	uint64_t first_job_id, max_job_id, next_job_id; /* the range of IDs, and the one given next */
	uint64_t max_array_size; /* tasks' numbers are below it */
	bool limits_rates; /* SlurmctldParameters=rl_enable */
	bool accounts_gpus; /* AccountingStorageTRES has gres/gpu */
	uint64_t min_job_age; /* seconds that slurmctld remembers ended jobs for */
	bool is_private[PRIVATE_DATA];
};
#define CONF_UNKNOWN                                                                                                   \
	((struct conf){.max_job_count = NUMBER_UNSET,                                                                  \
		       .boot_time = NUMBER_UNSET,                                                                      \
		       .first_job_id = NUMBER_UNSET,                                                                   \
		       .max_job_id = NUMBER_UNSET,                                                                     \
		       .next_job_id = NUMBER_UNSET,                                                                    \
		       .max_array_size = NUMBER_UNSET,                                                                 \
		       .min_job_age = NUMBER_UNSET})
