// How long jobs wait for their start, and how many wait too long.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

local quantile(config, level, by, name, q) =
  local names = { q: q, by: by, family: name };
  promql.rule(config, fill('%s:%s:p%g_rate1h', [level, name, q * 100]), |||
    histogram_quantile(%(q)s, sum by (%(by)s, le) (rate(%(family)s_bucket{%(s)s}[1h]))) >= 0
  |||, names);

// Prometheus 3 writes the bucket 14400 as 14400.0. Partitions with a goal of their own are asked for by themselves.
local late(config, window) =
  local own = config.waitSlo.partitions;
  local goals = [
    { seconds: own[name], partitions: fill('="%s"', name) }
    for name in std.objectFields(own)
    if own[name] != null
  ] + [{
    seconds: config.waitSlo.seconds,
    partitions: if own == {} then null else fill('!~"%s"', std.join('|', std.objectFields(own))),
  }];
  promql.rule(config, 'cluster_partition:slurm_job_late_starts_per_start:ratio_rate' + window, std.join('or\n', [
    fill(|||
      1 - (
        sum by (%%(c)s, partition) (rate(slurm_partition_job_eligible_wait_seconds_bucket{le=~"%(seconds)d([.]0)?", %(which)s%%(s)s}[%(window)s]))
        / (sum by (%%(c)s, partition) (rate(slurm_partition_job_eligible_wait_seconds_count{%(which)s%%(s)s}[%(window)s])) > 0)
      )
    |||, goal { window: window, which: if goal.partitions == null then '' else 'partition' + goal.partitions + ', ' })
    for goal in goals
  ]));

local starts(config, window) =
  promql.rule(config, 'cluster_partition:slurm_job_starts:increase' + window, |||
    sum by (%(c)s, partition) (increase(slurm_partition_job_eligible_wait_seconds_count{%(s)s}[%(window)s]))
  |||, { window: window });

{
  rules(config)::
    local slo = config.waitSlo;
    local c = config.clusterLabel;
    [
      // NaN, without starts, is left out by >=
      quantile(config, level.name, level.by, family, q)
      for level in [
        { name: 'cluster', by: c },
        { name: 'cluster_partition', by: c + ', partition' },
        { name: 'cluster_qos', by: c + ', qos' },
        { name: 'cluster_partition_qos', by: c + ', partition, qos' },
      ]
      for family in ['slurm_partition_job_eligible_wait_seconds']
      for q in [0.5, 0.95]
    ] +
    [late(config, window) for window in [slo.fast.short, slo.fast.long, slo.slow.short, slo.slow.long]] +
    [starts(config, window) for window in [slo.fast.long, slo.slow.long]],
}
