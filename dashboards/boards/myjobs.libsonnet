local fill = (import '../texts.libsonnet').fill;
local mine = ',user="$user"';
local user = '(@, user, account)';

function(b)
  local rows = (import 'rows.libsonnet')(b);
  local common = (import 'mine.libsonnet')(b);
  local holds = rows.holds(mine), waits = rows.waits(mine), failed = rows.ended(mine + fill(',state=~"%s|timeout|deadline"', b.failed));
  // The accounts that somebody belongs to, as fairshare has them.
  local theirs = fill('max by (@, account) (slurm_user_shares{@%s})', mine);
  b.board(
    'myjobs',
    'My jobs',
    'The jobs of one user: which hold nodes, which wait and why, what they make of what they hold, what failed. A link with var-user=NAME fixes the user. That is no protection: who reads the data source can choose any user.',
    variables=[b.written('user', 'User')],
    time='now-24h',
    tag='slurmscope-mine',
    rows=[
      b.row('Jobs of $user', 'No such user, or no jobs', height=4, panels=[
        b.stat('Jobs now', 'All jobs of the user in each state, those without a row of their own, too.', 'locale', [
          ['{{state}}', fill('sum by (state) (slurm_user_jobs{@,state=~"running|pending|suspended"%s})', mine)],
        ]),
        b.stat('CPUs held', 'CPUs that running jobs of the user hold.', 'locale', [
          ['CPUs', fill('sum(slurm_user_job_cpus{@,state="running"%s})', mine)],
        ]),
        b.stat('Oldest startable job', 'How long the longest waiting job that nothing but resources or priority keeps from starting has waited since its submission.', 's', [
          ['age', fill('time() - min(slurm_user_oldest_pending_timestamp_seconds{@,class="startable"%s})', mine)],
        ]) + b.empty('None waits') + b.links([b.to('Waiting', 'waiting', { user: '${user}' })]),
        b.stat('Failed', 'Jobs that failed, of those that completed or failed, in the time shown.', 'percentunit', [
          ['failed', b.failureRatio('slurm_user_job_ends_total', '', mine)],
        ]) + b.empty('No jobs ended') + b.above('failures') + b.bounds(0, 1) + b.links([b.to('Jobs and failures', 'jobs', { user: '${user}' })]),
      ] + common.efficiencies('user', fill('slurm_user_job_cpus{@%s}', mine), mine)),
      b.row('Jobs', 'No jobs', height=8, panels=[
        rows.holding('My jobs that hold nodes', 'What each job holds, and how well an exporter on its nodes says that it uses its CPUs.', holds) + b.wide(24),
        rows.waiting('My jobs that wait', 'Why each job waits, and what helps. The place is by priority, among jobs with rows that could start in the partition; others may come in between.', waits, [rows.place(waits)], inWords=true) + b.wide(24),
        rows.ending('My jobs that failed', 'How each job failed in the time shown, and what it used.', failed) + b.wide(24),
        b.graph('How my jobs ended', 'Jobs that ended, by how, as if it went on for an hour.', 'short', [
          ['{{state}}', fill('3600 * sum by (state) (rate(slurm_user_job_ends_total{@%s}[$__rate_interval])) > 0', mine)],
        ]) + b.stacked + b.jobColours + b.empty('No jobs ended') + b.wide(12),
        rows.shown('Rows of my jobs', 'Jobs of the user with rows that hold nodes.', holds, 'slurm_job_info') + b.wide(6),
        rows.shown('Rows of mine that wait', 'Jobs of the user with rows that wait.', waits, 'slurm_pending_job_info') + b.wide(6),
      ]),
      b.row('How they wait and run', 'No jobs started or ended, or not jobs.histograms: users', height=7, panels=common.times('user', mine, '`jobs.histograms: users`, as there are many users')),
      b.row('Fairshare and limits', 'No fairshare, or no slurmdbd', height=7, panels=[
        b.table('My fairshare', 'What makes the fairshare factor: from 1, nothing used, to 0. Share and use are parts of what the account has; below a level of 1 the user has had more than the share.', [
          b.key('account', 'Account', [b.to('This account', 'myaccount', { account: '${__value.text}' })]),
        ], [
          b.column('Factor', 'short', fill('max by (@, account) (slurm_user_fairshare_factor{@%s})', mine)) + b.cellBelow('fairshare'),
          b.column('Level', 'short', fill('max by (@, account) (slurm_user_fairshare_level{@%s})', mine)),
          b.column('Share', 'percentunit', fill('max by (@, account) (slurm_user_shares_ratio{@%s})', mine)),
          b.column('Use', 'percentunit', fill('max by (@, account) (slurm_user_usage_effective_ratio{@%s})', mine)),
        ], 'Factor') + b.wide(9),
        common.limits('My limits', fill('Group limits that hold for the user, and for the accounts of the user with all that is below them. What is in time is a budget, and is spent at the pace of the last %s.', b.config.budgets.window), ',user=~"$user|"', theirs) + b.wide(15),
      ]),
    ],
  )
