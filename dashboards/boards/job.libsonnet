local fill = (import '../texts.libsonnet').fill;
local job = 'jobid="$jobid"';
local states = [[1, 'pending', 'orange'], [2, 'running', 'blue'], [3, 'suspended', 'purple'], [4, 'completed', 'green'], [5, 'another end', 'red']];
local looks = [
  [1, 'in service', 'green', 'slurm_node_state', 'state=~"idle|mixed|allocated"'],
  [2, 'draining', 'yellow', 'slurm_node_flag', 'flag=~"draining|drained"'],
  [3, 'not responding', 'orange', 'slurm_node_flag', 'flag="not_responding"'],
  [4, 'down', 'red', 'slurm_node_state', 'state=~"down|error|unknown"'],
];

function(b)
  // Of each GPU that the job has, by what DCGM, jobstats' exporter or slurm-job-exporter calls it. Newer DCGMs write hostname.
  local gpu(dcgm, factor='') = ['{{Hostname}}{{hostname}} GPU {{gpu}}', fill('%s{^,hpc_job="$jobid"}%s', [dcgm, factor])];
  local jobstats(family, factor='') = ['{{instance}} GPU {{minor_number}}', fill('%s{^,jobid="$jobid"}%s', [family, factor])];
  local agent(family, factor='') = ['{{instance}} GPU {{gpu}}', fill('%s{^,slurmjobid="$jobid"}%s', [family, factor])];
  // As recorded of the job.
  local recorded(legend, record) = [legend, fill('max(slurm:job:%s{^,%s})', [record, job])];
  local perSecond(legend, family, where, of='') = [legend, fill('sum%s (rate(%s{^,%s}[$__rate_interval]))', [if of == '' then '' else ' by ' + of, family, where])];
  local inCeems = 'uuid=~"$jobid|$sluid"';
  local onItsNodes = 'instance=~"$node([.:].*)?"';

  // Alerts of what it has to do with.
  local around(selector, was='%s') = std.join(' or ', [
    fill('%s and on (@, %s) %s', [selector(fill(',%s!=""', one[0])), one[0], fill(was, fill('%s{@,%s}', [one[1], job]))])
    for one in [['node', 'slurm_job_node_info'], ['partition', 'slurm_job_info'], ['user', 'slurm_job_info'], ['account', 'slurm_job_info']]
  ]);
  // When it was seen last.
  local lastSeen(family, where='') = fill('max_over_time(timestamp(%s{@,%s%s})[$__range:1m])', [family, job, where]);
  local seen(where) = lastSeen('slurm_job_state', where);
  // Its labels of last, of a family that has some.
  local latest(labels, family) = fill('topk by (@) (1, max by (@, %s) (%s))', [labels, lastSeen(family)]);
  // What was said last of it.
  local last(what, where='', aggregate='max', of='') =
    fill('%s %s(last_over_time(slurm_%s{@,%s%s}[$__range]))', [aggregate, if of == '' then '' else fill('by %s ', of), what, job, where]);
  // Of its latest end; if it ran again since then, that is no more of interest.
  local ended(expr) = fill('(%s unless %s > %s)', [expr, last('job_start_timestamp_seconds'), last('ended_job_end_timestamp_seconds')]);
  local column(title, unit, what, factor='') = b.column(title, unit, factor + last(what, of='(@)'));
  // A share of what it held.
  local share(used, held) = fill('%s / (%s > 0)', [last(used), held]);
  // The worst of what its nodes are, or were in a window.
  local nodes(window) = std.join('\n  or ', [
    fill('%d * %s', [look[0], fill(if window == '' then '%s' else 'last_over_time(%s)', fill('%s{@,node=~"$node",%s}%s', [look[3], look[4], window]))])
    for look in looks
  ]);

  b.board(
    'job',
    'Job',
    'One job: why it waits, where it runs, what it makes of what it holds, how it ended. Needs slurmscope’s rows of jobs. What a running job uses comes from exporters on the nodes. Of a job of yesterday Prometheus still knows all: choose a time in which it was there.',
    variables=[
      b.variable('user', 'User', '{@,__name__=~"slurm_job_info|slurm_pending_job_info|slurm_ended_job_info"}'),
      b.variable('jobid', 'Job', '{@,__name__=~"slurm_job_info|slurm_pending_job_info|slurm_ended_job_info",user=~"$user"}', one=true),
      b.variable('node', 'Node', 'slurm_job_node_info{@,jobid="$jobid"}', hidden=true),
      b.variable('sluid', 'SLUID', 'slurm_job_info{@,jobid="$jobid"}', one=true, hidden=true),
    ],
    annotations=[b.restarts, b.drains, b.firingAt(around)],
    time='now-3h',
    rows=[
      b.row('Job $jobid', 'Not known', height=4, panels=[
        b.stat('State', 'What Slurm says it is, or said last.', 'short', [
          // that of a row of a job that is there still counts before an end of the same moment
          ['{{state}}', fill('topk(1, max by (state) (%s or %s - 1))', [seen(''), lastSeen('slurm_ended_job_info')])],
        ]) + { options+: { textMode: 'name' } },
        b.stat('Last seen', 'When slurmscope told of it for the last time while it waited or held nodes.', 'dateTimeFromNow', [
          ['at', fill('1000 * max(%s)', seen(''))],
        ]) + b.empty('Ended before'),
        b.stat('Ran for', 'From its start to its end. Until its end is known: until it was last seen to run, to a minute.', 's', [
          ['time', fill('%s or max(%s) - %s', [ended(last('ended_job_run_seconds')), seen(',state="running"'), last('job_start_timestamp_seconds')])],
        ]) + b.empty('Not started'),
        b.stat('Time left', 'Until its time limit.', 's', [
          ['time', fill('max(slurm_job_start_timestamp_seconds{@,%(job)s}) + max(slurm_job_time_limit_seconds{@,%(job)s}) - time()', { job: job })],
        ]) + b.empty('Does not run, or no limit') + b.below('timeLeft'),
        b.stat('Waited', 'From when it was eligible until its start.', 's', [
          ['time', fill('%s - %s or %s - %s', [last(what) for what in [
            'job_start_timestamp_seconds',
            'job_eligible_timestamp_seconds',
            'ended_job_start_timestamp_seconds',
            'ended_job_eligible_timestamp_seconds',
          ]])],
        ]) + b.empty('Not started'),
        b.stat('Holds', 'CPUs, nodes and GPUs that it has, or had.', 'short', [
          ['CPUs', fill('%s or %s', [last('job_allocated_cpus'), last('ended_job_allocated_cpus')])],
          ['nodes', fill('%s or %s', [last('job_node_info', aggregate='count'), last('ended_job_allocated_nodes')])],
          ['GPUs', fill('%s or %s', [last('job_allocated_gres', ',gres="gpu"', 'sum'), last('ended_job_allocated_gres', ',gres="gpu"', 'sum')])],
        ]) + b.empty('Not started'),
        b.stat('Efficiency', 'What it uses of what it holds, now or at its end.', 'percentunit', [
          ['CPUs', fill('max(last_over_time(slurm:job:cpu_efficiency_ratio{^,%s}[$__range]))', job)],
          ['memory', fill('max(last_over_time(slurm:job:memory_efficiency_ratio{^,%s}[$__range]))', job)],
          ['GPUs', fill('max(last_over_time(slurm:job:gpu_utilization_ratio{^,%s}[$__range]))', job)],
        ]) + b.empty('No exporter') + b.bounds(0, 1) + b.below('use'),
        b.stat('Active GPUs', 'GPUs that it holds and uses.', 'short', [
          ['GPUs', fill('max(last_over_time(slurm:job:gpus_busy{^,%s}[$__range]))', job)],
        ]) + b.empty('No GPUs'),
      ]),
      b.row('What and where', 'No such job, or no rows of jobs (--jobs.rows)', height=5, panels=[
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
          // `exclusive` comes with its nodes, and an operator may change its QOS
          b.column('is', 'short', std.join('\n  or on (@) ', [
            latest(fill('name, user, account, partition, qos, array_job_id, array_task_id, %ssluid', of[1]), of[0])
            for of in [['slurm_job_info', 'het_job_id, exclusive, '], ['slurm_ended_job_info', ''], ['slurm_pending_job_info', 'het_job_id, ']]
          ])) + b.cellHidden,
          column('Priority', 'short', 'job_priority'),
          column('Restarts', 'short', 'job_restarts'),
        ], 'Name') + b.wide(16),
        b.timeline('State over time', 'In which state it was when.', [
          ['state', fill(|||
            max by (@, jobid) (
              slurm_job_state{@,%(job)s,state="pending"}
                or 2 * slurm_job_state{@,%(job)s,state="running"}
                or 3 * slurm_job_state{@,%(job)s,state="suspended"}
                or 4 * slurm_job_state{@,%(job)s,state="completed"}
                or 5 * slurm_job_state{@,%(job)s,state!~"pending|running|suspended|completed"}
            )
          |||, { job: job })],
        ]) + b.values(states),
      ]),
      b.row('Its wait', 'It does not wait, or has no row (--jobs.pending-rows)', height=5, panels=[
        b.table('Why it waits', 'The reasons that Slurm gave while it waited, and when each was given last.', [
          b.key('reason', 'Reason', [b.to('Queue and waits', 'queue')]),
          b.key('class', 'Class'),
        ], [
          b.column('Said', 'dateTimeFromNow', fill('1000 * max by (@, reason, class) (%s)', lastSeen('slurm_pending_job_info'))),
        ], '-Said') + b.wide(7),
        b.table('What it asks for', 'What it asks for, or asked for: each of its tasks, if it is an array’s rest. Times are those that Slurm said last.', [], [
          column('Submitted', 'dateTimeFromNow', 'job_submit_timestamp_seconds', '1000 * '),
          column('Eligible', 'dateTimeFromNow', 'job_eligible_timestamp_seconds', '1000 * '),
          column('Tasks', 'short', 'pending_job_tasks'),
          column('CPUs', 'short', 'pending_job_requested_cpus'),
          column('Nodes', 'short', 'pending_job_requested_nodes'),
          column('Memory', 'bytes', 'pending_job_requested_memory_bytes'),
          b.column('GPUs', 'short', last('pending_job_requested_gres', ',gres="gpu"', 'sum', '(@)')),
          column('Time limit', 's', 'job_time_limit_seconds'),
        ], 'Submitted') + b.wide(10),
        b.graph('Until its start, as forecast', 'How far off its start was, as slurmctld forecast it at each moment. A forecast that holds falls to zero.', 's', [
          ['forecast', fill('max(slurm_pending_job_expected_start_timestamp_seconds{@,%s}) - time()', job)],
        ]) + b.empty('No forecast') + b.free,
      ]),
      b.row('Its end', 'Not ended, no row (--jobs.ended-rows), or no slurmdbd', height=5, panels=[
        b.table('How it ended', 'Its latest end. Without exit code and signal Slurm ended it itself.', [
          b.key('state', 'State'),
          b.key('exit_code', 'Exit code'),
          b.key('signal', 'Signal'),
          b.key('failed_node', 'Failed node', [b.to('Nodes', 'nodes', { node: '${__value.text}' })]),
        ], [
          b.column('is', 'short', latest('state, exit_code, signal, failed_node', 'slurm_ended_job_info')) + b.cellHidden,
          column('Submitted', 'dateTimeAsIso', 'ended_job_submit_timestamp_seconds', '1000 * '),
          column('Started', 'dateTimeAsIso', 'ended_job_start_timestamp_seconds', '1000 * '),
          column('Ended', 'dateTimeAsIso', 'ended_job_end_timestamp_seconds', '1000 * '),
          column('Ran', 's', 'ended_job_run_seconds'),
          column('Time limit', 's', 'ended_job_time_limit_seconds'),
        ], 'Ended') + b.wide(14),
        b.stat('CPUs used', 'CPU time that it used, of the CPUs that it held until its end.', 'percentunit', [
          ['used', share('ended_job_used_cpu_seconds', fill('%s * %s', [last('ended_job_allocated_cpus'), last('ended_job_run_seconds')]))],
        ]) + b.empty('Not ended, or slurmdbd does not tell') + b.below('efficiency') + b.bounds(0, 1),
        b.stat('Memory used', 'What it used of its memory at most.', 'percentunit', [
          ['used', share('ended_job_peak_memory_bytes', last('ended_job_allocated_memory_bytes'))],
        ]) + b.empty('Not ended, or slurmdbd does not tell') + b.below('efficiency') + b.bounds(0, 1),
        b.stat('Energy', 'What its nodes consumed while it ran; other jobs on them had a part of it.', 'kwatth', [
          ['energy', last('ended_job_energy_joules') + ' / 3.6e6'],
        ]) + b.empty('Not ended, not measured, or no slurmdbd'),
      ]),
      b.row('Alerts', 'No alert fires', height=5, panels=[
        b.firing('Alerts around it', 'Alerts that fire now, of its nodes, its partition, its user or its account.', function(selector) around(selector, 'last_over_time(%s[$__range])')),
      ]),
      b.row('CPUs and memory', 'It holds no nodes, or has no row (--jobs.rows)', height=8, panels=[
        b.graph('CPUs', 'CPUs that it holds, and that it keeps busy; and of these, in the kernel.', 'short', [
          ['allocated', fill('max(slurm_job_allocated_cpus{@,%s})', job)],
          recorded('used', 'cpu_used_cores'),
          recorded('in the kernel', 'cpu_system_cores'),
        ]),
        b.graph('Memory', 'Memory that it holds, and that its processes use. With files: also what the kernel keeps of its files, as the limit counts it; peak: the most of that.', 'bytes', [
          ['allocated', fill('max(slurm_job_allocated_memory_bytes{@,%s})', job)],
          recorded('used', 'memory_used_bytes'),
          recorded('with files', 'memory_charged_bytes'),
          recorded('peak', 'memory_peak_bytes'),
          recorded('limit', 'memory_limit_bytes'),
        ]),
        b.bars('CPUs by node', fill('CPUs that it holds on each of its nodes, at most %d.', b.config.boards.timeline), 'short', [
          ['{{node}}', fill('topk(%d, max by (@, node) (last_over_time(slurm_job_node_cpus{@,%s}[$__range])))', [b.config.boards.timeline, job])],
        ]) + b.links([b.to('Nodes', 'nodes', { node: '${__field.labels.node}' })]),
        b.timeline('Its nodes', fill('Whether they were in service; of more than %d the worst.', b.config.boards.timeline), [
          ['{{node}}', fill(|||
            max by (@, node) (
              %s
            ) and on (@, node) slurm_job_node_info{@,%s} and on (@, node) topk(%d, max by (@, node) (
              %s
            ) and on (@, node) last_over_time(slurm_job_node_info{@,%s}[$__range] @ end()))
          |||, [nodes(''), job, b.config.boards.timeline, nodes('[$__range] @ end()'), job])],
        ]) + b.values([[look[0], look[1], look[2]] for look in looks]),
      ]),
      b.row('Its processes', 'No exporter on its nodes tells of this', height=8, collapsed=true, panels=[
        b.graph('Memory by kind', 'Parts of its memory; a part may be in another one. Huge pages are of its processes, the rest are files.', 'bytes', [
          [of[0], fill('sum(slurm_job_memory_%s{^,slurmjobid="$jobid"})', of[1])]
          for of in [['huge pages', 'rss_huge'], ['mapped files', 'mapped_file'], ['active files', 'active_file'], ['inactive files', 'inactive_file'], ['locked', 'unevictable']]
        ] + [
          ['shared memory', 'sum(cgroup_memory_shmem_bytes{^,jobid=~"$jobid|$sluid",step="",task=""})'],
          recorded('all files', 'memory_cache_bytes'),
        ]),
        b.graph('Threads', 'Processes, and threads by what they do.', 'short', [
          recorded('processes', 'processes'),
          recorded('all threads', 'threads'),
          ['{{state}}', 'sum by (state) (slurm_job_threads_count{^,slurmjobid="$jobid"})'],
        ]),
        b.graph('Programs', 'CPUs that each program keeps busy: the ten with most, of those that used a minute.', 'short', [
          ['{{exe}}', b.mostPerSecond(10, '(exe)', 'slurm_job_process_usage_total{^,slurmjobid="$jobid"}')],
        ]) + b.stacked,
        b.graph('Pressure', 'Share of the time in which a process waited for a CPU or for memory, the mean of its nodes.', 'percentunit', [
          recorded('CPUs', 'cpu_pressure_ratio'),
          recorded('memory', 'memory_pressure_ratio'),
        ]) + b.bounds(0, 1),
        b.graph('Memory limit reached', 'How often in a second its memory reached the limit. The kernel then drops files from memory, or ends a process.', 'ops', [
          recorded('times', 'memory_limit_hits_per_second'),
        ]),
      ]),
      b.row('GPUs', 'No GPUs, or no exporter that tells of them', height=8, collapsed=true, panels=[
        b.graph('Utilisation', 'Share of the time in which each GPU did anything at all.', 'percentunit', [
          gpu('DCGM_FI_DEV_GPU_UTIL', ' / 100'),
          jobstats('nvidia_gpu_duty_cycle', ' / 100'),
          agent('slurm_job_utilization_gpu', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Streaming multiprocessors', 'Share of the multiprocessors that were active, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_PROF_SM_ACTIVE'),
          jobstats('nvidia_gpu_sm_util_percent', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Occupancy', 'Warps on the multiprocessors, of those that fit, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_PROF_SM_OCCUPANCY'),
          jobstats('nvidia_gpu_sm_occupancy_percent', ' / 100'),
          agent('slurm_job_sm_occupancy_gpu', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Graphics engine', 'Share of the time in which the engine for graphics and compute was active, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_PROF_GR_ENGINE_ACTIVE'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Tensor cores', 'Share of the cycles in which the tensor cores worked, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'),
          jobstats('nvidia_gpu_any_tensor_util_percent', ' / 100'),
          agent('slurm_job_tensor_gpu', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Arithmetic', 'Share of the cycles in which pipes for numbers of 64, 32 and 16 bits worked, the mean of its GPUs.', 'percentunit', [
          recorded('64 bits', 'gpu_fp64_active_ratio'),
          recorded('32 bits', 'gpu_fp32_active_ratio'),
          recorded('16 bits', 'gpu_fp16_active_ratio'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Memory copies', 'Share of the time in which memory was read or written, of each GPU.', 'percentunit', [
          gpu('DCGM_FI_DEV_MEM_COPY_UTIL', ' / 100'),
          agent('slurm_job_utilization_gpu_memory', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('Memory bandwidth', 'Share of the cycles in which the memory of each GPU sent or received.', 'percentunit', [
          gpu('DCGM_FI_PROF_DRAM_ACTIVE'),
          jobstats('nvidia_gpu_dram_bw_util_percent', ' / 100'),
        ]) + b.bounds(0, 1) + b.wide(6),
        b.graph('GPU memory', 'Memory of each GPU that is in use.', 'bytes', [
          gpu('DCGM_FI_DEV_FB_USED', ' * 1048576'),
          jobstats('nvidia_gpu_memory_used_bytes'),
          agent('slurm_job_memory_usage_gpu'),
        ]) + b.wide(6),
        b.graph('Temperature', 'Of each GPU, in its middle.', 'celsius', [
          gpu('DCGM_FI_DEV_GPU_TEMP'),
          jobstats('nvidia_gpu_temperature_celsius'),
        ]) + b.wide(6),
        b.graph('Power', 'What each GPU draws.', 'watt', [
          gpu('DCGM_FI_DEV_POWER_USAGE'),
          jobstats('nvidia_gpu_power_usage_milliwatts', ' / 1000'),
          agent('slurm_job_power_gpu', ' / 1000'),
        ]) + b.wide(6),
        b.graph('NVLink', 'What its GPUs send to each other; below the line, receive.', 'Bps', [
          recorded('sent', 'gpu_nvlink_transmitted_bytes_per_second'),
          recorded('received', 'gpu_nvlink_received_bytes_per_second'),
        ]) + b.negative('received') + b.free + b.wide(6),
        b.graph('PCIe', 'What its GPUs send to their nodes; below the line, receive.', 'Bps', [
          recorded('sent', 'gpu_pcie_transmitted_bytes_per_second'),
          recorded('received', 'gpu_pcie_received_bytes_per_second'),
        ]) + b.negative('received') + b.free + b.wide(6),
        b.xids('XIDs of its GPUs', 'Errors that the driver reported of GPUs that the job had alone, and when each was new last.', job, [])
        + b.empty('No errors, or no exporter that tells of them') + b.wide(12),
      ]),
      b.row('Disks and NFS: the job’s part of what its nodes do', 'No exporter on its nodes tells of this', height=8, collapsed=true, panels=[
        b.graph('Local disks', 'Written; below the line, read. On shared nodes the part that goes with its CPUs.', 'Bps', [
          ['written', fill('max(slurm:job:disk_written_bytes_per_second{^,%s})', job)],
          ['read', fill('max(slurm:job:disk_read_bytes_per_second{^,%s})', job)],
        ]) + b.negative('read') + b.free,
        b.graph('NFS', 'Written; below the line, read. On shared nodes the part that goes with its CPUs.', 'Bps', [
          ['written', fill('max(slurm:job:nfs_written_bytes_per_second{^,%s})', job)],
          ['read', fill('max(slurm:job:nfs_read_bytes_per_second{^,%s})', job)],
        ]) + b.negative('read') + b.free,
        b.graph('NFS times', 'How long requests take from when they are queued, and from when they are sent, until their answer.', 's', [
          ['request', fill('max(slurm:job:nfs_request_seconds{^,%s})', job)],
          ['response', fill('max(slurm:job:nfs_response_seconds{^,%s})', job)],
        ]),
        b.graph('NFS requests', 'Requests in a second, and those that had to be sent again.', 'ops', [
          ['requests', fill('max(slurm:job:nfs_requests_per_second{^,%s})', job)],
          recorded('without data', 'nfs_metadata_requests_per_second'),
          ['retransmissions', fill('max(slurm:job:nfs_retransmissions_per_second{^,%s})', job)],
        ]),
      ]),
      b.row('File systems and InfiniBand', 'No exporter tells of this', height=8, collapsed=true, panels=[
        b.graph('File systems', 'What its processes write to each mount; below the line, read. In memory or on a server.', 'Bps', [
          perSecond('{{mountpoint}} written', 'ceems_ebpf_write_bytes_total', inCeems, '(mountpoint)'),
          perSecond('{{mountpoint}} read', 'ceems_ebpf_read_bytes_total', inCeems, '(mountpoint)'),
        ]) + b.negative('.* read') + b.free + b.wide(8),
        b.graph('File operations', 'Calls of its processes in a second.', 'ops', [
          perSecond(operation, fill('ceems_ebpf_%s_requests_total', operation), inCeems)
          for operation in ['read', 'write', 'open', 'create', 'unlink']
        ]) + b.wide(8),
        b.graph('NFS operations', 'Requests of its nodes in a second, by operation; of other jobs there, too.', 'ops', [
          perSecond('{{operation}}', 'node_mountstats_nfs_operations_requests_total', onItsNodes, '(operation)'),
        ]) + b.wide(8),
        b.graph('Lustre', 'Written; below the line, read, as Lustre’s servers count it for the job.', 'Bps', [
          recorded('written', 'lustre_written_bytes_per_second'),
          recorded('read', 'lustre_read_bytes_per_second'),
        ]) + b.negative('read') + b.free + b.wide(6),
        b.graph('Lustre operations', 'What Lustre’s servers did for the job in a second, by operation.', 'ops', [
          recorded('all', 'lustre_operations_per_second'),
          perSecond('{{operation}}', 'lustre_job_stats_total', job, '(operation)'),
        ]) + b.wide(6),
        b.graph('InfiniBand', 'The job’s part of what its nodes send; below the line, receive.', 'Bps', [
          recorded('sent', 'infiniband_transmitted_bytes_per_second'),
          recorded('received', 'infiniband_received_bytes_per_second'),
        ]) + b.negative('received') + b.free + b.wide(6),
        b.graph('InfiniBand errors', 'Of the ports of its nodes, in a second.', 'ops', [
          perSecond(of[0], fill('node_infiniband_%s_total', of[1]), onItsNodes)
          for of in [['errors', 'port_errors_received'], ['discarded', 'port_discards_transmitted'], ['links down', 'link_downed'], ['symbols', 'symbol_error']]
        ]) + b.wide(6),
      ]),
    ],
  )
