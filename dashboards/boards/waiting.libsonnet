local fill = (import '../texts.libsonnet').fill;
local owner = ',user=~"$user",account=~"$account"';
local people = { partition: ',partition=~"$partition"', qos: ',qos=~"$qos"', account: ',account=~"$account"', user: owner };

function(b)
  local rows = (import 'rows.libsonnet')(b);
  local where = owner + rows.among('partition') + rows.among('qos');
  local waits = rows.waits(where);
  // Of all, or of what is chosen.
  local chosen(expr) = b.chosen(expr('cluster', ''), [[of, expr(of, people[of])] for of in ['partition', 'qos', 'account', 'user']]);
  local job = '(@, jobid)';
  local each(expr) = fill('max by %s (%s)', [job, expr]);
  local labels = fill('max by (@, jobid, name, user, account, partition, qos) (last_over_time(slurm_pending_job_info{@%s}[$__range]))', where);
  // Of jobs that waited in the time shown and have started.
  local started = each('last_over_time(slurm_job_start_timestamp_seconds{@}[$__range] @ end()) or last_over_time(slurm_ended_job_start_timestamp_seconds{@}[$__range] @ end())');
  local forecast = each('slurm_pending_job_expected_start_timestamp_seconds{@}');
  local lastForecast = each('last_over_time(slurm_pending_job_expected_start_timestamp_seconds{@}[$__range])');
  local hourBefore = fill('last_over_time((%s and on %s (%s - 3600 >= time()))[$__range:1m])', [forecast, job, started]);
  local ofThose(expr) = fill('%s\n  and on %s %s', [expr, job, labels]);
  local latest(expr) = fill('%s\n  and on %s topk(%d, %s\n  and on %s %s)', [expr, job, b.config.boards.jobs, ofThose(started), job, lastForecast]);
  b.board(
    'waiting',
    'Waiting',
    'Why jobs wait and what their users can do, which place they have, and whether forecasts of their start hold. `sprio -j ID` says what makes a job’s priority, which slurmrestd does not tell. How long jobs wait is on Queue and waits.',
    variables=[
      b.variable('user', 'User', 'slurm_user_job_cpus{@}'),
      b.variable('account', 'Account', 'slurm_account_job_cpus{@}'),
      b.variable('partition', 'Partition', 'slurm_partition_info{@}'),
      b.variable('qos', 'QOS', 'slurm_qos_jobs{@}'),
    ],
    rows=[
      b.row('Why', 'No jobs wait', height=8, panels=[
        b.table('Reasons', 'How many jobs wait for each reason, and what their users can do; of several choices the later variable counts.', [
          b.key('reason', 'Reason'),
          b.key('class', 'Class'),
          rows.words,
        ], [
          b.column('Jobs', 'locale', rows.inWords(chosen(function(of, where) fill('sum by (@, class, reason) (slurm_%s_pending_jobs{@%s}) > 0', [of, where])))),
        ], '-Jobs') + b.wide(24),
        b.bars('Oldest in class', 'How long the oldest job of each class has waited since its submission; of several choices the later variable counts.', 's', [
          ['{{class}}', chosen(function(of, where) fill('time() - min by (class) (slurm_%s_oldest_pending_timestamp_seconds{@%s})', [of, where]))],
        ]) + b.wide(12) + b.links([b.to('Queue and waits', 'queue')]),
        b.table('Limits that hold jobs', 'How many jobs of each account a limit keeps from starting.', [
          b.key('account', 'Account', [b.to('Its limits', 'limits', { account: '${__value.text}' }), b.to('Its budgets', 'budgets', { account: '${__value.text}' })]),
          b.key('reason', 'Reason'),
        ], [
          b.column('Jobs', 'locale', b.people(function(of, where) fill('sum by (@, account, reason) (slurm_%s_pending_jobs{@,class="limit"%s}) > 0', [of, where]))),
        ], '-Jobs') + b.empty('No limit holds jobs') + b.wide(12),
      ]),
      b.row('Jobs', 'No jobs wait', height=12, panels=[
        rows.shown('Wait', 'Jobs that are shown below.', waits, 'slurm_pending_job_info') + b.wide(24) + b.high(3),
        rows.waiting(
          'Jobs that wait',
          'The place is by priority, among jobs with rows that could start in the partition. Jobs without a row, or of several partitions, may come in between. From the eleventh on it is rounded down to 11, 21, 51 or 101. slurmrestd does not tell what a priority is made of: `sprio -j ID` does.',
          waits,
          [rows.place(waits)],
        ) + b.wide(24),
      ]),
      b.row('Forecasts and what happened', 'No job with a forecast started', height=9, panels=[
        b.stat('Later than forecast', 'By how much jobs started later than slurmctld had forecast an hour before their start; below zero: earlier.', 's', [
          [one[0], fill('quantile(%g, %s)', [one[1], ofThose(fill('%s - %s', [started, hourBefore]))])]
          for one in [['median', 0.5], ['P95', 0.95]]
        ]) + b.wide(4),
        b.table('Forecast and start', fill('Jobs that started in the time shown, the latest %d: what slurmctld had forecast last and an hour before, and how much later they started. Below zero: earlier.', b.config.boards.jobs), [
          b.key('jobid', 'Job', [b.to('This job', 'job', { jobid: '${__value.text}' })]),
          b.key('name', 'Name'),
          b.key('user', 'User'),
          b.key('account', 'Account'),
          b.key('partition', 'Partition'),
          b.key('qos', 'QOS'),
        ], [
          b.column('is', 'short', latest(labels)) + b.cellHidden,
          b.column('Started', 'dateTimeFromNow', '1000 * ' + latest(started)),
          b.column('Last forecast', 'dateTimeFromNow', '1000 * ' + latest(lastForecast)),
          b.column('Later than this', 's', latest(fill('(%s - %s)', [started, lastForecast]))),
          b.column('Forecast an hour before', 'dateTimeFromNow', '1000 * ' + latest(hourBefore)),
          b.column('Later than that', 's', latest(fill('(%s - %s)', [started, hourBefore]))),
        ], '-Started'),
        b.graph('Later than the first forecast', 'How much later jobs started than slurmctld had first forecast, of those that did not start earlier. Jobs without rows count, too.', 's', [
          [one[0], b.quantile(one[1], 'slurm_partition_job_start_after_forecast_seconds', ',partition=~"$partition"')]
          for one in [['P50', 0.5], ['P95', 0.95]]
        ]) + b.empty('No job with a forecast started, or no slurmdbd') + b.wide(12) + b.high(7),
        b.graph('Earlier than the first forecast', 'How much earlier jobs started than slurmctld had first forecast, of those that did. Jobs without rows count, too.', 's', [
          [one[0], b.quantile(one[1], 'slurm_partition_job_start_before_forecast_seconds', ',partition=~"$partition"')]
          for one in [['P50', 0.5], ['P95', 0.95]]
        ]) + b.empty('No job with a forecast started earlier, or no slurmdbd') + b.wide(12) + b.high(7),
      ]),
    ],
  )
