// How many jobs fail, and how sure that is.
//
// Jobs of one user are no independent trials: an array that fails does so a thousand times. No family tells of users by
// partition or by node. But what fails in a partition beyond what a user's failures are in all partitions is others'. So
// `beside_N_users` is what is left at least when the N users with most failures are left out.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

// The lower bound of Wilson's score interval: the share of failures that is exceeded with 97.5 % confidence, so that 3
// of 3 failed jobs do not look like 300 of 300. With z = 1.96: z² / 2 = 1.9208, z² / 4 = 0.9604, z² = 3.8416.
local wilson = |||
  (
    %(ratio)s + 1.9208 / %(ends)s
    - 1.96 * sqrt((%(ratio)s * (1 - %(ratio)s) + 0.9604 / %(ends)s) / %(ends)s)
  ) / (1 + 3.8416 / %(ends)s)
|||;

// Users have no row of a state, and nodes none at all, before the first such end. So where slurmscope counted already,
// all of a new row is increase. (A standby that takes over shows what was counted before it came.) Other rows begin at 0.
local increase(by, row, isSparse) =
  local names = { by: by, row: row };
  fill(if isSparse then |||
    sum by (%(by)s) (
      (%(row)s unless %(row)s offset %%(window)s)
        and on (%%(c)s, job, instance) (slurm_cluster_job_submissions_total{%%(s)s} offset %%(window)s)
      or increase(%(row)s[%%(window)s])
    )
  ||| else |||
    sum by (%(by)s) (increase(%(row)s[%%(window)s]))
  |||, names);

// What may be wrong with a job's end. Ends that say nothing about it are left out: a job that its user cancelled, or that
// was preempted or requeued.
local kinds = {
  failures: { metric: 'slurm_job_failures', ends: 'slurm_job_ends', bad: '%(failedStates)s', good: '%(goodStates)s' },
  timeouts: { metric: 'slurm_job_timeouts', ends: 'slurm_job_ends_or_timeouts', bad: 'timeout', good: '%(goodStates)s|%(failedStates)s' },
};

local level(entity) = if entity == 'cluster' then 'cluster' else 'cluster_' + entity;
local labels(config, entity) = if entity == 'cluster' then config.clusterLabel else config.clusterLabel + ', ' + entity;

// Bad ends, all ends that say something, and the share of the bad ones.
local counted(config, entity, kind) =
  local names = {
    by: labels(config, entity),
    family: fill('slurm_%s_job_ends_total', entity),
    window: config.jobFailures.window,
    bad: fill('%s:%s:increase%s', [level(entity), kind.metric, self.window]),
    ends: fill('%s:%s:increase%s', [level(entity), kind.ends, self.window]),
  };
  local ended(states) = increase('%(by)s', '%(family)s{state=~"' + states + '", %(s)s}', entity == 'user');
  [
    promql.rule(config, names.bad, ended(kind.bad), names),
    promql.rule(config, names.ends, ended(kind.bad + '|' + kind.good), names),
  ];

local shares(config, at, kind, window) =
  local names = {
    bad: fill('%s:%s:increase%s', [at, kind.metric, window]),
    ends: fill('%s:%s:increase%s', [at, kind.ends, window]),
    ratio: fill('%s:%s_per_job_end:ratio_increase%s', [at, kind.metric, window]),
  };
  [
    promql.rule(config, names.ratio, '%(bad)s / (%(ends)s > 0)', names),
    promql.rule(config, fill('%s:%s_per_job_end:wilson_increase%s', [at, kind.metric, window]), wilson, names),
  ];

// A day, or some hours, is the sum of its hours: cheaper than to read all of its samples again each minute. It ends with the
// last full hour, for users as for nodes and partitions.
local sum(config, name, part, whole) =
  promql.rule(
    config,
    name + ':increase%(whole)s',
    'sum_over_time(' + name + ':increase%(part)s[%(whole)s:%(part)s])',
    { whole: whole, part: part }
  );

// Bad ends and all ends in a partition without the users who have most bad ends, wherever. `+ 0` takes the name away, as the
// subtraction does on the other side of `or`. With a name on one side only, an evaluation over the past (promtool tsdb
// create-blocks-from rules, vmalert -replay) makes two series of one.
local beside(config, kind, users, window) =
  local names = {
    at: 'cluster_partition',
    bad: fill('cluster_partition:%s:increase%s', [kind.metric, window]),
    ends: fill('cluster_partition:%s:increase%s', [kind.ends, window]),
    theirs: fill('cluster_user:%s:increase%s{user!="other"}', [kind.metric, window]),
    users: users,
    window: window,
    level: fill('cluster_partition_beside_%d_users', users),
    left: fill('%s:%s:increase%s', [self.level, kind.metric, window]),
  };
  [
    promql.rule(config, names.left, |||
      clamp_min(
        %(bad)s
        - on (%(c)s) group_left () sum by (%(c)s) (topk by (%(c)s) (%(users)d, %(theirs)s)),
        0
      )
      or %(bad)s + 0
    |||, names),
    promql.rule(config, fill('%s:%s:increase%s', [names.level, kind.ends, window]), '%(ends)s - (%(bad)s - %(left)s)', names),
  ] + shares(config, names.level, kind, window);

// The same for an account, whose users are known.
local besideInAccount(config) =
  local kind = kinds.failures;
  local window = config.jobFailures.window;
  local names = {
    bad: fill('cluster_account:%s:increase%s', [kind.metric, window]),
    ends: fill('cluster_account:%s:increase%s', [kind.ends, window]),
    level: 'cluster_account_beside_1_users',
    left: fill('%s:%s:increase%s', [self.level, kind.metric, window]),
    window: window,
  };
  [
    promql.rule(
      config,
      names.left,
      'clamp_min(\n  %(bad)s\n  - on (%(c)s, account) max by (%(c)s, account) (\n    ' +
      std.strReplace(trimmed(increase('%(c)s, account, user', 'slurm_user_job_ends_total{user!="other", state=~"' + kind.bad + '", %(s)s}', true)), '\n', '\n    ') +
      '\n  ),\n  0\n)\nor %(bad)s + 0\n',
      names
    ),
    promql.rule(config, fill('%s:%s:increase%s', [names.level, kind.ends, window]), '%(ends)s - (%(bad)s - %(left)s)', names),
  ] + shares(config, names.level, kind, window);

{
  rules(config)::
    local own = config.jobFailures;
    local node(of, window, more) = promql.rule(
      config,
      fill('cluster_node:%s:increase%s', [of, window]),
      increase('%(c)s, node', 'slurm_node_job_failures_total{' + more + '%(s)s}', true),
      { window: window }
    );
    std.flatMap(
      function(entity) counted(config, entity, kinds.failures) + shares(config, level(entity), kinds.failures, own.window),
      ['cluster', 'partition', 'account', 'user', 'qos']
    )
    + counted(config, 'partition', kinds.timeouts)
    + counted(config, 'user', kinds.timeouts)[:1]
    + [
      sum(config, 'cluster_partition:' + metric, own.window, own.day)
      for metric in [kinds.failures.metric, kinds.failures.ends, kinds.timeouts.metric, kinds.timeouts.ends]
    ]
    + [sum(config, 'cluster_user:' + metric, own.window, own.day) for metric in [kinds.failures.metric, kinds.timeouts.metric]]
    + [sum(config, 'cluster_partition:' + metric, own.window, own.hours) for metric in [kinds.failures.metric, kinds.failures.ends]]
    + [sum(config, 'cluster_user:' + kinds.failures.metric, own.window, own.hours)]
    // what is usual in the partition
    + [shares(config, 'cluster_partition', kinds.timeouts, own.day)[0]]
    + beside(config, kinds.failures, own.users, own.window)
    + beside(config, kinds.failures, 1, own.window)
    + beside(config, kinds.failures, 1, own.hours)
    + beside(config, kinds.failures, 1, own.day)
    + beside(config, kinds.timeouts, own.users, own.window)
    + beside(config, kinds.timeouts, 1, own.day)
    + besideInAccount(config)
    + [
      node('slurm_node_job_failures', config.blackHole.window, ''),
      node('slurm_node_job_failures', own.window, ''),
      // of the jobs that the node itself ended
      node('slurm_node_job_losses', own.window, 'kind=~"node_fail|boot_fail", '),
      promql.rule(config, 'cluster_user:slurm_job_failures:increase%(window)s', increase(
        '%(c)s, user',
        'slurm_user_job_ends_total{state=~"%(failedStates)s", %(s)s}',
        true
      ), config.blackHole),
    ]
    + [sum(config, 'cluster_node:slurm_node_job_failures', own.window, own.day)],
}
