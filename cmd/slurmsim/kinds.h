/* The kinds of records and the names of what is filled into them; the enumerators number the
 * values, JOB_account and so on. */
#pragma once

/* clang-format 14 finds no end with such lists. */
/* clang-format off */
#define ANSWER_KIND(X) X(records) X(error) X(warning) X(conf_meta) X(last_update) \
	X(last_backfill) X(cluster) X(total_shares)
#define JOB_KIND(X) X(account) X(accrue_time) X(allocating_node) X(array_job_id) \
	X(array_max_tasks) X(array_task_id) X(array_task_string) X(association_id) \
	X(batch_host) X(billable_tres) X(cluster) X(command) X(cpus) X(dependency) \
	X(eligible_time) X(end_time) X(exit_return) X(exit_signal) X(exit_signal_name) \
	X(exit_status) X(exit_word) X(failed_node) X(gres_detail) X(group_id) X(group_name) \
	X(het_job_id) X(het_job_id_set) X(het_job_offset) X(hold) X(job_id) X(job_resources) \
	X(job_state) X(last_sched_evaluation) X(licenses) X(licenses_allocated) \
	X(memory_per_cpu) X(memory_per_node) X(name) X(node_count) X(nodes) X(partition) \
	X(pre_sus_time) X(preemptable_time) X(priority) X(qos) X(requeue) X(restart_cnt) \
	X(resv_name) X(scheduled_nodes) X(sluid) X(start_time) X(state_description) \
	X(state_reason) X(submit_line) X(submit_time) X(suspend_time) X(tasks) X(time_limit) \
	X(tres_alloc_str) X(tres_per_node) X(tres_req_str) X(user_id) X(user_name)
#define JOB_RESOURCES_KIND(X) X(cpus) X(job_node) X(node_count) X(node_cpus) \
	X(node_memory) X(nodes)
#define JOB_NODE_KIND(X) X(cpus) X(index) X(memory) X(name)
#define JOB_STATE_KIND(X) X(name) X(state)
#define NODE_KIND(X) X(address) X(alloc_cpus) X(alloc_memory) X(boot_time) X(comment) X(cores) \
	X(cpu_load) X(cpus) X(effective_cpus) X(features) X(flags) X(free_mem) X(gres) \
	X(gres_drained) X(gres_used) X(hostname) X(idle_cpus) X(last_busy) X(name) \
	X(partitions) X(port) X(real_memory) X(reason) X(reason_changed_at) \
	X(reason_set_by_user) X(reservation) X(slurmd_start_time) X(state) X(tres) X(tres_used) \
	X(tres_weight) X(weight)
#define PARTITION_KIND(X) X(default_time) X(factor) X(flags) X(max_nodes) X(max_time) \
	X(name) X(nodes) X(state) X(tier) X(total_cpus) X(total_nodes) X(tres)
#define RESERVATION_KIND(X) X(accounts) X(core_count) X(end_time) X(flags) X(name) \
	X(node_count) X(node_list) X(partition) X(start_time) X(tres) X(users)
#define LICENSE_KIND(X) X(free) X(name) X(reserved) X(total) X(used)
#define SHARE_KIND(X) X(cluster) X(effective_usage) X(factor) X(id) X(level) X(name) \
	X(parent) X(share_use) X(shares) X(shares_normalized) X(type) X(usage) X(usage_normalized)
#define SHARE_USE_KIND(X) X(name) X(value)
#define DIAG_KIND(X) X(agent_queue_size) X(bf_backfilled_het_jobs) X(bf_backfilled_jobs) \
	X(bf_cycle_counter) X(bf_cycle_last) X(bf_cycle_max) X(bf_cycle_mean) X(bf_cycle_sum) \
	X(bf_depth_mean) X(bf_depth_mean_try) X(bf_depth_sum) X(bf_last_backfilled_jobs) \
	X(bf_last_depth) X(bf_queue_len) X(bf_queue_len_mean) X(bf_queue_len_sum) \
	X(bf_table_size) X(bf_table_size_mean) X(bf_table_size_sum) X(bf_when_last_cycle) \
	X(dbd_agent_queue_size) X(job_states_ts) X(jobs_canceled) X(jobs_completed) \
	X(jobs_failed) X(jobs_pending) X(jobs_running) X(jobs_started) X(jobs_submitted) \
	X(parts_packed) X(req_time) X(req_time_start) X(rpc_type) X(rpc_user) \
	X(schedule_cycle_depth) X(schedule_cycle_last) X(schedule_cycle_max) \
	X(schedule_cycle_mean) X(schedule_cycle_mean_depth) X(schedule_cycle_per_minute) \
	X(schedule_cycle_sum) X(schedule_cycle_total) X(schedule_queue_length) \
	X(server_thread_count) X(zero)
#define RPC_TYPE_KIND(X) X(average_time) X(count) X(message_type) X(total_time) X(type_id)
#define RPC_USER_KIND(X) X(average_time) X(count) X(total_time) X(user) X(user_id)
#define PING_KIND(X) X(hostname) X(latency) X(mode) X(pinged) X(primary) X(responding) X(status)
#define DB_PING_KIND(X) X(hostname) X(latency) X(primary) X(responding) X(status)
#define CONF_KIND(X) X(AccountingStorageTRES) X(cluster) X(first_job_id) X(licenses) \
	X(max_job_count) X(max_job_id) X(min_job_age) X(node_count)
#define CONF_META_KIND(X) X(boot_time) X(last_update) X(next_job_id)
#define DB_JOB_KIND(X) X(account) X(allocation_nodes) X(array_job_id) X(array_task) \
	X(array_task_id) X(association_account) X(association_id) X(association_user) \
	X(cluster) X(cpus) X(db_step) X(elapsed) X(eligible_time) X(end_time) X(exit_return) \
	X(exit_signal) X(exit_signal_name) X(exit_status) X(failed_node) X(group) X(het_job_id) \
	X(het_job_offset) X(hold) X(job_id) X(licenses) X(memory) X(memory_per_cpu) X(memory_per_node) \
	X(name) X(nodes) X(partition) X(planned) X(priority) X(qos) X(restart_cnt) X(sluid) \
	X(start_time) X(state) X(state_reason) X(submit_line) X(submit_time) X(suspended) \
	X(time_limit) X(tres) X(tres_requested) X(user)
#define DB_STEP_KIND(X) X(cpu_system_s) X(cpu_total_s) X(cpu_user_s) X(elapsed) \
	X(end_time) X(exit_return) X(exit_signal) X(exit_signal_name) X(exit_status) X(job_id) \
	X(node_count) X(node_names) X(nodes) X(start_time) X(state) X(step_id) X(step_name) \
	X(tasks) X(tres) X(tres_used)
#define TRES_KIND(X) X(count) X(id) X(name) X(type)
#define QOS_KIND(X) X(flags) X(id) X(max_jobs_per_user) X(max_submit_per_user) \
	X(max_wall) X(name) X(preempt) X(priority) X(tres)
#define ASSOCIATION_KIND(X) X(account) X(cluster) X(id) X(is_default) X(lineage) \
	X(max_jobs) X(parent) X(parent_account) X(qos) X(shares_raw) X(tres) X(tres_budget) X(user)
#define DB_DIAG_KIND(X) X(db_rpc) X(db_user) X(time_start)
#define DB_RPC_KIND(X) X(average_time) X(count) X(rpc) X(total_time)
#define DB_USER_KIND(X) X(average_time) X(count) X(total_time) X(user)
#define ERROR_KIND(X) X(description) X(error) X(error_number) X(source)
#define WARNING_KIND(X) X(description) X(source)

/* One row per kind: the template's name and the list above. */
#define KINDS(K) K(answer, ANSWER_KIND) K(job, JOB_KIND) \
	K(job_resources, JOB_RESOURCES_KIND) K(job_node, JOB_NODE_KIND) K(job_state, JOB_STATE_KIND) K(node, NODE_KIND) \
	K(partition, PARTITION_KIND) K(reservation, RESERVATION_KIND) K(license, LICENSE_KIND) \
	K(share, SHARE_KIND) K(share_use, SHARE_USE_KIND) K(diag, DIAG_KIND) K(rpc_type, RPC_TYPE_KIND) \
	K(rpc_user, RPC_USER_KIND) K(ping, PING_KIND) K(db_ping, DB_PING_KIND) \
	K(conf, CONF_KIND) K(conf_meta, CONF_META_KIND) K(db_job, DB_JOB_KIND) \
	K(db_step, DB_STEP_KIND) K(tres, TRES_KIND) K(tres_requested, TRES_KIND) \
	K(tres_used, TRES_KIND) K(tres_budget, TRES_KIND) \
	K(qos, QOS_KIND) K(association, ASSOCIATION_KIND) K(db_diag, DB_DIAG_KIND) \
	K(db_rpc, DB_RPC_KIND) K(db_user, DB_USER_KIND) K(error, ERROR_KIND) \
	K(warning, WARNING_KIND)
/* clang-format on */

#define ANSWER_(name) ANSWER_##name,
#define JOB_(name) JOB_##name,
#define JOB_RESOURCES_(name) JOB_RESOURCES_##name,
#define JOB_NODE_(name) JOB_NODE_##name,
#define JOB_STATE_(name) JOB_STATE_##name,
#define NODE_(name) NODE_##name,
#define PARTITION_(name) PARTITION_##name,
#define RESERVATION_(name) RESERVATION_##name,
#define LICENSE_(name) LICENSE_##name,
#define SHARE_(name) SHARE_##name,
#define SHARE_USE_(name) SHARE_USE_##name,
#define DIAG_(name) DIAG_##name,
#define RPC_TYPE_(name) RPC_TYPE_##name,
#define RPC_USER_(name) RPC_USER_##name,
#define PING_(name) PING_##name,
#define DB_PING_(name) DB_PING_##name,
#define CONF_(name) CONF_##name,
#define CONF_META_(name) CONF_META_##name,
#define DB_JOB_(name) DB_JOB_##name,
#define DB_STEP_(name) DB_STEP_##name,
#define TRES_(name) TRES_##name,
#define QOS_(name) QOS_##name,
#define ASSOCIATION_(name) ASSOCIATION_##name,
#define DB_DIAG_(name) DB_DIAG_##name,
#define DB_RPC_(name) DB_RPC_##name,
#define DB_USER_(name) DB_USER_##name,
#define ERROR_(name) ERROR_##name,
#define WARNING_(name) WARNING_##name,

enum { ANSWER_KIND(ANSWER_) ANSWER_VALUES };
enum { JOB_KIND(JOB_) JOB_VALUES };
enum { JOB_RESOURCES_KIND(JOB_RESOURCES_) JOB_RESOURCES_VALUES };
enum { JOB_NODE_KIND(JOB_NODE_) JOB_NODE_VALUES };
enum { JOB_STATE_KIND(JOB_STATE_) JOB_STATE_VALUES };
enum { NODE_KIND(NODE_) NODE_VALUES };
enum { PARTITION_KIND(PARTITION_) PARTITION_VALUES };
enum { RESERVATION_KIND(RESERVATION_) RESERVATION_VALUES };
enum { LICENSE_KIND(LICENSE_) LICENSE_VALUES };
enum { SHARE_KIND(SHARE_) SHARE_VALUES };
enum { SHARE_USE_KIND(SHARE_USE_) SHARE_USE_VALUES };
enum { DIAG_KIND(DIAG_) DIAG_VALUES };
enum { RPC_TYPE_KIND(RPC_TYPE_) RPC_TYPE_VALUES };
enum { RPC_USER_KIND(RPC_USER_) RPC_USER_VALUES };
enum { PING_KIND(PING_) PING_VALUES };
enum { DB_PING_KIND(DB_PING_) DB_PING_VALUES };
enum { CONF_KIND(CONF_) CONF_VALUES };
enum { CONF_META_KIND(CONF_META_) CONF_META_VALUES };
enum { DB_JOB_KIND(DB_JOB_) DB_JOB_VALUES };
enum { DB_STEP_KIND(DB_STEP_) DB_STEP_VALUES };
enum { TRES_KIND(TRES_) TRES_VALUES };
enum { QOS_KIND(QOS_) QOS_VALUES };
enum { ASSOCIATION_KIND(ASSOCIATION_) ASSOCIATION_VALUES };
enum { DB_DIAG_KIND(DB_DIAG_) DB_DIAG_VALUES };
enum { DB_RPC_KIND(DB_RPC_) DB_RPC_VALUES };
enum { DB_USER_KIND(DB_USER_) DB_USER_VALUES };
enum { ERROR_KIND(ERROR_) ERROR_VALUES };
enum { WARNING_KIND(WARNING_) WARNING_VALUES };
