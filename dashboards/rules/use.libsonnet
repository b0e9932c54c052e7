// What is used of what there is: efficiency of jobs, GPUs, shares, limits.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

local efficiency(config, entity) =
  local names = { entity: entity, window: config.efficiency.window };
  [
    promql.rule(config, 'cluster_%(entity)s:slurm_ended_job_cpu_efficiency:ratio_increase%(window)s', |||
      sum by (%(c)s, %(entity)s) (increase(slurm_%(entity)s_ended_job_used_cpu_seconds_total{%(s)s}[%(window)s]))
      / (sum by (%(c)s, %(entity)s) (increase(slurm_%(entity)s_ended_job_allocated_cpu_seconds_total{%(s)s}[%(window)s])) > 0)
    |||, names),
    promql.rule(config, 'cluster_%(entity)s:slurm_ended_job_memory_efficiency:ratio_increase%(window)s', |||
      sum by (%(c)s, %(entity)s) (increase(slurm_%(entity)s_ended_job_peak_memory_byte_seconds_total{%(s)s}[%(window)s]))
      / (sum by (%(c)s, %(entity)s) (increase(slurm_%(entity)s_ended_job_allocated_memory_byte_seconds_total{%(s)s}[%(window)s])) > 0)
    |||, names),
  ];

// Over weeks: sums of hours, for the samples of weeks are too many to read. A counter that restarts loses nothing of an hour,
// and where Prometheus has a gap both sides of the ratio have it. It ends with the last full hour. Each minute 30 days of 500
// users and 250 accounts would take seven seconds of a CPU. Every four minutes there is a quarter of the samples, too.
local longEfficiency(config, entity) =
  local increase(family, window) = fill('cluster_%s:%s:increase%s', [entity, family, window]);
  local sum(family, window) = fill('sum_over_time(%s[%s:%s])', [increase(family, config.efficiency.hour), window, config.efficiency.hour]);
  local kinds = {
    cpu: ['slurm_ended_job_used_cpu_seconds', 'slurm_ended_job_allocated_cpu_seconds'],
    memory: ['slurm_ended_job_peak_memory_byte_seconds', 'slurm_ended_job_allocated_memory_byte_seconds'],
  };
  [
    promql.rule(config, increase(family, config.efficiency.hour), |||
      sum by (%(c)s, %(entity)s) (increase(%(family)s_total{%(s)s}[%(hour)s]))
    |||, { entity: entity, family: std.strReplace(family, 'slurm_', fill('slurm_%s_', entity)), hour: config.efficiency.hour })
    for kind in std.objectFields(kinds)
    for family in kinds[kind]
  ] + [
    promql.rule(
      config,
      fill('cluster_%s:slurm_ended_job_%s_efficiency:ratio_increase%s', [entity, kind, window]),
      fill('%s\n/ (%s > 0)', [sum(family, window) for family in kinds[kind]])
    )
    for window in config.efficiency.longer
    for kind in std.objectFields(kinds)
  ];

local occupancy(config, level, by, family) =
  promql.rule(config, level + ':slurm_gpus_allocated_per_gpu:ratio', |||
    sum by (%(by)s) (%(family)s{gres="gpu", state="allocated", %(s)s})
    / (sum by (%(by)s) (%(family)s{gres="gpu", %(s)s}) > 0)
  |||, { by: by, family: family });

// What jobs hold of limits for all of them together; of other scopes Slurm's account is per user.
local used(config, level, by, group) =
  promql.rule(config, level + fill(':slurm_%s_usage_per_limit:ratio', group), |||
    max by (%(by)s) (slurm_%(group)s_usage{%(s)s})
    / on (%(by)s) (max by (%(by)s) (slurm_%(group)s_limit{scope="group", %(s)s} unless slurm_%(group)s_limit{%(budgetResources)s, %(s)s}) > 0)
  |||, { by: by, group: group });

local budgets(config) =
  local names = {
    window: config.budgets.window,
    by: config.clusterLabel + ', account, user, partition, resource',
    left: 'cluster_association_resource:slurm_association_budget:left',
  };
  [
    promql.rule(config, 'cluster_association_resource:slurm_association_budget:used_ratio', |||
      max by (%(by)s) (slurm_association_usage{%(budgetResources)s, %(s)s})
      / on (%(by)s) (max by (%(by)s) (slurm_association_limit{scope="group", %(budgetResources)s, %(s)s}) > 0)
    |||, names),
    promql.rule(config, names.left, |||
      max by (%(by)s) (slurm_association_limit{scope="group", %(budgetResources)s, %(s)s})
      - on (%(by)s) max by (%(by)s) (slurm_association_usage{%(budgetResources)s, %(s)s})
    |||, names),
    // what running jobs may still use until their time limits
    promql.rule(config, 'cluster_association_resource:slurm_association_budget:running', |||
      max by (%(by)s) (label_replace(slurm_association_usage{resource=~".+_running_seconds", %(s)s}, "resource", "${1}_seconds", "resource", "(.+)_running_seconds"))
      and on (%(by)s) %(left)s
    |||, names),
    // at the pace of the window, with Slurm's decay
    promql.rule(config, 'cluster_association_resource:slurm_association_budget:seconds_left', |||
      clamp_min(%(left)s, 0)
      / on (%(by)s) (max by (%(by)s) (deriv(slurm_association_usage{%(budgetResources)s, %(s)s}[%(window)s])) > 0)
    |||, names),
  ];

{
  longRules(config):: std.flatMap(function(entity) longEfficiency(config, entity), ['account', 'user']),

  rules(config)::
    local c = config.clusterLabel;
    std.flatMap(function(entity) efficiency(config, entity), ['partition', 'account', 'user']) + budgets(config) + [
      occupancy(config, 'cluster', c, 'slurm_cluster_gres'),
      occupancy(config, 'cluster_partition', c + ', partition', 'slurm_partition_gres'),
      used(config, 'cluster_qos_resource', c + ', qos, resource', 'qos'),
      used(config, 'cluster_association_resource', c + ', account, user, partition, resource', 'association'),
      // above 0: more than the account's share among its siblings
      promql.rule(config, 'cluster_account:slurm_account_fairshare_drift:avg%(window)s', |||
        max by (%(c)s, account) (avg_over_time(slurm_account_usage_effective_ratio{%(s)s}[%(window)s]))
        - max by (%(c)s, account) (avg_over_time(slurm_account_shares_ratio{%(s)s}[%(window)s]))
      |||, config.fairshareDrift),
    ],
}
