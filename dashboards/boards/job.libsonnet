local job = 'jobid="$jobid"';
local states = [[1, 'pending', 'orange'], [2, 'running', 'blue'], [3, 'suspended', 'purple'], [4, 'completed', 'green'], [5, 'another end', 'red']];
local looks = [
  [1, 'in service', 'green', 'slurm_node_state', 'state=~"idle|mixed|allocated"'],
  [2, 'draining', 'yellow', 'slurm_node_flag', 'flag=~"draining|drained"'],
  [3, 'not responding', 'orange', 'slurm_node_flag', 'flag="not_responding"'],
  [4, 'down', 'red', 'slurm_node_state', 'state=~"down|error|unknown"'],
];

function(b)
  // Of each GPU that the job has, by what DCGM or jobstats' exporter calls it.
  local gpu(dcgm, factor='') = ['{{Hostname}} GPU {{gpu}}', '%s{^,hpc_job="$jobid"}%s' % [dcgm, factor]];
  local jobstats(family, factor='') = ['{{instance}} GPU {{minor_number}}', '%s{^,jobid="$jobid"}%s' % [family, factor]];

  // Alerts of what it has to do with.
  local around(selector, was='%s') = std.join(' or ', [
    '%s and on (@, %s) %s' % [selector(',%s!=""' % one[0]), one[0], was % ('%s{@,%s}' % [one[1], job])]
    for one in [['node', 'slurm_job_node_info'], ['partition', 'slurm_job_info'], ['user', 'slurm_job_info'], ['account', 'slurm_job_info']]
  ]);
  // When it was seen last.
  local seen(where) = 'max_over_time(timestamp(slurm_job_state{@,%s%s})[$__range:1m])' % [job, where];
  // The worst of what its nodes are, or were in a window.
  local nodes(window) = std.join('\n  or ', [
    '%d * %s' % [look[0], (if window == '' then '%s' else 'last_over_time(%s)') % ('%s{@,node=~"$node",%s}%s' % [look[3], look[4], window])]
    for look in looks
  ]);

  b.board(
    'job',
    'Job',
    'One job: what it is, where it runs, what it makes of what it holds. Needs slurmscope’s rows of jobs; what is used of CPUs, memory, GPUs, disks and NFS comes from exporters on the nodes.',
    variables=[
      b.variable('user', 'User', 'slurm_job_info{@}'),
      b.variable('jobid', 'Job', 'slurm_job_info{@,user=~"$user"}', one=true),
      b.variable('node', 'Node', 'slurm_job_node_info{@,jobid="$jobid"}', hidden=true),
    ],
    annotations=[b.restarts, b.drains, b.firingAt(around)],
    time='now-3h',
    rows=[
      b.row('Job $jobid', 'Not known', height=4, panels=[
        b.stat('State', 'What Slurm says it is, or said last.', 'short', [
          ['{{state}}', 'topk(1, max by (state) (%s))' % seen('')],
        ]) + { options+: { textMode: 'name' } },
        b.stat('Last seen', 'When slurmscope told of it for the last time; before that it ended, if it did.', 'dateTimeFromNow', [
          ['at', '1000 * max(%s)' % seen('')],
        ]),
        b.stat('Ran for', 'From its start until it was last seen to run, to a minute.', 's', [
          ['time', 'max(%s) - max(last_over_time(slurm_job_start_timestamp_seconds{@,%s}[$__range]))' % [seen(',state="running"'), job]],
        ]),
        b.stat('Time left', 'Until its time limit.', 's', [
          ['time', 'max(slurm_job_start_timestamp_seconds{@,%(job)s}) + max(slurm_job_time_limit_seconds{@,%(job)s}) - time()' % { job: job }],
        ]) + b.empty('Ended, or no limit') + b.below('timeLeft'),
        b.stat('Waited', 'From when it was eligible until its start.', 's', [
          ['time', 'max(last_over_time(slurm_job_start_timestamp_seconds{@,%(job)s}[$__range])) - max(last_over_time(slurm_job_eligible_timestamp_seconds{@,%(job)s}[$__range]))' % { job: job }],
        ]) + b.empty('Not started'),
        b.stat('Holds', 'CPUs, nodes and GPUs that it has.', 'short', [
          ['CPUs', 'max(last_over_time(slurm_job_allocated_cpus{@,%s}[$__range]))' % job],
          ['nodes', 'count(last_over_time(slurm_job_node_info{@,%s}[$__range]))' % job],
          ['GPUs', 'sum(last_over_time(slurm_job_allocated_gres{@,%s,gres="gpu"}[$__range]))' % job],
        ]),
        b.stat('Efficiency', 'What it uses of what it holds, now or at its end.', 'percentunit', [
          ['CPUs', 'max(last_over_time(slurm:job:cpu_efficiency_ratio{^,%s}[$__range]))' % job],
          ['memory', 'max(last_over_time(slurm:job:memory_efficiency_ratio{^,%s}[$__range]))' % job],
          ['GPUs', 'max(last_over_time(slurm:job:gpu_utilization_ratio{^,%s}[$__range]))' % job],
        ]) + b.empty('No exporter') + b.bounds(0, 1) + b.below('use'),
        b.stat('Active GPUs', 'GPUs that it holds and uses.', 'short', [
          ['GPUs', 'max(last_over_time(slurm:job:gpus_busy{^,%s}[$__range]))' % job],
        ]) + b.empty('No GPUs'),
      ]),
      b.row('What and where', 'No such job, or no rows of jobs (--jobs.rows)', height=6, panels=[
        b.table('Job', 'Whose it is, where it runs, and what else it is called. Nodes that it does not have for itself are shared: then what a node does is ascribed to its jobs by their CPUs.', [
          b.key('name', 'Name'),
          b.key('user', 'User', [b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
          b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
          b.key('partition', 'Partition', [b.to('Partitions', 'partitions', { partition: '${__value.text}' })]),
          b.key('qos', 'QOS', [b.to('QOS, reservations, licences', 'limits', { qos: '${__value.text}' })]),
          b.key('array_job_id', 'Array'),
          b.key('array_task_id', 'Task'),
          b.key('het_job_id', 'Heterogeneous job'),
          b.key('sluid', 'SLUID'),
          b.key('exclusive', 'Exclusive'),
        ], [
          // its labels of last: `exclusive` comes with its nodes, and an operator may change its QOS
          b.column('is', 'short', 'topk by (@) (1, max by (@, name, user, account, partition, qos, array_job_id, array_task_id, het_job_id, sluid, exclusive) (max_over_time(timestamp(slurm_job_info{@,%s})[$__range:1m])))' % job) + b.cellHidden,
          b.column('Priority', 'short', 'max by (@) (last_over_time(slurm_job_priority{@,%s}[$__range]))' % job),
          b.column('Restarts', 'short', 'max by (@) (last_over_time(slurm_job_restarts{@,%s}[$__range]))' % job),
        ], 'Name') + b.wide(16),
        b.timeline('State over time', 'In which state it was when.', [
          ['state', |||
            max by (@, jobid) (
              slurm_job_state{@,%(job)s,state="pending"}
                or 2 * slurm_job_state{@,%(job)s,state="running"}
                or 3 * slurm_job_state{@,%(job)s,state="suspended"}
                or 4 * slurm_job_state{@,%(job)s,state="completed"}
                or 5 * slurm_job_state{@,%(job)s,state!~"pending|running|suspended|completed"}
            )
          ||| % { job: job }],
        ]) + b.values(states),
      ]),
      b.row('Alerts', 'No alert fires', height=5, panels=[
        b.firing('Alerts around it', 'Alerts that fire now, of its nodes, its partition, its user or its account.', function(selector) around(selector, 'last_over_time(%s[$__range])')),
      ]),
      b.row('CPUs and memory', 'No such job, or no rows of jobs (--jobs.rows)', height=8, panels=[
        b.graph('CPUs', 'CPUs that it holds, and that it keeps busy.', 'short', [
          ['allocated', 'max(slurm_job_allocated_cpus{@,%s})' % job],
          ['used', 'max(slurm:job:cpu_used_cores{^,%s})' % job],
        ]),
        b.graph('Memory', 'Memory that it holds, and that it uses.', 'bytes', [
          ['allocated', 'max(slurm_job_allocated_memory_bytes{@,%s})' % job],
          ['used', 'max(slurm:job:memory_used_bytes{^,%s})' % job],
        ]),
        b.bars('CPUs by node', 'CPUs that it holds on each of its nodes, at most %d.' % b.config.boards.timeline, 'short', [
          ['{{node}}', 'topk(%d, max by (@, node) (last_over_time(slurm_job_node_cpus{@,%s}[$__range])))' % [b.config.boards.timeline, job]],
        ]) + b.links([b.to('Nodes', 'nodes', { node: '${__field.labels.node}' })]),
        b.timeline('Its nodes', 'Whether they were in service; of more than %d the worst.' % b.config.boards.timeline, [
          ['{{node}}', |||
            max by (@, node) (
              %s
            ) and on (@, node) slurm_job_node_info{@,%s} and on (@, node) topk(%d, max by (@, node) (
              %s
            ) and on (@, node) last_over_time(slurm_job_node_info{@,%s}[$__range] @ end()))
          ||| % [nodes(''), job, b.config.boards.timeline, nodes('[$__range] @ end()'), job]],
        ]) + b.values([[look[0], look[1], look[2]] for look in looks]),
      ]),
      b.row('GPUs', 'No GPUs, or no exporter that tells of them', height=8, collapsed=true, panels=[
        b.graph('Utilisation', 'Share of the time in which each GPU did anything at all.', 'percentunit', [
          gpu('DCGM_FI_DEV_GPU_UTIL', ' / 100'),
          jobstats('nvidia_gpu_duty_cycle', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Streaming multiprocessors', 'Share of the multiprocessors that were active, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_PROF_SM_ACTIVE'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Graphics engine', 'Share of the time in which the engine for graphics and compute was active, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_PROF_GR_ENGINE_ACTIVE'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Tensor cores', 'Share of the cycles in which the tensor cores worked, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Memory copies', 'Share of the time in which memory was read or written, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_DEV_MEM_COPY_UTIL', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('GPU memory', 'Memory of each GPU that is in use.', 'bytes', [
          gpu('DCGM_FI_DEV_FB_USED', ' * 1048576'),
          jobstats('nvidia_gpu_memory_used_bytes'),
        ]) + b.wide(6),
        b.graph('Temperature', 'Of each GPU, in its middle.', 'celsius', [
          gpu('DCGM_FI_DEV_GPU_TEMP'),
          jobstats('nvidia_gpu_temperature_celsius'),
        ]) + b.wide(6),
        b.graph('Power', 'What each GPU draws.', 'watt', [
          gpu('DCGM_FI_DEV_POWER_USAGE'),
          jobstats('nvidia_gpu_power_usage_milliwatts', ' / 1000'),
        ]) + b.wide(6),
      ]),
      b.row('Disks and NFS: the job’s part of what its nodes do', 'No exporter on its nodes tells of this', height=8, collapsed=true, panels=[
        b.graph('Local disks', 'Written; below the line, read. On shared nodes the part that goes with its CPUs.', 'Bps', [
          ['written', 'max(slurm:job:disk_written_bytes_per_second{^,%s})' % job],
          ['read', 'max(slurm:job:disk_read_bytes_per_second{^,%s})' % job],
        ]) + b.negative('read') + b.free,
        b.graph('NFS', 'Written; below the line, read. On shared nodes the part that goes with its CPUs.', 'Bps', [
          ['written', 'max(slurm:job:nfs_written_bytes_per_second{^,%s})' % job],
          ['read', 'max(slurm:job:nfs_read_bytes_per_second{^,%s})' % job],
        ]) + b.negative('read') + b.free,
        b.graph('NFS times', 'How long requests take from when they are queued, and from when they are sent, until their answer.', 's', [
          ['request', 'max(slurm:job:nfs_request_seconds{^,%s})' % job],
          ['response', 'max(slurm:job:nfs_response_seconds{^,%s})' % job],
        ]),
        b.graph('NFS requests', 'Requests in a second, and those that had to be sent again.', 'ops', [
          ['requests', 'max(slurm:job:nfs_requests_per_second{^,%s})' % job],
          ['retransmissions', 'max(slurm:job:nfs_retransmissions_per_second{^,%s})' % job],
        ]),
      ]),
    ],
  )
