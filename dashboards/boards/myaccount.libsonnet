local fill = (import '../texts.libsonnet').fill;
local whose = ',account="$account"';

function(b)
  local rows = (import 'rows.libsonnet')(b);
  local common = (import 'mine.libsonnet')(b);
  local holds = rows.holds(whose), waits = rows.waits(whose), failed = rows.ended(whose + fill(',state=~"%s|timeout|deadline"', b.failed));
  b.board(
    'myaccount',
    'My account',
    'The jobs of one account: which hold nodes, which wait and why, who uses what and how well, what is left of its budgets. A link with var-account=NAME fixes the account, one with var-user=NAME leaves the accounts of that user. That is no protection: who reads the data source can choose any account.',
    variables=[
      b.written('user', 'Accounts of', '.*'),
      b.variable('account', 'Account', '{@,__name__=~"slurm_user_shares|slurm_user_job_cpus",user=~"$user"}', one=true),
    ],
    time='now-24h',
    tag='slurmscope-mine',
    rows=[
      b.row('Account $account', 'No such account, or no jobs', height=4, panels=[
        b.stat('Jobs now', 'All jobs of the account in each state, those without a row of their own, too.', 'locale', [
          ['{{state}}', fill('sum by (state) (slurm_account_jobs{@,state=~"running|pending|suspended"%s})', whose)],
        ]),
        b.stat('CPUs held', 'CPUs that running jobs of the account hold.', 'locale', [
          ['CPUs', fill('sum(slurm_account_job_cpus{@,state="running"%s})', whose)],
        ]),
        b.stat('Fairshare', 'The part of its share that the account has used: above 1 it has had more than promised, and its jobs have less priority.', 'short', [
          ['use by share', fill('max(slurm_account_usage_effective_ratio{@%s}) / (max(slurm_account_shares_ratio{@%s}) > 0)', [whose, whose])],
        ]) + b.empty('No fairshare, or no slurmdbd') + b.links([b.to('Users and accounts', 'users', { account: '${account}' })]),
        b.stat('Failed', 'Jobs that failed, of those that completed or failed, in the time shown.', 'percentunit', [
          ['failed', b.failureRatio('slurm_account_job_ends_total', '', whose)],
        ]) + b.empty('No jobs ended') + b.above('failures') + b.bounds(0, 1) + b.links([b.to('Jobs and failures', 'jobs', { account: '${account}' })]),
      ] + common.efficiencies('account', fill('slurm_account_job_cpus{@%s}', whose), whose)),
      b.row('Limits, budgets and users', 'No limits, or no slurmdbd', height=8, panels=[
        common.limits('Limits of the account', fill('Group limits of the account and of its users. What is in time is a budget, and is spent at the pace of the last %s.', b.config.budgets.window), whose, fill('max by (@, account) (slurm_account_shares{@%s})', whose)),
        b.table('Users of the account', 'What each user of the account held in the time shown, and where the user stands.', [
          b.key('user', 'User', [b.to('Jobs of this user', 'myjobs', { user: '${__value.text}' })]),
        ], [
          b.column('CPU hours', 'locale', fill('sum by (@, user) (increase(slurm_user_job_allocated_cpu_seconds_total{@%s}[$__range])) / 3600', whose)) + b.count,
          b.column('Running', 'locale', fill('sum by (@, user) (slurm_user_jobs{@,state="running"%s})', whose)),
          b.column('Pending', 'locale', fill('sum by (@, user) (slurm_user_jobs{@,state="pending"%s})', whose)),
          b.column('Failure rate', 'percentunit', b.failureRatio('slurm_user_job_ends_total', '(@, user)', whose)) + b.cellAbove('failures'),
          b.column('Fairshare factor', 'short', fill('max by (@, user) (slurm_user_fairshare_factor{@%s})', whose)) + b.cellBelow('fairshare'),
        ], '-CPU hours') + b.empty('No jobs ran'),
      ]),
      b.row('How they wait and run', 'No jobs started or ended', height=7, panels=common.times('account', whose, 'jobs.histograms, which is on by default')),
      b.row('Jobs', 'No jobs', height=8, panels=[
        rows.holding('Its jobs that hold nodes', 'What each job holds, and how well an exporter on its nodes says that it uses its CPUs.', holds) + b.wide(24),
        rows.waiting('Its jobs that wait', 'Why each job waits, and what helps. The place is by priority, among jobs with rows that could start in the partition; others may come in between.', waits, [rows.place(waits)], inWords=true) + b.wide(24),
        rows.ending('Its jobs that failed', 'How each job failed in the time shown, and what it used.', failed) + b.wide(24),
        rows.shown('Rows of its jobs', 'Jobs of the account with rows that hold nodes.', holds, 'slurm_job_info') + b.wide(12) + b.high(3),
        rows.shown('Rows of its jobs that wait', 'Jobs of the account with rows that wait.', waits, 'slurm_pending_job_info') + b.wide(12) + b.high(3),
      ]),
    ],
  )
