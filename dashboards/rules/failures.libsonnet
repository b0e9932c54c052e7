// How many jobs fail, and how sure that is.
local promql = import 'promql.libsonnet';

// The lower bound of Wilson's score interval: the share of failures that is exceeded with 97.5 % confidence, so that 3
// of 3 failed jobs do not look like 300 of 300. With z = 1.96: z² / 2 = 1.9208, z² / 4 = 0.9604, z² = 3.8416.
local wilson = |||
  (
    %(ratio)s + 1.9208 / %(ends)s
    - 1.96 * sqrt((%(ratio)s * (1 - %(ratio)s) + 0.9604 / %(ends)s) / %(ends)s)
  ) / (1 + 3.8416 / %(ends)s)
|||;

local of(config, entity) =
  local level = if entity == 'cluster' then 'cluster' else 'cluster_' + entity;
  local window = config.jobFailures.window;
  local names = {
    family: 'slurm_%s_job_ends_total' % entity,
    by: if entity == 'cluster' then config.clusterLabel else config.clusterLabel + ', ' + entity,
    window: window,
    failures: '%s:slurm_job_failures:increase%s' % [level, window],
    // of those that say something about failing
    ends: '%s:slurm_job_ends:increase%s' % [level, window],
    ratio: '%s:slurm_job_failures_per_job_end:ratio_increase%s' % [level, window],
  };
  [
    promql.rule(config, names.failures, |||
      sum by (%(by)s) (increase(%(family)s{state=~"%(failedStates)s", %(s)s}[%(window)s]))
    |||, names),
    promql.rule(config, names.ends, |||
      sum by (%(by)s) (increase(%(family)s{state=~"%(failedStates)s|%(goodStates)s", %(s)s}[%(window)s]))
    |||, names),
    promql.rule(config, names.ratio, '%(failures)s / (%(ends)s > 0)', names),
    promql.rule(config, '%s:slurm_job_failures_per_job_end:wilson_increase%s' % [level, window], wilson, names),
  ];

{
  rules(config)::
    std.flatMap(
      function(entity) of(config, entity),
      ['cluster', 'partition', 'account', 'user', 'qos']
    ) + [
      // Nodes have no rows before their first failure: where slurmscope was there already, all of a new one is increase.
      promql.rule(config, 'cluster_node:slurm_node_job_failures:increase%s' % config.blackHole.window, |||
        sum by (%(c)s, node) (
          (slurm_node_job_failures_total{%(s)s} unless slurm_node_job_failures_total{%(s)s} offset %(window)s)
            and on (job, instance) (slurmscope_build_info{%(s)s} offset %(window)s)
          or increase(slurm_node_job_failures_total{%(s)s}[%(window)s])
        )
      |||, config.blackHole),
    ],
}
