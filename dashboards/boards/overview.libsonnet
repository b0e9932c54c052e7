function(b) b.board(
  'overview',
  'Cluster overview',
  'Whether the cluster is well, what of it is in use, who waits and for what.',
  variables=[],
  annotations=[b.restarts, b.drains],
  rows=[
    b.row('Is it well?', 'Not known', height=4, panels=[
      b.stat('Controllers', 'slurmctld of the primary and of each backup, as scontrol ping sees them. No value: not known.', 'short', [
        ['{{controller}}', 'min by (@, controller) (slurm_controller_up{@})'],
      ]) + b.upOrDown + b.links([b.to('Scheduler and RPC', 'scheduler')]),
      b.stat('Accounting', 'Whether slurmdbd answers. No value: not known.', 'short', [
        ['slurmdbd', 'min(slurm_dbd_up{@})'],
      ]) + b.empty('No slurmdbd') + b.upOrDown + b.links([b.to('Scheduler and RPC', 'scheduler')]),
      b.stat('Endpoints down', 'Endpoints of slurmrestd that gave no usable answer last time: what comes from them is getting old.', 'short', [
        ['endpoints', 'count(slurmscope_endpoint_up{@} == 0) or 0 * count(slurmscope_endpoint_up{@})'],
      ]) + b.above('endpointsDown') + b.links([b.to('Exporter', 'exporter')]),
      b.stat('Nodes out of service', 'Nodes that are down, and drained ones (no jobs left) and draining ones.', 'short', [
        ['down', 'sum(slurm_cluster_nodes{@,state=~"down|error|unknown"})'],
        ['drained', 'sum(slurm_cluster_nodes_flagged{@,flag="drained"}) or 0 * sum(slurm_cluster_nodes{@})'],
        ['draining', 'sum(slurm_cluster_nodes_flagged{@,flag="draining"}) or 0 * sum(slurm_cluster_nodes{@})'],
        ['of all', 'sum(slurm_cluster_nodes{@,state=~"down|error|unknown"}) / sum(slurm_cluster_nodes{@}) + (sum(slurm_cluster_nodes_flagged{@,flag=~"drained|draining"}) or 0 * sum(slurm_cluster_nodes{@})) / sum(slurm_cluster_nodes{@})'],
      ]) + b.one('of all', 'percentunit', 'out') + b.links([b.to('Nodes', 'nodes'), b.to('Drain desk', 'drain')]),
      b.stat('Job failure rate', 'Share of failures (of the job, of a node, or out of memory) among the jobs that ended in the time shown. Cancelled jobs and timeouts do not count.', 'percentunit', [
        ['failed', b.failureRatio('slurm_cluster_job_ends_total', '')],
      ]) + b.empty('No jobs ended') + b.above('failures') + b.bounds(0, 1) + b.links([b.to('Jobs and failures', 'jobs')]),
      b.stat('Wait, P95', '95 of 100 jobs that started in the time shown had waited at most so long since they were eligible.', 's', [
        ['P95', b.waitQuantile(0.95, '')],
      ]) + b.empty('No jobs started') + b.links([b.to('Queue and waits', 'queue')]),
      b.stat('Oldest startable job', 'How long the longest waiting job that nothing but resources or priority keeps from starting has waited since its submission.', 's', [
        ['age', 'time() - min(slurm_cluster_oldest_pending_timestamp_seconds{@,class="startable"})'],
      ]) + b.empty('None waits') + b.links([b.to('Queue and waits', 'queue')]),
    ]),
    b.row('Alerts', 'No alert fires', height=6, panels=[
      b.firing('Alerts that fire', "Slurmscope's alerts that fire now, and what they are of."),
    ]),
    b.row('Capacity', 'No nodes', height=7, panels=[
      b.stat('In use', 'Share of the CPUs, memory and GPUs that jobs can get which they hold. The whole includes nodes out of service.', 'percentunit', [
        ['CPUs', b.share('slurm_cluster_cpus{@%s}', 'slurm_cluster_effective_cpus{@}')],
        ['memory', b.share('slurm_cluster_memory_bytes{@%s}', 'slurm_cluster_effective_memory_bytes{@}')],
        ['GPUs', b.share('slurm_cluster_gres{@,gres="gpu"%s}')],
      ]) + b.bounds(0, 1) + b.wide(4),
      b.graph('CPUs', 'CPUs by what sinfo calls their state; other: on nodes that are down or drained.', 'short', [
        ['{{state}}', 'sum by (state) (slurm_cluster_cpus{@})'],
      ]) + b.stacked + b.capacityColours,
      b.graph('Memory', 'Memory of the nodes by state; other: on nodes that are down or drained.', 'bytes', [
        ['{{state}}', 'sum by (state) (slurm_cluster_memory_bytes{@})'],
      ]) + b.stacked + b.capacityColours,
      b.graph('GPUs', 'GPUs by state; other: on nodes that are down or drained.', 'short', [
        ['{{state}}', 'sum by (state) (slurm_cluster_gres{@,gres="gpu"})'],
      ]) + b.empty('No GPUs') + b.stacked + b.capacityColours + b.links([b.to('GPU allocation', 'gpus')]),
      b.graph('Nodes', 'Nodes by their base state.', 'short', [
        ['{{state}}', 'sum by (state) (slurm_cluster_nodes{@}) > 0'],
      ]) + b.stacked + b.nodeColours + b.links([b.to('Nodes', 'nodes')]),
    ]),
    b.row('Jobs', 'No jobs', height=7, panels=[
      b.graph('Jobs now', 'Running and pending jobs; each task of an array is one.', 'short', [
        ['{{state}}', 'sum by (state) (slurm_cluster_jobs{@,state=~"running|pending|suspended"})'],
      ]) + b.jobColours,
      b.graph('Why jobs wait', "Pending jobs by Slurm's reason; the eight most frequent in the time shown.", 'short', [
        ['{{reason}}', b.most(8, '(reason)', 'slurm_cluster_pending_jobs{@}')],
      ]) + b.empty('No jobs wait') + b.stacked + b.links([b.to('Queue and waits', 'queue')]),
      b.graph('Jobs per hour', 'How many jobs are submitted, start and end, as if it went on for an hour.', 'short', [
        ['submitted', '3600 * sum(rate(slurm_cluster_job_submissions_total{@}[$__rate_interval]))'],
        ['started', '3600 * sum(rate(slurm_cluster_job_starts_total{@}[$__rate_interval]))'],
        ['ended', '3600 * sum(rate(slurm_cluster_job_ends_total{@}[$__rate_interval]))'],
      ]),
      b.graph('How jobs end, per hour', 'Ends by state other than completed, as if it went on for an hour.', 'short', [
        ['{{state}}', '3600 * sum by (state) (rate(slurm_cluster_job_ends_total{@,state!="completed"}[$__rate_interval])) > 0'],
      ]) + b.empty('No jobs ended') + b.stacked + b.jobColours + b.links([b.to('Jobs and failures', 'jobs')]),
    ]),
    b.row('Where and whose', 'No jobs run', height=9, panels=[
      b.table('Partitions', 'Each partition: how much of it is in use, and its jobs.', [
        b.key('partition', 'Partition', [b.to('Partitions', 'partitions', { partition: '${__value.text}' }), b.to('Queue and waits', 'queue', { partition: '${__value.text}' })]),
      ], [
        b.column('CPUs in use', 'percentunit', b.shareBy('partition', 'slurm_partition_cpus{@%s}', 'slurm_partition_effective_cpus{@}')) + b.bar,
        b.column('Running', 'short', 'sum by (@, partition) (slurm_partition_jobs{@,state="running"})'),
        b.column('Pending', 'short', 'sum by (@, partition) (slurm_partition_jobs{@,state="pending"})'),
        b.column('Failure rate', 'percentunit', b.failureRatio('slurm_partition_job_ends_total', '(@, partition)')) + b.cellAbove('failures'),
        b.column('Wait, P95', 's', b.waitQuantile(0.95, 'partition')),
      ], '-CPUs in use') + b.empty('No partitions') + b.wide(14),
      b.bars('Accounts with the most CPUs', 'CPUs that the running jobs of an account hold.', 'short', [
        ['{{account}}', 'topk(10, sum by (@, account) (slurm_account_job_cpus{@,state="running"}) > 0)'],
      ]) + b.links([b.to('Users and accounts', 'users', { account: '${__field.labels.account}' })]),
      b.bars('Users with the most CPUs', 'CPUs that the running jobs of a user hold.', 'short', [
        ['{{user}}', 'topk(10, sum by (@, user) (slurm_user_job_cpus{@,state="running"}) > 0)'],
      ]) + b.links([b.to('Users and accounts', 'users', { user: '${__field.labels.user}' })]),
    ]),
  ],
)
