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

// Users have no row of a state, and nodes none at all, before the first such end. So where slurmscope counted already,
// all of a new row is increase. (A standby that takes over shows what was counted before it came.) Other rows begin at 0.
local increase(by, row, isSparse) =
  local names = { by: by, row: row };
  (if isSparse then |||
     sum by (%(by)s) (
       (%(row)s unless %(row)s offset %%(window)s)
         and on (%%(c)s, job, instance) (slurm_cluster_job_submissions_total{%%(s)s} offset %%(window)s)
       or increase(%(row)s[%%(window)s])
     )
   ||| else |||
     sum by (%(by)s) (increase(%(row)s[%%(window)s]))
   |||) % names;

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
  local ended(states) = increase('%(by)s', '%(family)s{state=~"' + states + '", %(s)s}', entity == 'user');
  [
    promql.rule(config, names.failures, ended('%(failedStates)s'), names),
    promql.rule(config, names.ends, ended('%(failedStates)s|%(goodStates)s'), names),
    promql.rule(config, names.ratio, '%(failures)s / (%(ends)s > 0)', names),
    promql.rule(config, '%s:slurm_job_failures_per_job_end:wilson_increase%s' % [level, window], wilson, names),
  ];

{
  rules(config)::
    std.flatMap(
      function(entity) of(config, entity),
      ['cluster', 'partition', 'account', 'user', 'qos']
    ) + [
      promql.rule(
        config,
        'cluster_node:slurm_node_job_failures:increase%(window)s',
        increase('%(c)s, node', 'slurm_node_job_failures_total{%(s)s}', true),
        config.blackHole
      ),
    ],
}
