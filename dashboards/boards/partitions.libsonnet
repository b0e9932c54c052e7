local fill = (import '../texts.libsonnet').fill;
local where = 'partition=~"$partition"';

function(b) b.board(
  'partitions',
  'Partitions',
  'What each partition has, what of it is in use, and its jobs. A node in several of the partitions chosen counts in each; with all, once below Nodes.',
  variables=[b.variable('partition', 'Partition', 'slurm_partition_info{@}')],
  annotations=[b.restarts, b.drains],
  rows=[
    b.row('All', 'No partitions', height=8, panels=[
      b.table('Partitions', 'What they have and what of it is in use; the memory and GPUs of nodes that are down count as not in use.', [
        b.key('partition', 'Partition', [
          b.to('Queue and waits', 'queue', { partition: '${__value.text}' }),
          b.to('Jobs and failures', 'jobs', { partition: '${__value.text}' }),
        ]),
        b.key('state', 'State'),
      ], [
        b.column('is', 'short', fill('max by (@, partition, state) (slurm_partition_state{@,%s})', where)) + b.cellHidden,
        b.column('Nodes', 'short', fill('sum by (@, partition) (slurm_partition_nodes{@,%s%s})', [where, b.ours])),
        b.column('CPUs', 'short', fill('sum by (@, partition) (slurm_partition_cpus{@,%s%s})', [where, b.ours])),
        b.column('CPUs in use', 'percentunit', b.shareBy('partition', 'slurm_partition_cpus{@,' + where + '%s}', 'slurm_partition_effective_cpus{@,' + where + '}')) + b.bar,
        b.column('Memory in use', 'percentunit', b.shareBy('partition', 'slurm_partition_memory_bytes{@,' + where + '%s}', 'slurm_partition_effective_memory_bytes{@,' + where + '}')) + b.bar,
        b.column('GPUs in use', 'percentunit', b.shareBy('partition', 'slurm_partition_gres{@,gres="gpu",' + where + '%s}')) + b.bar,
        b.column('Running', 'short', fill('sum by (@, partition) (slurm_partition_jobs{@,%s,state="running"})', where)),
        b.column('Pending', 'short', fill('sum by (@, partition) (slurm_partition_jobs{@,%s,state="pending"})', where)),
        b.column('Longest time limit', 's', fill('max by (@, partition) (slurm_partition_max_time_seconds{@,%s})', where)),
        b.column('Priority tier', 'short', fill('max by (@, partition) (slurm_partition_priority_tier{@,%s})', where)),
      ], '-CPUs in use'),
    ]),
    b.row('Use', 'No partitions', height=8, panels=[
      b.graph('CPUs in use', "Allocated ones, of those of the partition that jobs can get.", 'percentunit', [
        ['{{partition}}', b.shareBy('partition', 'slurm_partition_cpus{@,' + where + '%s}', 'slurm_partition_effective_cpus{@,' + where + '}')],
      ]) + b.bounds(0, 1),
      b.graph('Memory in use', "Allocated memory, of what jobs can get of the partition's.", 'percentunit', [
        ['{{partition}}', b.shareBy('partition', 'slurm_partition_memory_bytes{@,' + where + '%s}', 'slurm_partition_effective_memory_bytes{@,' + where + '}')],
      ]) + b.bounds(0, 1),
      b.graph('GPUs in use', "Allocated ones, of all of the partition's.", 'percentunit', [
        ['{{partition}}', b.shareBy('partition', 'slurm_partition_gres{@,gres="gpu",' + where + '%s}')],
      ]) + b.empty('No GPUs') + b.bounds(0, 1),
      b.graph('CPUs out of service', 'CPUs that nobody can have: on nodes that are down or drained.', 'short', [
        ['{{partition}}', fill('sum by (@, partition) (slurm_partition_cpus{@,%s,state="other"})', where)],
      ]),
    ]),
    b.row('Jobs', 'No partitions', height=8, panels=[
      b.graph('Running', 'Running jobs by partition.', 'short', [
        ['{{partition}}', fill('sum by (@, partition) (slurm_partition_jobs{@,%s,state="running"})', where)],
      ]) + b.stacked,
      b.graph('Pending', 'Pending jobs by partition; one that names several counts in each.', 'short', [
        ['{{partition}}', fill('sum by (@, partition) (slurm_partition_jobs{@,%s,state="pending"})', where)],
      ]) + b.stacked,
      b.graph('CPUs asked for', 'CPUs that pending jobs ask for, below the line those that are idle.', 'short', [
        ['{{partition}}', fill('sum by (@, partition) (slurm_partition_job_cpus{@,%s,state="pending"})', where)],
        ['{{partition}}, idle', fill('sum by (@, partition) (slurm_partition_cpus{@,%s,state="idle"})', where)],
      ]) + b.negative('.*, idle.*') + b.free,
      b.graph('Failure rate', 'Failed ones, of the jobs that completed or failed in the last hour.', 'percentunit', [
        ['{{partition}}', b.recordedFailures('partition', ',' + where)],
      ]) + b.empty('No jobs ended') + b.bounds(0, 1),
    ]),
    b.row('Nodes', 'No nodes', height=8, collapsed=true, panels=[
      b.graph('By state', 'Nodes by base state, all or those of the partitions chosen.', 'short', [
        ['{{state}}', b.chosen(
          'sum by (state) (slurm_cluster_nodes{@}) > 0',
          [['partition', fill('sum by (state) (slurm_partition_nodes{@,%s%s}) > 0', [where, b.ours])]],
        )],
      ]) + b.stacked + b.nodeColours,
      b.graph('By flag', 'Nodes that have a flag, of all or of the partitions chosen; drained and draining are those that are drained without and with jobs.', 'short', [
        ['{{flag}}', b.chosen(
          'sum by (flag) (slurm_cluster_nodes_flagged{@})',
          [['partition', fill('sum by (flag) (slurm_partition_nodes_flagged{@,%s})', where)]],
        )],
      ]),
      b.graph('What happened to them', 'Nodes that went down, were drained, came back or booted, per hour, of all or of the partitions chosen.', 'short', [
        ['{{to}}', b.chosen(
          '3600 * sum by (to) (rate(slurm_cluster_node_transitions_total{@}[$__rate_interval])) > 0',
          [['partition', fill('3600 * sum by (to) (rate(slurm_partition_node_transitions_total{@,%s}[$__rate_interval])) > 0', where)]],
        )],
      ]) + b.empty('Nothing happened') + b.stacked,
    ]),
  ],
)
