local fill = (import '../texts.libsonnet').fill;

// A job's labels, for what is known of it by its ID alone.
local whose = '* on (@, jobid) group_left (user, account, partition, name) max by (@, jobid, user, account, partition, name) (slurm_job_info{@})';

// The mean over the GPUs of jobs, as far as it is measured.
local mean(legend, ratio) = [legend, fill('sum(slurm:job:%s{^} * slurm:job:gpus{^}) / sum(slurm:job:gpus{^} and slurm:job:%s{^})', [ratio, ratio])];
local all(legend, record) = [legend, fill('sum(slurm:job:%s{^})', record)];

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
    b.row('What they do', 'No exporter of GPUs that tells of this', height=8, collapsed=true, panels=[
      b.graph('Pipes', 'Share of the cycles in which tensor cores, and pipes for numbers of 64, 32 and 16 bits worked: the mean over GPUs of jobs.', 'percentunit', [
        mean('tensor cores', 'gpu_tensor_active_ratio'),
        mean('64 bits', 'gpu_fp64_active_ratio'),
        mean('32 bits', 'gpu_fp32_active_ratio'),
        mean('16 bits', 'gpu_fp16_active_ratio'),
      ]) + b.bounds(0, 1),
      b.graph('Multiprocessors and memory', 'Share of the multiprocessors that were active, warps on them of those that fit, and use of the memory’s bandwidth.', 'percentunit', [
        mean('active', 'gpu_sm_active_ratio'),
        mean('occupancy', 'gpu_sm_occupancy_ratio'),
        mean('bandwidth', 'gpu_memory_bandwidth_ratio'),
        mean('memory copies', 'gpu_memory_copy_ratio'),
      ]) + b.bounds(0, 1),
      b.graph('Links', 'What GPUs of jobs send by NVLink and PCIe; below the line, receive.', 'Bps', [
        all('NVLink sent', 'gpu_nvlink_transmitted_bytes_per_second'),
        all('PCIe sent', 'gpu_pcie_transmitted_bytes_per_second'),
        all('NVLink received', 'gpu_nvlink_received_bytes_per_second'),
        all('PCIe received', 'gpu_pcie_received_bytes_per_second'),
      ]) + b.negative('.* received') + b.free,
      b.graph('Memory of GPUs', 'What GPUs of jobs have, and what of it is in use.', 'bytes', [
        all('all', 'gpu_memory_bytes'),
        all('used', 'gpu_memory_used_bytes'),
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
      b.table('Accounts', 'GPU hours in the time shown; how busy the GPUs are that jobs hold now, how many with their tensor cores, and what they draw.', [
        b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
      ], [
        b.column('GPU hours', 'short', 'sum by (@, account) (increase(slurm_account_job_allocated_gres_seconds_total{@,gres="gpu"}[$__range])) / 3600 > 0'),
        b.column('Held', 'short', 'sum by (@, account) (slurm_account_job_gres{@,gres="gpu",state="running"}) > 0'),
        b.column('Busy', 'percentunit', fill(|||
          sum by (@, account) (slurm:job:gpu_utilization_ratio{^} * slurm:job:gpus{^} %(whose)s)
            / sum by (@, account) ((slurm:job:gpus{^} and slurm:job:gpu_utilization_ratio{^}) %(whose)s)
        |||, { whose: whose })) + b.bar,
        b.column('Tensor cores', 'short', 'sum by (@, account) (cluster_account_user:slurm_job_gpus_tensor_active:sum{^})'),
        b.column('Power', 'watt', 'sum by (@, account) (cluster_account_user:slurm_job_gpu_power_watts:sum{^})'),
      ], '-GPU hours'),
      b.table('Users', 'GPU hours in the time shown, the twenty users with the most.', [
        b.key('user', 'User', [b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
      ], [
        b.column('GPU hours', 'short', 'topk(20, sum by (@, user) (increase(slurm_user_job_allocated_gres_seconds_total{@,gres="gpu"}[$__range])) / 3600 > 0)'),
        b.column('Held', 'short', 'sum by (@, user) (slurm_user_job_gres{@,gres="gpu",state="running"}) > 0'),
        b.column('Used', 'short', 'sum by (@, user) (cluster_account_user:slurm_job_gpus_used:sum{^})'),
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
        b.column('Tensor', 'percentunit', 'slurm:job:gpu_tensor_active_ratio{^} ' + whose) + b.bar,
        b.column('Idle', 'short', 'slurm:job:gpus_idle{^} ' + whose) + b.cellAbove('gpusIdle'),
        b.column('Memory', 'bytes', 'slurm:job:gpu_memory_used_bytes{^} ' + whose),
        b.column('Power', 'watt', 'slurm:job:gpu_power_watts{^} ' + whose),
      ], '-Idle') + b.wide(16),
      b.bars('Hottest GPUs', 'The ten hottest GPUs that DCGM sees.', 'celsius', [
        ['{{Hostname}}{{hostname}} GPU {{gpu}}', 'topk(10, DCGM_FI_DEV_GPU_TEMP{^})'],
      ]) + b.empty('No GPUs that DCGM sees') + b.above('gpuTemperature'),
    ]),
    b.row('Health', 'No exporter of GPUs that tells of this', height=8, panels=[
      b.xids('XIDs', 'Errors that the driver reported of GPUs that one job had, and when each was new last. SlurmGPUHardwareError’s page says what they mean.', '', [
        b.key('jobid', 'Job', [b.to('This job', 'job', { jobid: '${__value.text}' })]),
        b.key('user', 'User'),
        b.key('account', 'Account'),
      ]) + b.empty('No errors, or no exporter that tells of them') + b.wide(10),
      b.table('GPUs that are not well', 'Memory errors since the last reset that no code corrects. Bad rows that the GPU could not replace, or will at its next reset. What the driver asks for: 1 a reset, 2 a restart of the node, 3 and 4 to drain it.', [
        b.key('node', 'Node', [b.to('Nodes', 'nodes', { node: '${__value.text}' })]),
        b.key('gpu', 'GPU'),
      ], [
        b.column(of[0], 'short', fill('topk(%d, slurm:gpu:%s{^} > 0)', [b.config.boards.nodes, of[1]]))
        for of in [['Memory errors', 'uncorrected_memory_errors'], ['Not replaced', 'row_remap_failed'], ['To replace', 'row_remap_pending'], ['Action', 'recovery_action']]
      ], '-Memory errors') + b.empty('All are well, or no exporter tells') + b.wide(8),
      b.graph('Errors of links', 'Of all GPUs, in a second, by link.', 'ops', [
        ['{{link}}', 'sum by (link) (slurm:gpu_link:errors_per_second{^})'],
      ]) + b.wide(6),
    ]),
  ],
)
