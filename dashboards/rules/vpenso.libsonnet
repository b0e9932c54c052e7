// The names of vpenso's prometheus-slurm-exporter (0.20) from ours, so that dashboards made for it (grafana.com 4323)
// go on working. What they mean, and where the values differ: MIGRATING.md. A file of its own: sites that scrape
// another exporter of that family, or slurmctld itself, have some of the names already.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

local microseconds = 1000000;
local mebibytes = 1048576;

// vpenso says 0 where there is none.
local orZero(text) = text + '\nor sum by (%(c)s) (0 * slurm_cluster_info{%(s)s})';

local sum(family, matchers='', by='') =
  'sum by (%(c)s' + by + ') (' + family + '{' + matchers + (if matchers == '' then '' else ', ') + '%(s)s})';

// Each node has one state there, as sinfo shows it; here a base state and flags.
local nodes(state, unless) =
  orZero('count by (%(c)s) (slurm_node_state{state="' + state + '", %(s)s} unless on (%(c)s, node) slurm_node_flag{flag=~"'
         + unless + '", %(s)s})');
local flagged(flag, unless) =
  orZero('count by (%(c)s) (slurm_node_flag{flag=~"' + flag + '", %(s)s}'
         + (if unless == '' then '' else ' unless on (%(c)s, node) slurm_node_flag{flag=~"' + unless + '", %(s)s}') + ')');

local status = ' * on (%(c)s, node) group_left (status) label_replace(slurm_node_state{%(s)s}, "status", "$1", "state", "(.+)")';
local node(family, matchers) = sum(family, matchers, ', node') + status;

local jobs(entity, state) =
  { [fill('slurm_%s_jobs_%s', [entity, state])]: sum(fill('slurm_%s_jobs', entity), fill('state="%s"', state), ', ' + entity) + ' > 0' };

local rules = {
  slurm_nodes_alloc: nodes('allocated', 'drained|draining|fail|completing'),
  slurm_nodes_mix: nodes('mixed', 'drained|draining|fail|completing'),
  slurm_nodes_idle: nodes('idle', 'drained|draining|fail|completing|maint|reserved'),
  slurm_nodes_down: nodes('down', 'drained|draining'),
  slurm_nodes_err: nodes('error', 'drained|draining'),
  slurm_nodes_drain: flagged('drained|draining', ''),
  slurm_nodes_comp: flagged('completing', 'drained|draining'),
  slurm_nodes_fail: flagged('fail', 'drained|draining'),
  slurm_nodes_maint: flagged('maint', 'drained|draining'),
  slurm_nodes_resv: flagged('reserved', 'drained|draining|maint'),

  slurm_cpus_alloc: sum('slurm_cluster_cpus', 'state="allocated"'),
  slurm_cpus_idle: sum('slurm_cluster_cpus', 'state="idle"'),
  slurm_cpus_other: sum('slurm_cluster_cpus', 'state="other"'),
  slurm_cpus_total: sum('slurm_cluster_cpus'),
  slurm_gpus_alloc: orZero(sum('slurm_cluster_gres', 'gres="gpu", state="allocated"')),
  slurm_gpus_idle: orZero(sum('slurm_cluster_gres', 'gres="gpu", state="idle"')),
  slurm_gpus_total: orZero(sum('slurm_cluster_gres', 'gres="gpu"')),
  slurm_gpus_utilization: sum('slurm_cluster_gres', 'gres="gpu", state="allocated"') + ' / (' + sum('slurm_cluster_gres', 'gres="gpu"') + ' > 0)',

  slurm_partition_cpus_allocated: sum('slurm_partition_cpus', 'state="allocated"', ', partition') + ' > 0',
  slurm_partition_cpus_idle: sum('slurm_partition_cpus', 'state="idle"', ', partition') + ' > 0',
  slurm_partition_cpus_other: sum('slurm_partition_cpus', 'state="other"', ', partition') + ' > 0',
  slurm_partition_cpus_total: sum('slurm_partition_cpus', 'state!=""', ', partition') + ' > 0',

  slurm_queue_pending: sum('slurm_cluster_jobs', 'state="pending"'),
  slurm_queue_pending_dependency: orZero(sum('slurm_cluster_pending_jobs', 'reason="Dependency"')),
  slurm_queue_completing: orZero(sum('slurm_cluster_jobs_flagged', 'flag="completing"')),
  slurm_queue_configuring: orZero(sum('slurm_cluster_jobs_flagged', 'flag="configuring"')),
} + {
  ['slurm_queue_' + state]: sum('slurm_cluster_jobs', fill('state="%s"', state))
  for state in ['running', 'suspended', 'cancelled', 'completed', 'failed', 'timeout', 'preempted', 'node_fail']
} + jobs('partition', 'pending') + {
  slurm_account_cpus_running: sum('slurm_account_job_cpus', 'state="running"', ', account') + ' > 0',
  slurm_user_cpus_running: sum('slurm_user_job_cpus', 'state="running"', ', user') + ' > 0',
  // with fair tree only users have a factor
  slurm_account_fairshare: 'max by (%(c)s, account) (slurm_account_fairshare_factor{%(s)s} or slurm_user_fairshare_factor{%(s)s})',
} + jobs('account', 'pending') + jobs('account', 'running') + jobs('account', 'suspended')
  + jobs('user', 'pending') + jobs('user', 'running') + jobs('user', 'suspended') + {

  slurm_scheduler_threads: 'max by (%(c)s) (slurm_controller_threads{%(s)s})',
  slurm_scheduler_queue_size: 'max by (%(c)s) (slurm_controller_agent_queue{%(s)s})',
  slurm_scheduler_dbd_queue_size: 'max by (%(c)s) (slurm_dbd_agent_queue{%(s)s})',
  slurm_scheduler_last_cycle: fill('%d * max by (%%(c)s) (slurm_scheduler_last_cycle_seconds{%%(s)s})', microseconds),
  slurm_scheduler_mean_cycle: fill('%d * sum by (%%(c)s) (rate(slurm_scheduler_cycle_seconds_total{%%(s)s}[1h])) / (sum by (%%(c)s) (rate(slurm_scheduler_cycles_total{%%(s)s}[1h])) > 0)', microseconds),
  slurm_scheduler_cycle_per_minute: '60 * sum by (%(c)s) (rate(slurm_scheduler_cycles_total{%(s)s}[1h]))',
  slurm_scheduler_backfill_last_cycle: fill('%d * max by (%%(c)s) (slurm_backfill_last_cycle_seconds{%%(s)s})', microseconds),
  slurm_scheduler_backfill_mean_cycle: fill('%d * sum by (%%(c)s) (rate(slurm_backfill_cycle_seconds_total{%%(s)s}[1h])) / (sum by (%%(c)s) (rate(slurm_backfill_cycles_total{%%(s)s}[1h])) > 0)', microseconds),
  slurm_scheduler_backfill_depth_mean: 'sum by (%(c)s) (rate(slurm_backfill_depth_total{%(s)s}[1h])) / (sum by (%(c)s) (rate(slurm_backfill_cycles_total{%(s)s}[1h])) > 0)',
  slurm_scheduler_backfilled_jobs_since_start_total: sum('slurm_backfill_jobs_total'),
  slurm_scheduler_backfilled_jobs_since_cycle_total: 'sum by (%(c)s) (increase(slurm_backfill_jobs_total{%(s)s}[1d]))',
  slurm_scheduler_backfilled_heterogeneous_total: sum('slurm_backfill_het_jobs_total'),

  // need --nodes.per-node=full
  slurm_node_cpu_alloc: node('slurm_node_cpus', 'state="allocated"'),
  slurm_node_cpu_idle: node('slurm_node_cpus', 'state="idle"'),
  slurm_node_cpu_other: node('slurm_node_cpus', 'state="other"'),
  slurm_node_cpu_total: node('slurm_node_cpus', 'state!=""'),
  slurm_node_mem_alloc: '(' + node('slurm_node_real_memory_bytes', 'state="allocated"') + fill(') / %d', mebibytes),
  slurm_node_mem_total: '(' + node('slurm_node_real_memory_bytes', '') + fill(') / %d', mebibytes),
};

{
  vpensoRules:: {
    groups: [{
      name: 'vpenso',
      rules: [promql.rule($._config, name, rules[name]) for name in std.objectFields(rules)],
    }],
  },
}
