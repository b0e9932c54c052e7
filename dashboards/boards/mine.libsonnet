// What My jobs and My account have in common.
local fill = (import '../texts.libsonnet').fill;
local of = '(@, account, user, partition, resource)';

function(b) {
  local windows = [b.config.efficiency.window] + b.config.efficiency.longer,

  // As recorded, of the entity, over each window; `there` has it.
  efficiencies(entity, there, where): [
    b.stat(one[1], fill('What ended jobs used of what they held, over the last %s. All but the shortest end with the last full hour.', std.join(', ', windows)), 'percentunit', [
      [window, fill('max(cluster_%s:slurm_ended_job_%s_efficiency:ratio_increase%s{^%s})', [entity, one[0], window, where])]
      for window in windows
    ]) + b.empty('No jobs ended, or no slurmdbd') + b.below('efficiency') + b.bounds(0, 1)
    for one in [['cpu', 'CPU efficiency'], ['memory', 'Memory efficiency']]
  ],

  // How long jobs of the entity wait and run; `needs` says with which option slurmscope tells.
  times(entity, where, needs): [
    b.graph('Wait', fill('From eligible to started, of the jobs that started: half of them waited less than P50, 95 %% less than P95. It needs %s.', needs), 's', [
      ['P50', b.quantile(0.5, fill('slurm_%s_job_eligible_wait_seconds', entity), where)],
      ['P95', b.quantile(0.95, fill('slurm_%s_job_eligible_wait_seconds', entity), where)],
    ]),
    b.graph('Run time', fill('Of the jobs that ended. It needs %s.', needs), 's', [
      ['P50', b.quantile(0.5, fill('slurm_%s_job_runtime_seconds', entity), where)],
      ['P95', b.quantile(0.95, fill('slurm_%s_job_runtime_seconds', entity), where)],
    ]),
  ],

  // Of the accounts that an expression has.
  limits(title, description, where, accounts):
    local ofThose(expr) = fill('%s\n  and on (@, account) %s', [expr, accounts]);
    local part = fill('max by %s (slurm_association_usage{@%s}) / (max by %s (slurm_association_limit{@,scope="group"%s}) > 0)', [of, where, of, where]);
    b.table(title, description, [
      b.key('account', 'Account', [b.to('Budgets', 'budgets', { account: '${__value.text}' }), b.to('QOS, reservations, licences', 'limits', { account: '${__value.text}' })]),
      b.key('user', 'User'),
      b.key('partition', 'Partition'),
      b.key('resource', 'Resource'),
    ], [
      b.column('Used', 'percentunit', ofThose(fill('(%s)', part))) + b.bar,
      b.column('Left', 'percentunit', ofThose(fill('(1 - %s)', part))),
      b.column('Spent in', 's', ofThose(fill('max by %s (cluster_association_resource:slurm_association_budget:seconds_left{^%s})', [of, where]))) + b.cellBelow('budgetLeft'),
    ], '-Used') + b.empty('No limits, or no slurmdbd'),
}
