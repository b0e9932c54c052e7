local accounts = ',account=~"$account"';
local people = ',user=~"$user",account=~"$account"';

function(b)
  // Used, of what was allocated, of the jobs that ended.
  local used(entity, what, labels, where) =
    'sum %s(increase(slurm_%s_ended_job_%s_total{@%s}[$__range]))' % [if labels == '' then '' else 'by ' + labels + ' ', entity, what, where];
  local efficiency(entity, labels, where='') =
    '%s / (%s > 0)' % [used(entity, what, labels, where) for what in ['used_cpu_seconds', 'allocated_cpu_seconds']];
  local waste(entity, labels, where='') =
    '1 - %s / (%s > 0)' % [used(entity, what, labels, where) for what in ['peak_memory_byte_seconds', 'allocated_memory_byte_seconds']];
  local held(entity, labels, where, window='$__range') =
    'sum by %s (increase(slurm_%s_job_allocated_cpu_seconds_total{@%s}[%s])) / 3600' % [labels, entity, where, window];
  local largest(labels, expr, of) = |||
    %s
      and on %s topk(50, %s)
  ||| % [expr, labels, of];
  local user = '(@, user, account)';
  local most = held('user', user, people);

  b.board(
    'users',
    'Users and accounts',
    'What users and accounts use, how well, and what fairshare makes of it.',
    variables=[
      b.variable('account', 'Account', 'slurm_account_jobs{@}'),
      b.variable('user', 'User', 'slurm_user_jobs{@,account=~"$account"}'),
    ],
    time='now-24h',
    rows=[
      b.row('In the time shown', height=4, panels=[
        b.stat('CPU efficiency', 'What ended jobs of the accounts chosen used of the CPU time that they held.', 'percentunit', [
          ['used', efficiency('account', '', accounts)],
        ]) + b.below(0.7, 0.4) + b.bounds(0, 1),
        b.stat('Memory waste', 'What ended jobs of the accounts chosen never used of the memory that they held.', 'percentunit', [
          ['unused', waste('account', '', accounts)],
        ]) + b.above(0.5, 0.8) + b.bounds(0, 1),
        b.stat('Wait, P95', 'Of all jobs of the cluster: 95 of 100 that started had waited at most so long since they were eligible.', 's', [
          ['P95', b.waitQuantile(0.95, '')],
        ]) + b.links([b.to('Queue and waits', 'queue')]),
        b.stat('Largest fairshare drift', "How far an account's use is above its share among its siblings, at most.", 'percentunit', [
          ['{{account}}', 'topk(1, %s)' % b.drift(accounts)],
        ]) + b.above(0.25, 0.5),
        b.stat('GPU occupancy', "Allocated GPUs, of all of the cluster's.", 'percentunit', [
          ['GPUs', b.share('slurm_cluster_gres{@,gres="gpu"%s}')],
        ]) + b.bounds(0, 1) + b.links([b.to('GPU allocation', 'gpus')]),
        b.stat('Job failure rate', 'Failed ones, of the jobs of the accounts chosen that completed or failed.', 'percentunit', [
          ['failed', b.failureRatio('slurm_account_job_ends_total', '', accounts)],
        ]) + b.above(0.1, 0.3) + b.bounds(0, 1) + b.links([b.to('Jobs and failures', 'jobs')]),
      ]),
      b.row('Accounts', height=10, panels=[
        b.table('Accounts', 'How well each account used what it held in the time shown, and where it stands. Drift: its use beyond its share among its siblings. Waits are known by partition and QOS only: here is the age of the oldest job that could start.', [
          b.key('account', 'Account', [
            b.to('Its users', 'users', { account: '${__value.text}' }),
            b.to('Jobs and failures', 'jobs', { account: '${__value.text}' }),
          ]),
        ], [
          b.column('CPU hours', 'short', held('account', '(@, account)', accounts)),
          b.column('CPU efficiency', 'percentunit', efficiency('account', '(@, account)', accounts)) + b.cellBelow(0.7, 0.4),
          b.column('Memory waste', 'percentunit', waste('account', '(@, account)', accounts)) + b.cellAbove(0.5, 0.8),
          b.column('Failure rate', 'percentunit', b.failureRatio('slurm_account_job_ends_total', '(@, account)', accounts)) + b.cellAbove(0.1, 0.3),
          b.column('Oldest startable', 's', 'time() - min by (@, account) (slurm_account_oldest_pending_timestamp_seconds{@,class="startable"%s})' % accounts),
          b.column('Share', 'percentunit', 'max by (@, account) (slurm_account_shares_ratio{@%s})' % accounts),
          b.column('Use', 'percentunit', 'max by (@, account) (slurm_account_usage_effective_ratio{@%s})' % accounts),
          b.column('Drift', 'percentunit', b.drift(accounts)) + b.cellAbove(0.1, 0.25),
          b.column('GPU hours', 'short', 'sum by (@, account) (increase(slurm_account_job_allocated_gres_seconds_total{@,gres="gpu"%s}[$__range])) / 3600' % accounts),
          b.column('Of all GPU time', 'percentunit', |||
            sum by (@, account) (increase(slurm_account_job_allocated_gres_seconds_total{@,gres="gpu"%s}[$__range]))
              / on (@) group_left () sum by (@) (avg_over_time(slurm_cluster_gres{@,gres="gpu"}[$__range]) * $__range_s)
          ||| % accounts) + b.bar,
        ], '-CPU hours'),
      ]),
      b.row('Users', height=10, panels=[
        b.table('Users', 'The fifty users with the most CPU time in the time shown.', [
          b.key('user', 'User', [
            b.to('This user', 'users', { user: '${__value.text}' }),
            b.to('Jobs and failures', 'jobs', { user: '${__value.text}' }),
            b.to('A job', 'job', { user: '${__value.text}' }),
          ]),
          b.key('account', 'Account', [b.to('This account', 'users', { account: '${__value.text}' })]),
        ], [
          b.column('CPU hours', 'short', 'topk(50, %s)' % most),
          b.column('CPU efficiency', 'percentunit', largest(user, efficiency('user', user, people), most)) + b.cellBelow(0.7, 0.4),
          b.column('Memory waste', 'percentunit', largest(user, waste('user', user, people), most)) + b.cellAbove(0.5, 0.8),
          b.column('Failure rate', 'percentunit', largest(user, b.failureRatio('slurm_user_job_ends_total', user, people), most)) + b.cellAbove(0.1, 0.3),
          b.column('Running', 'short', largest(user, 'sum by (@, user, account) (slurm_user_jobs{@,state="running"%s})' % people, most)),
          b.column('Pending', 'short', largest(user, 'sum by (@, user, account) (slurm_user_jobs{@,state="pending"%s})' % people, most)),
          b.column('Oldest startable', 's', largest(user, 'time() - min by (@, user, account) (slurm_user_oldest_pending_timestamp_seconds{@,class="startable"%s})' % people, most)),
          b.column('Fairshare factor', 'short', largest(user, 'max by (@, user, account) (slurm_user_fairshare_factor{@%s})' % people, most)) + b.cellBelow(0.2, 0.05),
        ], '-CPU hours'),
      ]),
      b.row('Use', height=8, panels=[
        b.graph('CPUs held, by account', 'CPUs that running jobs hold; the ten accounts with the most at each moment.', 'short', [
          ['{{account}}', 'topk(10, sum by (@, account) (slurm_account_job_cpus{@,state="running"%s}))' % accounts],
        ]) + b.stacked,
        b.graph('CPUs held, by user', 'CPUs that running jobs hold; the ten users with the most at each moment.', 'short', [
          ['{{user}}', 'topk(10, sum by (@, user) (slurm_user_job_cpus{@,state="running"%s}))' % people],
        ]) + b.stacked,
        b.graph('Memory held, by account', 'Memory that running jobs hold; the ten accounts with the most at each moment.', 'bytes', [
          ['{{account}}', 'topk(10, sum by (@, account) (slurm_account_job_memory_bytes{@,state="running"%s}))' % accounts],
        ]) + b.stacked,
        b.graph('Pending jobs, by user', 'The ten users with the most at each moment.', 'short', [
          ['{{user}}', 'topk(10, sum by (@, user) (slurm_user_jobs{@,state="pending"%s}))' % people],
        ]) + b.stacked,
      ]),
      b.row('Fairshare', height=8, panels=[
        b.graph('Use beyond the share, by account', "An account's part of the decayed use of its siblings, minus its part of their shares. Above zero it has had more than promised. The ten largest at each moment.", 'percentunit', [
          ['{{account}}', 'topk(10, %s)' % b.drift(accounts)],
        ]) + b.free,
        b.graph('Fairshare factor, lowest users', "From 1, nothing used, to 0: what the priority of the user's jobs is made of. The ten lowest at each moment.", 'short', [
          ['{{user}} ({{account}})', 'bottomk(10, max by (@, user, account) (slurm_user_fairshare_factor{@%s}))' % people],
        ]) + b.bounds(0, 1),
        b.graph('Fairshare level, by account', 'Shares by use (sshare: LevelFS): below 1, an account has had more than its share. The ten lowest at each moment.', 'short', [
          ['{{account}}', 'bottomk(10, max by (@, account) (slurm_account_fairshare_level{@%s}))' % accounts],
        ]),
      ]),
    ],
  )
