local fill = (import '../texts.libsonnet').fill;
local whose = 'account=~"$account"';
local of = '(@, account, user, partition, resource)';
local called = '{{account}} {{user}} {{partition}}: {{resource}}';

function(b)
  // In hours; a column for memory, whose unit is another.
  local byUnit(title, expr) = [
    b.column(title + ', hours', 'locale', fill('round(%s / 3600)', fill(expr, 'resource!~"mem_.*"'))),
    b.column(title + ', GiB hours', 'locale', fill('round(%s / 3600 / 2^30)', fill(expr, 'resource=~"mem_.*"'))),
  ];
  local recorded(name) = fill('max by %s (cluster_association_resource:slurm_association_budget:%s{^,%s})', [of, name, whose]);
  b.board(
    'budgets',
    'Budgets',
    'What accounts and users may use up (GrpTRESMins), what they have used up, and when it is spent. Use decays as Slurm has it (PriorityDecayHalfLife).',
    variables=[b.variable('account', 'Account', 'slurm_association_usage{@}')],
    time='now-7d',
    rows=[
      b.row('Now', 'No budgets', height=4, panels=[
        b.stat('Spent', 'Budgets of which nothing is left; jobs that need them wait.', 'short', [
          ['budgets', fill('count(%s >= 1) or 0 * count(%s)', [recorded('used_ratio'), recorded('used_ratio')])],
        ]) + b.above('some'),
        b.stat('Soon spent', fill('Budgets that are spent within %g days at the pace of the last %s.', [b.config.budgets.days, b.config.budgets.window]), 'short', [
          ['budgets', fill('count(%s < %g * 86400) or 0 * count(%s)', [recorded('seconds_left'), b.config.budgets.days, recorded('used_ratio')])],
        ]) + b.above('some'),
        b.stat('Fullest budget', 'The largest part of a budget that is used up.', 'percentunit', [
          [called, fill('topk(1, %s)', recorded('used_ratio'))],
        ]) + b.above('budgetUsed'),
        b.stat('Next to be spent', fill('The budget that is spent first, at the pace of the last %s.', b.config.budgets.window), 's', [
          [called, fill('bottomk(1, %s)', recorded('seconds_left'))],
        ]) + b.empty('None is being used up') + b.below('budgetLeft'),
      ]),
      b.row('Budgets', 'No budgets', height=10, panels=[
        b.table('Budgets', 'Hours of each TRES. What running jobs may still use until their time limits is not used up yet, but Slurm starts no job that needs it.', [
          b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
          b.key('user', 'User'),
          b.key('partition', 'Partition'),
          b.key('resource', 'Resource'),
        ], byUnit('Budget', fill('max by %s (slurm_association_limit{@,%s,scope="group",%s,%%s})', [of, whose, b.config.budgetResources])) +
           byUnit('Used', fill('max by %s (slurm_association_usage{@,%s,%s,%%s})', [of, whose, b.config.budgetResources])) +
           byUnit('Running jobs', fill('max by %s (cluster_association_resource:slurm_association_budget:running{^,%s,%%s})', [of, whose])) + [
          b.column('Part', 'percentunit', recorded('used_ratio')) + b.bar,
          b.column('Spent in', 's', recorded('seconds_left')) + b.cellBelow('budgetLeft'),
        ], '-Part') + b.wide(24),
      ]),
      b.row('Over time', 'No budgets', height=9, panels=[
        b.graph('Left', 'Of each budget; it grows where use decays faster than new use comes.', 'percentunit', [
          [called, fill('1 - %s', recorded('used_ratio'))],
        ]),
        b.graph('What accounts are charged', 'The billing TRES of running jobs, on average.', 'short', [
          ['{{account}}', b.mostPerSecond(12, '(@, account)', fill('slurm_account_job_allocated_billing_seconds_total{@,%s}', whose))],
        ]) + b.empty('No jobs ran') + b.stacked,
      ]),
    ],
  )
