// Nodes that are out of service, for those who bring them back, and for those who ask what that cost.
local cost = import '../rules/cost.libsonnet';
local outages = import '../rules/outages.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

local ofCause = ',cause=~"$cause"';

function(b)
  local windows = b.config.outages.windows;
  local long = windows[std.length(windows) - 1];
  local unplanned = ',' + std.strReplace(outages.unplanned(b.config), ', ', ',');
  local money = 'currency:' + b.config.cost.currency;
  local prices = cost.hasOutages(b.config);
  local most = b.config.boards.nodes;

  // Of the cluster, or of the partitions chosen. A node in several of them counts in each.
  local chosen(of) = b.chosen(of('cluster', ''), [['partition', of('partition', ',partition=~"$partition"')]]);
  // Of nodes: those of the partitions chosen.
  local inPartitions(nodes) = b.chosen(nodes, [['partition', nodes + '\n  and on (@, node) slurm_node_partition_info{@,partition=~"$partition"}']]);
  local start(more='') = fill('slurm_node_outage_start_timestamp_seconds{@%s%s}', [ofCause, more]);
  local starts = inPartitions(fill('max by (@, node, kind, cause) (%s)', start()));

  // Those that have been out for longest.
  local first = fill('bottomk(%d, %s)', [most, starts]);
  local ofFirst(expr) = expr + '\n  and on (@, node) ' + first;
  local withReason = fill(|||
    %(start)s
      * on (@, node) group_left (reason, user) max by (@, node, reason, user) (slurm_node_reason_info{@})
      or on (@, node) %(start)s
  |||, { start: first });
  local ends = |||
    max by (@, node) (
      max by (@, jobid, node) (slurm_job_node_info{@})
        * on (@, jobid) group_left () (
          max by (@, jobid) (slurm_job_start_timestamp_seconds{@}) + max by (@, jobid) (slurm_job_time_limit_seconds{@})
        )
    ) unless on (@, node) (slurm_job_node_info{@} unless on (@, jobid) slurm_job_time_limit_seconds{@})
  |||;

  // In the time shown.
  local lost(what, by='', more='') = function(entity, where)
    fill('sum %s(increase(slurm_%s_node_outage_%s_total{@%s%s%s}[$__range]))', [by, entity, what, ofCause, more, where]);
  local hours(what) = [
    [pair[0], chosen(function(entity, where) lost(what, '', pair[1])(entity, where) + ' / 3600')]
    for pair in [['all', ''], ['of it unplanned', unplanned]]
  ];
  local lostMoney(by='') = function(entity, where) fill('sum %s(increase(%s{^%s%s}[$__range]))', [by, cost.outages(entity), ofCause, where]);
  local ofEach = 'by (@, partition, kind, cause) ';
  local lostBy(what, factor='') = lost(what, ofEach)('partition', ',partition=~"$partition"') + factor + ' > 0';
  // How much is out at each moment: that is how many seconds count in each second.
  local outNow(what) = chosen(function(entity, where) fill('sum by (cause) (rate(slurm_%s_node_outage_%s_total{@%s%s}[$__rate_interval])) > 0', [entity, what, ofCause, where]));

  // As recorded: of the cluster, or the worst of the partitions chosen.
  local recorded(what, window, worst) = chosen(function(entity, where)
    fill('%s(%s:slurm_node_%s%s{^%s})', [worst, if entity == 'cluster' then 'cluster' else 'cluster_partition', what, window, where]));
  local ofPartition(what, window) = fill('max by (@, partition) (cluster_partition:slurm_node_%s%s{^,partition=~"$partition"})', [what, window]);

  local duration(part, by) = fill('sum by (@, %s) (increase(slurm_cluster_node_outage_duration_seconds_%s{@%s}[$__range]))', [by, part, ofCause]);
  local durationQuantile(q) = fill('histogram_quantile(%g, %s) >= 0', [q, duration('bucket', 'cause, le')]);

  // Again and again, as recorded.
  local unsteady(record) = fill('topk(%d, max by (@, node) (%s{^}))', [most, record]);
  local flapping = unsteady(outages.flapping(b.config)), reboots = unsteady(outages.reboots(b.config));
  local ofUnsteady(expr) = fill('%s\n  and on (@, node) (%s or %s)', [expr, flapping, reboots]);

  local nodeKey = b.key('node', 'Node', [b.to('This node', 'nodes', { node: '${__value.text}' }), b.to('Its jobs', 'joblist', { node: '${__value.text}' })]);
  local ofRows = 'No node is out of service, or nodes have no rows (--nodes.per-node)';
  local full = 'One partition needs --nodes.per-node=full.';

  b.board(
    'drain',
    'Drain desk',
    'Who took which node out of service, why and since when; what that costs, how long it lasts and how often it happens.',
    variables=[
      b.variable('partition', 'Partition', 'slurm_partition_info{@}'),
      b.variable('cause', 'Cause', fill('cluster_kind_cause:slurm_node_outage_seconds:increase%s{^}', b.config.outages.hour)),
    ],
    annotations=[b.restarts, b.drains { enable: false }],  // those of a month hide the graphs
    time='now-7d',
    rows=[
      b.row('Now', ofRows, height=4, panels=[
        b.stat('Out of service', 'Nodes by the way in which they are out: down, drained (no jobs left), draining (jobs still run), or in maintenance (a reservation with MAINT). ' + full, 'short', [
          [kind, fill('count(%s) or 0 * count(slurm_node_state{@})', inPartitions(fill('max by (@, node) (%s)', start(fill(',kind="%s"', kind)))))]
          for kind in ['down', 'drained', 'draining', 'maintenance']
        ]),
        b.stat('Out for longest', 'For how long the node has been out that went first. ' + full, 's', [
          ['longest', fill('time() - min(%s)', starts)],
        ]),
        b.stat('Jobs on draining nodes', 'Jobs that still run on nodes that are to be empty, as far as jobs have rows (--jobs.rows). For one node squeue -w NODE lists them all.', 'locale', [
          ['jobs', fill('count(count by (@, jobid) (slurm_job_node_info{@} and on (@, node) %s))', inPartitions(fill('max by (@, node) (%s)', start(',kind="draining"'))))],
        ]) + b.empty('No node drains, or no rows of jobs (--jobs.rows)'),
        b.stat('In service, last ' + long, 'Share of the time of all nodes in which they were in service. Available: the same without the time that was planned to be out. Of partitions chosen: the worst.', 'percentunit', [
          ['in service', recorded('in_service:ratio', long, 'min')],
          ['available', recorded('availability:ratio', long, 'min')],
        ]) + b.empty('Not known yet: it needs a full hour') + b.below('available') + b.bounds(0, 1),
        b.stat('Time to repair, last ' + long, 'Time out of service for each unplanned outage that ended (MTTR). What is still out counts, too. Of partitions chosen: the longest.', 's', [
          ['time', recorded('time_to_repair_seconds:mean', long, 'max')],
        ]) + b.empty('No unplanned outage ended'),
        b.stat('Time between failures, last ' + long, 'Time in service of a node for each unplanned outage that ended (MTBF). With a hundred nodes one fails a hundred times as often. Of partitions chosen: the shortest.', 's', [
          ['time', recorded('time_between_failures_seconds:mean', long, 'min')],
        ]) + b.empty('No unplanned outage ended'),
      ]),
      b.row('Who took what out, why and since when', ofRows, height=11, panels=[
        b.table('Nodes out of service', fill('At most %d nodes, those that went first. User: who set the reason; slurm is slurmctld itself. Jobs on it, and when the last of them reaches its time limit: as far as jobs have rows (--jobs.rows); squeue -w NODE lists all. %s', [most, full]), [
          nodeKey,
          b.key('kind', 'Is'),
          b.key('cause', 'Cause'),
          b.key('reason', 'Reason'),
          b.key('user', 'User'),
        ], [
          b.column('Since', 'dateTimeFromNow', fill('1000 * (%s)', trimmed(withReason))),
          b.column('For', 's', fill('time() - max by (@, node) (%s)', first)),
          b.column('Jobs on it', 'locale', ofFirst('count by (@, node) (max by (@, jobid, node) (slurm_job_node_info{@}))')),
          b.column('Empty at the latest', 'dateTimeFromNow', ofFirst(fill('1000 * (%s)', trimmed(ends)))),
          b.column('CPUs', 'locale', ofFirst(fill('sum by (@, node) (slurm_node_cpus{@%s})', b.ours))),
          b.column('Booted', 'dateTimeFromNow', ofFirst('1000 * max by (@, node) (slurm_node_boot_timestamp_seconds{@})')),
        ], '-For'),
      ]),
      b.row('Alerts', 'No alert fires', height=6, panels=[
        b.firing('Alerts of nodes', 'Alerts of nodes that fire now.', function(selector) selector(',alertname=~".*Node.*"')),
      ]),
      b.row('What it costs', 'No node was out of service', height=4, panels=[
        b.stat('Node hours', 'Hours for which nodes were out of service in the time shown, summed over nodes. Planned is what a reservation with MAINT takes, or a cause that the site calls planned.', 'locale', hours('seconds')) + b.whole,
        b.stat('CPU hours', 'Hours for which nodes were out of service in the time shown, times their CPUs that no job held.', 'locale', hours('cpu_seconds')) + b.whole,
        b.stat('GPU hours', 'Hours for which nodes were out of service in the time shown, times their GPUs that no job held.', 'locale', hours('gpu_seconds')) + b.whole + b.empty('No node with GPUs was out of service'),
      ] + (if !prices then [] else [
             b.stat('Cost', 'What these would have cost jobs, each moment at the price of then. GPUs count if there is a price of any type.', money, [
               ['cost', chosen(lostMoney())],
             ]),
           ])),
      b.row('Causes over time', 'No node was out of service', height=9, panels=[
        b.graph('Nodes out, by cause', 'How many nodes were out of service at each moment. The site may name causes by its reasons (--nodes.cause).', 'short', [
          ['{{cause}}', outNow('seconds')],
        ]) + b.stacked,
        b.graph('CPUs out, by cause', 'How many CPUs were on them that no job held.', 'short', [
          ['{{cause}}', outNow('cpu_seconds')],
        ]) + b.stacked,
        b.table('Lost, by partition and cause', 'What was lost in the time shown, and how many outages ended in it. A node in several partitions counts in each.', [
          b.key('partition', 'Partition', [b.to('This partition', 'drain', { partition: '${__value.text}' }), b.to('Partitions', 'partitions', { partition: '${__value.text}' })]),
          b.key('kind', 'Kind'),
          b.key('cause', 'Cause', [b.to('This cause', 'drain', { cause: '${__value.text}' })]),
        ], [
          b.column('Node hours', 'locale', lostBy('seconds', ' / 3600')) + b.count,
          b.column('CPU hours', 'locale', lostBy('cpu_seconds', ' / 3600')) + b.count,
          b.column('GPU hours', 'locale', lostBy('gpu_seconds', ' / 3600')) + b.count,
          b.column('GiB hours', 'locale', lostBy('memory_byte_seconds', ' / 3600 / 2^30')) + b.count,
          b.column('Outages ended', 'locale', 'sum by (@, partition, kind, cause) (increase(slurm_partition_node_outages_ended_total{@,partition=~"$partition",cause=~"$cause"}[$__range])) > 0') + b.count,
        ] + (if !prices then [] else [
               b.column('Cost', 'prefix:' + b.config.cost.currency, lostMoney(ofEach)('partition', ',partition=~"$partition"') + ' > 0') + { properties+: { decimals: 2 } },
             ]), '-Node hours') + b.wide(24),
      ]),
      b.row('How well they stay', 'Not known yet: it needs a full hour', height=9, panels=[
        b.table('Partitions', 'Share of node time in service, and the same without what was planned. Time to repair (MTTR) and between failures of a node (MTBF) are of unplanned outages that ended.', [
          b.key('partition', 'Partition', [b.to('This partition', 'drain', { partition: '${__value.text}' })]),
        ], [
          b.column(fill('%s, last %s', [what[1], window]), 'percentunit', ofPartition(what[0], window)) + b.cellBelow('available')
          for what in [['in_service:ratio', 'In service'], ['availability:ratio', 'Available']]
          for window in windows
        ] + [
          b.column('Time to repair', 's', ofPartition('time_to_repair_seconds:mean', long)),
          b.column('Between failures', 's', ofPartition('time_between_failures_seconds:mean', long)),
        ], 'Available, last ' + long) + b.wide(14),
        b.table('How long they last, by cause', 'Outages of the cluster that ended in the time shown: how many, and how long they had lasted.', [
          b.key('cause', 'Cause'),
        ], [
          b.column('Ended', 'locale', duration('count', 'cause') + ' > 0') + b.count,
          b.column('Mean', 's', fill('%s / (%s > 0)', [duration('sum', 'cause'), duration('count', 'cause')])),
          b.column('Median', 's', durationQuantile(0.5)),
          b.column('P95', 's', durationQuantile(0.95)),
        ], '-Ended') + b.empty('No outage ended'),
        b.graph('Available, last ' + windows[0], 'Of the time before each moment, without what was planned to be out; the ten partitions with the least.', 'percentunit', [
          ['{{partition}}', b.lowest(10, '(@, partition)', fill('cluster_partition:slurm_node_availability:ratio%s{^,partition=~"$partition"}', windows[0]))],
        ]) + b.free + b.wide(24),
      ]),
      b.row('Again and again', 'No node', height=9, panels=[
        b.table('Nodes that come and go', fill('Nodes that left service more than once in the last %s, or booted unexpectedly more than once in the last %s. With --nodes.per-node=full boots count of nodes, too, that return at once.', [b.config.nodeFlapping.window, b.config.nodeReboots.window]), [
          nodeKey,
        ], [
          b.column('Outages, last ' + b.config.nodeFlapping.window, 'locale', flapping),
          b.column('Unexpected boots, last ' + b.config.nodeReboots.window, 'locale', reboots),
          b.column('Booted', 'dateTimeFromNow', ofUnsteady('1000 * max by (@, node) (slurm_node_boot_timestamp_seconds{@})')),
        ], '-Outages, last ' + b.config.nodeFlapping.window) + b.empty('No node comes and goes') + b.wide(12),
        b.graph('Went and came, per hour', 'Nodes that went down, were drained, came back or booted, as if it went on for an hour. Boots that Slurm was asked for do not count.', 'short', [
          ['{{to}}', chosen(function(entity, where) fill('3600 * sum by (to) (rate(slurm_%s_node_transitions_total{@%s}[$__rate_interval])) > 0', [entity, where]))],
        ]) + b.empty('Nothing happened') + b.stacked,
        b.graph('On their way', 'Nodes that boot, save power, wake up, or wait for their last process to end. They do not count as out of service.', 'short', [
          ['{{flag}}', chosen(function(entity, where) fill('sum by (flag) (slurm_%s_nodes_flagged{@,flag=~"completing|powering_up|powering_down|reboot_requested|reboot_issued"%s}) > 0', [entity, where]))],
        ]) + b.empty('None'),
      ]),
    ],
  )
