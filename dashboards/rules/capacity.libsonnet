// What capacity is planned by, for a year: supply, use, demand and waits, an hour in each sample. A day, a week or a year is made of
// hours. A quantile is not, so of waits there are the buckets.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

// Groups that slurmscope exports for a site by the size of what jobs ask for: the label has the group's name.
local sizeRules(config, mean, increase) =
  local group = config.capacity.sizeGroup;
  if group == null then [] else [
    mean('job_cpus', 'slurm_group_' + group + '_job_cpus', [group, 'state'], 'jobs'),
    increase('cpu_seconds', 'slurm_group_' + group + '_job_allocated_cpu_seconds_total', [group]),
    increase('eligible_wait_seconds_bucket', 'slurm_group_' + group + '_job_eligible_wait_seconds_bucket', [group, 'le']),
  ];

{
  // The name of a record by these labels, beside the cluster's. All begin with slurm_capacity, so that they can be kept apart.
  name(config, what, labels, operation='avg')::
    std.join('_', ['cluster'] + labels) + ':slurm_capacity_' + what + ':' + operation + config.capacity.every,

  rules(config)::
    local window = config.capacity.every;
    local by(labels) = std.join(', ', [config.clusterLabel] + labels);
    // One series for each cluster that is there whenever slurmscope knows nodes, or jobs.
    local known = { nodes: 'slurm_cluster_cpus{state="allocated", %(s)s}', jobs: 'slurm_cluster_jobs{state="pending", %(s)s}' };

    // The mean of the hour as far as it is known. What has no series for a while was zero.
    local mean(what, family, labels, of, where='') =
      promql.rule(config, $.name(config, what, labels), fill(|||
        sum by (%(by)s) (sum_over_time(%(family)s{%(where)s%%(s)s}[%(window)s]))
        / on (%%(c)s) group_left () sum by (%%(c)s) (count_over_time(%(known)s[%(window)s]))
      |||, { by: by(labels), family: family, where: where, window: window, known: known[of] }));
    local increase(what, family, labels, where='') =
      promql.rule(config, $.name(config, what, labels, 'increase'), fill(|||
        sum by (%(by)s) (increase(%(family)s{%(where)s%%(s)s}[%(window)s]))
      |||, { by: by(labels), family: family, where: where, window: window }));

    // Idle while jobs wait that could start in the partition, `asked`: and for what is idle. Else it is zero.
    local idleWhileWaiting(what, family, labels, idle, asked='') =
      promql.rule(config, $.name(config, what, labels), fill(|||
        avg_over_time((
          sum by (%(by)s) (%(family)s{state="idle", %(idle)s%%(s)s})
          and on (%%(c)s, partition) sum by (%%(c)s, partition) (slurm_partition_pending_jobs{class="startable", %%(s)s}) > 0
        %(asked)sor
          0 * sum by (%(by)s) (%(family)s{state="idle", %(idle)s%%(s)s})
        )[%(window)s:1m])
      |||, { by: by(labels), family: family, idle: idle, asked: asked, window: window }));

    local gpus = 'gres="gpu", ';
    local eachOf(make) = std.flatMap(make, [{ entity: 'cluster', labels: [] }, { entity: 'partition', labels: ['partition'] }]);
    eachOf(function(of) [
      mean('cpus', fill('slurm_%s_cpus', of.entity), of.labels + ['state'], 'nodes', 'state!="", '),
      mean('gpus', fill('slurm_%s_gres', of.entity), of.labels + ['state', 'type'], 'nodes', gpus),
      mean('nodes', fill('slurm_%s_nodes', of.entity), of.labels + ['state'], 'nodes', 'state!="", '),
      mean('job_cpus', fill('slurm_%s_job_cpus', of.entity), of.labels + ['state'], 'jobs', 'state!="", '),
      mean('job_gpus', fill('slurm_%s_job_gres', of.entity), of.labels + ['state', 'type'], 'jobs', gpus),
      mean('pending_jobs', fill('slurm_%s_pending_jobs', of.entity), of.labels + ['class', 'reason'], 'jobs'),
      increase('job_submissions', fill('slurm_%s_job_submissions_total', of.entity), of.labels),
    ]) + [
      increase('eligible_wait_seconds_bucket', 'slurm_partition_job_eligible_wait_seconds_bucket', ['partition', 'le']),
      idleWhileWaiting('idle_cpus_while_waiting', 'slurm_partition_cpus', ['partition'], ''),
      idleWhileWaiting('idle_gpus_while_waiting', 'slurm_partition_gres', ['partition', 'type'], gpus, '  and on (%(c)s, partition) sum by (%(c)s, partition) (slurm_partition_job_gres{state="pending", gres="gpu", %(s)s}) > 0\n'),
      mean('stranded_cpus', 'slurm_partition_stranded_cpus', ['partition'], 'jobs'),
      mean('stranded_gpus', 'slurm_partition_stranded_gpus', ['partition', 'type'], 'jobs'),
      mean('pending_cpus', 'slurm_account_job_cpus', ['account'], 'jobs', 'state="pending", '),
      increase('cpu_seconds', 'slurm_account_job_allocated_cpu_seconds_total', ['account']),
      increase('gpu_seconds', 'slurm_account_job_allocated_gres_seconds_total', ['account', 'type'], gpus),
    ] + sizeRules(config, mean, increase),
}
