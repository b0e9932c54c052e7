local fill = (import '../texts.libsonnet').fill;

// The worst of what a node is, as a number.
local looks = [
  [1, 'idle', 'green', 'slurm_node_state', 'state="idle"'],
  [2, 'mixed', 'light-blue', 'slurm_node_state', 'state="mixed"'],
  [3, 'allocated', 'blue', 'slurm_node_state', 'state="allocated"'],
  [4, 'maintenance', 'purple', 'slurm_node_flag', 'flag="maint"'],
  [5, 'draining', 'yellow', 'slurm_node_flag', 'flag="draining"'],
  [6, 'drained', 'orange', 'slurm_node_flag', 'flag="drained"'],
  [7, 'not responding', 'light-red', 'slurm_node_flag', 'flag="not_responding"'],
  [8, 'down', 'red', 'slurm_node_state', 'state=~"down|error|unknown"'],
];
local trouble(window) = fill(|||
  count_over_time(slurm_node_flag{@,flag=~"draining|drained|not_responding"}%(window)s)
    or count_over_time(slurm_node_state{@,state=~"down|error|unknown"}%(window)s)
|||, { window: window });
// With these an idle node is not free (slurm_cluster_nodes_free).
local hindrances = std.join('|', [
  'drained',
  'draining',
  'completing',
  'fail',
  'not_responding',
  'maint',
  'reserved',
  'planned',
  'powering_down',
  'reboot_requested',
  'reboot_issued',
  'invalid_reg',
  'power_down',
  'power_drain',
  'blocked',
  'external',
]);
local where = 'node=~"$node"';
local worstOf(looks) = std.join('\n  or ', [fill('%d * %s{@,%s,%s}', [look[0], look[3], where, look[4]]) for look in looks]);
local worst = worstOf(looks);
// Without those in service, who are most of 10,000.
local troubles = [look for look in looks if look[0] > 3];

function(b)
  local chosen(ofCluster, ofNodes) = b.chosen(ofCluster, [['node', ofNodes]]);
  // How many nodes have a flag, with those chosen none, too.
  local flagged(flag) = chosen(
    fill('sum(slurm_cluster_nodes_flagged{@,flag="%s"}) or 0 * sum(slurm_cluster_nodes{@})', flag),
    fill('count(slurm_node_flag{@,%s,flag="%s"}) or 0 * count(slurm_node_state{@,%s})', [where, flag, where]),
  );
  // There may be 10,000.
  local most = b.config.boards.nodes;
  local atMost = fill('At most %d nodes: ', most);
  local worstFirst = fill(|||
    topk(%d, max by (@, node) (
      %s
    ))
  |||, [most, worst]);
  local ofWorst(expr) = expr + '\n  and on (@, node) ' + worstFirst;
  local latest = fill('topk(%d, max by (@, node) (slurm_node_reason_timestamp_seconds{@,%s}))', [most, where]);
  local failing(kind, window) = fill(|||
    sum by (@, node) (%s) > 0
      and on (@, node) topk(%d, sum by (@, node) (%s) > 0)
  |||, [
    b.grown(fill('slurm_node_job_failures_total{@,%s%s}', [where, kind]), window),
    most,
    b.grown(fill('slurm_node_job_failures_total{@,%s}', where), '$__range'),
  ]);
  b.board(
    'nodes',
    'Nodes',
    'Which nodes are out of service, since when, why and by whom; which ones fail jobs; what they run.',
    variables=[b.variable('node', 'Node', 'slurm_node_state{@}')],
    annotations=[b.restarts, b.drains],
    rows=[
      b.row('Now', 'No nodes', height=4, panels=[
        b.stat('Nodes', 'All nodes, and those that any job can get now: idle, and not draining, reserved, in maintenance, planned for another job or silent.', 'short', [
          ['nodes', chosen('sum(slurm_cluster_nodes{@})', fill('count(slurm_node_state{@,%s})', where))],
          ['free', chosen('sum(slurm_cluster_nodes_free{@})', fill(|||
            count(
              slurm_node_state{@,%(where)s,state="idle"}
                unless on (@, node) slurm_node_flag{@,%(where)s,flag=~"%(hindrances)s"}
            ) or 0 * count(slurm_node_state{@,%(where)s})
          |||, { where: where, hindrances: hindrances }))],
        ]),
        b.stat('Down', 'Nodes whose base state is down, error or unknown.', 'short', [
          ['nodes', chosen(
            'sum(slurm_cluster_nodes{@,state=~"down|error|unknown"})',
            fill('count(slurm_node_state{@,%s,state=~"down|error|unknown"}) or 0 * count(slurm_node_state{@,%s})', [where, where]),
          )],
        ]) + b.above('some'),
        b.stat('Drained', 'Drained nodes on which no job is left: they can be looked at.', 'short', [
          ['nodes', flagged('drained')],
        ]) + b.above('some') + b.links([b.to('Drain desk', 'drain')]),
        b.stat('Draining', 'Drained nodes on which jobs still run.', 'short', [
          ['nodes', flagged('draining')],
        ]) + b.above('some') + b.links([b.to('Drain desk', 'drain')]),
        b.stat('Not responding', 'Nodes whose slurmd does not answer slurmctld, for so short a time perhaps that they are not down yet.', 'short', [
          ['nodes', flagged('not_responding')],
        ]) + b.above('some'),
        b.stat('CPUs lost', 'Share of the CPUs that are on nodes which are down or drained.', 'percentunit', [
          ['CPUs', chosen(
            'sum(slurm_cluster_cpus{@,state="other"}) / sum(slurm_cluster_cpus{@})',
            fill('sum(slurm_node_cpus{@,%s,state="other"}) / sum(slurm_node_cpus{@,%s%s})', [where, where, b.ours]),
          )],
        ]) + b.empty('Not known') + b.above('out') + b.bounds(0, 1),
      ]),
      b.row('Out of service', 'No node is out of service', height=9, panels=[
        b.table('Nodes with a reason', 'Why a node is out of service, who said so and when, and its state now. ' + atMost + 'the latest.', [
          b.key('node', 'Node', [b.to('This node', 'nodes', { node: '${__value.text}' }), b.to('Its jobs', 'joblist', { node: '${__value.text}' })]),
          b.key('reason', 'Reason'),
          b.key('user', 'By'),
        ], [
          b.column('Since', 'dateTimeFromNow', fill(|||
            1000 * %s
              * on (@, node) group_left (reason, user) max by (@, node, reason, user) (slurm_node_reason_info{@})
          |||, latest)),
          b.column('Is', 'short', fill(|||
            max by (@, node) (
              %s
            ) and on (@, node) slurm_node_reason_info{@}
              and on (@, node) %s
          |||, [worst, latest])) + b.cellValues([[look[0], look[1], look[2]] for look in looks]),
        ], '-Since'),
        b.timeline('Nodes that were in trouble', fill('What they were, of those of the nodes chosen that were down, drained or did not respond in the time shown. At most %d: those first for which it was shortest. Those for which it lasts are in the table. Gaps: in service.', b.config.boards.timeline), [
          ['{{node}}', fill(|||
            max by (@, node) (
              %s
            ) and on (@, node) bottomk(%d, max by (@, node) (
              %s
            ))
          |||, [
            worstOf(troubles),
            b.config.boards.timeline,
            std.strReplace(trouble('[$__range] @ end()'), '\n', '\n  '),
          ])],
        ]) + b.values([[look[0], look[1], look[2]] for look in troubles]),
      ]),
      b.row('Alerts', 'No alert fires', height=6, panels=[
        b.firing('Alerts of nodes', 'Alerts that fire now, of the nodes chosen or of all nodes.', function(selector) selector(',alertname=~".*Node.*",node=~"$node|"')),
      ]),
      b.row('Over time', 'No nodes', height=8, panels=[
        b.graph('By state', 'Nodes by base state.', 'short', [
          ['{{state}}', chosen('sum by (state) (slurm_cluster_nodes{@}) > 0', fill('count by (state) (slurm_node_state{@,%s})', where))],
        ]) + b.stacked + b.nodeColours,
        b.graph('By flag', 'Nodes that have a flag; drained and draining are those that are drained without and with jobs.', 'short', [
          ['{{flag}}', chosen('sum by (flag) (slurm_cluster_nodes_flagged{@})', fill('count by (flag) (slurm_node_flag{@,%s})', where))],
        ]),
        b.graph('What happened to them', 'Nodes that went down, were drained, came back or booted, per hour.', 'short', [
          ['{{to}}', chosen(
            '3600 * sum by (to) (rate(slurm_cluster_node_transitions_total{@}[$__rate_interval])) > 0',
            fill('3600 * sum by (to) (rate(slurm_node_transitions_total{@,%s}[$__rate_interval])) > 0', where),
          )],
        ]) + b.empty('Nothing happened') + b.stacked,
      ]),
      b.row('Which fail jobs', 'No jobs failed', height=8, panels=[
        b.table('Black holes', 'Nodes by the jobs that failed on them in the time shown. A node that fails one job after the other is free again at once and gets the next. A failed job counts on its first node or, where that is known, on the one that failed. ' + atMost + 'those with the most.', [
          b.key('node', 'Node', [b.to('This node', 'nodes', { node: '${__value.text}' }), b.to('Its jobs', 'joblist', { node: '${__value.text}' })]),
        ], [
          b.column('Failed by themselves', 'short', failing(',kind="failed"', '$__range')) + b.count,
          b.column('With the node', 'short', failing(',kind!="failed"', '$__range')) + b.count,
          b.column('Last hour, in all', 'short', failing('', '1h')) + b.count,
        ], '-Last hour, in all'),
        b.graph('Failed jobs by node, per hour', 'The ten nodes with the most in the time shown.', 'short', [
          ['{{node}}', '3600 * ' + b.mostPerSecond(10, '(@, node)', fill('slurm_node_job_failures_total{@,%s}', where))],
        ]),
      ]),
      b.row('What they run', 'Not known (--nodes.per-node=full)', height=8, collapsed=true, panels=[
        b.table('Jobs on them', fill('Jobs that run on the nodes chosen. With --jobs.rows; at most the %d largest.', most), [
          b.key('node', 'Node', [b.to('This node', 'nodes', { node: '${__value.text}' }), b.to('Its jobs', 'joblist', { node: '${__value.text}' })]),
          b.key('jobid', 'Job', [b.to('This job', 'job', { jobid: '${__value.text}' })]),
          b.key('user', 'User', [b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
          b.key('account', 'Account'),
          b.key('partition', 'Partition'),
        ], [
          b.column('CPUs', 'locale', fill(|||
            topk(%d, max by (@, jobid, node) (slurm_job_node_cpus{@,%s})
              * on (@, jobid) group_left (user, account, partition) max by (@, jobid, user, account, partition) (slurm_job_info{@}))
          |||, [most, where])),
        ], '-CPUs') + b.empty('No jobs, or no rows of jobs (--jobs.rows)') + b.wide(15),
        b.table('Versions', 'Nodes by the version of slurmd and the system that it runs on.', [
          b.key('slurm_version', 'slurmd'),
          b.key('os', 'System'),
          b.key('arch', 'Architecture'),
        ], [
          b.column('Nodes', 'short', fill('count by (@, slurm_version, os, arch) (slurm_node_info{@,%s})', where)),
        ], '-Nodes') + b.empty('Not known') + b.wide(9),
        b.bars('Load by CPU', 'Load average of one minute by CPU, the ten highest: far above 1, jobs use more than they have. With --nodes.per-node=full.', 'percentunit', [
          ['{{node}}', fill('topk(10, max by (@, node) (slurm_node_load1{@,%s}) / sum by (@, node) (slurm_node_cpus{@%s}))', [where, b.ours])],
        ]),
        b.bars('Busy CPUs without a job', 'Load average beyond the CPUs that are allocated, the ten highest: something runs that Slurm knows nothing of. With --nodes.per-node=full.', 'short', [
          ['{{node}}', fill('topk(10, max by (@, node) (slurm_node_load1{@,%s}) - sum by (@, node) (slurm_node_cpus{@,state="allocated"}) > 0)', where)],
        ]) + b.empty('None, or no --nodes.per-node=full'),
        b.graph('Power', 'What the nodes draw, where an energy plugin measures it. With --nodes.per-node=full.', 'watt', [
          ['all', fill('sum(slurm_node_power_watts{@,%s})', where)],
        ]) + b.empty('No energy plugin, or no --nodes.per-node=full'),
      ]),
      b.row('Node by node', 'No nodes', height=10, collapsed=true, panels=[
        b.table('Each node', 'What of each node is in use, and how long it has been up. With --nodes.per-node=full; else only its state. ' + atMost + 'the worst and the busiest.', [
          b.key('node', 'Node', [b.to('This node', 'nodes', { node: '${__value.text}' }), b.to('Its jobs', 'joblist', { node: '${__value.text}' })]),
          b.key('state', 'State'),
        ], [
          b.column('is', 'short', ofWorst(fill('max by (@, node, state) (slurm_node_state{@,%s})', where))) + b.cellHidden,
          b.column('CPUs', 'short', ofWorst(fill('sum by (@, node) (slurm_node_cpus{@,%s%s})', [where, b.ours]))),
          b.column('CPUs in use', 'percentunit', ofWorst(b.shareBy('node', 'slurm_node_cpus{@,' + where + '%s}', 'slurm_node_effective_cpus{@,' + where + '}'))) + b.bar,
          b.column('Memory in use', 'percentunit', ofWorst(b.shareBy('node', 'slurm_node_real_memory_bytes{@,' + where + '%s}', 'slurm_node_effective_memory_bytes{@,' + where + '}'))) + b.bar,
          b.column('Memory free, says the system', 'bytes', ofWorst(fill('max by (@, node) (slurm_node_free_memory_bytes{@,%s})', where))),
          b.column('GPUs in use', 'percentunit', ofWorst(b.shareBy('node', 'slurm_node_gres{@,gres="gpu",' + where + '%s}'))) + b.bar,
          b.column('Load', 'short', ofWorst(fill('max by (@, node) (slurm_node_load1{@,%s})', where))),
          b.column('Booted', 'dateTimeFromNow', ofWorst(fill('1000 * max by (@, node) (slurm_node_boot_timestamp_seconds{@,%s})', where))),
          b.column('Last busy', 'dateTimeFromNow', ofWorst(fill('1000 * max by (@, node) (slurm_node_last_busy_timestamp_seconds{@,%s})', where))),
        ], 'Node'),
      ]),
    ],
  )
