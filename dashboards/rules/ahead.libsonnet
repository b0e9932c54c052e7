// What is usual, and where it goes.
//
// Two kinds of things are usual. What has hours and weekends is compared with the same hours of the last weeks. What grows or
// shrinks slowly is compared by days: this week with the four before. Both are medians, so that neither a storm nor a
// maintenance nor a holiday becomes what is usual.
//
// All of it is recorded every few minutes and kept for five weeks at least (storage.tsdb.retention.time). Offsets are whole
// weeks. Subqueries would not do for these: their steps are multiples of a week since 1970, not weeks before now.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

local submissions = 'cluster:slurm_job_submissions:sustained1h';
local pending = 'cluster:slurm_startable_jobs:sum';
local userLoad = 'cluster_user:slurm_user_rpc_seconds:rate1h';

// In each of the last weeks: the median of the three hours around the same time, by week.
local byWeek(config, name) = std.join('or ', [
  fill(|||
    label_replace(quantile_over_time(0.5, %(name)s[3h] offset %(days)dd22h30m), "week", "%(week)d", "", "")
  |||, { name: name, days: 7 * week - 1, week: week })
  for week in std.range(1, config.ahead.weeks)
]);

local indented(text) = std.strReplace(trimmed(text), '\n', '\n  ');

// Of the weeks' values the one in the middle, and almost the largest and smallest. Of one week nothing is usual yet.
local band(config, name) = [promql.rule(config, name + '_by_week', byWeek(config, name))] + [
  promql.rule(config, name + '_usual' + kind[0], fill(|||
    quantile by (%%(c)s) (%(quantile)g, %(name)s_by_week)
    and count by (%%(c)s) (%(name)s_by_week) >= 2
  |||, { name: name, quantile: kind[1] }))
  for kind in [['', 0.5], ['_high', config.ahead.high], ['_low', 1 - config.ahead.high]]
];

// The usual day of the last week, and of the four weeks before. Of less than two of these nothing is said.
local slowly(config, name, more={}) = [
  promql.rule(config, name + '_week', fill('quantile_over_time(0.5, %s[1w:1d])', name)),
] + [
  promql.rule(config, name + '_month' + kind, fill(|||
    quantile_over_time(%(quantile)g, %(name)s[4w:1d] offset 1w)
    and count_over_time(%(name)s[4w:1d] offset 1w) >= 14
  |||, { name: name, quantile: more[kind] }))
  for kind in std.objectFields(more)
];

{
  rules(config)::
    local of = config.ahead;
    // what is usual of, but for what other groups record
    [
      // Twice the lesser half of the hour: an array that is submitted at once is in one of them.
      promql.rule(config, submissions, |||
        2 * min by (%(c)s) (
          label_replace(sum by (%(c)s) (increase(slurm_cluster_job_submissions_total{%(s)s}[30m])), "half", "2", "", "")
          or sum by (%(c)s) (increase(slurm_cluster_job_submissions_total{%(s)s}[30m] offset 30m))
        )
        and on (%(c)s) sum by (%(c)s) (slurm_cluster_job_submissions_total{%(s)s} offset 1h)
      |||),
      promql.rule(config, pending, 'sum by (%(c)s) (slurm_cluster_pending_jobs{reason=~"%(startableReasons)s", %(s)s})'),
      promql.rule(config, 'cluster:slurm_cpus_allocated_per_cpu:ratio', |||
        sum by (%(c)s) (slurm_cluster_cpus{state="allocated", %(s)s}) / sum by (%(c)s) (slurm_cluster_cpus{state!="", %(s)s})
      |||),
      promql.rule(config, 'cluster:slurm_ended_job_energy_joules:increase1h', |||
        sum by (%(c)s) (increase(slurm_partition_ended_job_energy_joules_total{%(s)s}[1h])) > 0
      |||),
      promql.rule(config, userLoad, 'sum by (%(c)s, user) (rate(slurm_user_rpc_seconds_total{%(s)s}[1h]))'),
    ]
    + std.flatMap(function(name) band(config, name), [
      submissions,
      pending,
      'cluster:slurm_job_failures:increase1h',
      'cluster:slurm_partition_job_eligible_wait_seconds:p50_rate1h',
      'cluster:slurm_cpus_allocated_per_cpu:ratio',
      'cluster:slurm_ended_job_energy_joules:increase1h',
    ])
    + [
      promql.rule(config, userLoad + '_usual_high', fill(|||
        quantile by (%%(c)s, user) (
          %(quantile)g,
          %(weeks)s
        )
      |||, { quantile: of.high, weeks: indented(byWeek(config, userLoad)) })),
      promql.rule(config, userLoad + '_p95', fill('quantile_over_time(0.95, %s[1w:1h])', userLoad)),

      // How many times the usual, where `few` more or less say nothing; and what this is in the worst hours of the site.
      promql.rule(config, submissions + '_per_usual', fill(|||
        (%(name)s + %(few)d)
        / (%(name)s_usual_high + %(few)d)
      |||, { name: submissions, few: of.submissions.few })),
      promql.rule(config, submissions + '_per_usual_p98', fill(|||
        quantile_over_time(0.98, %(name)s_per_usual[4w:1h])
        and %(name)s_per_usual offset 1w
      |||, { name: submissions })),

      // Of a day. What is lost is lost all day long.
      promql.rule(config, 'cluster:slurm_job_ends:increase1d', 'sum_over_time(cluster:slurm_job_ends:increase1h[1d:1h])'),
      promql.rule(config, 'cluster:slurm_job_failures_per_job_end:ratio_increase1d', |||
        sum_over_time(cluster:slurm_job_failures:increase1h[1d:1h])
        / (cluster:slurm_job_ends:increase1d > 0)
      |||),
      // On holidays few jobs end, on as few CPUs.
      promql.rule(config, 'cluster:slurm_job_ends_per_cpu:increase1d', |||
        cluster:slurm_job_ends:increase1d
        / (avg_over_time((sum by (%(c)s) (slurm_cluster_cpus{state="allocated", %(s)s}))[1d:1h]) > 0)
      |||),
      promql.rule(config, 'cluster:slurm_startable_jobs:avg1d', fill('avg_over_time(%s[1d:1h])', pending)),
      promql.rule(config, 'cluster:slurm_job_memory_bytes_per_cpu:avg1d', |||
        avg_over_time(
          (
            sum by (%(c)s) (slurm_cluster_job_memory_bytes{state="running", %(s)s})
            / (sum by (%(c)s) (slurm_cluster_job_cpus{state="running", %(s)s}) > 0)
          )[1d:1h]
        )
      |||),
      promql.rule(config, 'cluster:slurm_cpus_lost_per_cpu:min1d', |||
        min_over_time(
          (
            sum by (%(c)s) (slurm_cluster_cpus{state="other", %(s)s})
            / sum by (%(c)s) (slurm_cluster_cpus{state!="", %(s)s})
          )[1d:1h]
        )
      |||),
    ]
    + slowly(config, 'cluster:slurm_job_ends:increase1d', { '': 0.5 })
    + slowly(config, 'cluster:slurm_job_ends_per_cpu:increase1d', { '': 0.5, _low: 0.1 })
    + slowly(config, 'cluster:slurm_job_failures_per_job_end:ratio_increase1d', { '': 0.5, _high: 0.9 })
    + slowly(config, 'cluster:slurm_startable_jobs:avg1d', { '': 0.5 })
    + slowly(config, 'cluster:slurm_job_memory_bytes_per_cpu:avg1d', { '': 0.5, _high: 0.9 })
    + slowly(config, 'cluster:slurm_cpus_lost_per_cpu:min1d', { '': 0.5 })[1:]
    + [
      // What will wait in a day: as many as usual then, and as many more as there are now.
      promql.rule(config, 'cluster:slurm_startable_jobs:ahead1d', fill(|||
        clamp_min(
          quantile by (%%(c)s) (
            0.5,
            %s
          )
          + %s - %s_usual,
          0
        )
      |||, [std.strReplace(indented(std.join('or ', [
        fill('label_replace(%s offset %dd, "week", "%d", "", "")\n', [pending, 7 * week - 1, week])
        for week in std.range(1, of.weeks)
      ])), '\n  ', '\n    '), pending, pending])),
      promql.rule(config, 'cluster:slurm_controller_job_records:ahead1d', |||
        clamp_min(max by (%(c)s) (predict_linear(slurm_controller_job_records{%(s)s}[%(trend)s], 86400)), 0)
      |||, of.jobTable),
      promql.rule(config, 'cluster:slurm_dbd_agent_queue:ahead4h', |||
        clamp_min(max by (%(c)s) (predict_linear(slurm_dbd_agent_queue{%(s)s}[%(trend)s], 14400)), 0)
      |||, config.accountingQueue),
      // At the pace of a whole week, weekends and all.
      promql.rule(config, 'cluster:slurmscope_state_bytes:ahead4w', |||
        clamp_min(max by (%(c)s) (predict_linear(slurmscope_state_bytes{%(s)s}[1w], 2419200)), 0)
      |||),
      promql.rule(config, 'cluster_association_resource:slurm_association_budget:seconds_left_by_week', |||
        clamp_min(cluster_association_resource:slurm_association_budget:left, 0)
        / on (%(c)s, account, user, partition, resource) (
          max by (%(c)s, account, user, partition, resource) (
            slurm_association_usage{%(budgetResources)s, %(s)s}
            - slurm_association_usage{%(budgetResources)s, %(s)s} offset 1w
          ) / (7 * 86400) > 0
        )
      |||),
    ],
}
