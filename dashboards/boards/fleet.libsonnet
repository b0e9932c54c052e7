// Of records and alerts alone (rules/fleet.libsonnet), so that it shows as much from a Prometheus that takes nothing else of many
// clusters.
local fill = (import '../texts.libsonnet').fill;

function(b)
  local overview = b.to('Overview', 'overview', { cluster: '${__value.text}' });
  // Those that were there in the time shown; a row of one that has gone silent stays.
  local known = 'last_over_time(cluster:slurm_nodes:sum{^}[$__range])';
  local effective = 'cluster:slurm_effective_cpus:sum';
  local share(record, all=record) = fill('sum by (@) (%s{^,state="allocated"}) / sum by (@) (%s{^})', [record, all]);
  local wholeShare(record, all=record) = fill('sum(%s{^,state="allocated"}) / sum(%s{^})', [record, all]);
  local alerts(severity) = fill('ALERTS{!,alertname=~"Slurm.*",alertstate="firing",severity="%s"}', severity);

  b.board(
    'fleet',
    'All clusters',
    'A row for each cluster: whether it is well, what of it is in use, who waits, what fails. Of recording rules alone.',
    variables=[],
    annotations=[],
    clusters='cluster:slurm_nodes:sum',
    rows=[
      b.row('All together', 'Not known', height=4, panels=[
        b.stat('Clusters', 'Those whose slurmctld answers, those where none does, and those that were read in the time shown but are not now.', 'short', [
          ['up', fill('count(cluster:slurm_controller_up:max{^} == 1) or 0 * count(%s)', known)],
          ['down', fill('count(cluster:slurm_controller_up:max{^} == 0) or 0 * count(%s)', known)],
          ['not read', fill('count(%s unless cluster:slurm_controller_up:max{^}) or 0 * count(%s)', [known, known])],
        ]) + b.one('down', 'short', 'some') + b.one('not read', 'short', 'some'),
        b.stat('Nodes', 'Nodes of all clusters; those that are down, and those that are drained or draining. One may be both.', 'short', [
          ['all', 'sum(cluster:slurm_nodes:sum{^})'],
          ['down', 'sum(cluster:slurm_nodes_down:sum{^})'],
          ['drained', 'sum(cluster:slurm_nodes_drained:sum{^})'],
        ]),
        b.stat('In use', 'Share of the CPUs and GPUs of all clusters that jobs can get which they hold. The whole includes nodes out of service.', 'percentunit', [
          ['CPUs', wholeShare('cluster_state:slurm_cpus:sum', effective)],
          ['GPUs', wholeShare('cluster_state:slurm_gpus:sum')],
        ]) + b.bounds(0, 1),
        b.stat('Jobs', 'Jobs that run, that wait, and those of them that wait for nothing but resources or their turn.', 'short', [
          ['running', 'sum(cluster_state:slurm_jobs:sum{^,state="running"})'],
          ['pending', 'sum(cluster_state:slurm_jobs:sum{^,state="pending"})'],
          ['could start', 'sum(cluster:slurm_jobs_startable:sum{^})'],
        ]),
        b.stat('Alerts', "Slurmscope's alerts that fire now: for the person on call, and for a working day.", 'short', [
          ['critical', fill('count(%s) or 0 * count(%s)', [alerts('critical'), known])],
          ['warning', fill('count(%s) or 0 * count(%s)', [alerts('warning'), known])],
        ]) + b.one('critical', 'short', 'some'),
      ]),
      b.row('Each cluster', 'No clusters', height=14, panels=[
        b.table('Each of them', 'Whether slurmctld answers, what is in use, who waits. The oldest answer is in intervals of its endpoint; median and failures are of the last hour. Not read: it was in the time shown, and is not now.', [
          b.key(b.config.clusterLabel, 'Cluster', [overview]),
          b.key('slurm_version', 'Slurm'),
        ], [
          b.column('Version', 'short', 'max by (@, slurm_version) (cluster_version:slurm_cluster_info:max{^})') + b.cellHidden,
          b.column('slurmctld', 'short', fill('max by (@) (cluster:slurm_controller_up:max{^}) or max by (@) (0 * %s - 1)', known)) +
          b.cellValues([[-1, 'not read', 'red'], [0, 'down', 'red'], [1, 'up', 'green']]),
          b.column('Oldest answer', 'short', 'max by (@) (cluster:slurmscope_oldest_answer:intervals{^})') + b.tenths + b.cellAbove('answerAge'),
          b.column('Nodes', 'short', 'sum by (@) (cluster:slurm_nodes:sum{^})'),
          b.column('Down', 'short', 'sum by (@) (cluster:slurm_nodes_down:sum{^})') + b.cellAbove('some'),
          b.column('Drained', 'short', 'sum by (@) (cluster:slurm_nodes_drained:sum{^})'),
          b.column('CPUs in use', 'percentunit', share('cluster_state:slurm_cpus:sum', effective)) + b.bar,
          b.column('GPUs in use', 'percentunit', share('cluster_state:slurm_gpus:sum')) + b.bar,
          b.column('Running', 'short', 'sum by (@) (cluster_state:slurm_jobs:sum{^,state="running"})'),
          b.column('Pending', 'short', 'sum by (@) (cluster_state:slurm_jobs:sum{^,state="pending"})'),
          b.column('Could start', 'short', 'sum by (@) (cluster:slurm_jobs_startable:sum{^})'),
          b.column('Longest wait', 's', 'max by (@) (cluster:slurm_oldest_startable_job:age_seconds{^})'),
          b.column('Wait, median', 's', 'max by (@) (cluster:slurm_partition_job_eligible_wait_seconds:p50_rate1h{^})'),
          b.column('Failure rate', 'percentunit', fill('max by (@) (cluster:slurm_job_failures_per_job_end:ratio_increase%s{^})', b.config.jobFailures.window)) + b.cellAbove('failures'),
          b.column('Critical', 'short', fill('count by (@) (%s) and on (@) %s', [alerts('critical'), known])) + b.cellAbove('some'),
          b.column('Warnings', 'short', fill('count by (@) (%s) and on (@) %s', [alerts('warning'), known])),
        ], 'slurmctld'),
      ]),
      b.row('Where there is room, and where there is none', 'No clusters', panels=[
        b.graph('Jobs that could start', 'Jobs that wait for nothing but resources or their turn; the 15 clusters with most in the time shown.', 'short', [
          [fill('{{%s}}', b.config.clusterLabel), b.most(15, '(@)', 'cluster:slurm_jobs_startable:sum{^}')],
        ]),
        b.graph('Idle CPUs', 'CPUs that are free, on nodes that are in service; the 15 clusters with most in the time shown.', 'short', [
          [fill('{{%s}}', b.config.clusterLabel), b.most(15, '(@)', 'cluster_state:slurm_cpus:sum{^,state="idle"}')],
        ]),
      ]),
      b.row('Alerts', 'No alert fires', height=8, panels=[
        b.firing('Alerts that fire', "Slurmscope's alerts that fire now, and what they are of."),
      ]),
    ],
  )
