// The names that slurmscope's families had before 0.1.0, for dashboards and rules of before. A file of its own, for one
// release; MIGRATING.md has the reasons.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

local entities = ['cluster', 'partition', 'account', 'user', 'qos'];
local histogram(old, new) = { [old + part]: new + part for part in ['_bucket', '_sum', '_count'] };
local mean(what) =
  fill('rate(slurm_%s_depth_total{%%(s)s}[1h]) / (rate(slurm_%s_cycles_total{%%(s)s}[1h]) > 0)', [what, what]);

local families = {
  [fill('slurm_%s_job_%s_seconds_total', [entity, what])]: fill('slurm_%s_job_allocated_%s_seconds_total', [entity, what])
  for entity in entities
  for what in ['cpu', 'gres', 'memory_byte']
} + histogram('slurm_job_wait_time_seconds', 'slurm_partition_job_eligible_wait_seconds')
  + histogram('slurm_job_queue_time_seconds', 'slurm_partition_job_submit_wait_seconds')
  + std.foldl(function(all, what) all + histogram('slurm_job_' + what, 'slurm_partition_job_' + what),
              ['runtime_seconds', 'time_limit_ratio', 'size_cpus', 'size_nodes', 'cpu_efficiency_ratio', 'memory_efficiency_ratio'],
              {}) + {
  slurm_accounting_up: 'slurm_dbd_up',
  slurm_controller_dbd_queue: 'slurm_dbd_agent_queue',
  slurm_account_usage_seconds: 'slurm_account_usage_tres_seconds',
  slurm_user_usage_seconds: 'slurm_user_usage_tres_seconds',
  slurm_qos_at_limit: 'slurm_qos_entities_at_limit',
  slurm_association_at_limit: 'slurm_association_users_at_limit',
  slurmscope_plan: 'slurmscope_plan_info',
};

local rules = { [old]: families[old] + '{%(s)s}' for old in std.objectFields(families) } + {
  [fill('slurm_%s_pending_reason_jobs', entity)]: fill('sum without (class) (slurm_%s_pending_jobs{%%(s)s})', entity)
  for entity in ['cluster', 'partition']
} + {
  slurm_scheduler_mean_depth: mean('scheduler'),
  slurm_backfill_mean_depth: mean('backfill'),
};

{
  oldNamesRules:: {
    groups: [{
      name: 'slurmscope_old_names',
      rules: [promql.rule($._config, old, rules[old]) for old in std.objectFields(rules)],
    }],
  },
}
