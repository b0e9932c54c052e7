local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;
local accounts = ',account=~"$account"';
local people = ',user=~"$user",account=~"$account"';

function(b)
  // Used, of what was allocated, of the jobs that ended.
  local used(entity, what, labels, where) =
    fill('sum %s(increase(slurm_%s_ended_job_%s_total{@%s}[$__range]))', [if labels == '' then '' else 'by ' + labels + ' ', entity, what, where]);
  local efficiency(entity, labels, where='') =
    fill('%s / (%s > 0)', [used(entity, what, labels, where) for what in ['used_cpu_seconds', 'allocated_cpu_seconds']]);
  local waste(entity, labels, where='') =
    fill('1 - %s / (%s > 0)', [used(entity, what, labels, where) for what in ['peak_memory_byte_seconds', 'allocated_memory_byte_seconds']]);
  local held(entity, labels, where, window='$__range') =
    fill('sum by %s (increase(slurm_%s_job_allocated_cpu_seconds_total{@%s}[%s])) / 3600', [labels, entity, where, window]);
  local largest(labels, expr, of) = fill(|||
    %s
      and on %s topk(50, %s)
  |||, [expr, labels, of]);
  local gpuTime(entity, where) = fill('sum by (@, account) (increase(slurm_%s_job_allocated_gres_seconds_total{@,gres="gpu"%s}[$__range]))', [entity, where]);
  // Of whole accounts: those of the users chosen.
  local theirs(expr) = b.chosen(expr, [['user', fill('%s\n  and on (@, account) slurm_user_shares{@%s}', [trimmed(expr), people])]]);
  local account = '(@, account)', user = '(@, user, account)';
  local most = held('user', user, people);

  b.board(
    'users',
    'Users and accounts',
    'What users and accounts use, how well, and what fairshare makes of it.',
    variables=[
      b.variable('account', 'Account', 'slurm_account_job_cpus{@}'),
      b.variable('user', 'User', 'slurm_user_job_cpus{@,account=~"$account"}'),
    ],
    time='now-24h',
    rows=[
      b.row('In the time shown', 'No jobs ended', height=4, panels=[
        b.stat('CPU efficiency', 'What ended jobs of the accounts chosen used of the CPU time that they held.', 'percentunit', [
          ['used', b.people(function(entity, where) efficiency(entity, '', where))],
        ]) + b.empty('No slurmdbd tells') + b.below('efficiency') + b.bounds(0, 1),
        b.stat('Memory waste', 'What ended jobs of the accounts chosen never used of the memory that they held.', 'percentunit', [
          ['unused', b.people(function(entity, where) waste(entity, '', where))],
        ]) + b.empty('No slurmdbd tells') + b.above('waste') + b.bounds(0, 1),
        b.stat('Oldest startable job', 'How long the longest waiting job that nothing but resources or priority keeps from starting has waited since its submission. Waits of jobs that started are known by partition and QOS only.', 's', [
          ['age', b.people(function(entity, where) fill('time() - min(slurm_%s_oldest_pending_timestamp_seconds{@,class="startable"%s})', [entity, where]))],
        ]) + b.empty('None waits') + b.links([b.to('Queue and waits', 'queue')]),
        b.stat('Largest fairshare drift', 'How far the use of an account, or of a user if some are chosen, is above its share among its siblings, at most.', 'percentunit', [
          ['{{user}} {{account}}', fill('topk(1, %s)', b.people(b.drift))],
        ]) + b.empty('No fairshare, or no slurmdbd') + b.above('drift'),
        b.stat('GPUs held', "GPUs that running jobs hold, of all of the cluster's.", 'percentunit', [
          ['GPUs', b.people(function(entity, where) fill('sum(slurm_%s_job_gres{@,gres="gpu",state="running"%s}) / sum(slurm_cluster_gres{@,gres="gpu"})', [entity, where]))],
        ]) + b.empty('No GPUs') + b.bounds(0, 1) + b.links([b.to('GPU allocation', 'gpus')]),
        b.stat('Job failure rate', 'Failed ones, of the jobs of the accounts chosen that completed or failed.', 'percentunit', [
          ['failed', b.people(function(entity, where) b.failureRatio(fill('slurm_%s_job_ends_total', entity), '', where))],
        ]) + b.above('failures') + b.bounds(0, 1) + b.links([b.to('Jobs and failures', 'jobs')]),
      ]),
      b.row('Accounts', 'No accounts', height=10, panels=[
        b.table('Accounts', 'How well each account used what it held in the time shown, and where it stands. Drift: its use beyond its share among its siblings. Waits are known by partition and QOS only: here is the age of the oldest job that could start.', [
          b.key('account', 'Account', [
            b.to('Its users', 'users', { account: '${__value.text}' }),
            b.to('Jobs and failures', 'jobs', { account: '${__value.text}' }),
          ]),
        ], [
          b.column('CPU hours', 'short', b.people(function(entity, where) held(entity, account, where))),
          b.column('CPU efficiency', 'percentunit', b.people(function(entity, where) efficiency(entity, account, where))) + b.cellBelow('efficiency'),
          b.column('Memory waste', 'percentunit', b.people(function(entity, where) waste(entity, account, where))) + b.cellAbove('waste'),
          b.column('Failure rate', 'percentunit', b.people(function(entity, where) b.failureRatio(fill('slurm_%s_job_ends_total', entity), account, where))) + b.cellAbove('failures'),
          b.column('Oldest startable', 's', b.people(function(entity, where) fill('time() - min by (@, account) (slurm_%s_oldest_pending_timestamp_seconds{@,class="startable"%s})', [entity, where]))),
          b.column('Share', 'percentunit', theirs(fill('max by (@, account) (slurm_account_shares_ratio{@%s})', accounts))),
          b.column('Use', 'percentunit', theirs(fill('max by (@, account) (slurm_account_usage_effective_ratio{@%s})', accounts))),
          b.column('Drift', 'percentunit', theirs(b.drift('account', accounts))) + b.cellAbove('drift'),
          b.column('GPU hours', 'short', b.people(function(entity, where) gpuTime(entity, where) + ' / 3600')),
          b.column('Of all GPU time', 'percentunit', b.people(function(entity, where) fill(|||
            %s
              / on (@) group_left () sum by (@) (avg_over_time(slurm_cluster_gres{@,gres="gpu"}[$__range]) * $__range_s)
          |||, gpuTime(entity, where)))) + b.bar,
        ], '-CPU hours'),
      ]),
      b.row('Users', 'No jobs ran', height=10, panels=[
        b.table('Users', 'The fifty users with the most CPU time in the time shown.', [
          b.key('user', 'User', [
            b.to('This user', 'users', { user: '${__value.text}' }),
            b.to('Jobs and failures', 'jobs', { user: '${__value.text}' }),
            b.to('Jobs', 'joblist', { user: '${__value.text}' }),
          ]),
          b.key('account', 'Account', [b.to('This account', 'users', { account: '${__value.text}' })]),
        ], [
          b.column('CPU hours', 'short', fill('topk(50, %s)', most)),
          b.column('CPU efficiency', 'percentunit', largest(user, efficiency('user', user, people), most)) + b.cellBelow('efficiency'),
          b.column('Memory waste', 'percentunit', largest(user, waste('user', user, people), most)) + b.cellAbove('waste'),
          b.column('Failure rate', 'percentunit', largest(user, b.failureRatio('slurm_user_job_ends_total', user, people), most)) + b.cellAbove('failures'),
          b.column('Running', 'short', largest(user, fill('sum by (@, user, account) (slurm_user_jobs{@,state="running"%s})', people), most)),
          b.column('Pending', 'short', largest(user, fill('sum by (@, user, account) (slurm_user_jobs{@,state="pending"%s})', people), most)),
          b.column('Oldest startable', 's', largest(user, fill('time() - min by (@, user, account) (slurm_user_oldest_pending_timestamp_seconds{@,class="startable"%s})', people), most)),
          b.column('Fairshare factor', 'short', largest(user, fill('max by (@, user, account) (slurm_user_fairshare_factor{@%s})', people), most)) + b.cellBelow('fairshare'),
        ], '-CPU hours'),
      ]),
      b.row('Use', 'No jobs', height=8, panels=[
        b.graph('CPUs held, by account', 'CPUs that running jobs hold; the ten accounts with the most in the time shown.', 'short', [
          ['{{account}}', b.people(function(entity, where) b.most(10, '(@, account)', fill('slurm_%s_job_cpus{@,state="running"%s}', [entity, where])))],
        ]) + b.empty('No jobs run') + b.stacked,
        b.graph('CPUs held, by user', 'CPUs that running jobs hold; the ten users with the most in the time shown.', 'short', [
          ['{{user}}', b.most(10, '(@, user)', fill('slurm_user_job_cpus{@,state="running"%s}', people))],
        ]) + b.empty('No jobs run') + b.stacked,
        b.graph('Memory held, by account', 'Memory that running jobs hold; the ten accounts with the most in the time shown.', 'bytes', [
          ['{{account}}', b.people(function(entity, where) b.most(10, '(@, account)', fill('slurm_%s_job_memory_bytes{@,state="running"%s}', [entity, where])))],
        ]) + b.empty('No jobs run') + b.stacked,
        b.graph('Pending jobs, by user', 'The ten users with the most in the time shown.', 'short', [
          ['{{user}}', b.most(10, '(@, user)', fill('slurm_user_jobs{@,state="pending"%s}', people))],
        ]) + b.empty('No jobs wait') + b.stacked,
      ]),
      b.row('Fairshare', 'No fairshare, or no slurmdbd', height=8, panels=[
        b.graph('Use beyond the share, by account', "An account's part of the decayed use of its siblings, minus its part of their shares. Above zero it has had more than promised. The ten largest in the time shown.", 'percentunit', [
          ['{{account}}', theirs(b.largestDrift(10, accounts))],
        ]) + b.free,
        b.graph('Fairshare factor, lowest users', "From 1, nothing used, to 0: what the priority of the user's jobs is made of. The ten lowest in the time shown.", 'short', [
          ['{{user}} ({{account}})', b.lowest(10, '(@, user, account)', fill('slurm_user_fairshare_factor{@%s}', people))],
        ]) + b.bounds(0, 1),
        b.graph('Fairshare level, by account', 'Shares by use (sshare: LevelFS): below 1, an account has had more than its share. The ten lowest in the time shown.', 'short', [
          ['{{account}}', theirs(b.lowest(10, '(@, account)', fill('slurm_account_fairshare_level{@%s}', accounts)))],
        ]),
      ]),
    ],
  )
