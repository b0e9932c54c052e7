// Expressions that several dashboards use.
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

function(config) {
  failed:: config.failedStates,
  config:: config,
  finished:: config.goodStates + '|' + config.failedStates,

  local by(labels) = if labels == '' then '' else 'by ' + labels + ' ',

  // Of a family of ends, in the time that the dashboard shows, by a list of labels; `where` begins with a comma.
  ends(family, states, labels, where='', window='$__range')::
    fill('sum %s(increase(%s{@,state=~"%s"%s}[%s]))', [by(labels), family, states, where, window]),
  failureRatio(family, labels, where='', window='$__range')::
    fill('%s / (%s > 0)', [self.ends(family, states, labels, where, window) for states in [self.failed, self.finished]]),

  // `of`: partition or qos, or nothing for all together.
  waitQuantile(quantile, of, where='', family='slurm_partition_job_eligible_wait_seconds', window='$__range')::
    // of nothing it is NaN
    fill('histogram_quantile(%g, sum by (%sle) (increase(%s_bucket{@%s}[%s]))) >= 0', [quantile, if of == '' then '' else '@, ' + of + ', ', family, where, window]),

  // Of a histogram, over time.
  quantile(quantile, family, where)::
    self.waitQuantile(quantile, '', where, family, '$__rate_interval'),

  // How much a counter of jobs grew, that of series counted that came in between: a node has none before its first failure.
  // Where nobody counted then, they came with what was counted before (rules/failures.libsonnet).
  grown(selector, window):: fill(|||
    (
      %(of)s unless %(of)s offset %(window)s
        and on (@, job, instance) slurm_cluster_job_submissions_total{@} offset %(window)s
      or increase(%(of)s[%(window)s])
    )
  |||, { of: selector, window: window }),

  // Those that are first over the whole time shown: who is first at each moment comes and goes.
  local first(expr, labels, ranked) = fill('%s\n  and on %s %s', [expr, labels, ranked]),
  // Of what is counted or held: what a selector selects.
  most(n, labels, selector)::
    first(fill('sum by %s (%s)', [labels, selector]), labels, fill('topk(%d, sum by %s (sum_over_time(%s[$__range] @ end())))', [n, labels, selector])),
  // Of counters.
  mostPerSecond(n, labels, selector)::
    first(fill('sum by %s (rate(%s[$__rate_interval]))', [labels, selector]), labels, fill('topk(%d, sum by %s (increase(%s[$__range] @ end())))', [n, labels, selector])),
  // Of levels.
  lowest(n, labels, selector)::
    first(fill('max by %s (%s)', [labels, selector]), labels, fill('bottomk(%d, max by %s (avg_over_time(%s[$__range] @ end())))', [n, labels, selector])),
  largestDrift(n, where)::
    first(trimmed(self.drift('account', where)), '(@, account)', fill('topk(%d, %s)', [n, self.drift('account', where, 'avg_over_time(%s[$__range] @ end())')])),

  // How far the use of accounts or users is above their share among their siblings; root and those that share their parent's
  // have none.
  drift(entity, where, over='%s'):: fill(|||
    max by %(of)s (%(use)s)
      - max by %(of)s (%(share)s)
      and on %(of)s slurm_%(entity)s_shares{@}
  |||, {
    entity: entity,
    use: fill(over, fill('slurm_%s_usage_effective_ratio{@%s}', [entity, where])),
    share: fill(over, fill('slurm_%s_shares_ratio{@}', entity)),
    of: if entity == 'user' then '(@, user, account)' else '(@, account)',
  }),

  // As recorded, of the last hour or what is configured: the rate, and its lower bound, for of few jobs little can be said.
  recordedFailures(entity, where)::
    fill('max by (@, %s) (cluster_%s:slurm_job_failures_per_job_end:ratio_increase%s{^%s})', [entity, entity, config.jobFailures.window, where]),
  surelyFailed(entity, where)::
    fill('max by (@, %s) (cluster_%s:slurm_job_failures_per_job_end:wilson_increase%s{^%s})', [entity, entity, config.jobFailures.window, where]),
  // How fast the worst partition uses up the budget of late starts; 1: just as fast as the goal allows.
  lateBurn(window, where)::
    fill('max(cluster_partition:slurm_job_late_starts_per_start:ratio_rate%s{^%s}) / %g', [window, where, config.waitSlo.budget]),

  // Of all, or of what is chosen: pairs of a variable and the expression for its values. Slurmscope counts by partition,
  // QOS, or account and user, not by several of these: of two variables with a choice the later one counts. `families`: further
  // ones that have all values of a variable; %s in it is where more matchers go.
  chosen(ofAll, choices, families={})::
    local there = {
      partition: 'slurm_partition_info{@%s} @ end()',
      qos: 'slurm_qos_jobs{@%s} @ end()',
      account: 'slurm_account_job_cpus{@%s} @ end()',
      user: 'slurm_user_job_cpus{@%s} @ end()',
      node: 'slurm_node_state{@%s} @ end()',
    } + families;
    // All is chosen if there is none that is not.
    local left(variable) = 'on () ' + fill(there[variable], fill(',%s!~"$%s"', [variable, variable]));
    fill('(%s)', trimmed(std.foldl(
      function(all, choice) fill('(%s)\n  unless %s\nor (%s)\n  and %s\n', [trimmed(all), left(choice[0]), trimmed(choice[1]), left(choice[0])]),
      choices,
      ofAll,
    ))),
  // Of a family of accounts and of users: of accounts, if all users are chosen.
  people(expr)::
    self.chosen(expr('account', ',account=~"$account"'), [['user', expr('user', ',user=~"$user",account=~"$account"')]]),

  // Of families that slurmctld has, too, but without states.
  ours:: ',state!=""',

  // The allocated part of a family by state; %s in it is where more matchers go. `effective`: what jobs can get, which is less
  // where something is set aside for the system. slurmrestd tells since 23.11.
  local whole(family, effective) =
    local all = fill(family, $.ours);
    if effective == '' then all else fill('%s or sum without (state) (%s)', [effective, all]),
  share(family, effective='')::
    fill('sum(%s) / sum(%s)', [fill(family, ',state="allocated"'), whole(family, effective)]),
  shareBy(label, family, effective='')::
    fill('sum by (@, %s) (%s) / sum by (@, %s) (%s)', [label, fill(family, ',state="allocated"'), label, whole(family, effective)]),

  // Alerts that fire: what they are of are labels.
  local firing(family, where) = fill('%s{!,alertname=~"Slurm.*",severity!="none"%s%s}', [family, if family == 'ALERTS' then ',alertstate="firing"' else '', where]),
  local things = ['partition', 'node', 'account', 'user', 'qos', 'license', 'reservation'],
  local ofAlerts = fill('(@, %s)', std.join(', ', ['alertname', 'severity'] + things)),
  // `of` gives of the selector of a family of alerts those that are meant.
  firing(title, description, of=function(selector) selector('')):: self.table(title, description, [
    self.key('alertname', 'Alert', self.toRunbook),
    self.key('severity', 'Severity'),
    self.key('partition', 'Partition', [self.to('Partitions', 'partitions', { partition: '${__value.text}' })]),
    self.key('node', 'Node', [self.to('Nodes', 'nodes', { node: '${__value.text}' })]),
    self.key('account', 'Account', [self.to('Users and accounts', 'users', { account: '${__value.text}' })]),
    self.key('user', 'User', [self.to('Users and accounts', 'users', { user: '${__value.text}' })]),
    self.key('qos', 'QOS'),
    self.key('license', 'Licence'),
    self.key('reservation', 'Reservation'),
  ], [
    self.column('Since', 'dateTimeFromNow', fill(|||
      1000 * topk(%d, max by %s (%s) and on %s %s)
    |||, [
      config.boards.nodes,
      ofAlerts,
      of(function(where) firing('ALERTS_FOR_STATE', where)),
      ofAlerts,
      firing('ALERTS', ''),
    ])),
  ], '-Since') + self.empty('No alert fires'),
  // While they fire.
  firingAt(of):: self.alerts(fill('max by %s (%s)', [ofAlerts, of(function(where) firing('ALERTS', where))])),

  // XIDs of GPUs that jobs had, of last; `keys` are more of the labels.
  xids(title, description, where, keys):: self.table(title, description, [
    self.key('node', 'Node', [self.to('Nodes', 'nodes', { node: '${__value.text}' })]),
    self.key('gpu', 'GPU'),
    self.key('xid', 'XID'),
  ] + keys, [
    self.column('New', 'dateTimeFromNow', fill('1000 * topk(%d, max by (@, node, gpu, xid%s) (max_over_time(timestamp(slurm:job_gpu_xid:seen{^%s})[$__range:1m])))', [
      config.boards.nodes,
      std.join('', [', ' + key.label for key in keys]),
      if where == '' then '' else ',' + where,
    ])),
  ], '-New'),

  capacityColours:: self.colours({ allocated: 'blue', idle: 'green', other: 'red' }),
  nodeColours:: self.colours({
    idle: 'green',
    mixed: 'light-blue',
    allocated: 'blue',
    down: 'red',
    'error': 'dark-red',
    unknown: 'orange',
    future: 'gray',
  }),
  jobColours:: self.colours({
    running: 'blue',
    pending: 'orange',
    suspended: 'purple',
    completed: 'green',
    failed: 'red',
    cancelled: 'gray',
    timeout: 'yellow',
    out_of_memory: 'dark-orange',
    node_fail: 'dark-red',
    preempted: 'purple',
    requeued: 'light-blue',
    deadline: 'light-yellow',
    boot_fail: 'semi-dark-red',
  }),
}
