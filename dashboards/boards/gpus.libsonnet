// A job's labels, for what is known of it by its ID alone.
local whose = '* on (@, jobid) group_left (user, account, partition, name) max by (@, jobid, user, account, partition, name) (slurm_job_info{@})';

function(b) b.board(
  'gpus',
  'GPU allocation',
  'GPUs that jobs hold, and what they make of them. Their use comes from DCGM or another exporter of GPUs, whose rows must name jobs; job by job it needs slurmscope’s rows of jobs.',
  variables=[],
  annotations=[b.restarts, b.drains],
  rows=[
    b.row('Now', 'No GPUs', height=4, panels=[
      b.stat('GPUs', 'All GPUs, by state; other: on nodes that are down or drained.', 'short', [
        ['{{state}}', 'sum by (state) (slurm_cluster_gres{@,gres="gpu"})'],
      ]),
      b.stat('Occupancy', 'Allocated ones, of all.', 'percentunit', [
        ['allocated', b.share('slurm_cluster_gres{@,gres="gpu"%s}')],
      ]) + b.bounds(0, 1),
      b.stat('Busy, of the allocated', 'Mean utilisation of the GPUs that jobs hold, as far as it is measured.', 'percentunit', [
        ['busy', 'sum(slurm:job:gpu_utilization_ratio{^} * slurm:job:gpus{^}) / sum(slurm:job:gpus{^} and slurm:job:gpu_utilization_ratio{^})'],
      ]) + b.empty('No exporter of GPUs') + b.below('use') + b.bounds(0, 1),
      b.stat('Held but idle', 'GPUs that jobs hold and do not use.', 'short', [
        ['idle', 'sum(slurm:job:gpus_idle{^})'],
      ]) + b.empty('No exporter of GPUs') + b.above('gpusIdle'),
      b.stat('Idle GPU hours', 'Hours for which jobs held GPUs and did not use them, in the time shown.', 'short', [
        ['hours', 'sum_over_time(sum(slurm:job:gpus_idle{^})[$__range:1m]) / 60'],
      ]) + b.empty('No exporter of GPUs'),
      b.stat('Asked for', 'GPUs that pending jobs ask for.', 'short', [
        ['pending', 'sum(slurm_cluster_job_gres{@,gres="gpu",state="pending"})'],
      ]),
      b.stat('Power', 'What the GPUs of jobs draw, as far as it is measured.', 'watt', [
        ['power', 'sum(slurm:job:gpu_power_watts{^})'],
      ]) + b.empty('No exporter of GPUs'),
    ]),
    b.row('Over time', 'No GPUs', height=8, panels=[
      b.graph('By state', 'GPUs by state; other: on nodes that are down or drained.', 'short', [
        ['{{state}}', 'sum by (state) (slurm_cluster_gres{@,gres="gpu"})'],
      ]) + b.stacked + b.capacityColours,
      b.graph('By type', 'Allocated GPUs by type.', 'short', [
        ['{{type}}', 'sum by (type) (slurm_cluster_gres{@,gres="gpu",state="allocated"})'],
      ]) + b.stacked,
      b.graph('Allocated and used', 'GPUs that there are, that jobs hold, and what of these works: the sum of their utilisations.', 'short', [
        ['all', 'sum(slurm_cluster_gres{@,gres="gpu"})'],
        ['allocated', 'sum(slurm_cluster_gres{@,gres="gpu",state="allocated"})'],
        ['used', 'sum(slurm:job:gpu_utilization_ratio{^} * slurm:job:gpus{^})'],
      ]),
    ]),
    b.row('Where and whose', 'No GPUs', height=9, panels=[
      b.table('Partitions', 'GPUs of each partition, and those that its pending jobs ask for; a node in several partitions counts in each.', [
        b.key('partition', 'Partition', [b.to('Partitions', 'partitions', { partition: '${__value.text}' })]),
      ], [
        b.column('GPUs', 'short', 'sum by (@, partition) (slurm_partition_gres{@,gres="gpu"}) > 0'),
        b.column('In use', 'percentunit', b.shareBy('partition', 'slurm_partition_gres{@,gres="gpu"%s}')) + b.bar,
        b.column('Asked for', 'short', 'sum by (@, partition) (slurm_partition_job_gres{@,gres="gpu",state="pending"})'),
      ], '-GPUs'),
      b.graph('By account', 'GPUs that the running jobs of an account hold; the ten with the most in the time shown.', 'short', [
        ['{{account}}', b.most(10, '(@, account)', 'slurm_account_job_gres{@,gres="gpu",state="running"}')],
      ]) + b.stacked,
      b.table('Accounts', 'GPU hours in the time shown, and how busy the GPUs are that jobs hold now.', [
        b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
      ], [
        b.column('GPU hours', 'short', 'sum by (@, account) (increase(slurm_account_job_allocated_gres_seconds_total{@,gres="gpu"}[$__range])) / 3600 > 0'),
        b.column('Held', 'short', 'sum by (@, account) (slurm_account_job_gres{@,gres="gpu",state="running"}) > 0'),
        b.column('Busy', 'percentunit', |||
          sum by (@, account) (slurm:job:gpu_utilization_ratio{^} * slurm:job:gpus{^} %(whose)s)
            / sum by (@, account) ((slurm:job:gpus{^} and slurm:job:gpu_utilization_ratio{^}) %(whose)s)
        ||| % { whose: whose }) + b.bar,
      ], '-GPU hours'),
      b.table('Users', 'GPU hours in the time shown, the twenty users with the most.', [
        b.key('user', 'User', [b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
      ], [
        b.column('GPU hours', 'short', 'topk(20, sum by (@, user) (increase(slurm_user_job_allocated_gres_seconds_total{@,gres="gpu"}[$__range])) / 3600 > 0)'),
        b.column('Held', 'short', 'sum by (@, user) (slurm_user_job_gres{@,gres="gpu",state="running"}) > 0'),
      ], '-GPU hours'),
    ]),
    b.row('Jobs', 'No jobs with GPUs whose use an exporter tells', height=10, panels=[
      b.table('Jobs that hold GPUs', 'How busy each job keeps its GPUs, what it holds and does not use, and what they draw.', [
        b.key('jobid', 'Job', [b.to('This job', 'job', { jobid: '${__value.text}' })]),
        b.key('user', 'User'),
        b.key('account', 'Account'),
        b.key('partition', 'Partition'),
        b.key('name', 'Name'),
      ], [
        b.column('GPUs', 'short', 'slurm:job:gpus{^} ' + whose),
        b.column('Busy', 'percentunit', 'slurm:job:gpu_utilization_ratio{^} ' + whose) + b.bar,
        b.column('Idle', 'short', 'slurm:job:gpus_idle{^} ' + whose) + b.cellAbove('gpusIdle'),
        b.column('Memory', 'bytes', 'slurm:job:gpu_memory_used_bytes{^} ' + whose),
        b.column('Power', 'watt', 'slurm:job:gpu_power_watts{^} ' + whose),
      ], '-Idle') + b.wide(16),
      b.bars('Hottest GPUs', 'The ten hottest GPUs that DCGM sees.', 'celsius', [
        ['{{Hostname}} GPU {{gpu}}', 'topk(10, DCGM_FI_DEV_GPU_TEMP{^})'],
      ]) + b.empty('No GPUs that DCGM sees') + b.above('gpuTemperature'),
    ]),
  ],
)
