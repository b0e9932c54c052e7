local fill = (import '../texts.libsonnet').fill;

function(b)
  local rate(family, by='') = fill('sum %s(rate(%s{@}[$__rate_interval]))', [if by == '' then '' else fill('by (%s) ', by), family]);
  local mean(sum, count, by='') = fill('%s / (%s > 0)', [rate(sum, by), rate(count, by)]);

  b.board(
    'scheduler',
    'Scheduler and RPC',
    'Whether slurmctld and slurmdbd keep up: scheduling cycles, backfill, threads, queues, and who asks them for what.',
    variables=[],
    rows=[
      b.row('Is it well?', 'Not known', height=4, panels=[
        b.stat('Controllers', 'Each slurmctld, primary and backups, as scontrol ping sees it.', 'short', [
          ['{{controller}}', 'min by (@, controller) (slurm_controller_up{@})'],
        ]) + b.upOrDown,
        b.stat('slurmdbd', 'Whether it answers.', 'short', [['slurmdbd', 'min(slurm_dbd_up{@})']]) + b.empty('No slurmdbd') + b.upOrDown,
        b.stat('Threads', fill('Threads of slurmctld that serve requests; there are %d at most.', b.config.threads.max), 'short', [
          ['threads', 'max(slurm_controller_threads{@})'],
        ]) + b.above('threads'),
        b.stat('Queue to slurmdbd', 'What slurmctld keeps until slurmdbd takes it. If it grows, slurmdbd is away or slow.', 'short', [
          ['messages', 'max(slurm_dbd_agent_queue{@})'],
        ]) + b.empty('No slurmdbd') + b.above('accountingQueue'),
        b.stat('Queue to nodes', 'Messages to nodes that wait in slurmctld. If it stays high, nodes do not answer.', 'short', [
          ['messages', 'max(slurm_controller_agent_queue{@})'],
        ]) + b.above('agentQueue'),
        b.stat('Last backfill', 'How long ago the last cycle of the backfill scheduler ran.', 's', [
          ['age', 'time() - min(slurm_backfill_last_cycle_timestamp_seconds{@})'],
        ]) + b.empty('No backfill') + b.above('backfillAge'),
        b.stat('Job records', "Records in slurmctld, of MaxJobCount: when it is full, submissions are refused. An array's tasks that are not split off are one record.", 'percentunit', [
          ['of MaxJobCount', 'max(slurm_controller_job_records{@} / slurm_controller_max_job_records{@})'],
        ]) + b.above('jobTable') + b.bounds(0, 1),
      ]),
      b.row('Main scheduler', 'Not known', height=8, panels=[
        b.graph('Cycle', 'Length of the cycles: the mean, and the last one.', 's', [
          ['mean', mean('slurm_scheduler_cycle_seconds_total', 'slurm_scheduler_cycles_total')],
          ['last', 'max(slurm_scheduler_last_cycle_seconds{@})'],
        ]),
        b.graph('Cycles per minute', 'How often it runs. None, with jobs in the queue: it is stuck.', 'short', [
          ['cycles', '60 * ' + rate('slurm_scheduler_cycles_total')],
        ]),
        b.graph('Queue and depth', 'Jobs in the queue of the last cycle, and how many a cycle looked at.', 'short', [
          ['queue', 'max(slurm_scheduler_queue_length{@})'],
          ['looked at', mean('slurm_scheduler_depth_total', 'slurm_scheduler_cycles_total')],
        ]),
        b.graph('Why cycles ended', 'Cycles per minute by reason; all but end_job_queue are limits that were reached.', 'short', [
          ['{{reason}}', '60 * ' + rate('slurm_scheduler_exits_total', 'reason') + ' > 0'],
        ]) + b.stacked,
      ]),
      b.row('Backfill', 'No backfill scheduler', height=8, panels=[
        b.graph('Backfill cycle', 'Length of the backfill cycles: the mean, and the last one.', 's', [
          ['mean', mean('slurm_backfill_cycle_seconds_total', 'slurm_backfill_cycles_total')],
          ['last', 'max(slurm_backfill_last_cycle_seconds{@})'],
        ]),
        b.graph('Backfill queue and depth', 'Jobs in the queue, jobs that a cycle looked at, and that it tried to start.', 'short', [
          ['queue', mean('slurm_backfill_queue_length_total', 'slurm_backfill_cycles_total')],
          ['looked at', mean('slurm_backfill_depth_total', 'slurm_backfill_cycles_total')],
          ['tried', mean('slurm_backfill_depth_tried_total', 'slurm_backfill_cycles_total')],
        ]),
        b.graph('Jobs started', 'Jobs that backfill started, per hour.', 'short', [
          ['jobs', '3600 * ' + rate('slurm_backfill_jobs_total')],
          ['components of heterogeneous jobs', '3600 * ' + rate('slurm_backfill_het_jobs_total')],
        ]),
        b.graph('Why backfill cycles ended', 'Cycles per minute by reason; all but end_job_queue are limits that were reached.', 'short', [
          ['{{reason}}', '60 * ' + rate('slurm_backfill_exits_total', 'reason') + ' > 0'],
        ]) + b.stacked,
      ]),
      b.row('Load of slurmctld', 'Not known', height=8, panels=[
        b.graph('Threads and agents', 'Threads that serve requests, and agents that send messages to nodes.', 'short', [
          ['threads', 'max(slurm_controller_threads{@})'],
          ['agents', 'max(slurm_controller_agents{@})'],
        ]),
        b.graph('Queues', 'Messages that wait for nodes, and for slurmdbd.', 'short', [
          ['for nodes', 'max(slurm_controller_agent_queue{@})'],
          ['for slurmdbd', 'max(slurm_dbd_agent_queue{@})'],
        ]),
        b.graph('Requests that were dropped', 'By type, in a second: their clients got an error.', 'ops', [
          ['{{message_type}}', rate('slurm_rpc_dropped_total', 'message_type')],
        ]) + b.empty('None, or Slurm does not tell'),
        b.graph('Requests queued', 'Requests that wait because of a limit for their type, and those to nodes.', 'short', [
          ['{{message_type}}', 'sum by (message_type) (slurm_rpc_queued{@})'],
          ['{{message_type}}, to nodes', 'sum by (message_type) (slurm_rpc_pending{@})'],
        ]) + b.empty('None, or Slurm does not tell'),
        b.graph('Ping', 'How long slurmctld took to answer.', 's', [
          ['{{controller}}', 'max by (@, controller) (slurm_controller_ping_seconds{@})'],
        ]),
      ]),
      b.row('Who asks slurmctld', 'No requests, or Slurm does not tell of them', height=8, panels=[
        b.graph('Requests by type', 'Per second; the ten most frequent in the time shown.', 'ops', [
          ['{{message_type}}', b.mostPerSecond(10, '(message_type)', 'slurm_rpc_requests_total{@}')],
        ]) + b.stacked,
        b.graph('Time by type', 'Seconds in a second that slurmctld spent, waiting for locks included; the ten most expensive in the time shown.', 'short', [
          ['{{message_type}}', b.mostPerSecond(10, '(message_type)', 'slurm_rpc_seconds_total{@}')],
        ]) + b.stacked,
        b.table('Users', 'What slurmctld did for whom in the time shown; the twenty most expensive.', [
          b.key('user', 'User', [b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
        ], [
          b.column('Time', 's', 'topk(20, sum by (@, user) (increase(slurm_user_rpc_seconds_total{@}[$__range])))'),
          b.column('Requests', 'short', |||
            sum by (@, user) (increase(slurm_user_rpc_requests_total{@}[$__range]))
              and on (@, user) topk(20, sum by (@, user) (increase(slurm_user_rpc_seconds_total{@}[$__range])))
          |||),
        ], '-Time'),
      ]),
      b.row('slurmdbd', 'No slurmdbd', height=8, collapsed=true, panels=[
        b.graph('Requests to slurmdbd by type', 'What slurmdbd is asked, per second; the ten most frequent in the time shown.', 'ops', [
          ['{{message_type}}', b.mostPerSecond(10, '(message_type)', 'slurm_dbd_rpc_requests_total{@}')],
        ]) + b.stacked,
        b.graph('Time of slurmdbd by type', 'Seconds in a second that slurmdbd spent; the ten most expensive in the time shown.', 'short', [
          ['{{message_type}}', b.mostPerSecond(10, '(message_type)', 'slurm_dbd_rpc_seconds_total{@}')],
        ]) + b.stacked,
        b.graph('Time of slurmdbd by user', 'Seconds in a second that slurmdbd spent; the ten most expensive in the time shown.', 'short', [
          ['{{user}}', b.mostPerSecond(10, '(@, user)', 'slurm_dbd_user_rpc_seconds_total{@}')],
        ]) + b.stacked,
        b.table('Roll-ups', 'When slurmdbd last summed up usage, and how long that took.', [b.key('trigger', 'Wanted by')], [
          b.column('Last', 'dateTimeFromNow', '1000 * max by (@, trigger) (slurm_dbd_rollup_timestamp_seconds{@})'),
          b.column('Took', 's', 'max by (@, trigger) (slurm_dbd_rollup_seconds{@})'),
        ], 'Wanted by'),
      ]),
    ],
  )
