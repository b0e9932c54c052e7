local fill = (import '../texts.libsonnet').fill;
local places = 'partition=~"$partition"';
local people = 'user=~"$user",account=~"$account"';

function(b)
  // Of a family, with what it is selected by: those of partitions, or if somebody is chosen those of accounts or users.
  local chosen(expr) = b.chosen(expr('partition', ',' + places), [
    ['account', expr('account', ',account=~"$account"')],
    ['user', expr('user', ',' + people)],
  ]);
  local ends(states) = chosen(function(entity, where) b.ends(fill('slurm_%s_job_ends_total', entity), states, '', where));
  local runTime(quantile) = chosen(function(entity, where) b.quantile(quantile, fill('slurm_%s_job_runtime_seconds', entity), where));
  local failed = b.people(function(entity, where) b.ends(fill('slurm_%s_job_ends_total', entity), b.failed, '(@, account)', where));
  local ofThose(expr) = fill('(%s)\n  and on (@, account) topk(20, %s > 0)', [expr, failed]);
  b.board(
    'jobs',
    'Jobs and failures',
    'How jobs end: in which partitions, on which nodes, and whose jobs; how long they run and what of their resources they use.',
    variables=[
      b.variable('partition', 'Partition', 'slurm_partition_info{@}'),
      b.variable('account', 'Account', 'slurm_account_job_cpus{@}'),
      b.variable('user', 'User', 'slurm_user_job_cpus{@,account=~"$account"}'),
    ],
    annotations=[b.restarts, b.drains],
    rows=[
      b.row('In the time shown, in the partitions chosen; of accounts or users, if some are chosen', 'No jobs ended', height=4, panels=[
        b.stat('Ended', 'Jobs that ended, however they did.', 'short', [
          ['jobs', ends('.*')],
        ]) + b.whole,
        b.stat('Failed', 'Jobs that failed: by themselves, by a node, at boot, or out of memory.', 'short', [
          ['jobs', ends(b.failed)],
        ]) + b.whole,
        b.stat('Failure rate', 'Failed ones, of those that completed or failed.', 'percentunit', [
          ['failed', chosen(function(entity, where) b.failureRatio(fill('slurm_%s_job_ends_total', entity), '', where))],
        ]) + b.above('failures') + b.bounds(0, 1),
        b.stat('Timeouts', 'Jobs that reached their time limit.', 'short', [
          ['jobs', ends('timeout')],
        ]) + b.whole,
        b.stat('Out of memory', 'Jobs that were killed because they used more memory than they had.', 'short', [
          ['jobs', ends('out_of_memory')],
        ]) + b.whole,
        b.stat('By nodes', 'Jobs that ended because a node failed or did not boot.', 'short', [
          ['jobs', ends('node_fail|boot_fail')],
        ]) + b.above('some') + b.whole,
      ]),
      b.row('When', 'No jobs ended', height=8, panels=[
        b.graph('Ends per hour', 'Jobs that ended, by how, as if it went on for an hour.', 'short', [
          ['{{state}}', chosen(function(entity, where) fill('3600 * sum by (state) (rate(slurm_%s_job_ends_total{@%s}[$__rate_interval])) > 0', [entity, where]))],
        ]) + b.stacked + b.jobColours,
        b.graph('Failure rate by partition', 'Failed ones, of the jobs that completed or failed in the last hour.', 'percentunit', [
          ['{{partition}}', b.recordedFailures('partition', ',' + places)],
        ]) + b.bounds(0, 1),
        b.graph('Exits per hour', 'Jobs that completed, failed or ran out of memory, by what their script gave back: zero, another code, or a signal.', 'short', [
          ['{{class}}', fill('3600 * sum by (class) (rate(slurm_partition_job_exits_total{@,%s}[$__rate_interval]))', places)],
        ]) + b.stacked,
      ]),
      b.row('Whose', 'No jobs failed', height=9, panels=[
        b.table('Partitions', 'Ends in the time shown; the rate is that of failed jobs among those that completed or failed. Surely above: the lower bound of the rate in the last hour, at 97.5 % confidence; of few jobs little can be said.', [
          b.key('partition', 'Partition', [b.to('Partitions', 'partitions', { partition: '${__value.text}' })]),
        ], [
          b.column('Ended', 'short', b.ends('slurm_partition_job_ends_total', '.*', '(@, partition)', ',' + places)) + b.count,
          b.column('Failed', 'short', b.ends('slurm_partition_job_ends_total', b.failed, '(@, partition)', ',' + places)) + b.count,
          b.column('Rate', 'percentunit', b.failureRatio('slurm_partition_job_ends_total', '(@, partition)', ',' + places)) + b.cellAbove('failures'),
          b.column('Surely above', 'percentunit', b.surelyFailed('partition', ',' + places)),
        ], '-Failed') + b.empty('No jobs ended'),
        b.table('Accounts', 'The twenty accounts with the most failed jobs in the time shown.', [
          b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
        ], [
          b.column('Failed', 'short', fill('topk(20, %s > 0)', failed)) + b.count,
          b.column('Rate', 'percentunit', ofThose(b.people(function(entity, where) b.failureRatio(fill('slurm_%s_job_ends_total', entity), '(@, account)', where)))) + b.cellAbove('failures'),
          b.column('Surely above', 'percentunit', ofThose(b.surelyFailed('account', ',account=~"$account"'))),
        ], '-Failed'),
        b.table('Users', 'The twenty users with the most failed jobs in the time shown.', [
          b.key('user', 'User', [b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
        ], [
          b.column('Failed', 'short', fill('topk(20, %s > 0)', b.ends('slurm_user_job_ends_total', b.failed, '(@, user)', ',' + people))) + b.count,
          b.column('Rate', 'percentunit', fill(|||
            %s
              and on (@, user) topk(20, %s > 0)
          |||, [
            b.failureRatio('slurm_user_job_ends_total', '(@, user)', ',' + people),
            b.ends('slurm_user_job_ends_total', b.failed, '(@, user)', ',' + people),
          ])) + b.cellAbove('failures'),
        ], '-Failed'),
        b.table('Nodes', 'The twenty nodes on which the most jobs failed in the time shown: a black hole fails one job after the other. A failed job counts on its first node or, where that is known, on the one that failed.', [
          b.key('node', 'Node', [b.to('Nodes', 'nodes', { node: '${__value.text}' })]),
          b.key('kind', 'How'),
        ], [
          b.column('Jobs', 'short', fill('topk(20, sum by (@, node, kind) (%s) > 0)', b.grown('slurm_node_job_failures_total{@}', '$__range'))) + b.count,
        ], '-Jobs'),
      ]),
      b.row('How they run', 'No jobs ended', height=8, collapsed=true, panels=[
        b.graph('Run time', 'Of the jobs that ended; those of users need jobs.histograms: users.', 's', [
          ['P50', runTime(0.5)],
          ['P95', runTime(0.95)],
        ]),
        b.heatmap('Run time, of the time limit',
                  'Jobs that ended, by the part of their time limit that they ran: far below 1, backfill cannot plan.',
                  'percentunit',
                  fill('sum by (le) (increase(slurm_partition_job_time_limit_ratio_bucket{@,%s}[$__rate_interval]))', places)),
        b.heatmap('CPU efficiency',
                  'Jobs that ended, by the part of their CPU time that they used.',
                  'percentunit',
                  fill('sum by (le) (increase(slurm_partition_job_cpu_efficiency_ratio_bucket{@,%s}[$__rate_interval]))', places)) + b.empty('No jobs of which slurmdbd tells what they used'),
        b.heatmap('Memory efficiency',
                  'Jobs that ended, by the part of their memory that they used at most.',
                  'percentunit',
                  fill('sum by (le) (increase(slurm_partition_job_memory_efficiency_ratio_bucket{@,%s}[$__rate_interval]))', places)) + b.empty('No jobs of which slurmdbd tells what they used'),
      ]),
      b.row('How large they are', 'No jobs started', height=8, collapsed=true, panels=[
        b.heatmap('Size in CPUs',
                  'Jobs that started, by their CPUs.',
                  'short',
                  fill('sum by (le) (increase(slurm_partition_job_size_cpus_bucket{@,%s}[$__rate_interval]))', places)),
        b.heatmap('Size in nodes',
                  'Jobs that started, by their nodes.',
                  'short',
                  fill('sum by (le) (increase(slurm_partition_job_size_nodes_bucket{@,%s}[$__rate_interval]))', places)),
        b.graph('Flags', 'Jobs that are just being configured, completing, requeued and so on.', 'short', [
          ['{{flag}}', chosen(function(entity, where) fill('sum by (flag) (slurm_%s_jobs_flagged{@%s})', [entity, where]))],
        ]) + b.empty('No jobs'),
      ]),
    ],
  )
