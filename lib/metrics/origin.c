/* Where a family comes from, if its group says otherwise: the endpoint, and the first release that reports it. A
 * release is named for the newest API version that it serves: v0.0.37 is 21.08 (the oldest that is read), v0.0.38
 * 22.05, v0.0.40 23.11, v0.0.41 24.05, v0.0.42 24.11, v0.0.43 25.05, v0.0.44 25.11, v0.0.45 26.05, v0.0.46 26.11. */
#include "metrics/family.h"

static const struct {
	const char *family;
	struct family_origin origin; /* a NULL: as the group */
} rows[] = {
	{"slurm_dbd_up", {"dbd_ping, dbd_diag", ""}},
	{"slurm_account_ended_job_allocated_gpu_seconds_total", {NULL, "23.11"}},
	{"slurm_account_ended_job_peak_gpu_memory_byte_seconds_total", {NULL, "23.11"}},
	{"slurm_backfill_depth_tried_total", {NULL, "23.11"}},
	{"slurm_backfill_exits_total", {NULL, "23.11"}},
	{"slurm_backfill_last_depth", {NULL, "23.11"}},
	{"slurm_backfill_last_depth_tried", {NULL, "23.11"}},
	{"slurm_backfill_max_cycle_seconds", {NULL, "24.05 (and 22.05)"}},
	{"slurm_backfill_queue_length_total", {NULL, "23.11"}},
	{"slurm_backfill_last_table_size", {NULL, "22.05"}},
	{"slurm_backfill_table_size_total", {NULL, "24.05"}},
	{"slurm_controller_job_records", {"jobs", ""}},
	{"slurm_controller_ping_seconds", {NULL, "23.11"}},
	{"slurm_dbd_rollup_seconds", {NULL, "24.05"}},
	{"slurm_dbd_rollup_timestamp_seconds", {NULL, "24.05"}},
	{"slurm_cluster_effective_cpus", {NULL, "23.11"}},
	{"slurm_cluster_effective_memory_bytes", {NULL, "23.11"}},
	{"slurm_node_effective_cpus", {NULL, "23.11"}},
	{"slurm_node_effective_memory_bytes", {NULL, "23.11"}},
	{"slurm_partition_effective_cpus", {NULL, "23.11"}},
	{"slurm_partition_effective_memory_bytes", {NULL, "23.11"}},
	{"slurm_node_energy_joules_total", {NULL, "23.11"}},
	{"slurm_node_power_watts", {NULL, "23.11"}},
	{"slurm_node_reservation_info", {NULL, "23.11"}},
	{"slurm_partition_stranded_cpus", {"jobs, nodes", NULL}},
	{"slurm_partition_stranded_gpus", {"jobs, nodes", NULL}},
	{"slurm_partition_default_time_seconds", {NULL, "22.05"}},
	{"slurm_partition_ended_job_allocated_gpu_seconds_total", {NULL, "23.11"}},
	{"slurm_partition_ended_job_peak_gpu_memory_byte_seconds_total", {NULL, "23.11"}},
	{"slurm_reservation_cpus_allocated", {"jobs", NULL}},
	{"slurm_rpc_dropped_total", {NULL, "24.05"}},
	{"slurm_rpc_pending", {NULL, "24.05"}},
	{"slurm_rpc_queued", {NULL, "24.05"}},
	{"slurm_scheduler_exits_total", {NULL, "23.11"}},
	{"slurm_user_ended_job_allocated_gpu_seconds_total", {NULL, "23.11"}},
	{"slurm_user_ended_job_peak_gpu_memory_byte_seconds_total", {NULL, "23.11"}},
};

struct family_origin family_origin(const struct family_group *group, const char *name)
{
	struct family_origin origin = group->origin;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(rows[i].family, name) != 0)
			continue;
		if (rows[i].origin.source)
			origin.source = rows[i].origin.source;
		if (rows[i].origin.since)
			origin.since = rows[i].origin.since;
	}
	return origin;
}
