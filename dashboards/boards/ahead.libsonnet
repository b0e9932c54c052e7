local fill = (import '../texts.libsonnet').fill;

function(b)
  local of = b.config.ahead;
  // What is recorded, of all clusters that are chosen.
  local recorded(operation, name) = fill('%s(%s{^})', [operation, name]);
  // What is now stands out of what was usual.
  local usualColours = b.colours({ now: 'green', usual: 'blue', 'usual, high': 'gray', 'usual, low': 'gray' });
  // Each with what was usual at this hour (rules/ahead.libsonnet).
  local asUsual(title, description, unit, operation, name) = b.graph(title, description, unit, [
    ['now', recorded(operation, name)],
    ['usual', recorded(operation, name + '_usual')],
    ['usual, high', recorded(operation, name + '_usual_high')],
    ['usual, low', recorded(operation, name + '_usual_low')],
  ]) + usualColours;
  // The usual day of a week, with that of the four weeks before; of several clusters the largest.
  local byWeeks(title, description, unit, name, week=name + '_week') = b.graph(title, description, unit, [
    ['last week', fill('max(%s{^})', week)],
    ['four weeks before', fill('max(%s_month{^})', name)],
  ]);
  local load = 'cluster_user:slurm_user_rpc_seconds:rate1h';
  local spent = 'max by (@, account, user, partition, resource) (cluster_association_resource:slurm_association_budget:%s{^})';

  b.board(
    'ahead',
    'Ahead',
    'What is usual at this hour and from week to week, what is not, and where queues, tables and budgets go.',
    variables=[],
    time='now-7d',
    annotations=[b.firingAt(function(family) family(',alertname=~"Slurm.+(Unusual|Rising|Shrinking|Falling|SoonFull|SoonSpent)"'))],
    rows=[
      b.row('Now', 'Not known before two weeks have passed', height=4, panels=[
        b.stat('Submissions', 'How many times the usual of this hour; below 1 there are fewer. Single arrays do not count.', 'short', [
          ['times', 'max(cluster:slurm_job_submissions:sustained1h_per_usual{^})'],
        ]) + b.above('timesUsual'),
        b.stat('Users beyond their usual', fill('Users who load slurmctld more than %g times as much as at this hour of the last weeks.', of.userLoad.times), 'short', [
          ['users', fill('count(%s{^} > %g and on (@, user) %s{^} > %g * %s_usual_high{^}) or 0 * count(%s_usual_high{^})', [load, of.userLoad.share, load, of.userLoad.times, load, load])],
        ]) + b.above('some'),
        b.stat('Lost all day', 'Part of the CPUs that was out of service for the whole of the last day.', 'percentunit', [
          ['CPUs', 'max(cluster:slurm_cpus_lost_per_cpu:min1d{^})'],
        ]) + b.empty('Not known before an hour has passed') + b.above('out'),
        b.stat('Job table in a day', fill('Part of MaxJobCount in a day, at the pace of the last %s.', of.jobTable.trend), 'percentunit', [
          ['of MaxJobCount', 'max(cluster:slurm_controller_job_records:ahead1d{^} / on (@) max by (@) (slurm_controller_max_job_records{@}))'],
        ]) + b.empty('MaxJobCount is known from Slurm 26.05 on') + b.above('jobTable'),
        b.stat('Next budget to be spent', 'In how long, at the pace of the last week.', 's', [
          ['{{account}} {{user}} {{partition}}: {{resource}}', fill('bottomk(1, %s)', fill(spent, 'seconds_left_by_week'))],
        ]) + b.empty('No budget is being used up, or slurmdbd tells of none') + b.below('budgetLeft'),
      ]),
      b.row('As usual?', 'Nothing yet; what is usual is known after two weeks', height=8, panels=[
        asUsual('Submissions in an hour', 'Twice those of the lesser half of the hour, so without single arrays.', 'short', 'sum', 'cluster:slurm_job_submissions:sustained1h'),
        asUsual('Jobs that could start', 'Jobs that wait only for their turn.', 'short', 'sum', 'cluster:slurm_startable_jobs:sum'),
        asUsual('Failures in an hour', 'Jobs that failed, not those that were cancelled or reached their limit.', 'short', 'sum', 'cluster:slurm_job_failures:increase1h') + b.wide(12),
        asUsual('Wait', 'Half of the jobs that started in the last hour had waited longer.', 's', 'max', 'cluster:slurm_partition_job_eligible_wait_seconds:p50_rate1h') + b.wide(12),
        asUsual('CPUs in use', 'Part of all CPUs that jobs hold; of several clusters the mean.', 'percentunit', 'avg', 'cluster:slurm_cpus_allocated_per_cpu:ratio') + b.wide(12),
        b.graph('Energy in an hour', 'Of the jobs that ended in it, in kilowatt-hours, where an energy plugin measures it.', 'kwatth', [
          [one[0], fill('sum(cluster:slurm_ended_job_energy_joules:increase1h%s{^}) / 3600000', one[1])]
          for one in [['now', ''], ['usual', '_usual'], ['usual, high', '_usual_high'], ['usual, low', '_usual_low']]
        ]) + usualColours + b.empty('No energy plugin, or no slurmdbd') + b.wide(12),
      ]),
      b.row('From week to week', 'Not known before three weeks have passed', height=8, panels=[
        byWeeks('Jobs that fail', 'Part of the jobs that failed on the usual day.', 'percentunit', 'cluster:slurm_job_failures_per_job_end:ratio_increase1d'),
        byWeeks('Jobs that end for each CPU', 'Completed and failed jobs on the usual day, for each CPU that jobs held. Fewer means that jobs run longer.', 'short', 'cluster:slurm_job_ends_per_cpu:increase1d'),
        byWeeks('Memory for each CPU', 'Memory that jobs held for each of their CPUs on the usual day.', 'bytes', 'cluster:slurm_job_memory_bytes_per_cpu:avg1d'),
        byWeeks('CPUs out of service', 'Part of the CPUs that was out of service all day: of the last day, and usually.', 'percentunit', 'cluster:slurm_cpus_lost_per_cpu:min1d', week='cluster:slurm_cpus_lost_per_cpu:min1d'),
      ]),
      b.row('Forecasts', 'Not known yet', height=8, panels=[
        b.graph('Waiting jobs, as forecast a day before', 'What was forecast for this moment, and how many there are. The forecast is the usual of that hour, and what was beyond the usual then.', 'short', [
          ['now', recorded('sum', 'cluster:slurm_startable_jobs:sum')],
          ['forecast', 'sum(cluster:slurm_startable_jobs:ahead1d{^} offset 1d)'],
        ]),
        b.graph('Job records', fill('In slurmctld: now, and in a day at the pace of the last %s.', of.jobTable.trend), 'short', [
          ['now', 'sum(slurm_controller_job_records{@})'],
          ['in a day', recorded('sum', 'cluster:slurm_controller_job_records:ahead1d')],
        ]),
        b.graph('Queue to slurmdbd, now and ahead', fill('Messages for slurmdbd: now, and in four hours at the pace of the last %s.', b.config.accountingQueue.trend), 'short', [
          ['now', 'sum(slurm_dbd_agent_queue{@})'],
          ['in four hours', recorded('sum', 'cluster:slurm_dbd_agent_queue:ahead4h')],
        ]) + b.empty('No slurmdbd'),
        b.graph('State file', 'Its size, and in four weeks at the pace of the last week.', 'bytes', [
          ['now', 'sum(slurmscope_state_bytes{@})'],
          ['in four weeks', recorded('sum', 'cluster:slurmscope_state_bytes:ahead4w')],
        ]) + b.empty('No state file (--state.path)'),
        b.table('Budgets that are spent first', fill('At the pace of the last week, and of the last %s.', b.config.budgets.window), [
          b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
          b.key('user', 'User'),
          b.key('partition', 'Partition'),
          b.key('resource', 'Resource'),
        ], [
          b.column('Spent in', 's', fill('bottomk(20, %s)', fill(spent, 'seconds_left_by_week'))) + b.cellBelow('budgetLeft'),
          b.column(fill('By the last %s', b.config.budgets.window), 's', spent % 'seconds_left' + fill(' and on (@, account, user, partition, resource) bottomk(20, %s)', (spent % 'seconds_left_by_week'))),
        ], 'Spent in') + b.wide(9) + b.empty('No budget is being used up, or slurmdbd tells of none'),
      ]),
    ],
  )
